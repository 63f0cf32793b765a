import type { ContentBlock, ToolContent } from "../../runtime/result.js";

/** What a model can be shown of a result. */
export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mediaType: string };

/** A `ToolContent` without its method, so that it is JSON. */
export type PlainContent = Omit<ToolContent, "json">;

/** The parts of a tool's value. What is neither text nor an image is named, never left out in silence. */
export function toModelParts(value: unknown): readonly ModelPart[] {
  if (isContent(value)) {
    const blocks = value.content.map(toPart);
    if (blocks.length > 0 || value.structuredContent === undefined) return blocks.filter(isShown);
    return toModelParts(value.structuredContent);
  }
  return [textPart(typeof value === "string" ? value : JSON.stringify(value ?? null))].filter(isShown);
}

/** Whether a value is what a tool without an output schema answers. */
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
