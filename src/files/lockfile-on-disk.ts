import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { McpCodegenError } from "../contract/errors.js";
import { LOCKFILE_NAME, type Lockfile } from "../contract/lockfile.js";
import { formatLockfile, parseLockfile, parseUnverified } from "../contract/lockfile-text.js";
import { reasonOf, removeAbandoned, writeAtomic } from "./write-atomic.js";

/**
 * The lock at a path; undefined when there is no file.
 *
 * @throws McpCodegenError `FILE_FAILED`, and everything that `parseLockfile` throws
 */
export async function findLockfile(path: string): Promise<Lockfile | undefined> {
  const text = await readText(path);
  return text === undefined ? undefined : parseLockfile(text);
}

/** As {@link findLockfile}; throws `LOCK_NOT_FOUND` when there is no file. */
export async function readLockfile(path: string): Promise<Lockfile> {
  return parseLockfile(await getText(path));
}

/** As {@link readLockfile}, digests taken at their word. */
export async function readUnverifiedLockfile(path: string): Promise<Lockfile> {
  return parseUnverified(await getText(path));
}

async function getText(path: string): Promise<string> {
  const text = await readText(path);
  if (text !== undefined) return text;
  throw new McpCodegenError("LOCK_NOT_FOUND", `There is no "${LOCKFILE_NAME}" beside the configuration.`, {
    hint: 'Run "npx mcp-codegen pull".',
  });
}

/**
 * Writes a lock, unless the file holds these very bytes.
 *
 * @returns whether it was written
 * @throws McpCodegenError `FILE_FAILED`
 */
export async function writeLockfile(path: string, lock: Lockfile): Promise<boolean> {
  const text = formatLockfile(lock);
  if ((await readText(path)) === text) return false;
  await removeAbandoned(dirname(path));
  await writeAtomic(path, text);
  return true;
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new McpCodegenError("FILE_FAILED", `"${LOCKFILE_NAME}" cannot be read: ${reasonOf(cause)}.`, {
      cause,
    });
  }
}
