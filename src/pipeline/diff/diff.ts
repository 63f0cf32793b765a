import type { Diagnostic } from "../../core/diagnostic.js";
import type { CompleteConfig } from "../../config/config.js";
import type { Change } from "../../core/change.js";
import type { ServerToolRename } from "../../core/rename.js";
import { quoteAll } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { getOwn } from "../../core/json.js";
import { findLeftOut, type ServerIdentity, type ServerSnapshot } from "../../core/snapshot.js";
import { diffServer, type DiffServerOptions } from "../../drift/diff-server.js";
import {
  openOperands,
  type OpenOperandOptions,
  type DiffOperand,
  type DiffOperands,
  lockOperand,
  openLockAt,
} from "../../sources/open-operand.js";
import type { LoadedConfig } from "../../config/load-config.js";
import type { Lockfile } from "../../core/lockfile.js";
import type { Drift } from "../check/find-drift.js";

/** The differences between two contracts. */
export interface DiffReport {
  /** The operands, as named by the user. */
  readonly before: string;
  /** The second operand. */
  readonly after: string;
  readonly changes: readonly Change[];
  /** Tools that are left out; absent without any. */
  readonly diagnostics?: readonly Diagnostic[] | undefined;
  readonly compared: { readonly servers: readonly string[]; readonly tools: number };
}

interface DiffOptions extends OpenOperandOptions {
  /** Names of servers; all by default. */
  readonly servers?: readonly string[] | undefined;
}

/** The same server before and after; absent where an operand lacks it. */
interface ServerPair {
  readonly server: string;
  readonly before: ServerSnapshot | undefined;
  readonly after: ServerSnapshot | undefined;
}

/**
 * Compares two operands: lockfile, saved list, git ref or server; see {@link openOperands}. Servers of two locks are
 * paired by name; two single servers are always paired; a single server is paired with the lock's server of its name,
 * or with the only one.
 *
 * @throws McpCodegenError `SERVER_UNKNOWN` for a name that neither operand has, `USAGE` for a lock with several
 * servers if none is selected, and errors from reading an operand
 */
export async function diff(before: string, after: string, options: DiffOptions): Promise<DiffReport> {
  const { servers, project } = options;
  const operands = await openOperands(before, after, options);
  const difference = diffOperands(operands, { servers, config: project?.config });
  const labels = { before: operands.before.label, after: operands.after.label };
  const leftOut = [operands.before, operands.after].flatMap((operand) =>
    operand.kind === "server" ? findLeftOut(operand.snapshot) : [],
  );
  return { ...labels, ...difference, diagnostics: leftOut.length === 0 ? undefined : leftOut };
}

interface DiffScope {
  /** Names of servers; all by default. */
  readonly servers?: readonly string[] | undefined;
  /** The configuration, which sets the dialects of the servers that it names. */
  readonly config?: CompleteConfig | undefined;
  /** Renames of tools that a person named. */
  readonly renames?: readonly ServerToolRename[] | undefined;
  /** Whether to search counterexamples; true by default. */
  readonly counterexamples?: boolean | undefined;
}

/** As {@link diff}, for open operands. */
function diffOperands(
  { before, after, unchanged }: DiffOperands,
  { servers = [], config, renames = [], counterexamples }: DiffScope,
): Pick<DiffReport, "changes" | "compared"> {
  const pairs = pairServers(before, after, servers);
  const changes = pairs.flatMap((pair) =>
    diffPair(pair, {
      schemas: getOwn(config?.servers ?? {}, pair.server),
      unchanged: unchanged.get(pair.server),
      renames: renames.filter(({ server }) => server === pair.server),
      counterexamples,
    }),
  );
  const names = pairs.reduce((sum, { server, before, after }) => {
    const ofPair = [...(before?.tools ?? []), ...(after?.tools ?? [])].map(({ name }) => name);
    return sum + new Set(ofPair).size + (unchanged.get(server)?.length ?? 0);
  }, 0);
  // A renamed tool has two names.
  const tools = names - changes.filter(({ rule }) => rule === "tool-renamed").length;
  return { changes, compared: { servers: pairs.map(({ server }) => server), tools } };
}

function pairServers(
  before: DiffOperand,
  after: DiffOperand,
  wanted: readonly string[],
): readonly ServerPair[] {
  if (before.kind === "lock" && after.kind === "lock") {
    const names = [...new Set([...Object.keys(before.servers), ...Object.keys(after.servers)])].sort();
    return pickNames(names, wanted).map((server) => ({
      server,
      before: getOwn(before.servers, server),
      after: getOwn(after.servers, server),
    }));
  }
  if (before.kind === "server" && after.kind === "server")
    return [{ server: after.snapshot.server, before: before.snapshot, after: after.snapshot }];
  if (before.kind === "lock" && after.kind === "server") {
    const server = findPartner(before, after.snapshot.server, wanted);
    const { hideSecrets = (value) => value } = after;
    return [{ server, before: hideSecrets(getOwn(before.servers, server)), after: after.snapshot }];
  }
  return pairServers(after, before, wanted).map((pair) => ({
    ...pair,
    before: pair.after,
    after: pair.before,
  }));
}

function pickNames(names: readonly string[], wanted: readonly string[]): readonly string[] {
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new McpCodegenError("SERVER_UNKNOWN", `There is no server "${unknown}" in either operand.`, {
      hint: names.length === 0 ? "Neither operand has a server." : `Servers: ${quoteAll(names)}.`,
    });
  return wanted.length === 0 ? names : names.filter((name) => wanted.includes(name));
}

/** The server of a lock to compare with a single server. */
function findPartner(
  lock: Extract<DiffOperand, { readonly kind: "lock" }>,
  name: string,
  wanted: readonly string[],
): string {
  const names = Object.keys(lock.servers);
  const candidates = pickNames(names, wanted);
  const [only] = candidates;
  if (only === undefined || candidates.includes(name)) return name;
  if (candidates.length === 1) return only;
  throw new McpCodegenError("USAGE", `"${lock.label}" has several servers: ${quoteAll(names)}.`, {
    hint: "Name one after the two operands.",
  });
}

/** A removed server has no tools. A bare list of tools has no server metadata. */
function diffPair({ server, before, after }: ServerPair, options: DiffServerOptions): readonly Change[] {
  if (after === undefined)
    return before === undefined
      ? []
      : diffServer(server, before, { ...before, tools: [], repeated: [] }, options);
  if (before === undefined || isKnown(before.identity)) {
    const identity = before !== undefined && !isKnown(after.identity) ? before.identity : after.identity;
    return diffServer(server, before, { ...after, identity }, options);
  }
  return diffServer(server, { ...before, identity: after.identity }, after, options);
}

function isKnown({ serverInfo, protocolVersion }: ServerIdentity): boolean {
  return protocolVersion !== "" || Object.keys(serverInfo).length > 0;
}

/**
 * Compares the lock with the lock at a git ref: the changes of a branch. Offline. If the ref has no lock, everything
 * is new.
 *
 * @throws McpCodegenError `REF_UNKNOWN` and `GIT_FAILED`, `SERVER_UNKNOWN`, and errors from reading that lock
 */
export async function findChangesSince(
  loaded: LoadedConfig,
  lock: Lockfile,
  { against, ...scope }: DiffScope & { readonly against: string },
): Promise<Drift> {
  const before = (await openLockAt(loaded.dir, against)) ?? { ...lock, servers: {} };
  const { changes, compared } = diffOperands(
    { before: lockOperand(against, before), after: lockOperand("the lock", lock), unchanged: new Map() },
    { ...scope, config: loaded.config },
  );
  return {
    changes,
    diagnostics: [],
    unverified: [],
    checked: { servers: compared.servers },
    revise: () => [{ before, after: lock }],
  };
}
