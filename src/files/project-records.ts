import { Buffer } from "node:buffer";
import { realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { once } from "../core/collections.js";
import { sha256 } from "../core/digest.js";
import { McpCodegenError } from "../core/errors.js";
import { type Lockfile, LOCKFILE_NAME } from "../core/lockfile.js";
import { formatLockfile, parseLockfile } from "../core/lockfile-text.js";
import { locateJsonError, parseFormat } from "./parse-json.js";
import { removeFile, writeAtomic } from "./write-atomic.js";
import { findBounded, findFileText, upwards } from "./read-files.js";
import { type Waiver, WAIVERS_FORMAT, WAIVERS_NAME, type WaiversFile } from "../core/waivers.js";
import { byCodeUnit, findOwn, objectOrEmpty, tryParseJson } from "../core/json.js";
import { NOTHING_OBSERVED, type Observed, OBSERVED_FORMAT, OBSERVED_NAME } from "../core/observed.js";

/** A lockfile that has been read, and is parsed on demand. */
export interface OpenLockfile {
  /** Throws the errors of `parseLockfile`. */
  readonly lock: () => Lockfile;
  /** The digest of the file. */
  readonly digest: () => string;
  readonly text: () => string;
}

/** Returns the lock at a path; undefined without a file. Throws `FILE_FAILED` and the errors of `parseLockfile`. */
export async function findLockfile(path: string): Promise<Lockfile | undefined> {
  return (await openLockfile(path))?.lock();
}

/** Parses and verifies the text of a lockfile. Throws the errors of `parseLockfile`, with the place of a JSON error. */
export function parseLockText(text: string): Lockfile {
  return parseLockfile(text, { locateError: locateJsonError });
}

/** As {@link parseLockText}, for a lock that a person named: the usual names and hints are for the lock of the project. */
export function parseNamedLock(text: string, name: string, hint: string): Lockfile {
  try {
    return parseLockText(text);
  } catch (cause) {
    if (!(cause instanceof McpCodegenError) || cause.code === "LOCK_NEWER") throw cause;
    throw new McpCodegenError(cause.code, `${JSON.stringify(name)}: ${cause.message}`, { hint, cause });
  }
}

/** As {@link findLockfile}; throws `LOCK_NOT_FOUND` when the file does not exist. */
export async function readLockfile(path: string): Promise<Lockfile> {
  return assertLockfile(await openLockfile(path)).lock();
}

/** Throws `LOCK_NOT_FOUND` without a lockfile. */
export function assertLockfile(file: OpenLockfile | undefined): OpenLockfile {
  if (file !== undefined) return file;
  throw new McpCodegenError("LOCK_NOT_FOUND", `There is no "${LOCKFILE_NAME}" beside the configuration.`, {
    hint: 'Run "npx mcp-codegen pull".',
  });
}

/**
 * Returns the lock of another project around an output folder: the nearest one above it, or above the target of a link, and
 * not above this project. One that is not JSON counts as none.
 *
 * @returns its path relative to the project, posix, the names of its servers, and whether a link leads to the output folder
 */
export async function findOtherLock(
  output: string,
  dir: string,
): Promise<
  { readonly path: string; readonly servers: readonly string[]; readonly isLinked: boolean } | undefined
> {
  const project = realpathSync(dir);
  const target = realpathSync(output);
  for (const folder of upwards(dirname(target))) {
    if (folder === project) return undefined;
    const path = join(folder, LOCKFILE_NAME);
    const text = await findFileText(path);
    const servers = text === undefined ? undefined : findOwn(tryParseJson(text), "servers");
    if (servers !== undefined)
      return {
        path: relative(project, path).split(sep).join("/"),
        servers: Object.keys(objectOrEmpty(servers)),
        isLinked: target !== join(project, relative(dir, output)),
      };
  }
  return undefined;
}

/** The digests of lockfiles that this version has parsed and verified. */
export interface VerifiedLocks {
  readonly has: (digest: string) => boolean;
  readonly add: (digest: string) => void;
}

/** Reads the lockfile at a path; undefined without a file. A verified one is not verified again. Throws `FILE_FAILED`. */
export async function openLockfile(
  path: string,
  verified?: VerifiedLocks,
): Promise<OpenLockfile | undefined> {
  const bytes = await findBounded(path);
  if (bytes === undefined) return undefined;
  const text = once(() => bytes.toString("utf8"));
  const digest = once(() => sha256(bytes));
  const lock = once(() => {
    const isVerified = verified?.has(digest()) ?? false;
    const parsed = parseLockfile(text(), { locateError: locateJsonError, isVerified });
    if (!isVerified) verified?.add(digest());
    return parsed;
  });
  return { text, lock, digest };
}

/** Writes a lock, and returns whether the file had other bytes. Throws `FILE_FAILED`. */
export async function writeLockfile(path: string, lock: Lockfile): Promise<boolean> {
  const text = formatLockfile(lock);
  if ((await findBounded(path))?.equals(Buffer.from(text)) === true) return false;
  await writeAtomic(path, text);
  return true;
}

/** Returns the file of waivers at a path; an empty one without a file. Throws `WAIVERS_INVALID`, with the place; `FILE_FAILED`. */
export async function readWaivers(path: string): Promise<WaiversFile> {
  const bytes = await findBounded(path);
  if (bytes === undefined) return { waivers: [] };
  return parseFormat(WAIVERS_FORMAT, bytes.toString("utf8"), WAIVERS_NAME);
}

/** Writes a file of waivers, sorted; removes one that would say nothing. Throws `FILE_FAILED`. */
export async function writeWaivers(path: string, file: WaiversFile): Promise<void> {
  if (file.waivers.length === 0 && file.$schema === undefined) return removeFile(path);
  const keyOf = ({ server, tool = "", path, rule, digests }: Waiver): string =>
    [server, tool, path, rule, digests.before ?? "", digests.after ?? ""].join("\0");
  const waivers = [...file.waivers].sort((a, b) => byCodeUnit(keyOf(a), keyOf(b)));
  await writeAtomic(path, `${WAIVERS_FORMAT.format.print({ ...file, waivers })}\n`);
}

/** Returns the observations at a path; none without a file. Throws `OBSERVED_INVALID`, with the place; `FILE_FAILED`. */
export async function readObserved(path: string): Promise<Observed> {
  const bytes = await findBounded(path);
  return bytes === undefined
    ? NOTHING_OBSERVED
    : parseFormat(OBSERVED_FORMAT, bytes.toString("utf8"), OBSERVED_NAME);
}

/** Writes observations, sorted. Throws `FILE_FAILED` and then leaves the old file unchanged. */
export async function writeObserved(path: string, observed: Observed): Promise<void> {
  await writeAtomic(path, formatObserved(observed));
}

/** Returns the text of a file of observations: sorted, keys in a fixed order, two spaces, a final newline. */
export function formatObserved(observed: Observed): string {
  return `${OBSERVED_FORMAT.format.print(observed)}\n`;
}
