import { Buffer } from "node:buffer";
import { getOwn, isJsonObject, type JsonObject } from "../../contract/json.js";
import type { ContentBlock } from "../../runtime/result.js";

/** A content block, by how it is printed. */
export type AnswerPart =
  | { readonly kind: "text"; readonly text: string; readonly block: JsonObject }
  | Media
  /** A link, or a block of an unknown type. */
  | { readonly kind: "other"; readonly label: string; readonly block: JsonObject };

/** An image, audio or a file, which a terminal cannot show. */
export interface Media {
  readonly kind: "media";
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** The block without its data. */
  readonly block: JsonObject;
}

/** Reads the content blocks of a result. */
export function readParts(content: readonly ContentBlock[]): readonly AnswerPart[] {
  return content.map((block) => readPart(JSON.parse(JSON.stringify(block)) as JsonObject));
}

function readPart(block: JsonObject): AnswerPart {
  const type = textOf(block, "type") ?? "";
  const data = textOf(block, "data");
  if ((type === "image" || type === "audio") && data !== undefined)
    return readMedia(data, textOf(block, "mimeType"), without(block, "data"));
  const resource = getOwn(block, "resource");
  if (type === "resource" && isJsonObject(resource)) {
    const blob = textOf(resource, "blob");
    if (blob !== undefined) {
      const bare = { ...block, resource: without(resource, "blob") };
      return readMedia(blob, textOf(resource, "mimeType"), bare);
    }
    return { kind: "text", text: textOf(resource, "text") ?? "", block };
  }
  const text = textOf(block, "text");
  if (type === "text" && text !== undefined) return { kind: "text", text, block };
  const uri = textOf(block, "uri");
  const label = uri === undefined ? `a block of type ${JSON.stringify(type)}` : `link: ${uri}`;
  return { kind: "other", label, block };
}

function readMedia(data: string, mimeType: string | undefined, block: JsonObject): Media {
  return {
    kind: "media",
    mimeType: mimeType ?? "application/octet-stream",
    bytes: Buffer.from(data, "base64"),
    block,
  };
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function textOf(object: JsonObject, key: string): string | undefined {
  const value = getOwn(object, key);
  return typeof value === "string" ? value : undefined;
}
