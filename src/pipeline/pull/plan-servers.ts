import { configuredCategory, isIncluded } from "../../config/match-tools.js";
import type { CompleteConfig, ServerConfig } from "../../config/config.js";
import type { Change } from "../../core/change.js";
import { bumpContract, FIRST_CONTRACT } from "../../core/contract-version.js";
import { withOtherNames } from "../../core/rename.js";
import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { includedLists, mapLists } from "../../core/entries.js";
import { byCodeUnit, getOwn } from "../../core/json.js";
import { compileNamePattern, matchesAny } from "../../core/name-pattern.js";
import { printable } from "../../core/printable.js";
import { findVagueSchemas } from "../../core/model-schema.js";
import { nearestName } from "../../core/nearest-name.js";
import { type HeldParts, lockServer, snapshotEntries, snapshotOfLock } from "../../core/lock-server.js";
import type { LockedServer, LockedTool, Lockfile } from "../../core/lockfile.js";
import type { HeldEntry, ServerPlan } from "./pull-report.js";
import type { ServerSnapshot } from "../../core/snapshot.js";
import { diffLiveServer, type DiffServerOptions } from "../../drift/diff-server.js";
import { indexLockedTools } from "../../drift/security/scan-lock.js";
import type { OutputOf } from "../../emit/plan-files.js";
import { type ContractBases, countContract, NO_BASES } from "../generate/contract-bases.js";
import { expectedOutputs } from "../../project/find-outputs.js";
import type { TakenSnapshot } from "../../client/listing/list-server.js";
import type { Outcome } from "../../sources/snapshot-servers.js";

interface Held extends HeldParts {
  readonly entries: readonly HeldEntry[];
}

/** The plan for one server's block, and the new block; absent when the block is removed. */
export interface ServerStep {
  readonly plan: ServerPlan;
  readonly block?: LockedServer | undefined;
  /**
   * Returns the step without the current definitions of these tools and entries: each keeps its locked form, or stays
   * unlocked. Absent for a server that was not listed.
   */
  readonly without?: ((held: Held) => ServerStep) | undefined;
  /** The tools that are listed or locked; absent for a server that was not listed. */
  readonly names?: ReadonlySet<string> | undefined;
  /** Returns the chosen tools, and with one name of a renamed tool the other. */
  readonly choose?: ((isChosen: (tool: string) => boolean) => ReadonlySet<string>) | undefined;
}

interface PlanServersOptions {
  /** Whether all servers were requested. */
  readonly isWhole: boolean;
  /** The output schemas of tools that declare none. */
  readonly outputOf?: OutputOf | undefined;
  /** The committed locks that contract versions count from; by default, they count from the lock. */
  readonly bases?: ContractBases | undefined;
  /** Changes from the lock that were found before: comparing hostile schemas takes seconds. */
  readonly found?: ReadonlyMap<Outcome, readonly Change[]> | undefined;
}

/**
 * Returns a step for every requested server, in that order, then one for every locked server that is no longer
 * configured, if all servers were requested.
 */
export function planServers(
  config: CompleteConfig,
  lock: Lockfile,
  outcomes: readonly Outcome[],
  { isWhole, outputOf, bases = NO_BASES, found: foundChanges }: PlanServersOptions,
): readonly ServerStep[] {
  const toolIndex = indexLockedTools(lock);
  const listed = outcomes.map((outcome) => {
    const written = getOwn(lock.servers, outcome.server);
    if ("error" in outcome) return planFailed(outcome.server, written, outcome.error);
    const settings = getOwn(config.servers, outcome.server) ?? {};
    const locked = written && withoutSecrets(written, outcome);
    const snapshot = keepViews(settings, outcome.snapshot, locked);
    return planListed(settings, locked, snapshot, {
      written,
      found: snapshot === outcome.snapshot ? foundChanges?.get(outcome) : undefined,
      bases,
      toolNames: toolIndex,
      outputOf: outputOf && expectedOutputs(locked, outcome.server, outputOf),
    });
  });
  const removed = Object.entries(lock.servers).filter(
    ([name]) => isWhole && !Object.hasOwn(config.servers, name),
  );
  return [...listed, ...removed.map(([name, locked]) => planRemoved(name, locked))];
}

/** Returns a locked server without the tools and entries that repeat a secret of its connection. */
export function withoutSecrets(
  locked: LockedServer,
  { hideSecrets = (value) => value }: TakenSnapshot,
): LockedServer {
  const hidden = hideSecrets(locked);
  if (hidden === locked) return locked;
  const pick = <T>(entries: { readonly [id: string]: T }): { readonly [id: string]: T } =>
    Object.fromEntries(Object.entries(entries).filter((entry) => hideSecrets(entry) === entry));
  return { ...hidden, tools: pick(locked.tools), ...mapLists(locked, pick) };
}

/** PHP has no variants: their locked lists are kept. */
function keepViews(
  { variants }: ServerConfig,
  snapshot: ServerSnapshot,
  locked: LockedServer | undefined,
): ServerSnapshot {
  if (variants === undefined || snapshot.variants !== undefined || locked?.variants === undefined)
    return snapshot;
  const { viewsOf = {}, differing = {}, ...before } = snapshotOfLock(snapshot.server, locked);
  return { ...snapshot, variants: before.variants ?? {}, viewsOf, differing };
}

/**
 * Returns the steps that take the tools of these names alone, a renamed tool under both, and leave all else as it is locked.
 * Servers without such a tool have no step.
 *
 * @throws McpCodegenError `USAGE` for a pattern that matches no tool of the listed servers
 */
export function takeTools(steps: readonly ServerStep[], patterns: readonly string[]): readonly ServerStep[] {
  const listed = steps.filter(({ names }) => names !== undefined);
  const names = new Set(listed.flatMap((step) => [...(step.names ?? [])]));
  for (const pattern of patterns) {
    if (listed.length === 0 || [...names].some(compileNamePattern(pattern))) continue;
    const nearest = nearestName(pattern, names);
    const hint =
      nearest === undefined ? undefined : `Did you mean ${JSON.stringify(printable(nearest, 80))}?`;
    throw new McpCodegenError("USAGE", `--tools ${JSON.stringify(pattern)} matches no tool.`, { hint });
  }
  return steps.flatMap((step) => {
    const chosen = step.choose?.((tool) => matchesAny(patterns, tool));
    if (step.without === undefined || chosen === undefined) return [step];
    if (chosen.size === 0) return [];
    const partial = step.without({ isHeld: (tool) => !chosen.has(tool), isServerHeld: true, entries: [] });
    return [{ ...partial, plan: { ...partial.plan, isPartial: true } }];
  });
}

/** Returns the lock after these steps. Servers without a step keep their blocks. */
export function applySteps(lock: Lockfile, steps: readonly ServerStep[]): Lockfile {
  const servers = new Map(Object.entries(lock.servers));
  for (const { plan, block } of steps) {
    if (block === undefined) servers.delete(plan.server);
    else servers.set(plan.server, block);
  }
  return { ...lock, servers: Object.fromEntries(servers) };
}

/** Whether a lock stays as it is after these steps. */
export function isUnchanged(lock: Lockfile, steps: readonly ServerStep[]): boolean {
  return steps.every(({ plan, block }) => block === getOwn(lock.servers, plan.server));
}

interface PlanListedOptions {
  readonly toolNames: DiffServerOptions["toolNames"];
  readonly outputOf: DiffServerOptions["outputOf"];
  /** The locked block, with parts that repeat a secret. */
  readonly written: LockedServer | undefined;
  readonly bases: ContractBases;
  /** As in {@link PlanServersOptions}, for this snapshot. */
  readonly found?: readonly Change[] | undefined;
  readonly held?: HeldParts | undefined;
}

function planListed(
  config: ServerConfig,
  locked: LockedServer | undefined,
  snapshot: ServerSnapshot,
  { found: foundChanges, ...options }: PlanListedOptions,
): ServerStep {
  const { server } = snapshot;
  const diagnostics = [...snapshot.diagnostics, ...findVagueSchemas(server, snapshot.tools)];
  const committed = getOwn(options.bases.current[0]?.servers ?? {}, server);
  const { held: heldBefore } = options;
  const compare = (base: LockedServer | undefined): readonly Change[] =>
    diffLiveServer(server, base, snapshot, {
      ...options,
      schemas: config,
      isLeftOut: (tool) => !isIncluded(config, tool),
    }).filter(({ tool }) => tool !== undefined || heldBefore?.isServerHeld !== true || base === undefined);
  const changes = foundChanges ?? compare(locked);
  const isCommitted = committed !== undefined && locked !== undefined && isSame(committed, locked);
  const diffFrom = (base: LockedServer): readonly Change[] =>
    isCommitted && base === committed ? changes : compare(base);
  const lists = includedLists(config.include);
  const categoryOf = (tool: string): string | undefined => configuredCategory(config, tool);
  const lockFrom = (base: LockedServer | undefined, next: string, since: readonly Change[]): LockedServer =>
    lockServer(snapshot, base, { contract: next, changes: since, lists, categoryOf, held: heldBefore });
  const contract =
    countContract(server, options.bases, FIRST_CONTRACT, diffFrom) ??
    (locked === undefined ? FIRST_CONTRACT : bumpContract(locked.contract, changes));
  const isRestored =
    committed !== undefined &&
    !isCommitted &&
    isSame(committed, lockFrom(committed, committed.contract, diffFrom(committed)));
  const block = isRestored ? { ...committed, contract } : lockFrom(locked, contract, changes);
  const { written } = options;
  const status = written === undefined ? "new" : isSame(written, block) ? "unchanged" : "changed";
  const tools = snapshot.tools.length;
  const counts = mapLists(snapshot, (listed) => Object.keys(listed).length);
  const entries = Object.keys(counts).length > 0 ? counts : undefined;
  const isPrivate =
    (snapshot.listing.cacheScope === "private" && locked?.listing.cacheScope !== "private") || undefined;
  const names = new Set([...snapshot.tools.map(({ name }) => name), ...Object.keys(locked?.tools ?? {})]);
  const choose: ServerStep["choose"] = (isChosen) => withOtherNames([...names].filter(isChosen), changes);
  return {
    block: status === "unchanged" ? written : block,
    plan: {
      server,
      status,
      before: locked?.contract,
      after: contract,
      changes,
      diagnostics,
      block: status === "new" ? block : undefined,
      tools,
      entries,
      isPrivate,
    },
    names,
    choose,
    without: (more) => {
      const heldTools = choose((tool) => more.isHeld(tool) || heldBefore?.isHeld(tool) === true);
      const held = {
        isHeld: (tool: string) => heldTools.has(tool),
        isServerHeld: more.isServerHeld === true || heldBefore?.isServerHeld === true,
      };
      const tooled = keepLocked(snapshot, locked, held.isHeld);
      const kept =
        held.isServerHeld && locked !== undefined
          ? { ...tooled, ...mapLists(tooled, () => ({})), ...snapshotEntries(locked) }
          : keepEntries(tooled, locked, more.entries);
      const step = planListed(config, locked, kept, { ...options, held });
      // They are about all that the server lists.
      return { ...step, plan: { ...step.plan, tools, entries, diagnostics } };
    },
  };
}

/** Returns the snapshot with the locked form of these entries, and without those that are not locked. */
function keepEntries(
  snapshot: ServerSnapshot,
  locked: LockedServer | undefined,
  held: Held["entries"],
): ServerSnapshot {
  const lists = mapLists(snapshot, (listed, list) => {
    const ids = new Set(held.flatMap((entry) => (entry.list === list ? [entry.id] : [])));
    const others = Object.entries(listed).filter(([id]) => !ids.has(id));
    const kept = Object.entries(locked?.[list] ?? {}).filter(([id]) => ids.has(id));
    return Object.fromEntries([...others, ...kept.map(([id, { definition }]) => [id, definition] as const)]);
  });
  return { ...snapshot, ...lists };
}

/** Returns the snapshot with the locked form of these tools, and without those that are not locked. */
function keepLocked(
  snapshot: ServerSnapshot,
  locked: LockedServer | undefined,
  isHeld: (tool: string) => boolean,
): ServerSnapshot {
  const kept = Object.entries(locked?.tools ?? {}).filter(([name]) => isHeld(name));
  const others = ({ name }: { readonly name: string }): boolean => !isHeld(name);
  const merge = <T>(
    listed: { readonly [tool: string]: T } | undefined,
    read: (tool: LockedTool) => T | undefined,
  ): { readonly [tool: string]: T } =>
    Object.fromEntries([
      ...Object.entries(listed ?? {}).filter(([name]) => !isHeld(name)),
      ...kept.flatMap(([name, tool]): readonly (readonly [string, T])[] => {
        const value = read(tool);
        return value === undefined ? [] : [[name, value]];
      }),
    ]);
  return {
    ...snapshot,
    tools: [...snapshot.tools.filter(others), ...kept.map(([, { definition }]) => definition)].sort((a, b) =>
      byCodeUnit(a.name, b.name),
    ),
    repeated: [
      ...(snapshot.repeated ?? []).filter(others),
      ...kept.flatMap(([, { repeated = [] }]) => repeated),
    ],
    ...omitUndefined({
      abilities: snapshot.abilities && merge(snapshot.abilities, ({ ability }) => ability),
      viewsOf: snapshot.variants && merge(snapshot.viewsOf, ({ views }) => views),
      differing: snapshot.variants && merge(snapshot.differing, ({ differs }) => differs),
    }),
    unusable: merge(snapshot.unusable, ({ unusable }) => unusable),
  };
}

/** A server that cannot be listed keeps its block, and is reported as not verified. */
function planFailed(server: string, locked: LockedServer | undefined, error: McpCodegenError): ServerStep {
  const nothing = { changes: [], diagnostics: [], tools: 0 };
  return { block: locked, plan: { server, status: "failed", before: locked?.contract, ...nothing, error } };
}

function planRemoved(server: string, { contract: before, tools }: LockedServer): ServerStep {
  const counted = { changes: [], diagnostics: [], tools: Object.keys(tools).length };
  return { plan: { server, status: "removed", before, ...counted } };
}

function isSame(before: LockedServer, after: LockedServer): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
