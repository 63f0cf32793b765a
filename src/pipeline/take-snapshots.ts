import { type ServerConfig, getServer } from "../config/config.js";
import type { LoadedConfig } from "../config/load-config.js";
import { McpCodegenError, type ErrorCode } from "../contract/errors.js";
import type { Lockfile, LockedServer } from "../contract/lockfile.js";
import {
  snapshotServers,
  type Outcome,
  type SnapshotRequest,
  type SnapshotServersOptions,
  type Target,
} from "../sources/snapshot-servers.js";
import type { HideSecrets } from "../sources/hide-secrets.js";
import type { ListRule, Unverified } from "../contract/diagnostic.js";
import { ENTRY_LIST_NAMES, findEntry } from "../contract/entries.js";
import { snapshotEntries } from "../contract/lock-server.js";
import { canonicalJson } from "../contract/canonical-json.js";
import { groupBy } from "../contract/collections.js";
import type { ServerSnapshot, ToolSnapshot } from "../contract/snapshot.js";
import { getOwn } from "../contract/json.js";
import { DEFAULT_VIEW, mergeViews, viewOf } from "../contract/views.js";
import { diffEntries } from "../drift/diff-entries.js";
import { diffTools } from "../drift/diff-tools.js";
import { isSameJson } from "../drift/is-equal.js";
import { confirmedPrelude, digestOfPrelude } from "../contract/prelude.js";
import type { PreludeRequest } from "../sources/open-source.js";

export interface TakeSnapshotsOptions extends Omit<SnapshotServersOptions, "dir" | "confirm"> {
  /** Names of configured servers; all by default. */
  readonly servers?: readonly string[];
  /** An environment to ask instead of the servers' own settings, or `all`: those settings and every environment. */
  readonly environment?: string;
}

/** The name for every environment of a server and its own settings. */
const ALL_ENVIRONMENTS = "all";

/**
 * Lists the tools of the named servers, or of all; twice if the first list differs from the lock, see {@link
 * verifyStableList}.
 *
 * @throws McpCodegenError before any server is contacted: `SERVER_UNKNOWN` for a server or an environment that is not
 * configured
 */
export async function takeSnapshots(
  { config, dir }: LoadedConfig,
  lock: Lockfile,
  { servers, environment, confirmPrelude, ...options }: TakeSnapshotsOptions,
): Promise<readonly Outcome[]> {
  const wanted = servers ?? Object.keys(config.servers);
  const targets = wanted.flatMap((name) => targetsOf(name, getServer(config.servers, name), environment));
  const outcomes = await snapshotServers(targets, {
    ...options,
    dir,
    confirm: confirmChangedList(lock),
    confirmPrelude: (request) =>
      isConfirmed(getOwn(lock.servers, request.server), request) || (confirmPrelude?.(request) ?? false),
  });
  return mergeVariants(outcomes);
}

/** Whether these calls were confirmed when the server was locked. */
function isConfirmed(locked: LockedServer | undefined, { variant, calls }: PreludeRequest): boolean {
  return confirmedPrelude(locked, variant) === digestOfPrelude(calls);
}

/** Merges the lists of each server's variants into that of its own settings. One that failed makes the whole fail. */
function mergeVariants(outcomes: readonly Outcome[]): readonly Outcome[] {
  const variants = groupBy(
    outcomes.filter(({ variant }) => variant !== undefined),
    ({ server }) => server,
  );
  return outcomes.flatMap((own): readonly Outcome[] => {
    if (own.variant !== undefined) return [];
    const others = own.environment === undefined ? variants.get(own.server) : undefined;
    if (others === undefined || "error" in own) return [own];
    const failed = others.find((outcome) => "error" in outcome);
    if (failed !== undefined && "error" in failed) return [{ server: own.server, error: inVariant(failed) }];
    const listed = others.flatMap((outcome): readonly (readonly [string, ServerSnapshot])[] =>
      "snapshot" in outcome && outcome.variant !== undefined ? [[outcome.variant, outcome.snapshot]] : [],
    );
    // Each variant may have secrets of its own, and all are hidden in the lock.
    const hidden = [own, ...others].flatMap((each) => ("snapshot" in each ? (each.hideSecrets ?? []) : []));
    const hideSecrets: HideSecrets = (value) => hidden.reduce((shown, hide) => hide(shown), value);
    return [{ ...own, snapshot: mergeViews(own.snapshot, listed), hideSecrets }];
  });
}

function inVariant({
  variant = "",
  error,
}: SnapshotRequest & { readonly error: McpCodegenError }): McpCodegenError {
  return new McpCodegenError(error.code, `Variant ${JSON.stringify(variant)}: ${error.message}`, {
    ...(error.hint !== undefined && { hint: error.hint }),
    stderr: error.stderr,
    cause: error,
  });
}

/** The reason why an outcome without a snapshot is unverified; empty otherwise. */
export function explainFailure(outcome: Outcome): readonly Unverified[] {
  if ("snapshot" in outcome) return [];
  const { server, environment, error } = outcome;
  const rule = RULE_OF[error.code];
  return [
    {
      server,
      ...(environment !== undefined && { environment }),
      ...(rule !== undefined && { rule }),
      reason: error.message,
      ...(error.hint !== undefined && { hint: error.hint }),
      ...(error.stderr.length > 0 && { stderr: error.stderr }),
    },
  ];
}

const RULE_OF: { readonly [C in ErrorCode]?: ListRule } = {
  LIST_INCOMPLETE: "list-truncated",
  LIST_UNSTABLE: "list-nondeterministic",
  PRINCIPAL_MISMATCH: "list-principal-mismatch",
};

function targetsOf(name: string, server: ServerConfig, environment: string | undefined): readonly Target[] {
  if (environment === undefined) {
    const variants = Object.keys(server.variants ?? {});
    return [[name, server], ...variants.map((variant): Target => [name, server, undefined, variant])];
  }
  const environments = Object.keys(server.environments ?? {});
  if (environment === ALL_ENVIRONMENTS) {
    return [[name, server], ...environments.map((each): Target => [name, server, each])];
  }
  if (environments.includes(environment)) return [[name, server, environment]];
  const has =
    environments.length === 0
      ? "No environment is configured"
      : `Configured environments: ${quoted(environments)}`;
  throw new McpCodegenError("SERVER_UNKNOWN", `Server "${name}" has no environment "${environment}".`, {
    hint: `${has}. Add it under servers.${name}.environments, or name the servers to check.`,
  });
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** Lists a server's tools again if the first list differs from the lock. A list that equals the lock costs one request. */
function confirmChangedList(lock: Lockfile): NonNullable<SnapshotServersOptions["confirm"]> {
  return async ({ variant = DEFAULT_VIEW }, first, listAgain) => {
    const locked = getOwn(lock.servers, first.server);
    if (locked !== undefined && isAsLocked(viewOf(locked, variant), first)) return { isAsLocked: true };
    const second = await listAgain();
    const changed = { isAsLocked: locked === undefined ? undefined : false };
    if (isSameList(first, second)) return changed;
    return {
      ...changed,
      verify: () => {
        verifyStableList(first, second);
      },
    };
  };
}

function isSameList(first: ServerSnapshot, second: ServerSnapshot): boolean {
  const isSame = canonicalJson(definitionsOf(first)) === canonicalJson(definitionsOf(second));
  return isSame && ENTRY_LIST_NAMES.every((list) => isSameJson(first[list], second[list]));
}

/**
 * Refuses two lists with different meanings.
 *
 * @throws McpCodegenError `LIST_UNSTABLE`
 */
function verifyStableList(first: ServerSnapshot, second: ServerSnapshot): void {
  const names = [
    ...findUnstable(definitionsOf(first), definitionsOf(second)),
    ...diffEntries(first.server, first, second).flatMap(({ path }) => findEntry(path)?.id ?? []),
  ];
  if (names.length === 0) return;
  const shown = names.slice(0, 3).map((name) => JSON.stringify(name));
  const others = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  throw new McpCodegenError(
    "LIST_UNSTABLE",
    `The server gave two different lists in one run: ${shown.join(", ")}${others}.`,
    {
      hint: "Try again. A server whose list keeps changing cannot be locked: check its log, or exclude what changes.",
    },
  );
}

function isAsLocked(locked: LockedServer, listed: ServerSnapshot): boolean {
  const { tools, repeated = [] } = listed;
  if (Object.keys(locked.tools).length !== tools.length) return false;
  const entries = snapshotEntries(locked);
  if (ENTRY_LIST_NAMES.some((list) => !isSameJson(entries[list], listed[list]))) return false;
  const further = groupBy(repeated, ({ name }) => name);
  return tools.every((tool) => {
    const known = getOwn(locked.tools, tool.name);
    return (
      known !== undefined &&
      canonicalJson([known.definition, ...(known.repeated ?? [])]) ===
        canonicalJson([tool, ...(further.get(tool.name) ?? [])])
    );
  });
}

function definitionsOf({ tools, repeated = [] }: ServerSnapshot): readonly ToolSnapshot[] {
  return [...tools, ...repeated];
}

/** The tools that differ between two lists. Differences without meaning, such as an order, do not count. */
function findUnstable(first: readonly ToolSnapshot[], second: readonly ToolSnapshot[]): readonly string[] {
  return [...new Set(diffTools(first, second).flatMap(({ tool }) => (tool === undefined ? [] : [tool])))];
}
