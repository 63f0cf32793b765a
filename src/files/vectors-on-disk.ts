import { readFile } from "node:fs/promises";
import { McpCodegenError } from "../contract/errors.js";
import { VECTORS_NAME } from "../contract/lockfile.js";
import { formatToolVectors, parseToolVectors, type ToolVectors } from "../agent/search/tool-vectors.js";
import { reasonOf, writeAtomic } from "./write-atomic.js";

/** The vectors at a path; undefined for no file, and for one that has to be made anew. Throws `FILE_FAILED`. */
export async function readVectors(path: string): Promise<ToolVectors | undefined> {
  const text = await readText(path);
  return text === undefined ? undefined : parseToolVectors(text);
}

/** Writes vectors, unless the file holds these very bytes. Throws `FILE_FAILED`; then the old file is as it was. */
export async function writeVectors(path: string, vectors: ToolVectors): Promise<void> {
  const text = formatToolVectors(vectors);
  if ((await readText(path)) !== text) await writeAtomic(path, text);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new McpCodegenError("FILE_FAILED", `"${VECTORS_NAME}" cannot be read: ${reasonOf(cause)}.`, {
      cause,
    });
  }
}
