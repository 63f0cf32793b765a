import { Buffer } from "node:buffer";
import {
  closeSync,
  type Dirent,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { sha256 } from "../core/digest.js";
import { codeOf } from "../core/errors.js";
import { type HeaderDigests, parseHeader } from "../core/generated-file.js";
import { byCodeUnit } from "../core/json.js";
import { fileFailed, isTemporary, makeFolder, writeAtomic } from "./write-atomic.js";

/** A file in the output folder. */
export interface FoundFile {
  /** Posix, relative to the folder. */
  readonly path: string;
  /** The digests in its header; absent when the file was not generated. */
  readonly header?: HeaderDigests;
  /** Whether the file was generated and its code has been changed since. */
  readonly isEdited: boolean;
}

/**
 * Returns every file in the output folder and its subfolders, in a fixed order; empty when the folder does not exist.
 * Symbolic links are listed as files that were not generated, and never followed.
 *
 * Reads synchronously: for a thousand small files that takes a fifth of the time.
 *
 * @throws McpCodegenError `FILE_FAILED`
 */
export function readGeneratedFolder(dir: string): Promise<readonly FoundFile[]> {
  try {
    return Promise.resolve(readFolder(dir, "", 0));
  } catch (cause) {
    return Promise.reject(fileFailed(`The folder "${basename(dir)}" cannot be read`, cause));
  }
}

/** Generated files are `index.ts` and `<server>/<file>.ts`. Deeper ones belong to another project. */
const DEEPEST = 1;

function readFolder(dir: string, below: string, depth: number): readonly FoundFile[] {
  const entries = readEntries(join(dir, below)).sort((a, b) => byCodeUnit(a.name, b.name));
  const files = entries.flatMap((entry): readonly FoundFile[] => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (!entry.isDirectory()) {
      if (isTemporary(entry.name)) return [];
      return [depth > DEEPEST ? { path, isEdited: false } : readFound(dir, path, entry.isFile())];
    }
    const inside = isPassed(entry, depth) ? [] : readFolder(dir, path, depth + 1);
    // An empty folder also blocks a file with its name.
    return inside.length === 0 && entry.name.endsWith(".ts") ? [{ path, isEdited: false }] : inside;
  });
  return depth === 1 && isOtherOutput(below, files) ? [] : files;
}

function isPassed({ name }: Dirent, depth: number): boolean {
  return depth > DEEPEST || name === "node_modules" || name.startsWith(".");
}

/** Returns the paths of all entries that {@link readGeneratedFolder} sees, folders included, in a fixed order. */
function listFolder(dir: string, below = "", depth = 0): readonly string[] {
  const entries = [...readEntries(join(dir, below))].sort((a, b) => byCodeUnit(a.name, b.name));
  return entries.flatMap((entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    const isRead = entry.isDirectory() && !isPassed(entry, depth);
    return isRead ? [path, ...listFolder(dir, path, depth + 1)] : [path];
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

/** Opens TypeScript files only, since nothing else is generated. */
function readFound(dir: string, path: string, isFile: boolean): FoundFile {
  const header = isFile && path.endsWith(".ts") ? parseHeader(readBytes(`${dir}/${path}`)) : undefined;
  if (header === undefined) return { path, isEdited: false };
  const { isEdited, ...digests } = header;
  return { path, header: digests, isEdited };
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
  try {
    makeFolder(dir);
    // "wx" neither follows a link nor overwrites a file.
    await writeFile(join(dir, UNFINISHED_MARKER), TEXT, { flag: "wx" });
    return true;
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false;
    throw fileFailed(`The output folder "${basename(dir)}" cannot be written`, cause);
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

interface RememberOptions<Facts> {
  /** Whether what was found may be stored; always by default. */
  readonly mayKeep?: (facts: Facts) => boolean;
  /** An output folder that the facts depend on too: as in git's index, the size, times and inode of every file count. */
  readonly output?: string;
}

/**
 * Returns what was found for the same key, which identifies all that it depends on; else finds it, and stores what may be kept.
 *
 * @param folder the folder of the caches; without it, nothing is remembered
 * @param name identifies what is found
 */
export async function remember<Facts>(
  folder: string | undefined,
  name: string,
  key: readonly unknown[],
  find: () => Facts | Promise<Facts>,
  { mayKeep = () => true, output }: RememberOptions<Facts> = {},
): Promise<Facts> {
  // The entries are read before the files: a file that changes in between gets another entry.
  const entries = folder === undefined || output === undefined ? NO_ENTRIES : statEntries(output);
  if (folder === undefined || entries === undefined) return find();
  const path = join(folder, `${sha256(name).slice(0, 16)}-${output === undefined ? "texts" : "folder"}.json`);
  const identity = sha256(JSON.stringify([...key, entries.digest]));
  const facts = readFacts(path, identity, entries.newest) as Facts | undefined;
  if (facts !== undefined) return facts;
  const fresh = await find();
  if (mayKeep(fresh)) {
    const text = JSON.stringify({ identity, facts: fresh });
    // A cache that cannot be written is like none.
    await writeAtomic(path, `${sha256(text)}\n${text}`).catch(() => undefined);
  }
  return fresh;
}

interface Entries {
  readonly digest: string;
  /** The time of the last change, in nanoseconds. Programs can set `mtime`, but not `ctime`. */
  readonly newest: bigint;
}

const NO_ENTRIES: Entries = { digest: "", newest: 0n };

function statEntries(output: string): Entries | undefined {
  let newest = 0n;
  try {
    const lines = listFolder(output).map((path) => {
      const { mode, size, mtimeNs, ctimeNs, ino, dev } = lstatSync(`${output}/${path}`, { bigint: true });
      if (ctimeNs > newest) newest = ctimeNs;
      return JSON.stringify([path, ...[mode, size, mtimeNs, ctimeNs, ino, dev].map(String)]);
    });
    return { digest: sha256(lines.join("\n")), newest };
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
function isSettled(path: string, newest: bigint): boolean {
  const written = statSync(path, { bigint: true }).ctimeNs;
  return newest + (written % SECOND === 0n || newest % SECOND === 0n ? COARSE_STEP : STEP) < written;
}

/** @param newest 0 for facts that depend on no file */
function readFacts(path: string, identity: string, newest: bigint): unknown {
  try {
    if (newest > 0n && !isSettled(path, newest)) return undefined;
    const [digest, text = ""] = readFileSync(path, "utf8").split("\n");
    if (sha256(text) !== digest) return undefined;
    // The digest shows that this program wrote it, and the identity that it was this version.
    const cached = JSON.parse(text) as { readonly identity: string; readonly facts: unknown };
    return cached.identity === identity ? cached.facts : undefined;
  } catch {
    // An unreadable cache is like none.
    return undefined;
  }
}
