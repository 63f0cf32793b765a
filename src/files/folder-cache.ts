/**
 * Remembers that an output folder was up to date, as git's index does: a file outside version control that names what was
 * compared, and the size, times and inode of every file that was read. It holds only clean results: anything else is
 * compared again. Delete it at any time.
 */
import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../core/digest.js";
import { listFolder } from "./output-folder.js";
import { writeAtomic } from "./write-atomic.js";

export interface FolderCache<Facts> {
  /** What was stored for the same key and the same files. */
  readonly found: Facts | undefined;
  /** Stores what was found for the files as they were when this cache was opened. Ignores a folder that cannot be written. */
  readonly store: (facts: Facts) => Promise<void>;
}

/**
 * Opens the cache of an output folder; undefined if the folder cannot be listed.
 *
 * @param folder the folder of the caches
 * @param key identifies everything besides the files that the facts depend on
 */
export function openFolderCache<Facts>(
  folder: string,
  output: string,
  key: string,
): FolderCache<Facts> | undefined {
  // The entries are read before the files: a file that changes in between gets another entry.
  const entries = readEntries(output);
  if (entries === undefined) return undefined;
  const path = pathOf(folder, output, "files");
  const identity = sha256(JSON.stringify([key, entries.digest]));
  return {
    found: readFacts(path, identity, entries.newest) as Facts | undefined,
    store: (facts) => storeFacts(path, identity, facts),
  };
}

/** Returns what was found for the same key, which identifies all that it depends on; else finds it, and stores what may be kept. */
export async function remember<Facts>(
  folder: string | undefined,
  output: string,
  key: string,
  find: () => Promise<Facts>,
  mayKeep: (found: Facts) => boolean = () => true,
): Promise<Facts> {
  if (folder === undefined) return find();
  const [path, identity] = [pathOf(folder, output, "texts"), sha256(key)];
  const known = readFacts(path, identity) as Facts | undefined;
  if (known !== undefined) return known;
  const found = await find();
  if (mayKeep(found)) await storeFacts(path, identity, found);
  return found;
}

function pathOf(folder: string, output: string, what: string): string {
  return join(folder, `${sha256(output).slice(0, 16)}-${what}.json`);
}

async function storeFacts(path: string, identity: string, facts: unknown): Promise<void> {
  const text = JSON.stringify({ identity, facts });
  await writeAtomic(path, `${sha256(text)}\n${text}`).catch(() => undefined);
}

/** Returns the folder of caches in the nearest `node_modules`; undefined if there is none. */
export function findCacheFolder(dir: string): string | undefined {
  for (let at = dir; ; at = dirname(at)) {
    const modules = join(at, "node_modules");
    if (existsSync(modules)) return join(modules, ".cache", "mcp-codegen", "folders");
    if (at === dirname(at)) return undefined;
  }
}

interface Entries {
  readonly digest: string;
  /** The time of the last change, in nanoseconds. Programs can set `mtime`, but not `ctime`. */
  readonly newest: bigint;
}

function readEntries(output: string): Entries | undefined {
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

/** Facts that depend on no file need no time of change. */
function readFacts(path: string, identity: string, newest = 0n): unknown {
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
