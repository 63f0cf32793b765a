import { findRounded, spellNumbers, writeExactly } from "../../core/exact-json.js";
import { findUnwritable } from "../../core/json-text.js";
import type { ContentBlock, ToolContent } from "../../core/call.js";
import { dataBesideTexts } from "../../runtime/result.js";
import { findRoundedPlaces, quotePlaces } from "../../runtime/validate-call.js";

export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mediaType: string };

/** A `ToolContent` as JSON, without its method. */
export type PlainContent = Omit<ToolContent, "json">;

/**
 * Returns the parts of a tool's value. Content other than texts and images becomes a text that names it.
 *
 * @param beside the content blocks that came beside the value, whose texts repeat it
 */
export function toModelParts(value: unknown, beside: readonly ContentBlock[] = []): readonly ModelPart[] {
  if (!isContent(value)) return [...toDataParts(value), ...keepMedia(beside).map(toPart)].filter(isShown);
  const data = dataBesideTexts(value);
  return [...value.content.map(toPart), ...(data === undefined ? [] : toDataParts(data))].filter(isShown);
}

export function keepMedia(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.filter(({ type }) => type !== "text");
}

/** Writes a value with the server's own digits, or says where these are not known. */
function toDataParts(value: unknown): readonly ModelPart[] {
  const text = textPart(typeof value === "string" ? value : writeExactly(value ?? null));
  const unknown = findRounded(value).some(({ token }) => token === undefined);
  if (!unknown) return [text];
  const places = quotePlaces(findRoundedPlaces(value));
  return [text, textPart(`[These numbers are rounded, so do not use them as IDs: ${places}]`)];
}

/** Writes parts as one text, for models that read nothing else. */
export function toPlainText(parts: readonly ModelPart[]): string {
  return parts
    .map((part) => (part.type === "text" ? part.text : `[${part.mediaType}: cannot be shown]`))
    .join("\n");
}

/** Writes parts as blocks, for models that read images. A single text needs no block. */
export function toBlocks<T>(parts: readonly ModelPart[], write: (part: ModelPart) => T): string | T[] {
  const [first] = parts;
  return parts.length === 1 && first?.type === "text" ? first.text : parts.map(write);
}

/** Whether a value is the answer of a tool without an output schema. */
export function isContent(value: unknown): value is PlainContent {
  return (
    typeof value === "object" &&
    value !== null &&
    "text" in value &&
    typeof value.text === "string" &&
    "content" in value &&
    Array.isArray(value.content)
  );
}

/** Explains why a tool's answer cannot be written as JSON; undefined if it can. */
export function explainUnwritable(tool: string, value: unknown): string | undefined {
  const reason = findUnwritable(spellNumbers(isContent(value) ? { ...value, json: undefined } : value));
  return reason && `The answer of tool ${JSON.stringify(tool)} cannot be written as JSON: ${reason}.`;
}

function toPart(block: ContentBlock): ModelPart {
  switch (block.type) {
    case "text":
      return textPart(block.text ?? "");
    case "image":
      return toMedia(block["data"], block["mimeType"]) ?? textPart("[unreadable image]");
    case "resource_link":
      return textPart(`[${[block["name"], block["uri"]].filter(isText).join(": ")}]`);
    case "resource":
      return toResource(block["resource"]);
    default:
      return textPart(`[${isText(block["mimeType"]) ? block["mimeType"] : block.type}: cannot be shown]`);
  }
}

function toResource(resource: unknown): ModelPart {
  const { text, blob, mimeType, uri } = { ...(resource as Partial<Record<string, unknown>>) };
  if (isText(text)) return textPart(text);
  const image = isText(mimeType) && mimeType.startsWith("image/") ? toMedia(blob, mimeType) : undefined;
  return image ?? textPart(`[${[mimeType, uri].filter(isText).join(" ")}: cannot be shown]`);
}

function toMedia(data: unknown, mediaType: unknown): ModelPart | undefined {
  return isText(data) && isText(mediaType) ? { type: "image", data, mediaType } : undefined;
}

function textPart(text: string): ModelPart {
  return { type: "text", text };
}

/** Providers refuse empty text. */
function isShown(part: ModelPart): boolean {
  return part.type !== "text" || part.text !== "";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
