import { open } from "node:fs/promises";
import { basename } from "node:path";
import { codeOf, McpCodegenError } from "../core/errors.js";
import { formatLimit, READ_LIMIT } from "../core/limits.js";
import { fileFailed } from "./write-atomic.js";

const CHUNK = 1024 * 1024;

/**
 * Returns the bytes of a file, a pipe or a device, up to {@link READ_LIMIT}.
 *
 * @throws McpCodegenError `FILE_FAILED` above the limit; errors of `node:fs` when the path cannot be read
 */
export async function readBounded(path: string, limit: number = READ_LIMIT): Promise<Buffer> {
  const bytes = await readUpTo(path, limit);
  if (bytes === undefined) throw tooLarge(path, limit);
  return bytes;
}

/** As {@link readBounded}; undefined when there is no such file. Throws `FILE_FAILED`. */
export async function findBounded(path: string): Promise<Buffer | undefined> {
  const found = await findUpTo(path, READ_LIMIT);
  if (found === "too large") throw tooLarge(path, READ_LIMIT);
  return found;
}

/**
 * Returns the bytes of a file; undefined when there is no such file. Reads nothing of a file above the limit.
 *
 * @throws McpCodegenError `FILE_FAILED` when it cannot be read
 */
export async function findUpTo(path: string, limit: number): Promise<Buffer | "too large" | undefined> {
  try {
    return (await readUpTo(path, limit)) ?? "too large";
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw fileFailed(`"${basename(path)}" cannot be read`, cause);
  }
}

/** Returns undefined above the limit. */
async function readUpTo(path: string, limit: number): Promise<Buffer | undefined> {
  const file = await open(path);
  try {
    const entry = await file.stat();
    if (entry.size > limit) return undefined;
    // The size of a pipe or a device is unknown until it is read.
    if (entry.isFile()) return await file.readFile();
    const pieces: Buffer[] = [];
    for (let length = 0; ;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK));
      if (bytesRead === 0) return Buffer.concat(pieces);
      length += bytesRead;
      if (length > limit) return undefined;
      pieces.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/**
 * Reads a stream to its end as UTF-8.
 *
 * @param name names the stream in the error
 * @throws McpCodegenError `FILE_FAILED` when it holds more characters than the limit; what the stream throws
 */
export async function readStreamBounded(
  stream: AsyncIterable<unknown>,
  name: string,
  limit: number = READ_LIMIT,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text +=
      typeof chunk === "string"
        ? chunk
        : chunk instanceof Uint8Array
          ? decoder.decode(chunk, { stream: true })
          : "";
    if (text.length > limit)
      throw new McpCodegenError("FILE_FAILED", `${name} holds more than ${formatLimit(limit)}.`, {
        hint: "Check what is piped in.",
      });
  }
  return text + decoder.decode();
}

function tooLarge(path: string, limit: number): McpCodegenError {
  return new McpCodegenError(
    "FILE_FAILED",
    `"${basename(path)}" holds more than ${formatLimit(limit)}, the limit for one file.`,
    { hint: "Check that the path names a saved tool list or a lockfile." },
  );
}
