import { Buffer } from "node:buffer";
import { join, relative, resolve } from "node:path";
import { isContent } from "../../../agent/adapters/model-parts.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.js";
import { formatNumber, printable, printJson } from "../../../core/printable.js";
import type { ContentBlock } from "../../../runtime/result.js";
import type { Context } from "../../context.js";
import { printServerText } from "../../print-text.js";

/** A printed result. */
interface Delivered {
  readonly lines: readonly string[];
  /** For `--json`. */
  readonly document: { readonly result?: unknown; readonly content?: readonly JsonObject[] | undefined };
}

/** The result of a call. */
interface CallOutput {
  readonly tool: string;
  readonly value: unknown;
  /** Whether the tool declares no output schema, so its result is content blocks. */
  readonly isContent: boolean;
  /** The blocks next to structured content. */
  readonly beside: readonly ContentBlock[];
}

interface DeliveredPart {
  readonly lines: readonly string[];
  readonly block: JsonObject;
}

/**
 * Returns a tool's result as lines and as a document. Images, audio and files are described by type and size, and
 * written to the folder `save` if there is one.
 *
 * @throws McpCodegenError `FILE_FAILED`
 */
export async function deliverResult(
  context: Context,
  answer: CallOutput,
  save: string | undefined,
): Promise<Delivered> {
  const { tool, value, beside } = answer;
  const deliver = (content: readonly ContentBlock[]): Promise<readonly DeliveredPart[]> =>
    Promise.all(
      content
        .map((block) => readPart(JSON.parse(JSON.stringify(block)) as JsonObject))
        .map((part, index) => deliverPart(context, part, { tool, number: index + 1, save })),
    );
  if (!answer.isContent || !isContent(value)) {
    // Text blocks repeat the structured content.
    const shown = await deliver(beside.filter(({ type }) => type !== "text"));
    return {
      lines: [...printJson(value ?? null).split("\n"), ...shown.flatMap((part) => part.lines)],
      document: {
        result: value ?? null,
        content: shown.length > 0 ? shown.map(({ block }) => block) : undefined,
      },
    };
  }
  const { text, structuredContent, content } = value;
  const shown = await deliver(content);
  const blocks = shown.map(({ block }) => block);
  const lines = shown.flatMap((part) => part.lines);
  const isBare = structuredContent !== undefined && text === "";
  return {
    lines: [...lines, ...(isBare ? printJson(structuredContent).split("\n") : [])],
    document: { result: structuredContent ?? text, content: blocks },
  };
}

async function deliverPart(
  { io }: Context,
  part: AnswerPart,
  at: { readonly tool: string; readonly number: number; readonly save: string | undefined },
): Promise<DeliveredPart> {
  switch (part.kind) {
    case "text":
      return { lines: printServerText(part.text), block: part.block };
    case "other":
      return { lines: [printable(part.label, 500)], block: part.block };
    case "media": {
      const { mimeType, bytes } = part;
      const size = `${printable(mimeType, 60)}, ${formatNumber(bytes.length)} bytes`;
      const sized: { readonly [key: string]: JsonValue } = { ...part.block, bytes: bytes.length };
      if (at.save === undefined)
        return { lines: [`${size}: not shown; --save <folder> writes it to a file`], block: sized };
      const { writeAtomic } = await import("../../../files/write-atomic.js");
      const path = join(resolve(io.cwd, at.save), nameFile(at.tool, at.number, mimeType));
      await writeAtomic(path, bytes);
      const file = relative(io.cwd, path);
      return { lines: [`${size}: ${file}`], block: { ...sized, file } };
    }
    default:
      return part satisfies never;
  }
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/jpeg", "jpg"],
  ["image/svg+xml", "svg"],
  ["audio/mpeg", "mp3"],
  ["audio/x-wav", "wav"],
  ["text/plain", "txt"],
]);

/** Returns a file name for a part of a result: the tool, the part's number, and an extension for its type. */
function nameFile(tool: string, number: number, mimeType: string): string {
  const stem = tool.replace(/[^\w-]/g, "_").slice(0, 80);
  const [type = ""] = mimeType.toLowerCase().split(";");
  const subtype = type.split("/")[1] ?? "";
  const extension = EXTENSIONS.get(type) ?? (/^[a-z0-9]{1,8}$/.test(subtype) ? subtype : "bin");
  return `${stem}-${number}.${extension}`;
}

/** A content block, by how it is printed. */
type AnswerPart =
  | { readonly kind: "text"; readonly text: string; readonly block: JsonObject }
  | Media
  /** A link, or a block of an unknown type. */
  | { readonly kind: "other"; readonly label: string; readonly block: JsonObject };

/** An image, audio or a file, which a terminal cannot show. */
interface Media {
  readonly kind: "media";
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** The block without its data. */
  readonly block: JsonObject;
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
