import { readFileSync } from "node:fs";
import { rename, rmdir } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import { groupBy } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import type { GeneratedFile } from "../core/generated-file.js";
import { byCodeUnit } from "../core/json.js";
import {
  findInTheWay,
  foldCase,
  foldersAbove,
  type FoundFile,
  IN_THE_WAY,
  readGeneratedFolder,
  clearUnfinished,
  markUnfinished,
} from "./output-folder.js";
import { fileFailed, removeFile, writeManyAtomic } from "./write-atomic.js";

export interface WriteFilesOptions {
  /** Paths of generated files that are up to date: neither written nor removed. */
  readonly keep?: readonly string[] | undefined;
  /** Overwrite and remove generated files that were edited by hand. Other files are never touched. */
  readonly force?: boolean | undefined;
  /** Keep files that were edited by hand, and write the others. By default, nothing is written. */
  readonly keepEdited?: boolean | undefined;
  /** Called after all checks and before the first file is changed, for files that must be written first. */
  readonly beforeWriting?: (() => Promise<unknown>) | undefined;
}

/** Posix paths relative to the folder, sorted. */
interface ChangedFiles {
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

interface WrittenFiles extends ChangedFiles {
  readonly unchanged: readonly string[];
  /** Files edited by hand that were kept; empty without `keepEdited`. */
  readonly edited: readonly string[];
}

/**
 * Makes the output folder match these files: writes those that differ, removes generated files that are neither given
 * nor kept, and folders that become empty. Checks everything before anything is written. The folder holds a marker
 * while it changes; the marker remains when the process is killed.
 *
 * @throws McpCodegenError `FILE_EDITED` for files edited by hand (without `force` and `keepEdited`) and for other
 * files that block generated ones; `NAME_COLLISION` for two paths that are the same file on some systems;
 * `FILE_FAILED`
 */
export async function writeFiles(
  dir: string,
  files: readonly GeneratedFile[],
  options: WriteFilesOptions = {},
): Promise<WrittenFiles> {
  const { keep = [], force = false, keepEdited = false, beforeWriting } = options;
  const wanted = new Map(files.map(({ path, text }) => [path, text]));
  const paths = [...files.map(({ path }) => path), ...keep.filter((path) => !wanted.has(path))];
  checkPaths(paths);
  const generatedFolder = await readGeneratedFolder(dir);
  const existing = new Map(generatedFolder.map((file) => [file.path, file]));
  const ours = generatedFolder.filter(({ header }) => header !== undefined);
  const expected = new Set(paths);
  const unwanted = ours.filter(({ path }) => !expected.has(path));
  const differing = files.filter((file) => !isOnDisk(dir, file, existing));
  refuseForeign(differing, generatedFolder);
  const touched = [...differing.flatMap(({ path }) => existing.get(path) ?? []), ...unwanted];
  const edited = force ? [] : touched.filter(({ isEdited }) => isEdited);
  if (!keepEdited) refuseEdited(edited.map(({ path }) => path));
  const blockedBy = findInTheWay(edited.map(({ path, isEdited }) => ({ path, isEdited })));
  const changed = differing.filter(({ path }) => blockedBy(path) === undefined);
  const orphaned = unwanted.filter((file) => !edited.includes(file));

  // Marked before the lock is written, so that `check` detects every interruption between lock and folder.
  const isMarked = changed.length + orphaned.length > 0 && (await markUnfinished(dir));
  try {
    await beforeWriting?.();
  } catch (error) {
    // The folder is unchanged.
    if (isMarked) await clearUnfinished(dir);
    throw error;
  }
  const moved = await moveRenamed(dir, changed, orphaned, existing);
  for (const [folder, inFolder] of groupBy(changed, ({ path }) => posix.dirname(path)))
    await writeManyAtomic(
      join(dir, folder),
      inFolder.map(({ path, text }) => ({ name: posix.basename(path), text })),
    );
  const rewritten = new Set(changed.map(({ path }) => path));
  const removed = orphaned.filter(({ path }) => !moved.has(path)).map(({ path }) => path);
  for (const path of removed) await removeFile(join(dir, path));
  await pruneFolders(dir, removed);
  await clearUnfinished(dir);
  return {
    written: changed.map(({ path }) => path).sort(byCodeUnit),
    removed: orphaned.map(({ path }) => path).sort(byCodeUnit),
    unchanged: paths.filter((path) => !rewritten.has(path)).sort(byCodeUnit),
    edited: edited.map(({ path }) => path).sort(byCodeUnit),
  };
}

/** Paths contain names from servers: none may leave the folder, and no two may differ only in case. */
function checkPaths(paths: readonly string[]): void {
  const unsafe = paths.find((path) => !isSafePath(path));
  if (unsafe !== undefined) {
    throw new McpCodegenError(
      "FILE_FAILED",
      `${JSON.stringify(unsafe)} is not a path inside the output folder.`,
    );
  }
  const folded = new Map<string, string>();
  for (const path of paths) {
    const other = folded.get(foldCase(path));
    if (other !== undefined) {
      throw new McpCodegenError(
        "NAME_COLLISION",
        `"${other}" and "${path}" are one file on some file systems.`,
        { hint: "Set tools.rename for one of them." },
      );
    }
    folded.set(foldCase(path), path);
  }
}

function isSafePath(path: string): boolean {
  // On Windows a colon separates drives and streams, and a backslash separates folders.
  if (path === "" || /[\\:\0]/.test(path) || path.startsWith("/")) return false;
  return (
    posix.normalize(path) === path &&
    path.split("/").every((part) => part !== "" && part !== ".." && part !== ".")
  );
}

/** Whether a generated file with exactly this text exists. Synchronous, the fastest way to read a thousand files. */
function isOnDisk(
  dir: string,
  { path, text }: GeneratedFile,
  existing: ReadonlyMap<string, FoundFile>,
): boolean {
  return existing.get(path)?.header !== undefined && readFileSync(join(dir, path), "utf8") === text;
}

/** A link inside the output folder may lead out of it, so links count as files that were not generated. */
function refuseForeign(changed: readonly GeneratedFile[], files: readonly FoundFile[]): void {
  const blockerOf = findInTheWay(files);
  const inTheWay = [...new Set(changed.flatMap(({ path }) => blockerOf(path) ?? []))];
  if (inTheWay.length === 0) return;
  throw new McpCodegenError(
    "FILE_EDITED",
    `${list(inTheWay)} in the output folder: not generated, and in the way.`,
    { hint: IN_THE_WAY.hint },
  );
}

/**
 * Throws if files were edited by hand.
 *
 * @param others What was done to the other files; absent when nothing was written.
 * @throws McpCodegenError `FILE_EDITED`
 */
export function refuseEdited(edited: readonly string[], others?: ChangedFiles): void {
  if (edited.length === 0) return;
  const message = `${list(edited)} in the output folder: edited by hand.`;
  throw new McpCodegenError(
    "FILE_EDITED",
    others === undefined ? message : `${message} ${describeOthers(others)}`,
    { hint: 'Undo the edits, or lose them with "npx mcp-codegen generate --force".' },
  );
}

function describeOthers({ written, removed }: ChangedFiles): string {
  const done = [
    ...(written.length > 0 ? [`${written.length} written`] : []),
    ...(removed.length > 0 ? [`${removed.length} removed`] : []),
  ];
  return `The other files are up to date${done.length === 0 ? "" : ` (${done.join(", ")})`}.`;
}

function list(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).map((path) => `"${path}"`);
  const rest = paths.length - shown.length;
  return `${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** Renames orphaned files whose replacement differs only in case: some file systems would remove both. */
async function moveRenamed(
  dir: string,
  changed: readonly GeneratedFile[],
  orphaned: readonly FoundFile[],
  existing: ReadonlyMap<string, FoundFile>,
): Promise<ReadonlySet<string>> {
  const successors = new Map(changed.map(({ path }) => [foldCase(path), path]));
  const moved = new Set<string>();
  for (const { path } of orphaned) {
    const successor = successors.get(foldCase(path));
    if (successor === undefined || existing.has(successor)) continue;
    await rename(join(dir, path), join(dir, successor)).catch((cause: unknown) => {
      throw fileFailed(`"${basename(path)}" cannot be renamed`, cause);
    });
    moved.add(path);
  }
  return moved;
}

/** Deepest first; folders that are not empty stay. */
async function pruneFolders(dir: string, removed: readonly string[]): Promise<void> {
  const folders = [...new Set(removed.flatMap(foldersAbove))].sort((a, b) => b.length - a.length);
  for (const folder of folders) await rmdir(join(dir, folder)).catch(() => undefined);
}
