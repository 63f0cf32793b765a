import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { codeOf, McpCodegenError } from "../core/errors.js";
import { formatLimit, READ_LIMIT } from "../core/limits.js";
import { printable } from "../core/printable.js";
import type { GlobOptions } from "tinyglobby";
import { fileFailed, reasonOf } from "./write-atomic.js";

const CHUNK = 1024 * 1024;

interface ReadOptions {
  readonly limit?: number | undefined;
  /** Returns the error for a file that cannot be read. Default: `FILE_FAILED` */
  readonly explain?: (cause: unknown) => McpCodegenError;
}

/** Returns the bytes of a file, a pipe or a device that a person named. Throws `FILE_FAILED` above the limit. */
export async function readBounded(
  path: string,
  { limit = READ_LIMIT, explain = (cause) => cannotRead(path, cause) }: ReadOptions = {},
): Promise<Buffer> {
  const bytes = await readUpTo(path, limit).catch((cause: unknown) => {
    throw explain(cause);
  });
  if (bytes === undefined) throw tooLarge(path, limit);
  return bytes;
}

/** As {@link readBounded}, as text. */
export async function readTextBounded(
  path: string,
  explain: (cause: unknown) => McpCodegenError,
): Promise<string> {
  return (await readBounded(path, { explain })).toString("utf8");
}

function cannotRead(path: string, cause: unknown): McpCodegenError {
  return fileFailed(`"${basename(path)}" cannot be read`, cause);
}

/** Returns the bytes of a file that is looked for; undefined when there is no such file. Throws `FILE_FAILED`. */
export async function findBounded(path: string): Promise<Buffer | undefined> {
  const content = await findUpTo(path, READ_LIMIT);
  if (content === "too large") throw tooLarge(path, READ_LIMIT);
  return content;
}

/** As {@link findBounded}, as text. */
export async function findFileText(path: string): Promise<string | undefined> {
  return (await findBounded(path))?.toString("utf8");
}

/** As {@link findBounded}, but reads nothing above the limit. */
export async function findUpTo(path: string, limit: number): Promise<Buffer | "too large" | undefined> {
  try {
    // Reading a pipe without a writer never ends.
    if (!isReadable(await stat(path))) throw new Error("it is neither a file nor a folder");
    return (await readUpTo(path, limit)) ?? "too large";
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw cannotRead(path, cause);
  }
}

/** Whether reading never waits: for a folder it fails. */
function isReadable(entry: Stats): boolean {
  return entry.isFile() || entry.isDirectory();
}

async function readUpTo(path: string, limit: number): Promise<Buffer | undefined> {
  const file = await open(path);
  try {
    const entry = await file.stat();
    if (entry.size > limit) return undefined;
    // The size of a pipe or a device is unknown until it is read.
    if (entry.isFile()) return await file.readFile();
    const pieces: Buffer[] = [];
    for (let length = 0; ;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK));
      if (bytesRead === 0) return Buffer.concat(pieces);
      length += bytesRead;
      if (length > limit) return undefined;
      pieces.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/**
 * Reads a stream to its end as UTF-8.
 *
 * @param name names the stream in the error
 * @throws McpCodegenError `FILE_FAILED` when it holds more characters than the limit; what the stream throws
 */
export async function readStreamBounded(
  stream: AsyncIterable<unknown>,
  name: string,
  limit: number = READ_LIMIT,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text +=
      typeof chunk === "string"
        ? chunk
        : chunk instanceof Uint8Array
          ? decoder.decode(chunk, { stream: true })
          : "";
    if (text.length > limit)
      throw new McpCodegenError("FILE_FAILED", `${name} holds more than ${formatLimit(limit)}.`, {
        hint: "Check what is piped in.",
      });
  }
  return text + decoder.decode();
}

function tooLarge(path: string, limit: number): McpCodegenError {
  return new McpCodegenError(
    "FILE_FAILED",
    `"${basename(path)}" holds more than ${formatLimit(limit)}, the limit for one file.`,
    { hint: "Check that the path names a saved tool list or a lockfile." },
  );
}

/** Whether there is a file at a path, or a link to one. Unlike with `statSync`, a file in place of a folder causes no error. */
export function isFileAt(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether there is a folder at a path, or a link to one. A path that no folder can have causes no error. */
export function isFolderAt(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Whether anything is at a path, also a folder or a link to nothing. */
export function hasEntry(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Returns a folder and those above it. */
export function* upwards(folder: string): Generator<string> {
  yield folder;
  if (dirname(folder) !== folder) yield* upwards(dirname(folder));
}

/** Folders of what others wrote or what was built. */
const FOREIGN: ReadonlySet<string> = new Set([
  "node_modules",
  ".git",
  "vendor",
  "dist",
  "build",
  "coverage",
  ".next",
]);

/** Returns the files in and below a folder that globs match: posix, relative to it, sorted. Follows no links. */
export async function findFiles(folder: string, globs: readonly string[]): Promise<readonly string[]> {
  if (globs.length === 0) return [];
  const paths = await globFiles(globs, {
    cwd: folder,
    ignore: [...FOREIGN].map((name) => `**/${name}/**`),
    dot: true,
    expandDirectories: false,
  });
  return paths.sort();
}

/** Returns the files that patterns match, without following links. Throws `USAGE` for a pattern that cannot be one. */
export async function globFiles(patterns: readonly string[], options: GlobOptions): Promise<string[]> {
  const { glob } = await import("tinyglobby");
  try {
    // An empty part, as in `a//b`, is an error of the library.
    const parts = patterns.map((pattern) => pattern.replaceAll(/\/{2,}/g, "/"));
    return await glob(parts, { ...options, followSymbolicLinks: false });
  } catch (cause) {
    options.signal?.throwIfAborted();
    const shown = patterns.map((pattern) => JSON.stringify(printable(pattern, 80))).join(", ");
    const message = `No files can be found for the pattern ${shown}: ${reasonOf(cause)}.`;
    throw new McpCodegenError("USAGE", message, { cause });
  }
}

/** As {@link findFiles}, for globs of `**\/`, `*` and `{a,b}`, without a library, whose loading takes longer. */
export function findBySimpleGlobs(folder: string, globs: readonly string[]): readonly string[] {
  const wanted = new RegExp(`^(?:${globs.map(toPattern).join("|")})$`);
  const paths: string[] = [];
  const open = [""];
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    for (const entry of readEntries(join(folder, below))) {
      const path = below + entry.name;
      if (entry.isDirectory() && !FOREIGN.has(entry.name)) open.push(`${path}/`);
      else if (entry.isFile() && wanted.test(path)) paths.push(path);
    }
  }
  return paths.sort();
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that cannot be read is left out, as globs do.
    return [];
  }
}

const GLOB_PARTS: Readonly<Record<string, string>> = {
  "**/": "(?:.*/)?",
  "*": "[^/]*",
  "{": "(?:",
  "}": ")",
  ",": "|",
  ".": "\\.",
};

function toPattern(glob: string): string {
  return glob.replace(/\*\*\/|[*{},.]/g, (part) => GLOB_PARTS[part] ?? part);
}

/** Returns the paths of the JSON files in and below a folder, sorted; none for a missing folder. Does not follow links. */
export async function listJsonFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  const lists = await Promise.all(
    sorted.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : listJsonFiles(path);
      return entry.isFile() && entry.name.endsWith(".json") && !entry.name.startsWith(".") ? [path] : [];
    }),
  );
  return lists.flat();
}

/** Returns where a path leads without links, relative to `dir`, posix; undefined if it leads out of the folder `root`. */
export async function findWithin(root: string, dir: string, path: string): Promise<string | undefined> {
  const [realRoot, realDir] = await Promise.all([realpath(root), realpath(dir)]);
  const named = resolve(realDir, path);
  const real = await realpath(named).catch(() => named);
  const way = relative(realRoot, real);
  const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
  return isOutside ? undefined : relative(realDir, real).split(sep).join("/");
}
