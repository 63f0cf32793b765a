import { Buffer } from "node:buffer";
import { closeSync, type Dirent, lstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { sha256 } from "../core/digest.js";
import { codeOf } from "../core/errors.js";
import { type HeaderDigests, parseHeader } from "../core/generated-file.js";
import { byCodeUnit } from "../core/json.js";
import { fileFailed, isTemporary, makeFolder } from "./write-atomic.js";

/** A file in the output folder. */
export interface FoundFile {
  /** Posix, relative to the folder. */
  readonly path: string;
  /** The digests in its header; absent when the file was not generated. */
  readonly header?: HeaderDigests;
  /** Whether the file was generated and its code has been changed since. */
  readonly isEdited: boolean;
  /** The digest of its bytes; present for generated files if it was asked for. */
  readonly bytes?: string;
}

/**
 * Returns every file in the output folder and its subfolders, in a fixed order; empty when the folder does not exist.
 * Symbolic links are listed as files that were not generated, and never followed.
 *
 * Reads synchronously: for a thousand small files that takes a fifth of the time.
 *
 * @throws McpCodegenError `FILE_FAILED`
 */
export function readGeneratedFolder(dir: string, hasBytes = false): Promise<readonly FoundFile[]> {
  try {
    return Promise.resolve(
      readFolder((path, isFile) => readGeneratedFile(dir, path, isFile, hasBytes), dir, "", 0),
    );
  } catch (cause) {
    return Promise.reject(fileFailed(`The folder "${basename(dir)}" cannot be read`, cause));
  }
}

/** Generated files are `index.ts` and `<server>/<file>.ts`. Deeper ones belong to another project. */
const DEEPEST = 1;

type ReadFound = (path: string, isFile: boolean) => FoundFile;

function readFolder(read: ReadFound, dir: string, below: string, depth: number): readonly FoundFile[] {
  const entries = readEntries(join(dir, below)).sort((a, b) => byCodeUnit(a.name, b.name));
  const files = entries.flatMap((entry): readonly FoundFile[] => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (!entry.isDirectory()) {
      if (isTemporary(entry.name)) return [];
      return [depth > DEEPEST ? { path, isEdited: false } : read(path, entry.isFile())];
    }
    const inside = isPassed(entry, depth) ? [] : readFolder(read, dir, path, depth + 1);
    // An empty folder also blocks a file with its name.
    return inside.length === 0 && entry.name.endsWith(".ts") ? [{ path, isEdited: false }] : inside;
  });
  return depth === 1 && isOtherOutput(below, files) ? [] : files;
}

function isPassed({ name }: Dirent, depth: number): boolean {
  return depth > DEEPEST || name === "node_modules" || name.startsWith(".");
}

interface FolderEntry {
  readonly path: string;
  /** Whether its entries follow. */
  readonly isFolder: boolean;
}

/** Returns all entries that {@link readGeneratedFolder} sees, folders included, in a fixed order. */
function listFolder(dir: string, below = "", depth = 0): readonly FolderEntry[] {
  const entries = [...readEntries(join(dir, below))].sort((a, b) => byCodeUnit(a.name, b.name));
  return entries.flatMap((entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    const isFolder = entry.isDirectory() && !isPassed(entry, depth);
    return isFolder ? [{ path, isFolder }, ...listFolder(dir, path, depth + 1)] : [{ path, isFolder }];
  });
}

/** Whether a folder is the output folder of another configuration, whose servers are folders with a `server.ts`. */
function isOtherOutput(folder: string, files: readonly FoundFile[]): boolean {
  const isOurs = (name: string): boolean =>
    files.some(({ path, header }) => path === `${folder}/${name}` && header !== undefined);
  const hasServers = files.some(({ path }) => /^[^/]+\/[^/]+\/server\.ts$/.test(path));
  return isOurs("index.ts") && !isOurs("server.ts") && hasServers;
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Returns a file of an output folder, relative to it. Opens TypeScript files only, since nothing else is generated. */
export function readGeneratedFile(dir: string, path: string, isFile = true, hasBytes = false): FoundFile {
  const bytes = isFile && path.endsWith(".ts") ? readBytes(`${dir}/${path}`) : undefined;
  const header = bytes && parseHeader(bytes);
  if (header === undefined) return { path, isEdited: false };
  const { isEdited, ...digests } = header;
  return { path, header: digests, isEdited, ...(hasBytes && { bytes: sha256(bytes ?? "") }) };
}

/** Large enough for nearly every generated file. */
const SCRATCH = Buffer.allocUnsafeSlow(65_536);

/** The bytes of a file, valid until the next call: a buffer per file would cost more than the work on it. */
function readBytes(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const length = readSync(file, SCRATCH);
    return length < SCRATCH.length ? SCRATCH.subarray(0, length) : readFileSync(path);
  } finally {
    closeSync(file);
  }
}

/** The message and the hint for a file or folder that blocks a generated file. */
export const IN_THE_WAY = {
  reason: "Not generated, and in the way.",
  hint: "Move or delete what is there, or choose another output folder.",
} as const;

/**
 * Returns a function that finds what blocks a generated path: a foreign file or link at it or at a folder above, or a folder at it.
 * Paths that differ only in case count as one.
 */
export function findInTheWay(files: readonly FoundFile[]): (path: string) => string | undefined {
  const foreign = new Map(
    files.filter(({ header }) => header === undefined).map(({ path }) => [foldCase(path), path]),
  );
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  return (path) => {
    const blocker = [...foldersAbove(path), path].find((part) => foreign.has(foldCase(part)));
    if (blocker !== undefined) return foreign.get(foldCase(blocker));
    return folders.has(path) ? path : undefined;
  };
}

/** `a/b/c.ts` gives `a` and `a/b`. */
export function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Paths with the same result are the same file on some file systems. */
export function foldCase(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** A file in the output folder during a write. If it remains, the write was interrupted. */
export const UNFINISHED_MARKER = ".unfinished.mcp-codegen-tmp";

const TEXT = `mcp-codegen is writing this folder. If this file stays, the write was cut off: run "npx mcp-codegen generate".\n`;

/** Marks an output folder as unfinished. Returns false if an earlier write left the marker. Throws `FILE_FAILED`. */
export async function markUnfinished(dir: string): Promise<boolean> {
  const fail = (cause: unknown): Error =>
    fileFailed(`The output folder "${basename(dir)}" cannot be written`, cause);
  try {
    makeFolder(dir);
  } catch (cause) {
    throw fail(cause);
  }
  try {
    // "wx" neither follows a link nor overwrites a file.
    await writeFile(join(dir, UNFINISHED_MARKER), TEXT, { flag: "wx" });
    return true;
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false;
    throw fail(cause);
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

/** An output folder at one moment, as git's index sees it. */
export interface FolderStats {
  /** Size, times and inode of every entry, by path. */
  readonly entries: Readonly<Record<string, string>>;
  /** Entries whose last change is too near to this moment: they may change again without a trace. */
  readonly unsettled: (writtenAt: bigint) => readonly string[];
}

/** Returns the entries of a folder; undefined if one cannot be read. */
export function statFolder(output: string): FolderStats | undefined {
  const changes = new Map<string, bigint>();
  try {
    const lines = listFolder(output).map(({ path, isFolder }): readonly [string, string] => {
      // Its entries are listed.
      if (isFolder) return [path, "folder"];
      const { mode, size, mtimeNs, ctimeNs, ino, dev } = lstatSync(`${output}/${path}`, { bigint: true });
      // Programs can set `mtime`, but not `ctime`.
      changes.set(path, ctimeNs);
      return [path, [mode, size, mtimeNs, ctimeNs, ino, dev].join(" ")];
    });
    const unsettled = (writtenAt: bigint): readonly string[] =>
      [...changes].flatMap(([path, changed]) => (isSettled(changed, writtenAt) ? [] : [path]));
    return { entries: Object.fromEntries(lines), unsettled };
  } catch {
    // The comparison reports what cannot be read.
    return undefined;
  }
}

/** File systems count time in steps: up to ten milliseconds, or two seconds where times are whole seconds. */
const STEP = 50_000_000n;
const COARSE_STEP = 2_000_000_000n;
const SECOND = 1_000_000_000n;

/**
 * Whether the last change of a file is older than the cache. A file that changed in the same step of the clock, or after
 * the clock was set back, may have changed again without a trace.
 */
function isSettled(changed: bigint, writtenAt: bigint): boolean {
  const isCoarse = writtenAt % SECOND === 0n || changed % SECOND === 0n;
  return changed + (isCoarse ? COARSE_STEP : STEP) < writtenAt;
}
