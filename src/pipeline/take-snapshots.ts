import { type Config, type ServerConfig, getServer, hasEndpoint } from "../config/config.js";
import type { Project } from "../project/project.js";
import { getOwn } from "../core/json.js";
import { PHP_ENVIRONMENT } from "../core/change.js";
import { groupBy, quoteAll } from "../core/collections.js";
import type { ListRule } from "../core/diagnostic.js";
import type { Finding } from "../core/finding.js";
import { NOT_VERIFIED } from "../core/findings.js";
import { ENTRY_LIST_NAMES, findEntry } from "../core/entries.js";
import { McpCodegenError, type ErrorCode } from "../core/errors.js";
import { mergeViews, snapshotEntries, viewOf } from "../core/lock-server.js";
import type { LockedServer, Lockfile } from "../core/lockfile.js";
import { confirmedPrelude, digestOfPrelude } from "../core/digest.js";
import { type ServerSnapshot, type ToolSnapshot, DEFAULT_VIEW } from "../core/snapshot.js";
import { diffEntries } from "../drift/diff-entries.js";
import { diffTools } from "../drift/diff-tools.js";
import { isSameJson } from "../core/json-pointer.js";
import type { HideSecrets } from "../client/listing/list-in-session.js";
import { snapshotServers, type Outcome, type SnapshotServersOptions } from "../sources/snapshot-servers.js";
import type { ServerTarget } from "../sources/snapshot-server.js";
import type { ReadServersOptions } from "./options.js";
import { PhpFailedError } from "../sources/php/explain-failure.js";
import { type PhpTaken, takePhpSnapshots, withPhpFiles } from "./take-php-snapshots.js";

export interface TakenSnapshots {
  readonly outcomes: readonly Outcome[];
  /** PHP that was read instead of asking servers. */
  readonly php: PhpTaken | undefined;
}

interface TakeOptions extends ReadServersOptions {
  /** Add the PHP files that register the abilities of listed servers. */
  readonly addsPhpFiles?: boolean | undefined;
}

/** The name for every environment of a server and its own settings. */
const ALL_ENVIRONMENTS = "all";

/**
 * Takes snapshots of the named servers, or of all. Servers with only PHP are read from PHP; with `php`, others too.
 *
 * @throws McpCodegenError before any server is contacted: `SERVER_UNKNOWN` for a server or an environment that is not
 * configured
 */
export async function takeSnapshots(
  project: Project,
  lock: Lockfile,
  options: TakeOptions,
): Promise<TakenSnapshots> {
  const { config, dir } = project;
  const { php: mode, environment, servers, confirmPrelude, addsPhpFiles = false, ...hooks } = options;
  const context = { ...hooks, ...(await project.access()), dir };
  const all = servers ?? Object.keys(config.servers);
  const isRead = (name: string): boolean => {
    const server = getServer(config.servers, name);
    return server.php !== undefined && (mode !== undefined || !hasEndpoint(server));
  };
  // PHP is another environment then.
  const isBeside = environment !== undefined && mode !== undefined;
  const inPhp = isBeside || mode === "only" ? servers : environment === undefined ? all.filter(isRead) : [];
  const php =
    inPhp?.length === 0 && mode !== "only" && !isBeside
      ? undefined
      : await takePhpSnapshots(project, lock, inPhp, context);
  const live = isBeside
    ? findBesidePhp(config, php?.outcomes ?? [])
    : mode === "only"
      ? []
      : all.filter((name) => inPhp?.includes(name) !== true);
  const targets = live.flatMap((name) => targetsOf(name, getServer(config.servers, name), environment));
  const read = await snapshotServers(targets, {
    ...context,
    // A server is listed twice if the first list differs from the lock.
    confirm: confirmChangedList(lock),
    confirmPrelude: (request) => {
      const confirmed = confirmedPrelude(getOwn(lock.servers, request.server), request.variant);
      return confirmed === digestOfPrelude(request.calls) || (confirmPrelude?.(request) ?? false);
    },
  });
  const listed = await Promise.all(
    mergeVariants(read).map(async (outcome) => {
      if (!addsPhpFiles || getOwn(config.servers, outcome.server)?.php === undefined) return outcome;
      return withPhpFiles(project, lock, outcome, context);
    }),
  );
  if (!isBeside) return { outcomes: [...(php?.outcomes ?? []), ...listed], php };
  const outcomes = (php?.outcomes ?? []).flatMap((outcome) => [
    ...listed.filter(({ server }) => server === outcome.server),
    { ...outcome, environment: PHP_ENVIRONMENT },
  ]);
  return { outcomes, php };
}

/** Returns the names of the servers that can be asked beside their PHP. */
function findBesidePhp({ servers }: Config, inPhp: readonly Outcome[]): readonly string[] {
  const names = inPhp.map(({ server }) => server);
  const conflicting = names.find((name) =>
    Object.hasOwn(getServer(servers, name).environments ?? {}, PHP_ENVIRONMENT),
  );
  if (conflicting !== undefined)
    throw new McpCodegenError(
      "USAGE",
      `The environment "${PHP_ENVIRONMENT}" of "${conflicting}" has the name that is reserved for PHP.`,
      { hint: "Rename it, or run check --php without --env." },
    );
  return names.filter((name) => hasEndpoint(getServer(servers, name)));
}

/** Merges the lists of each server's variants into its own list. If one failed, the server failed. */
function mergeVariants(outcomes: readonly Outcome[]): readonly Outcome[] {
  const variants = groupBy(
    outcomes.filter(({ variant }) => variant !== undefined),
    ({ server }) => server,
  );
  return outcomes.flatMap((candidate): readonly Outcome[] => {
    if (candidate.variant !== undefined) return [];
    const others = candidate.environment === undefined ? variants.get(candidate.server) : undefined;
    if (others === undefined || "error" in candidate) return [candidate];
    const failed = others.find((outcome) => "error" in outcome);
    if (failed !== undefined)
      return [{ server: candidate.server, error: inVariant(failed.variant, failed.error) }];
    const listed = others.flatMap((outcome): readonly (readonly [string, ServerSnapshot])[] =>
      "snapshot" in outcome && outcome.variant !== undefined ? [[outcome.variant, outcome.snapshot]] : [],
    );
    // Variants may have different secrets, and all are hidden in the lock.
    const hidden = [candidate, ...others].flatMap((each) =>
      "snapshot" in each ? (each.hideSecrets ?? []) : [],
    );
    const hideSecrets: HideSecrets = (value) => hidden.reduce((shown, hide) => hide(shown), value);
    return [{ ...candidate, snapshot: mergeViews(candidate.snapshot, listed), hideSecrets }];
  });
}

function inVariant(variant = "", error: McpCodegenError): McpCodegenError {
  const { code, hint, stderr } = error;
  const message = `Variant ${JSON.stringify(variant)}: ${error.message}`;
  return new McpCodegenError(code, message, { hint, stderr, cause: error });
}

/** Returns the servers without a snapshot, and the abilities in PHP that are not known. */
export function findUnverified({ outcomes, php }: TakenSnapshots): readonly Finding[] {
  const unlisted = outcomes.flatMap((outcome): readonly Finding[] => {
    if ("snapshot" in outcome) return [];
    const { server, environment, error } = outcome;
    const { code, message, hint, stderr } = error;
    const facts = stderr.length > 0 ? { stderr } : undefined;
    const place = error instanceof PhpFailedError ? error.place : undefined;
    return [{ ...place, rule: RULE_OF[code] ?? NOT_VERIFIED, server, environment, message, hint, facts }];
  });
  return [...unlisted, ...(php?.unverified ?? [])];
}

const RULE_OF: { readonly [C in ErrorCode]?: ListRule } = {
  LIST_INCOMPLETE: "list-truncated",
  LIST_UNSTABLE: "list-nondeterministic",
  PRINCIPAL_MISMATCH: "list-principal-mismatch",
};

function targetsOf(
  name: string,
  server: ServerConfig,
  environment: string | undefined,
): readonly ServerTarget[] {
  const target: ServerTarget = { server: name, settings: server };
  if (environment === undefined) {
    const variants = Object.keys(server.variants ?? {});
    return [target, ...variants.map((variant) => ({ ...target, variant }))];
  }
  const environments = Object.keys(server.environments ?? {});
  if (environment === ALL_ENVIRONMENTS)
    return [target, ...environments.map((each) => ({ ...target, environment: each }))];
  if (environments.includes(environment)) return [{ ...target, environment }];
  const names = quoteAll(environments);
  const has = names === "" ? "No environment is configured" : `Configured environments: ${names}`;
  throw new McpCodegenError("SERVER_UNKNOWN", `Server "${name}" has no environment "${environment}".`, {
    hint: `${has}. Add it under servers.${name}.environments, or name the servers to check.`,
  });
}

/** Lists a server's tools again if the first list differs from the lock. A list that equals the lock costs one request. */
function confirmChangedList(lock: Lockfile): NonNullable<SnapshotServersOptions["confirm"]> {
  return async ({ variant = DEFAULT_VIEW }, first, listAgain) => {
    const locked = getOwn(lock.servers, first.server);
    if (locked !== undefined && isAsLocked(viewOf(locked, variant), first)) return { isAsLocked: true };
    const second = await listAgain();
    const changed = { isAsLocked: locked === undefined ? undefined : false };
    const verify = verifyStableList.bind(undefined, first, second);
    return isSameList(first, second) ? changed : { ...changed, verify };
  };
}

function isSameList(first: ServerSnapshot, second: ServerSnapshot): boolean {
  const isSame = isSameJson(definitionsOf(first), definitionsOf(second));
  return isSame && ENTRY_LIST_NAMES.every((list) => isSameJson(first[list], second[list]));
}

/**
 * Refuses two lists with different meanings.
 *
 * @throws McpCodegenError `LIST_UNSTABLE`
 */
function verifyStableList(first: ServerSnapshot, second: ServerSnapshot): void {
  // Differences without meaning, such as an order, do not count.
  const tools = diffTools(definitionsOf(first), definitionsOf(second)).flatMap(({ tool }) => tool ?? []);
  const entries = diffEntries(first.server, first, second).flatMap(({ path }) => findEntry(path)?.id ?? []);
  const names = [...new Set(tools), ...entries];
  if (names.length === 0) return;
  const shown = names.slice(0, 3).map((name) => JSON.stringify(name));
  const others = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  const message = `The server gave two different lists in one run: ${shown.join(", ")}${others}.`;
  throw new McpCodegenError("LIST_UNSTABLE", message, {
    hint: "Try again. A server whose list keeps changing cannot be locked: check its log, or exclude what changes.",
  });
}

function isAsLocked(locked: LockedServer, listed: ServerSnapshot): boolean {
  const { tools, repeated = [] } = listed;
  if (Object.keys(locked.tools).length !== tools.length) return false;
  const entries = snapshotEntries(locked);
  if (ENTRY_LIST_NAMES.some((list) => !isSameJson(entries[list], listed[list]))) return false;
  const further = groupBy(repeated, ({ name }) => name);
  return tools.every((tool) => {
    const lockedTool = getOwn(locked.tools, tool.name);
    const before = lockedTool && [lockedTool.definition, ...(lockedTool.repeated ?? [])];
    return isSameJson(before, [tool, ...(further.get(tool.name) ?? [])]);
  });
}

function definitionsOf({ tools, repeated = [] }: ServerSnapshot): readonly ToolSnapshot[] {
  return [...tools, ...repeated];
}
