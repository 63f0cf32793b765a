import { openLineFile, type LineFile } from "../files/line-file.js";

/**
 * A journal for `replay`, kept on the disk. Each line has reached the disk before what it announces is done.
 *
 * @throws McpCodegenError `FILE_FAILED`, here and from each of its methods
 */
export function openJournal(path: string): LineFile {
  return openLineFile(path, { sync: true });
}
