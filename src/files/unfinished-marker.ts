import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileFailed } from "./write-atomic.js";
import { codeOf } from "../core/errors.js";

/** A file in the output folder during a write. If it remains, the write was interrupted. */
export const UNFINISHED_MARKER = ".unfinished.mcp-codegen-tmp";

const TEXT = `mcp-codegen is writing this folder. If this file stays, the write was cut off: run "npx mcp-codegen generate".\n`;

/**
 * Marks the output folder as unfinished, and creates the folder if needed.
 *
 * @returns whether this call created the marker: false when an earlier write left one
 * @throws McpCodegenError `FILE_FAILED`
 */
export async function markUnfinished(dir: string): Promise<boolean> {
  try {
    await mkdir(dir, { recursive: true });
    // "wx" neither follows a link nor overwrites a file.
    await writeFile(join(dir, UNFINISHED_MARKER), TEXT, { flag: "wx" });
    return true;
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false;
    throw fileFailed("The output folder cannot be written", cause);
  }
}

/** Removes the marker if it exists. Throws `FILE_FAILED`. */
export async function clearUnfinished(dir: string): Promise<void> {
  try {
    await rm(join(dir, UNFINISHED_MARKER), { force: true });
  } catch (cause) {
    throw fileFailed(`"${UNFINISHED_MARKER}" cannot be removed`, cause);
  }
}
