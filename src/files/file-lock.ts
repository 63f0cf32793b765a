import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { fileFailed, isRunning } from "./write-atomic.js";
import { codeOf } from "../core/errors.js";

/** Milliseconds between two tries. */
const PAUSE = 20;

export interface FileLockOptions {
  /** Milliseconds that the work takes at most. A lock that is older was left, or its process has the ID of another. */
  readonly longest?: number;
  /** The name of this host, for a folder that hosts share. */
  readonly host?: string;
}

/** Distinguishes the locks of one process. */
let locks = 0;
const held = new Set<string>();

/**
 * Runs `work` while no other process that locks the same path does. The lock of a killed process of this host is removed at
 * once. A call in the same process waits as well.
 *
 * @throws McpCodegenError `FILE_FAILED` if the lock cannot be written; what `work` throws
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  { longest = 10_000, host = "" }: FileLockOptions = {},
): Promise<T> {
  locks += 1;
  const owner = `${process.pid}-${locks}@${host}`;
  held.add(owner);
  try {
    await acquire(path, owner, longest / PAUSE);
    try {
      return await work();
    } finally {
      await rm(path, { force: true });
    }
  } finally {
    held.delete(owner);
  }
}

async function acquire(path: string, owner: string, mostTries: number): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
  } catch (cause) {
    throw fileFailed(`"${basename(dirname(path))}" cannot be created`, cause);
  }
  for (let tries = 0; ; tries += 1) {
    try {
      await writeFile(path, owner, { flag: "wx" });
      return;
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST") throw fileFailed(`"${basename(path)}" cannot be written`, cause);
    }
    const holder = await readFile(path, "utf8").catch(() => "");
    // An empty lock is being written.
    const isLeft = holder === "" ? tries > 0 && tries % 50 === 0 : !isHeld(holder, owner);
    if (isLeft || tries >= mostTries) await removeLock(path, holder, owner);
    else await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

function isHeld(holder: string, owner: string): boolean {
  // The processes of another host, which shares the folder, are unknown here.
  if (hostOf(holder) !== hostOf(owner)) return true;
  const id = Number(/^\d+/.exec(holder)?.[0] ?? 0);
  // In a container every run may have the same process ID.
  return id === process.pid ? held.has(holder) : isRunning(id);
}

function hostOf(owner: string): string {
  return owner.split("@")[1] ?? "";
}

/** Two processes may find the same lock left, so only the one that moves it away removes it. */
async function removeLock(path: string, holder: string, owner: string): Promise<void> {
  const moved = `${path}.${owner}`;
  try {
    await rename(path, moved);
  } catch {
    return;
  }
  const found = await readFile(moved, "utf8").catch(() => "");
  // Another process was faster, and this is its lock.
  if (found !== holder) await rename(moved, path).catch(() => undefined);
  else await rm(moved, { force: true });
}
