import { appendFile } from "node:fs/promises";
import { basename } from "node:path";
import { McpCodegenError } from "../contract/errors.js";
import { reasonOf } from "./write-atomic.js";

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
