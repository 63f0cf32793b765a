import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { appendFile, lstat, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { threadId } from "node:worker_threads";
import { codeOf, McpCodegenError, messageOf } from "../core/errors.js";

/** Distinguishes the temporary files of one thread. */
let writes = 0;

/**
 * Writes a whole file or nothing: renames a temporary file in the same folder after its bytes are on the disk. Keeps
 * the old file's mode, follows a symbolic link, and creates missing folders. Writes to a device or a pipe, which a rename
 * would replace.
 *
 * @param newMode the mode of a new file; by default, that of the process
 * @throws McpCodegenError `FILE_FAILED`; then the old file is unchanged and the temporary one is removed
 */
export async function writeAtomic(path: string, text: string | Uint8Array, newMode?: number): Promise<void> {
  const target = await realpath(path).catch(() => path);
  try {
    const entry = statSync(path, { throwIfNoEntry: false });
    if (entry !== undefined && !entry.isFile() && !entry.isDirectory()) {
      await writeFile(path, text);
      return;
    }
    makeFolder(dirname(target));
    await sweepOnce(dirname(target));
    replaceFile(target, text, { newMode, flush: true });
  } catch (cause) {
    throw fileFailed(`"${basename(path)}" cannot be written`, cause);
  }
}

/**
 * Writes many files of one folder as {@link writeAtomic} does, in a fraction of its time: it does not wait until the bytes
 * are on the disk, since a digest in each file shows whether it is whole, and follows no link.
 *
 * @param files the names with their texts
 * @throws McpCodegenError `FILE_FAILED`
 */
export async function writeManyAtomic(
  folder: string,
  files: readonly { readonly name: string; readonly text: string }[],
): Promise<void> {
  let path = folder;
  try {
    makeFolder(folder);
    await sweepOnce(folder);
    for (const [at, { name, text }] of files.entries()) {
      path = join(folder, name);
      replaceFile(path, text);
      if (at % WRITTEN_AT_ONCE === 0) await nextTurn();
    }
  } catch (cause) {
    throw fileFailed(`"${basename(path)}" cannot be written`, cause);
  }
}

/** Writes a file of a cache as a whole, or not at all, if it cannot be written. Does not wait until the bytes are on the disk. */
export function writeCacheFile(path: string, text: string): void {
  try {
    makeFolder(dirname(path));
    replaceFile(path, text);
  } catch {
    // A cache that cannot be written is like none.
  }
}

/**
 * Makes a folder, and those above it. The option `recursive` of `mkdir` never returns below `/proc`, where a folder exists
 * in which none can be made.
 */
export function makeFolder(path: string, mode?: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (cause) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
    if (codeOf(cause) !== "ENOENT" || existsSync(dirname(path))) throw cause;
    makeFolder(dirname(path), mode);
    makeFolder(path, mode);
  }
}

/** In between, signals are received. */
const WRITTEN_AT_ONCE = 50;

/** Resolves when this thread has received signals, and messages of other threads. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function replaceFile(
  path: string,
  text: string | Uint8Array,
  { newMode, flush = false }: { readonly newMode?: number | undefined; readonly flush?: boolean } = {},
): void {
  const temporary = join(dirname(path), temporaryName(basename(path)));
  const before = statSync(path, { throwIfNoEntry: false });
  const mode = before === undefined ? newMode : before.mode & 0o777;
  try {
    writeFileSync(temporary, text, { flag: "wx", mode, flush });
    // The process's umask restricts the mode given before.
    if (mode !== undefined) chmodSync(temporary, mode);
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw cause;
  }
}

/** The folders whose temporary files of killed runs this process has removed. */
const swept = new Map<string, Promise<void>>();

/** Removes what a killed run left beside a file; once, since a folder may get thousands of files. */
function sweepOnce(folder: string): Promise<void> {
  const sweep = swept.get(folder) ?? removeAbandoned(folder);
  swept.set(folder, sweep);
  return sweep;
}

/** Returns the name of a temporary file or folder beside `name`, which is cut, since most file systems allow 255 bytes. */
export function temporaryName(name: string): string {
  writes += 1;
  return `.${name.slice(0, 60)}.${process.pid}-${threadId}-${writes}.mcp-codegen-tmp`;
}

const TEMPORARY = /\.(?<id>\d+)-(?<thread>\d+)-\d+\.mcp-codegen-tmp$/;

/** Whether a file is a temporary file of this program. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/** Removes temporary files of killed runs beside these files, in the output folder and in its folders. Never fails. */
export async function sweepLeftovers(files: readonly string[], output: string | undefined): Promise<void> {
  // A file behind a link is written at the target of the link.
  const targets = await Promise.all(files.map((file) => realpath(file).catch(() => file)));
  const generated = output === undefined ? [] : [output, ...(await foldersIn(output))];
  const folders = new Set([
    ...files.map((file) => dirname(file)),
    ...targets.map((target) => dirname(target)),
    ...generated,
  ]);
  await Promise.all([...folders].map((folder) => removeAbandoned(folder)));
}

/** Returns the subfolders, which may have generated files (`<server>/<file>.ts`). Does not follow links. */
async function foldersIn(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(dir, name));
}

async function removeAbandoned(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  const abandoned = names.filter((name) => {
    const { id, thread } = TEMPORARY.exec(name)?.groups ?? {};
    if (id === undefined) return false;
    // A file with the IDs of this thread, which writes without a pause, is from an earlier run in a container.
    return Number(id) === process.pid ? Number(thread) === threadId : !isRunning(Number(id));
  });
  await Promise.all(
    abandoned.map((name) => rm(join(dir, name), { force: true, recursive: true }).catch(() => undefined)),
  );
}

/** Whether a process of this host runs. */
export function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** The error of the file system without the path, which may be long: `EACCES: permission denied`. */
export function reasonOf(error: unknown): string {
  const message = messageOf(error);
  return message.replace(/, (?:\w+ '.*|read|write)$/s, "");
}

/** Returns a `FILE_FAILED` of the file system; `what` is a sentence such as `"a.txt" cannot be written`. */
export function fileFailed(what: string, cause: unknown): McpCodegenError {
  return new McpCodegenError("FILE_FAILED", `${what}: ${reasonOf(cause)}.`, { cause });
}

/** Removes a file, which may be missing. Throws `FILE_FAILED`. */
export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
  } catch (cause) {
    throw fileFailed(`"${basename(path)}" cannot be removed`, cause);
  }
}

/** Appends to a file that other programs also write to. Throws `FILE_FAILED`. */
export async function appendText(path: string, text: string): Promise<void> {
  try {
    await appendFile(path, text);
  } catch (cause) {
    throw fileFailed(`"${basename(path)}" cannot be written`, cause);
  }
}

/** Adds a line to a text file, which may be missing, unless it has the line. Returns whether the file was written. Throws `FILE_FAILED`. */
export async function ensureLine(path: string, line: string): Promise<boolean> {
  const entry = await lstat(path).catch(() => undefined);
  if (entry?.isFile() === false && !entry.isSymbolicLink())
    throw new McpCodegenError("FILE_FAILED", `"${basename(path)}" cannot be read: it is not a file.`);
  if (entry?.isSymbolicLink() === true) {
    throw new McpCodegenError(
      "FILE_FAILED",
      `"${basename(path)}" is a symbolic link, which git does not follow.`,
      { hint: `Replace it with a file that has the line ${line}` },
    );
  }
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return "";
    throw fileFailed(`"${basename(path)}" cannot be read`, error);
  });
  if (text.split(/\r?\n/).some((existing) => existing.trim() === line)) return false;
  await writeAtomic(path, text === "" || text.endsWith("\n") ? `${text}${line}\n` : `${text}\n${line}\n`);
  return true;
}
