import { findOutputs } from "../find-outputs.js";
import { ENTRY_LIST_NAMES } from "../../contract/entries.js";
import { resolve } from "node:path";
import { DEFAULT_CASSETTES } from "../../config/config.js";
import type { LoadedConfig } from "../../config/load-config.js";
import type { Change } from "../../contract/change.js";
import type { KnownConsumer } from "../../contract/consumer.js";
import {
  LOCKFILE_NAME,
  LOCKFILE_VERSION,
  type LockedServer,
  type Lockfile,
} from "../../contract/lockfile.js";
import type { Waiver } from "../../contract/waivers.js";
import { openLockfile } from "../../files/lockfile-on-disk.js";
import { listFiles } from "../../files/list-files.js";
import type { CassetteCheck } from "../../project/check-cassettes.js";
import { UNFINISHED_MARKER } from "../../files/unfinished-marker.js";
import { readWaivers } from "../../files/waivers-on-disk.js";
import { compareFolder, type FolderComparison } from "../generate/compare-folder.js";
import { findRaised } from "../generate/contract-bases.js";
import type { Drift } from "./find-drift.js";
import type {
  RaisedContract,
  RenderOptions,
  SourceOptions,
  WaiverOptions,
  CheckReport,
  StaleFile,
} from "../reports.js";
import { placesOf } from "../places.js";
import type { PhpUse } from "../take-sources.js";

export interface CheckOptions extends SourceOptions, RenderOptions, WaiverOptions {
  /** Compare the lock with files only; no server is contacted. */
  readonly offline?: boolean;
  /** Diagnose every tool, as `full` does; otherwise only tools whose files are not up to date. */
  readonly diagnosesAll?: boolean;
  /**
   * A git ref: the lock, or with `php` the abilities in PHP, is compared with the lock at that ref. No server is
   * asked.
   */
  readonly against?: string;
  /** An environment to ask instead of the servers' own settings; `all` asks every environment and those settings. */
  readonly environment?: string;
  /** Read the PHP of servers instead of asking them: `only` PHP, or ask servers without PHP. */
  readonly php?: PhpUse;
  /**
   * Find the code that the changes affect, in the project of this TypeScript configuration. A function is called only
   * if a change may affect code; unreadable code is then a problem in the report, not an error.
   */
  readonly tsconfig?: string | (() => Promise<string | undefined>);
  /** Judge the changes for these consumers of the servers. */
  readonly consumers?: readonly KnownConsumer[];
}

/**
 * Sources against lock, or lock or PHP against the lock at a git ref; lock against files. Returns findings and writes
 * nothing. Throws `LOCK_NOT_FOUND`.
 */
export async function check(loaded: LoadedConfig, options: CheckOptions): Promise<CheckReport> {
  const places = placesOf(loaded);
  const source = await openLockfile(places.lock);
  const comparesLock = options.offline !== true || options.against !== undefined;
  // Problems of the lock are reported before any server is contacted.
  const lock = (comparesLock ? undefined : source.outline()) ?? source.lock();
  const {
    checked,
    revise,
    hideSecrets = (whole) => whole,
    ...found
  }: Drift = comparesLock
    ? await findChanges(loaded, source.lock(), options)
    : { changes: [], diagnostics: [], unverified: [], checked: { servers: [] }, revise: () => [] };
  const waivers = await readWaivers(places.waivers);
  const folder = await compareFolder(source, loaded.config, places.output, {
    ...options,
    waivers,
    outputOf: await findOutputs(loaded),
  });
  const revisions = options.against === undefined ? revise : (): [] => [];
  const recorded = await compareCassettes(loaded, source.lock, options);
  const overBudget = await overBudgetOf(loaded, { outline: lock, read: source.lock }, revisions);
  const inCode = await traceImpact(found.changes, { loaded, revise, ...options });
  const { mentions, changes, unsearched } = await findInAgentFiles(
    loaded,
    source.lock,
    inCode.changes,
    options,
  );
  const { unverified, diagnostics, ...traced } = await judgeForConsumers(
    { ...inCode, changes },
    { loaded, revise, lock: source.lock, ...options },
  );
  // `generate` writes no file from unaccepted definitions, so definitions with current files need no scan.
  const isVouched =
    places.output !== undefined &&
    !comparesLock &&
    options.full !== true &&
    waivers.length === 0 &&
    Object.values(lock.servers).every(hasOnlyTools) &&
    folder.files.length === 0;
  const waived = isVouched
    ? { changes: await findInIdentities(lock), accepted: [], mentions, waivers: [] }
    : await waive(
        hideSecrets(source.lock()),
        { changes: traced.changes, mentions },
        { waivers, compared: checked.servers, ...options },
      );
  return {
    ...found,
    ...traced,
    overBudget,
    cassettes: recorded.findings,
    ...waived,
    stale: [
      ...findUnlocked(loaded, Object.keys(lock.servers)),
      ...(await findRaised(loaded, source.lock)).map(describeRaised),
      ...staleFiles(folder),
    ],
    edited: folder.edited,
    diagnostics: [...found.diagnostics, ...folder.diagnostics, ...diagnostics],
    unverified: [...found.unverified, ...unverified, ...unsearched],
    checked: {
      ...checked,
      files: countFiles(folder),
      ...(recorded.checked > 0 && { calls: recorded.checked }),
    },
    ...(options.against !== undefined && { against: options.against }),
  };
}

/**
 * Finds changes between servers or PHP and the lock, or with a git ref between lock or PHP and the lock at that ref.
 */
async function findChanges(loaded: LoadedConfig, lock: Lockfile, options: CheckOptions): Promise<Drift> {
  const { against, servers, php } = options;
  if (against !== undefined && php === undefined) {
    const { findChangesSince } = await import("../diff/diff.js");
    return findChangesSince(loaded, lock, { against, servers });
  }
  const { findDrift } = await import("./find-drift.js");
  if (against === undefined) return findDrift(loaded, lock, options);
  const { openLockAt } = await import("../../sources/open-operand.js");
  const before = (await openLockAt(loaded.dir, against)) ?? {
    lockfileVersion: LOCKFILE_VERSION,
    servers: {},
  };
  return findDrift(loaded, before, options);
}

/** Returns the JSON files in the folders of cassettes. */
export async function listCassettes({
  config,
  dir,
}: Pick<LoadedConfig, "config" | "dir">): Promise<readonly string[]> {
  const folders = (config.cassettes ?? DEFAULT_CASSETTES).map((folder) => resolve(dir, folder));
  return (await Promise.all(folders.map((folder) => listFiles(folder, ".json")))).flat();
}

/** Loads and parses nothing without cassettes. */
async function compareCassettes(
  { config, dir }: LoadedConfig,
  readLock: () => Lockfile,
  { servers }: CheckOptions,
): Promise<CassetteCheck> {
  const files = await listCassettes({ config, dir });
  if (files.length === 0) return { findings: [], checked: 0 };
  const { checkCassettes } = await import("../../project/check-cassettes.js");
  return checkCassettes({ config, dir }, readLock(), { files, servers });
}

/** Finds names of tools in files that agents read, and in the policy. Loads the search only if there are any. */
async function findInAgentFiles(
  loaded: LoadedConfig,
  readLock: () => Lockfile,
  changes: readonly Change[],
  { servers: named }: CheckOptions,
): Promise<Pick<CheckReport, "changes" | "mentions"> & { readonly unsearched: CheckReport["unverified"] }> {
  const { readAgentFiles, NOT_SEARCHED } = await import("../read-agent-files.js");
  const agentFiles = await readAgentFiles(loaded);
  const unsearched = agentFiles.tooLarge.map((file) => ({
    ...{ server: file, file, reason: `The file ${NOT_SEARCHED}.` },
    hint: "Shorten it, or list the files to search in references.",
  }));
  const { policy, servers } = loaded.config;
  const hasNames =
    policy !== undefined || Object.values(servers).some(({ tools }) => tools?.annotations !== undefined);
  if (agentFiles.files.length === 0 && !hasNames) return { changes, mentions: [], unsearched };
  const { addMentions, findUnknownMentions } = await import("../find-mentions.js");
  const { addConfigNames } = await import("../find-config-names.js");
  const unknown = await findUnknownMentions(loaded, readLock(), agentFiles);
  return {
    changes: await addConfigNames(addMentions(changes, readLock(), agentFiles), loaded, readLock()),
    mentions: unknown.filter(({ server }) => named === undefined || named.includes(server)),
    unsearched,
  };
}

/** Generated files do not cover every prompt, resource and skill. */
function hasOnlyTools(server: LockedServer<unknown>): boolean {
  return ENTRY_LIST_NAMES.every((list) => server[list] === undefined);
}

/** Loaded only if a server has a budget. */
async function overBudgetOf(
  { config }: LoadedConfig,
  lock: { readonly outline: Lockfile<unknown>; readonly read: () => Lockfile },
  revise: Drift["revise"],
): Promise<CheckReport["overBudget"]> {
  const budgets = [config, ...Object.values(config.servers)].map(({ check: limits }) => limits?.tokenBudget);
  if (budgets.every((budget) => budget === undefined)) return [];
  return (await import("../count-tokens.js")).findOverBudget(config, lock, revise());
}

/** Most servers have no metadata that could contain an instruction. */
async function findInIdentities(lock: Lockfile<unknown>): Promise<readonly Change[]> {
  if (Object.values(lock.servers).every(({ identity }) => identity.instructions === undefined)) return [];
  return (await import("./waive-findings.js")).findInIdentities(lock);
}

async function waive(
  lock: Lockfile,
  { changes, mentions }: Pick<CheckReport, "changes" | "mentions">,
  options: WaiverOptions & { readonly waivers: readonly Waiver[]; readonly compared: readonly string[] },
): Promise<Pick<CheckReport, "changes" | "accepted" | "mentions" | "waivers">> {
  const { waiveFindings, waiveMentions } = await import("./waive-findings.js");
  const [found, named] = [waiveFindings(lock, changes, options), waiveMentions(mentions, options)];
  return { ...found, mentions: named.mentions, waivers: [...found.waivers, ...named.waivers] };
}

/** Finds the user's code that changes affect. Loads nothing without changes, unless call sites were requested. */
async function traceImpact(
  changes: readonly Change[],
  {
    loaded,
    revise,
    tsconfig,
    workers,
  }: CheckOptions & Pick<Drift, "revise"> & { readonly loaded: LoadedConfig },
): Promise<Pick<CheckReport, "changes" | "impact">> {
  const { output } = placesOf(loaded);
  if (output === undefined || tsconfig === undefined) return { changes };
  if (typeof tsconfig === "function" && changes.length === 0) return { changes };
  const { findCallSites } = await import("../find-call-sites.js");
  return findCallSites(changes, revise(), { loaded, output, tsconfig, workers });
}

/** Adds what the changes mean for consumers. Loads nothing without consumers. */
async function judgeForConsumers(
  traced: Pick<CheckReport, "changes" | "impact">,
  {
    consumers = [],
    loaded,
    revise,
    lock,
  }: CheckOptions & Pick<Drift, "revise"> & { readonly loaded: LoadedConfig; readonly lock: () => Lockfile },
): Promise<Pick<CheckReport, "changes" | "impact" | "unverified" | "diagnostics">> {
  if (consumers.length === 0) return { ...traced, unverified: [], diagnostics: [] };
  const { judgeForConsumers: judge } = await import("../diff/judge-for-consumers.js");
  const { dir, config } = loaded;
  const options = { revisions: revise(), lock: lock(), dir, servers: config.servers };
  return { ...traced, ...(await judge(traced.changes, consumers, options)) };
}

/** Counts the compared generated files: up to date, missing, different or orphaned. */
function countFiles({ current, files, stale }: FolderComparison): number {
  return current.length + files.length + stale.filter(({ state }) => state === "orphaned").length;
}

/** After an interrupted write, one sentence is more useful than the list of remaining files. */
function staleFiles({ stale, isCutOff }: FolderComparison): readonly StaleFile[] {
  if (!isCutOff) return stale;
  const reason = 'A write was cut off; run "npx mcp-codegen generate".';
  return [
    { path: UNFINISHED_MARKER, state: "cut-off", reason },
    ...stale.filter(({ state }) => state === "in-the-way"),
  ];
}

function describeRaised({ server, before, after }: RaisedContract): StaleFile {
  const reason = `Contract ${before} of server "${server}" has other tools in a commit that this lock was made from; the next is ${after}.`;
  return { path: LOCKFILE_NAME, state: "stale", reason, hint: 'Run "npx mcp-codegen generate".' };
}

/** Servers that are only in the lock or only in the configuration: the lock is out of date. */
function findUnlocked(loaded: LoadedConfig, locked: readonly string[]): readonly StaleFile[] {
  const unlocked = Object.keys(loaded.config.servers).filter((name) => !locked.includes(name));
  const unconfigured = locked.filter((name) => !Object.hasOwn(loaded.config.servers, name));
  const describe = (reason: string): StaleFile => ({ path: LOCKFILE_NAME, state: "stale", reason });
  return [
    ...unlocked.map((name) => describe(`Server "${name}" is configured but not locked.`)),
    ...unconfigured.map((name) => describe(`Server "${name}" is locked but no longer configured.`)),
  ];
}
