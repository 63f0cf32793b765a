import { compareVersions } from "../../config/package-pins.js";
import type { Change } from "../../core/change.js";
import { bumpContract } from "../../core/contract-version.js";
import { McpCodegenError } from "../../core/errors.js";
import { getOwn, mapEntries } from "../../core/json.js";
import { snapshotOfLock } from "../../core/lock-server.js";
import { LOCKFILE_NAME, type LockedServer, type Lockfile } from "../../core/lockfile.js";
import { parseLockfile } from "../../core/lockfile-text.js";
import type { Project } from "../../project/project.js";
import type { RaisedContract } from "./generate-report.js";
import { findObjects, readObject } from "../../sources/git/git.js";

/** The committed locks that contract versions count from. All are empty outside git, or without a committed lock. */
export interface ContractBases {
  /** The lock at HEAD, then the lock that is being merged into it. */
  readonly current: readonly Lockfile[];
  /** The other locks of HEAD's parents: a merge, or a rebase, may have joined two contracts of one version. */
  readonly earlier: readonly Lockfile[];
}

export const NO_BASES: ContractBases = { current: [], earlier: [] };

const COMMITS = ["HEAD", "MERGE_HEAD", "HEAD^1", "HEAD^2"] as const;

/**
 * Reads the committed locks of a folder.
 *
 * @param readKnown returns the text of a lock that is not parsed
 */
export async function readContractBases(dir: string, readKnown?: () => string): Promise<ContractBases> {
  try {
    const objects = await findObjects(
      dir,
      COMMITS.map((commit) => `${commit}:./${LOCKFILE_NAME}`),
    );
    if (objects[0] === undefined) return NO_BASES;
    const [head, merged, ...parents] = objects.map((object, index) =>
      objects.indexOf(object) === index ? object : undefined,
    );
    const read = async (list: readonly (string | undefined)[]): Promise<readonly Lockfile[]> => {
      const texts = list.flatMap((object) => (object === undefined ? [] : [readObject(dir, object)]));
      const bases = readKnown?.();
      const others = (await Promise.all(texts)).filter((text) => text !== bases);
      return others.flatMap((text) => parseOldLock(text) ?? []);
    };
    return { current: await read([head, merged]), earlier: await read(parents) };
  } catch (error) {
    // Without git, versions count from the lock on disk.
    if (error instanceof McpCodegenError) return NO_BASES;
    throw error;
  }
}

/** Parses a committed lock; undefined if it cannot be read, such as one of a later version. */
export function parseOldLock(text: string): Lockfile | undefined {
  try {
    return parseLockfile(text);
  } catch (error) {
    if (error instanceof McpCodegenError) return undefined;
    throw error;
  }
}

type DiffFrom = (base: LockedServer) => readonly Change[];

/** Returns the version of a server's new contract, or undefined where no commit has a lock. */
export function countContract(
  server: string,
  { current, earlier }: ContractBases,
  first: string,
  diffFrom: DiffFrom,
): string | undefined {
  if (current.length === 0) return undefined;
  const versions = blocksOf(server, current).map((base) => bumpContract(base.contract, diffFrom(base)));
  const contract = versions.length === 0 ? first : newestOf(versions);
  return raiseContract(contract, blocksOf(server, earlier), diffFrom);
}

/**
 * Returns the contracts of a project's lock that must be raised, because a commit behind it has the same version with other
 * tools. Parses the lock only if a commit has another.
 */
export async function findRaised(project: Project): Promise<readonly RaisedContract[]> {
  const { config, dir } = project;
  const source = await project.lock();
  const { current, earlier } = await readContractBases(dir, source.text);
  const others = [...current, ...earlier];
  if (others.length === 0) return [];
  const { diffServer } = await import("../../drift/diff-server.js");
  return Object.entries(source.lock().servers).flatMap(([server, locked]) => {
    const snapshot = snapshotOfLock(server, locked);
    const schemas = getOwn(config.servers, server);
    const after = raiseContract(locked.contract, blocksOf(server, others), (base) =>
      isSameContent(base, locked) ? [] : diffServer(server, base, snapshot, { schemas }),
    );
    return after === locked.contract ? [] : [{ server, before: locked.contract, after }];
  });
}

export function raiseContracts(lock: Lockfile, raised: readonly RaisedContract[]): Lockfile {
  const versions = new Map(raised.map(({ server, after }) => [server, after]));
  const servers = mapEntries(lock.servers, (locked, server) => ({
    ...locked,
    contract: versions.get(server) ?? locked.contract,
  }));
  return { ...lock, servers };
}

function raiseContract(contract: string, bases: readonly LockedServer[], diffFrom: DiffFrom): string {
  const isTaken = bases.some(
    (base) => base.contract === contract && bumpContract(contract, diffFrom(base)) !== contract,
  );
  return isTaken ? newestOf(bases.map((base) => bumpContract(base.contract, diffFrom(base)))) : contract;
}

function blocksOf(server: string, locks: readonly Lockfile[]): readonly LockedServer[] {
  return locks.flatMap((lock) => getOwn(lock.servers, server) ?? []);
}

function isSameContent(a: LockedServer, b: LockedServer): boolean {
  return JSON.stringify({ ...a, contract: "" }) === JSON.stringify({ ...b, contract: "" });
}

function newestOf(versions: readonly string[]): string {
  return versions.toSorted(compareVersions).at(-1) ?? "";
}
