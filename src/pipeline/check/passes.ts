/** The passes of `check`: each takes the state and the report so far, and returns its part of the report. */
import { join, resolve } from "node:path";
import { DEFAULT_CASSETTES } from "../../config/config.js";
import type { LoadedConfig } from "../../config/load-config.js";
import type { Change } from "../../core/change.js";
import { LOCKFILE_NAME, type Lockfile } from "../../core/lockfile.js";
import type { Finding } from "../../core/finding.js";
import {
  findingOfEdited,
  findingOfFile,
  findingOfNote,
  NOT_VERIFIED,
  type StaleFile,
} from "../../core/findings.js";
import type { Waiver } from "../../core/waivers.js";
import type { HostId } from "../../core/hosts/host.js";
import { listFiles } from "../../files/read-files.js";
import { remember, UNFINISHED_MARKER } from "../../files/output-folder.js";
import { INJECTION_PATTERNS } from "../../drift/security/injection-patterns.js";
import type { OutputOf } from "../../emit/plan-files.js";
import { cacheFolderOf, type FolderComparison, type LockFacts } from "../generate/compare-folder.js";
import { findRaised } from "../generate/contract-bases.js";
import { placesOf } from "../places.js";
import type { CheckOptions } from "../options.js";
import type { CheckReport } from "./check-report.js";
import type { Drift, LockRevision } from "./find-drift.js";
import { readScripts } from "../../project/read-scripts.js";
import { findUnmatchedInPolicy } from "../../project/tool-policy.js";

interface CheckState {
  readonly loaded: LoadedConfig;
  readonly options: CheckOptions;
  readonly facts: LockFacts;
  readonly lock: () => Lockfile;
  /** Identifies the lock. */
  readonly digest: () => string;
  /** Undefined if the lock is compared only with files. */
  readonly drift: Drift | undefined;
  readonly waivers: readonly Waiver[];
  /** The output schemas of tools that declare none. */
  readonly outputOf: OutputOf | undefined;
  readonly folder: FolderComparison;
}

export type Pass = (
  state: CheckState,
  report: CheckReport,
) => Partial<CheckReport> | Promise<Partial<CheckReport>>;

function revisionsOf({ drift }: CheckState): readonly LockRevision[] {
  return drift?.revise() ?? [];
}

/** Servers that are only in the lock or only in the configuration, and contracts to raise: the lock is out of date. */
export const lockPass: Pass = async ({ loaded, facts, lock }, { files }) => {
  const { servers } = loaded.config;
  const locked = facts.servers;
  const unlocked = Object.keys(servers).filter((name) => !locked.includes(name));
  const unconfigured = locked.filter((name) => !Object.hasOwn(servers, name));
  const describe = (reason: string, hint?: string): Finding =>
    findingOfFile({ path: LOCKFILE_NAME, state: "stale", reason, hint });
  const raised = (await findRaised(loaded, lock)).map(({ server, before, after }) => {
    const reason = `Contract ${before} of server "${server}" was locked with other tools on another branch; the next is ${after}.`;
    return describe(reason, 'Run "npx mcp-codegen generate".');
  });
  return {
    files: [
      ...files,
      ...unlocked.map((name) => describe(`Server "${name}" is configured but not locked.`)),
      ...unconfigured.map((name) => describe(`Server "${name}" is locked but no longer configured.`)),
      ...raised,
    ],
  };
};

export const folderPass: Pass = ({ folder }, { files: findings, notes, checked }) => {
  const { current, files, edited } = folder;
  const orphaned = folder.stale.filter(({ state }) => state === "orphaned");
  return {
    files: [...findings, ...staleFiles(folder).map(findingOfFile), ...edited.map(findingOfEdited)],
    notes: [...notes, ...folder.diagnostics.map(findingOfNote)],
    checked: { ...checked, files: current.length + files.length + orphaned.length },
  };
};

/** After an interrupted write, one sentence is more useful than the list of remaining files. */
function staleFiles({ stale, isCutOff }: FolderComparison): readonly StaleFile[] {
  if (!isCutOff) return stale;
  const reason = 'A write was cut off; run "npx mcp-codegen generate".';
  return [
    { path: UNFINISHED_MARKER, state: "cut-off", reason },
    ...stale.filter(({ state }) => state === "in-the-way"),
  ];
}

/** Compares recorded calls with the lock. */
export const cassettePass: Pass = async ({ loaded, lock, options: { servers } }, { checked }) => {
  const { config, dir } = loaded;
  const folders = (config.cassettes ?? DEFAULT_CASSETTES).map((folder) => resolve(dir, folder));
  const files = (await Promise.all(folders.map((folder) => listFiles(folder, ".json")))).flat();
  if (files.length === 0) return {};
  const { checkCassettes } = await import("../../project/tools/check-cassettes.js");
  const { findings, checked: calls } = await checkCassettes(loaded, lock(), { files, servers });
  return { records: findings, checked: { ...checked, calls: calls > 0 ? calls : undefined } };
};

/** Type-checks saved scripts against the lock, and against the current tools of servers that differ from it. */
export const scriptPass: Pass = async (state, { changes, unverified, checked }) => {
  const { loaded, options, drift, lock, outputOf } = state;
  if (loaded.config.scripts === undefined) return {};
  const { checkScripts, scriptTools } = await import("../../project/tools/check-scripts.js");
  const { scripts, unmatched } = await readScripts(loaded);
  const find = async (within: Lockfile): ReturnType<typeof checkScripts> =>
    checkScripts(loaded, scripts, await scriptTools(loaded, within, outputOf));
  const findLocked = (): ReturnType<typeof checkScripts> => find(drift?.hideSecrets?.(lock()) ?? lock());
  // Modules of tools, files of outputs and secrets of listed servers are not part of the key.
  const isKnown = loaded.config.serve?.tools === undefined && outputOf === undefined && drift === undefined;
  const result =
    isKnown && options.full !== true
      ? await remember(
          cacheFolderOf(options, loaded.dir),
          join(loaded.dir, "scripts"),
          JSON.stringify([options.cache?.version, state.digest(), loaded.config, scripts]),
          findLocked,
          (locked) => locked.unverified.length === 0,
        )
      : await findLocked();
  const findings = [...result.findings];
  const isSame = (a: Finding, b: Finding): boolean =>
    a.file === b.file && a.line === b.line && a.message === b.message;
  const isDrift = changes.length > 0 && options.against === undefined;
  for (const { environment, after } of isDrift ? revisionsOf(state) : [])
    for (const finding of (await find(after)).findings)
      if (!findings.some((other) => isSame(other, finding)))
        findings.push({ ...finding, environment, facts: { of: "server" } });
  return {
    scripts: findings,
    unverified: [...unverified, ...unmatched, ...result.unverified],
    checked: { ...checked, scripts: scripts.length },
  };
};

/** Finds servers whose tools exceed their token budget. */
export const budgetPass: Pass = async (state) => {
  const { config } = state.loaded;
  const budgets = [config, ...Object.values(config.servers)].map(({ check: limits }) => limits?.tokenBudget);
  if (budgets.every((budget) => budget === undefined)) return {};
  const { findOverBudget } = await import("../count-tokens.js");
  const revisions = state.options.against === undefined ? revisionsOf(state) : [];
  return {
    budget: await findOverBudget(config, state.lock(), revisions),
  };
};

/** Finds the user's code that changes affect, if there are changes or call sites were requested. */
export const callSitePass: Pass = async (state, { changes, scripts }) => {
  const { loaded, options } = state;
  const { tsconfig, workers } = options;
  const { output } = placesOf(loaded);
  if (tsconfig === undefined) return {};
  if (typeof tsconfig === "function" && changes.length === 0) return {};
  const { findCallSites } = await import("./find-call-sites.js");
  const result = await findCallSites(changes, revisionsOf(state), { loaded, output, tsconfig, workers });
  const sites = result.changes.flatMap(({ callSites = [] }) => callSites);
  const isSite = ({ file, line }: Finding): boolean =>
    sites.some((site) => site.file === file && site.line === line);
  return { ...result, scripts: scripts.filter((script) => script.facts?.of === "lock" || !isSite(script)) };
};

/** Finds names of tools in files that agents read, and in the policy. */
export const agentFilePass: Pass = async ({ loaded, lock, options }, report) => {
  const { readAgentFiles, NOT_SEARCHED } = await import("./read-agent-files.js");
  const agentFiles = await readAgentFiles(loaded);
  const tooLarge = agentFiles.tooLarge.map((file) => ({
    rule: NOT_VERIFIED,
    server: file,
    file,
    message: `The file ${NOT_SEARCHED}.`,
    hint: "Shorten it, or list the files to search in references.",
  }));
  const unverified = [...report.unverified, ...tooLarge];
  const { policy, servers } = loaded.config;
  const hasNames =
    policy !== undefined || Object.values(servers).some(({ tools }) => tools?.annotations !== undefined);
  if (agentFiles.files.length === 0 && !hasNames) return { unverified };
  const { addMentions, findUnknownMentions } = await import("./find-mentions.js");
  const { addConfigNames, findConfigNames } = await import("./find-config-names.js");
  const unknown = await findUnknownMentions(loaded, lock(), agentFiles);
  const named = new Set(findConfigNames(loaded, lock()).map(({ text }) => text));
  const unmatched = policy === undefined ? [] : findUnmatchedInPolicy(loaded.config, lock());
  return {
    unverified,
    notes: [
      ...report.notes,
      ...unmatched
        .filter(({ pattern }) => !named.has(pattern))
        .map(({ message }): Finding => {
          return { rule: "POLICY_UNMATCHED", server: "policy", tool: "", path: "", message };
        }),
    ],
    changes: await addConfigNames(addMentions(report.changes, lock(), agentFiles), loaded, lock()),
    names: unknown.filter(({ server = "" }) => options.servers?.includes(server) ?? true),
  };
};

function hostsOf({ options, loaded }: CheckState): readonly HostId[] {
  return options.hosts ?? loaded.config.hosts ?? [];
}

/** Finds what hosts refuse or change in the locked tools of all servers, which a host has together. */
export const hostPass: Pass = async (state) => {
  const { options, lock } = state;
  const hosts = hostsOf(state);
  if (hosts.length === 0) return {};
  const { findHostFindings } = await import("../../core/hosts/find-host-findings.js");
  const tools = Object.entries(lock().servers).flatMap(([server, locked]) =>
    Object.values(locked.tools).map(({ definition }) => ({ server, definition })),
  );
  const isWanted = (server: string | undefined): boolean =>
    server === undefined || (options.servers?.includes(server) ?? true);
  return { hosts: findHostFindings(tools, hosts).filter(({ server }) => isWanted(server)) };
};

/**
 * Marks changes and mentions that waivers cover, and adds suspicious parts of the lock. `full`, the default in CI, scans
 * a lock again that was scanned before.
 */
export const waiverPass: Pass = async (state, { changes, names, hosts, checked }) => {
  const { loaded, lock, digest, drift, waivers, options } = state;
  const hidden = drift?.hideSecrets?.(lock());
  const scan = async (): Promise<readonly Change[]> => {
    const { scanLock } = await import("../../drift/security/scan-lock.js");
    return scanLock(hidden ?? lock());
  };
  const hidesNone =
    hidden === undefined ||
    Object.entries(hidden.servers).every(([server, block]) => block === lock().servers[server]);
  const suspicious =
    hidesNone && options.full !== true
      ? await remember(
          cacheFolderOf(options, loaded.dir),
          join(loaded.dir, "texts"),
          JSON.stringify([options.cache?.version, INJECTION_PATTERNS, digest()]),
          scan,
        )
      : await scan();
  if (waivers.length + suspicious.length + changes.length === 0) return {};
  const shown = hidden ?? lock();
  const { waiveFindings, waiveOthers } = await import("./waive-findings.js");
  const judging = { waivers, today: options.today, compared: checked.servers };
  const waived = waiveFindings(shown, suspicious, changes, judging);
  const { findings, notices } = waiveOthers([...names, ...hosts], hostsOf(state), judging);
  return {
    ...waived,
    names: findings.slice(0, names.length),
    hosts: findings.slice(names.length),
    waivers: [...waived.waivers, ...notices],
  };
};

/** Names the servers whose package is not pinned: their next release changes the tools without a change here. */
export const pinPass: Pass = async ({ loaded, options }, { notes }) => {
  const { config, dir } = loaded;
  const servers = Object.entries(config.servers).filter(
    ([name, { command }]) => command !== undefined && (options.servers?.includes(name) ?? true),
  );
  if (servers.length === 0) return {};
  const { describeUnpinned, findUnpinned } = await import("../../config/package-pins.js");
  const unpinned = (await findUnpinned(Object.fromEntries(servers), dir)).map((server): Finding => {
    const message = Object.values(describeUnpinned(server)).join(" ");
    return { rule: "SERVER_UNPINNED", server: server.server, tool: "", path: "", message };
  });
  return { notes: [...notes, ...unpinned] };
};
