import { writeAtomic } from "../../../files/write-atomic.js";
import { Buffer } from "node:buffer";
import { join, relative, resolve } from "node:path";
import { isContent, keepMedia } from "../../../agent/adapters/model-parts.js";
import { findOwn, findText, isJsonObject, type JsonObject, withoutKeys } from "../../../core/json.js";
import { formatNumber, printable, printJson } from "../../../core/printable.js";
import type { ContentBlock } from "../../../core/call.js";
import { dataBesideTexts } from "../../../runtime/result.js";
import type { Context } from "../../context.js";
import { printServerText } from "../../print-text.js";

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
 * Returns a tool's result as lines, and as a document for `--json`. Images, audio and files are described by type and size, and
 * written to the folder `save` if there is one.
 *
 * @throws McpCodegenError `FILE_FAILED`
 */
export async function deliverResult(context: Context, answer: CallOutput, save: string | undefined) {
  const { tool, value, beside } = answer;
  const deliver = (content: readonly ContentBlock[]): Promise<readonly DeliveredPart[]> =>
    Promise.all(
      content
        .map((block) => JSON.parse(JSON.stringify(block)) as JsonObject)
        .map((block, index) => deliverBlock(context, block, { tool, number: index + 1, save })),
    );
  if (!answer.isContent || !isContent(value)) {
    // Text blocks repeat the structured content.
    const shown = await deliver(keepMedia(beside));
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
  const data = dataBesideTexts(value);
  return {
    lines: [...lines, ...(data === undefined ? [] : printJson(data).split("\n"))],
    document: { result: structuredContent ?? text, content: blocks },
  };
}

async function deliverBlock(
  { io }: Context,
  block: JsonObject,
  at: { readonly tool: string; readonly number: number; readonly save: string | undefined },
): Promise<DeliveredPart> {
  const type = findText(block, "type") ?? "";
  const inner = findOwn(block, "resource");
  const resource = type === "resource" && isJsonObject(inner) ? inner : undefined;
  const isMedia = type === "image" || type === "audio";
  const data = isMedia ? findText(block, "data") : findText(resource, "blob");
  if (data === undefined) {
    const text = type === "text" ? findText(block, "text") : resource && (findText(resource, "text") ?? "");
    if (text !== undefined) return { lines: printServerText(text), block };
    const uri = findText(block, "uri");
    const label = uri === undefined ? `a block of type ${JSON.stringify(type)}` : `link: ${uri}`;
    return { lines: [printable(label, 500)], block };
  }
  // A terminal cannot show it. The block is printed without its data.
  const mimeType = findText(resource ?? block, "mimeType") ?? "application/octet-stream";
  const bytes = Buffer.from(data, "base64");
  const bare =
    resource === undefined
      ? withoutKeys(block, "data")
      : { ...block, resource: withoutKeys(resource, "blob") };
  const sized = { ...bare, bytes: bytes.length };
  const size = `${printable(mimeType, 60)}, ${formatNumber(bytes.length)} bytes`;
  if (at.save === undefined)
    return { lines: [`${size}: not shown; --save <folder> writes it to a file`], block: sized };
  const path = join(resolve(io.cwd, at.save), nameFile(at.tool, at.number, mimeType));
  await writeAtomic(path, bytes);
  const file = relative(io.cwd, path);
  return { lines: [`${size}: ${file}`], block: { ...sized, file } };
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/jpeg", "jpg"],
  ["image/svg+xml", "svg"],
  ["audio/mpeg", "mp3"],
  ["audio/x-wav", "wav"],
  ["text/plain", "txt"],
]);

function nameFile(tool: string, number: number, mimeType: string): string {
  const stem = tool.replace(/[^\w-]/g, "_").slice(0, 80);
  const [type = ""] = mimeType.toLowerCase().split(";");
  const subtype = type.split("/")[1] ?? "";
  const extension = EXTENSIONS.get(type) ?? (/^[a-z0-9]{1,8}$/.test(subtype) ? subtype : "bin");
  return `${stem}-${number}.${extension}`;
}
