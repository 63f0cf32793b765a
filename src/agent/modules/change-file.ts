import { basename } from "node:path";
import { existsSync } from "node:fs";
import { checkOptions, FLAG } from "../../core/check-options.js";
import { McpCodegenError } from "../../core/errors.js";
import { openLineFile, type LineFile } from "../../files/line-file.js";
import { reasonOf } from "../../files/write-atomic.js";
import type { RecordedCall } from "../../runtime/call-recorder.js";
import { type Lines, parseChanges, type ParsedChanges } from "../replay/parse-changes.js";
import { readBounded } from "../../files/read-bounded.js";

/** A file of changes in JSON Lines format, one line per change. */
export interface ChangeFile extends Lines {
  close(): void;
}

export interface ChangeFileOptions {
  /** Syncs the disk after each change, so that it survives a power failure. Default: false. */
  readonly fsync?: boolean | undefined;
}

/**
 * Opens a store on disk for `createChangeTracker`. Each change is appended by one write, so a process that is killed loses at most
 * the call it was waiting for. Several processes may write to one file.
 *
 * @throws McpCodegenError `FILE_FAILED`, here and from each of its methods
 */
export function openChangeFile(path: string, options: ChangeFileOptions = {}): ChangeFile {
  checkOptions("openChangeFile", options, { fsync: FLAG });
  const { fsync = false } = options;
  return openLineFile(path, { sync: fsync });
}

/**
 * Returns the changes in a file, and its damaged lines.
 *
 * @throws McpCodegenError `FILE_FAILED`
 */
export async function readChanges<Recorded extends RecordedCall = RecordedCall>(
  path: string,
): Promise<ParsedChanges<Recorded>> {
  let text: string;
  try {
    text = (await readBounded(path)).toString("utf8");
  } catch (cause) {
    if (cause instanceof McpCodegenError) throw cause;
    throw new McpCodegenError("FILE_FAILED", `"${basename(path)}" cannot be read: ${reasonOf(cause)}.`, {
      cause,
    });
  }
  return parseChanges<Recorded>(text.split("\n"));
}

/**
 * Opens a journal on disk for `replay`. Each line is on the disk before the call that it announces is made.
 *
 * @throws McpCodegenError `FILE_FAILED`, here and from each of its methods
 */
export function openJournal(path: string): LineFile {
  return openLineFile(path, { sync: true });
}

/** Opens the journal at a path; undefined if there is none. Throws `FILE_FAILED`. */
export function findJournal(path: string): LineFile | undefined {
  return existsSync(path) ? openJournal(path) : undefined;
}
