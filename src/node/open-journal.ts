import { existsSync } from "node:fs";
import { openLineFile, type LineFile } from "../files/line-file.js";

/**
 * A journal for `replay`, kept on the disk. Each line has reached the disk before what it announces is done.
 *
 * @throws McpCodegenError `FILE_FAILED`, here and from each of its methods
 */
export function openJournal(path: string): LineFile {
  return openLineFile(path, { sync: true });
}

/** The journal at a path; undefined where none was begun. Throws `FILE_FAILED`. */
export function findJournal(path: string): LineFile | undefined {
  return existsSync(path) ? openJournal(path) : undefined;
}
