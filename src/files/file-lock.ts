import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { threadId } from "node:worker_threads";
import { codeOf } from "../core/errors.js";
import { fileFailed, isRunning, makeFolder, temporaryName } from "./write-atomic.js";

interface FileLockOptions {
  /** Milliseconds that the work takes at most. A lock that is older was left, or its process has the ID of another. */
  readonly longest?: number;
  /** The name of this host, for a folder that hosts share. */
  readonly host?: string;
}

/** Milliseconds between two tries. */
const PAUSE = 20;

/** Distinguishes the locks of one thread. */
let locks = 0;
const held = new Set<string>();

/**
 * Runs `work` while no other process, thread or call that locks the same path does. The lock of a killed process of this host
 * is removed at once.
 *
 * A lock is a folder with one file, whose name is the owner's, and appears whole by a rename. An owner is removed by its name,
 * so a process that removes one that was left never removes the next.
 *
 * @throws McpCodegenError `FILE_FAILED` if the lock cannot be written; what `work` throws
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  { longest = 10_000, host = "" }: FileLockOptions = {},
): Promise<T> {
  locks += 1;
  const owner = `${process.pid}-${threadId}-${locks}@${encodeURIComponent(host)}`;
  held.add(owner);
  try {
    await acquire(path, owner, longest);
    return await work();
  } finally {
    held.delete(owner);
    removeOwner(path, owner);
  }
}

async function acquire(path: string, owner: string, longest: number): Promise<void> {
  try {
    makeFolder(dirname(path));
  } catch (cause) {
    throw fileFailed(`"${basename(dirname(path))}" cannot be created`, cause);
  }
  let holder: string | undefined;
  let tries = 0;
  while (!takeLock(path, owner)) {
    const earlier = holder;
    holder = await readHolder(path);
    tries = holder === earlier ? tries + 1 : 0;
    if (holder === undefined) removeFolder(path);
    else if (tries >= longest / PAUSE || !isHeld(holder, owner)) removeOwner(path, holder);
    else await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** The codes of a rename to a folder with an owner, and to something else. */
const TAKEN = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR"]);

/** Returns whether the lock was free. */
function takeLock(path: string, owner: string): boolean {
  const made = join(dirname(path), temporaryName(basename(path)));
  try {
    mkdirSync(made);
    writeFileSync(join(made, owner), "");
  } catch (cause) {
    rmSync(made, { force: true, recursive: true });
    throw fileFailed(`"${basename(path)}" cannot be written`, cause);
  }
  try {
    // Replaces an empty folder on POSIX; fails for one with an owner.
    renameSync(made, path);
    return true;
  } catch (cause) {
    rmSync(made, { force: true, recursive: true });
    // The owner may have removed it meanwhile. Windows has one code for a folder and for a lack of rights.
    if (TAKEN.has(codeOf(cause) ?? "") || existsSync(path)) return false;
    throw fileFailed(`"${basename(path)}" cannot be written`, cause);
  }
}

/** Returns the owner of a lock; undefined if it has none, and "" for anything that is not a folder, such as a pipe. */
async function readHolder(path: string): Promise<string | undefined> {
  try {
    return (await readdir(path))[0];
  } catch (error) {
    return codeOf(error) === "ENOENT" ? undefined : "";
  }
}

const OWNER = /^(?<id>\d+)-(?<thread>\d+)-\d+@(?<host>.*)$/s;

function isHeld(holder: string, owner: string): boolean {
  const { id, thread, host } = OWNER.exec(holder)?.groups ?? {};
  if (id === undefined) return false;
  // The processes of another host, which shares the folder, are unknown here.
  if (host !== OWNER.exec(owner)?.groups?.["host"]) return true;
  if (Number(id) !== process.pid) return isRunning(Number(id));
  // In a container every run may have the same process ID. The locks of another thread are unknown here.
  return Number(thread) !== threadId || held.has(holder);
}

/** Ends what `owner` holds, and nothing else. */
function removeOwner(path: string, owner: string): void {
  try {
    if (owner === "") unlinkSync(path);
    else rmSync(join(path, owner), { recursive: true });
  } catch (cause) {
    if (!["ENOENT", "ENOTDIR"].includes(codeOf(cause) ?? ""))
      throw fileFailed(`"${basename(path)}" cannot be removed`, cause);
  }
  removeFolder(path);
}

/** Removes the folder of a lock that has no owner; another process may be faster. */
function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It has an owner again.
  }
}
