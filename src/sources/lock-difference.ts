import type { Buffer } from "node:buffer";
import { McpCodegenError } from "../core/errors.js";
import { getOwn } from "../core/json.js";
import { type LockOutline, pickFromOutline, readOutline } from "../core/lock-outline.js";
import type { Lockfile } from "../core/lockfile.js";
import { verifyDigests } from "../core/lockfile-text.js";

/** Two locks without the tools that are equal in both. */
export interface LockDifference {
  readonly before: Lockfile;
  readonly after: Lockfile;
  /** The names of the equal tools that both locks omit, by server. */
  readonly unchanged: ReadonlyMap<string, readonly string[]>;
}

/**
 * Returns the differences of two lockfiles. Equal tools are compared by their outlines, and neither parsed nor verified. A
 * server that lost one tool and got another keeps all its tools in both locks: detecting a rename needs their names and
 * texts. Returns undefined for a lock that `formatLockfile` would write in another way, and for an invalid one; parsing both
 * locks then reports the error.
 */
export function parseDifference(before: Buffer, after: Buffer): LockDifference | undefined {
  const [old, now] = [readOutline(before), readOutline(after)];
  if (old === undefined || now === undefined) return undefined;
  const unchanged = new Map<string, readonly string[]>();
  const dropped = new Map<string, ReadonlySet<string>>();
  for (const [name, server] of Object.entries(old.servers)) {
    const other = getOwn(now.servers, name);
    if (other === undefined) continue;
    const names = equalTools(server, other);
    unchanged.set(name, names);
    dropped.set(name, new Set(names));
  }
  const pick = (outline: LockOutline): Lockfile => {
    const lock = pickFromOutline(outline, (server, tool) => dropped.get(server)?.has(tool) !== true);
    verifyDigests(lock);
    return lock;
  };
  try {
    return { before: pick(old), after: pick(now), unchanged };
  } catch (error) {
    if (error instanceof McpCodegenError) return undefined;
    throw error;
  }
}

type ServerOutline = LockOutline["servers"][string];

function equalTools({ tools: old }: ServerOutline, { tools: now }: ServerOutline): readonly string[] {
  const isLost = Object.keys(old).some((name) => !Object.hasOwn(now, name));
  const isFound = Object.keys(now).some((name) => !Object.hasOwn(old, name));
  if (isLost && isFound) return [];
  const texts = new Map(Object.entries(now).map(([name, tool]) => [name, JSON.stringify(tool)]));
  return Object.entries(old)
    .filter(([name, tool]) => texts.get(name) === JSON.stringify(tool))
    .map(([name]) => name);
}
