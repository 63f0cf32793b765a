/** What was found in files, remembered beside them: a cache that is damaged, of another version or not readable is like none. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../core/digest.js";
import { writeCacheFile } from "./write-atomic.js";

/** A file of a cache. */
export interface CacheFile<Facts> {
  /** Returns what was stored for the same key. */
  readonly read: () => Facts | undefined;
  /** The time at which the file was written, in nanoseconds. Throws without a file. */
  readonly writtenAt: () => bigint;
  readonly write: (facts: Facts) => void;
}

/**
 * Opens a file of a cache.
 *
 * @param name identifies what is stored, within its kind
 * @param key identifies all that it depends on
 */
export function openCache<Facts>(
  folder: string,
  { kind, name, key }: { readonly kind: string; readonly name: string; readonly key: readonly unknown[] },
): CacheFile<Facts> {
  const path = join(folder, `${sha256(name).slice(0, 16)}-${kind}.json`);
  const identity = sha256(JSON.stringify(key));
  return {
    read: () => readFacts(path, identity) as Facts | undefined,
    writtenAt: () => statSync(path, { bigint: true }).ctimeNs,
    write: (facts) => {
      const text = JSON.stringify({ identity, facts });
      writeCacheFile(path, `${sha256(text)}\n${text}`);
    },
  };
}

function readFacts(path: string, identity: string): unknown {
  try {
    const [digest, text = ""] = readFileSync(path, "utf8").split("\n");
    if (sha256(text) !== digest) return undefined;
    // The digest shows that this program wrote it, and the identity that it was this version.
    const cached = JSON.parse(text) as { readonly identity: string; readonly facts: unknown };
    return cached.identity === identity ? cached.facts : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns what was found for the same key; else finds it, and stores what may be kept.
 *
 * @param folder the folder of the caches; without it, nothing is remembered
 */
export async function remember<Facts>(
  folder: string | undefined,
  name: string,
  key: readonly unknown[],
  find: () => Facts | Promise<Facts>,
  mayKeep: (facts: Facts) => boolean = () => true,
): Promise<Facts> {
  const cache = folder === undefined ? undefined : openCache<Facts>(folder, { kind: "texts", name, key });
  const earlier = cache?.read();
  if (earlier !== undefined) return earlier;
  const facts = await find();
  if (mayKeep(facts)) cache?.write(facts);
  return facts;
}
