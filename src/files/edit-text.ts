import { appendFile, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { McpCodegenError } from "../contract/errors.js";
import { reasonOf, writeAtomic } from "./write-atomic.js";

/** Appends to a file that other programs also write to. Throws `FILE_FAILED`. */
export async function appendText(path: string, text: string): Promise<void> {
  try {
    await appendFile(path, text);
  } catch (cause) {
    throw new McpCodegenError("FILE_FAILED", `"${basename(path)}" cannot be written: ${reasonOf(cause)}.`, {
      cause,
    });
  }
}

/**
 * Adds a line to a text file unless the file has it; creates a missing file.
 *
 * @returns whether the file was written
 */
export async function ensureLine(path: string, line: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  });
  if (text.split(/\r?\n/).some((existing) => existing.trim() === line)) return false;
  await writeAtomic(path, text === "" || text.endsWith("\n") ? `${text}${line}\n` : `${text}\n${line}\n`);
  return true;
}
