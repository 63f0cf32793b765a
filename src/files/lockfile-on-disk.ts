import { Buffer } from "node:buffer";
import { sha256 } from "../core/digest.js";
import { McpCodegenError } from "../core/errors.js";
import { LOCKFILE_NAME, type Lockfile } from "../core/lockfile.js";
import { formatLockfile, parseLockfile } from "../core/lockfile-text.js";
import { locateJsonError } from "./parse-json.js";
import { writeAtomic } from "./write-atomic.js";
import { findBounded } from "./read-files.js";

/** A lockfile that has been read, and is parsed on demand. */
interface OpenLockfile {
  /** Throws the errors of `parseLockfile`. */
  readonly lock: () => Lockfile;
  /** The digest of the file. */
  readonly digest: () => string;
}

/** Returns the lock at a path; undefined without a file. Throws `FILE_FAILED` and the errors of `parseLockfile`. */
export async function findLockfile(path: string): Promise<Lockfile | undefined> {
  const bytes = await findBounded(path);
  return bytes === undefined ? undefined : parseLockText(bytes.toString("utf8"));
}

/** Parses and verifies the text of a lockfile. Throws the errors of `parseLockfile`, with the place of a JSON error. */
export function parseLockText(text: string): Lockfile {
  return parseLockfile(text, locateJsonError);
}

/** As {@link findLockfile}; throws `LOCK_NOT_FOUND` when the file does not exist. */
export async function readLockfile(path: string): Promise<Lockfile> {
  return (await openLockfile(path)).lock();
}

/** Reads the lockfile at a path. Throws `FILE_FAILED`, and `LOCK_NOT_FOUND` when the file does not exist. */
export async function openLockfile(path: string): Promise<OpenLockfile> {
  const bytes = await findBounded(path);
  if (bytes === undefined) {
    throw new McpCodegenError("LOCK_NOT_FOUND", `There is no "${LOCKFILE_NAME}" beside the configuration.`, {
      hint: 'Run "npx mcp-codegen pull".',
    });
  }
  return {
    lock: once(() => parseLockText(bytes.toString("utf8"))),
    digest: once(() => sha256(bytes)),
  };
}

/** Writes a lock, and returns whether the file had other bytes. Throws `FILE_FAILED`. */
export async function writeLockfile(path: string, lock: Lockfile): Promise<boolean> {
  const text = formatLockfile(lock);
  if ((await findBounded(path))?.equals(Buffer.from(text)) === true) return false;
  await writeAtomic(path, text);
  return true;
}

function once<T>(read: () => T): () => T {
  let answer: { readonly value: T } | undefined;
  return () => (answer ??= { value: read() }).value;
}
