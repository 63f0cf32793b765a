/** The passes of `check`: each takes the state and the report so far, and returns its part of the report. */
import { join, resolve } from "node:path";
import { DEFAULT_CASSETTES } from "../../config/config.js";
import { describeUnpinned, findUnpinned } from "../../config/package-pins.js";
import { LOCKFILE_NAME, type Lockfile } from "../../core/lockfile.js";
import type { Finding } from "../../core/finding.js";
import {
  findingOfEdited,
  findingOfFile,
  findingOfNote,
  findingOfUnmatched,
  NOT_VERIFIED,
  type StaleFile,
} from "../../core/findings.js";
import type { HostId } from "../../core/hosts/host.js";
import { listJsonFiles } from "../../files/read-files.js";
import { remember } from "../../files/cache.js";
import { UNFINISHED_MARKER } from "../../files/output-folder.js";
import { findSuspicious, loadJudges } from "./find-suspicious.js";
import type { FolderComparison } from "../generate/folder-comparison.js";
import { findRaised } from "../generate/contract-bases.js";
import { findOverBudget } from "../count-tokens.js";
import type { CheckOptions } from "../options.js";
import type { CheckReport } from "./check-report.js";
import { findCallSites } from "./find-call-sites.js";
import type { Drift, LockRevision } from "./find-drift.js";
import type { Project } from "../../project/project.js";
import type { ScriptCheck } from "../../project/tools/check-scripts.js";
import { NOT_SEARCHED, readAgentFiles } from "./read-agent-files.js";

/** Loaded only for a project that has some of it. */
const loadSavedJudges = async () => import("./judge-saved.js");

interface CheckState {
  readonly project: Project;
  readonly options: CheckOptions;
  /** The names of the locked servers. */
  readonly locked: readonly string[];
  readonly lock: () => Lockfile;
  /** Identifies the lock. */
  readonly digest: () => string;
  /** Undefined if the lock is compared only with files. */
  readonly drift: Drift | undefined;
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
export const lockPass: Pass = async ({ project, locked }, { files }) => {
  const { servers } = project.config;
  const unlocked = Object.keys(servers).filter((name) => !locked.includes(name));
  const unconfigured = locked.filter((name) => !Object.hasOwn(servers, name));
  const describe = (reason: string, hint?: string): Finding =>
    findingOfFile({ path: LOCKFILE_NAME, state: "stale", reason, hint });
  const raised = (await findRaised(project)).map(({ server, before, after }) => {
    const reason = `A commit has contract ${before} of server "${server}" with other content; the next is ${after}.`;
    return describe(reason, 'Run "npx mcp-codegen generate".');
  });
  return {
    files: [
      ...files,
      ...unlocked.map((name) => describe(`Server "${name}" is configured but not locked.`)),
      ...unconfigured.map((name) => {
        const finding = describe(`Server "${name}" is locked but no longer configured.`);
        return { ...finding, facts: { ...finding.facts, isRemoval: true } };
      }),
      ...raised,
    ],
  };
};

export const folderPass: Pass = ({ folder }, { files: findings, notes, checked }) => {
  const { edited, judged } = folder;
  return {
    files: [...findings, ...staleFiles(folder).map(findingOfFile), ...edited.map(findingOfEdited)],
    notes: [...notes, ...folder.diagnostics.map(findingOfNote)],
    checked: { ...checked, files: judged },
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
export const cassettePass: Pass = async (
  { project, lock, options: { servers } },
  { checked, unverified: others },
) => {
  const { config, dir } = project;
  const folders = config.cassettes ?? DEFAULT_CASSETTES;
  const lists = await Promise.all(folders.map((folder) => listJsonFiles(resolve(dir, folder))));
  const empty = config.cassettes?.filter((_, at) => lists[at]?.length === 0) ?? [];
  const unverified = [...others, ...empty.map((folder) => findingOfUnmatched("cassettes", folder))];
  const files = lists.flat();
  if (files.length === 0) return { unverified };
  const { checkCassettes } = await loadSavedJudges();
  const { findings, checked: calls } = await checkCassettes(project, lock(), { files, servers });
  return { unverified, records: findings, checked: { ...checked, calls: calls > 0 ? calls : undefined } };
};

/** Type-checks saved scripts against the lock, and against the current tools of servers that differ from it. */
export const scriptPass: Pass = async (state, { changes, unverified, checked }) => {
  const { project, options, drift, lock } = state;
  const { config, run } = project;
  if (config.scripts === undefined) return {};
  const { scripts, unmatched } = await project.scripts();
  const find = async (within: Lockfile): Promise<ScriptCheck> => {
    const { checkScripts } = await loadSavedJudges();
    return checkScripts(project, scripts, within);
  };
  // Modules of tools, files of outputs and secrets of listed servers are not part of the key.
  const isKnown =
    config.serve?.tools === undefined && (await project.outputs()) === undefined && drift === undefined;
  const result = await remember(
    isKnown && options.trusts !== "nothing" ? project.cacheFolder(project.dir) : undefined,
    join(project.dir, "scripts"),
    [run.cache?.version, state.digest(), config, scripts],
    () => find(drift?.hideSecrets?.(lock()) ?? lock()),
    (scriptCheck) => scriptCheck.unverified.length === 0,
  );
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
  const { config } = state.project;
  const budgets = [config, ...Object.values(config.servers)].map(({ check: limits }) => limits?.tokenBudget);
  if (budgets.every((budget) => budget === undefined)) return {};
  const revisions = state.options.against === undefined ? revisionsOf(state) : [];
  return { budget: await findOverBudget(config, state.lock(), revisions) };
};

/** Finds the user's code that changes affect, if there are changes or call sites were requested. */
export const callSitePass: Pass = async (state, { changes, scripts }) => {
  const { project, options } = state;
  const { tsconfig } = options;
  if (tsconfig === undefined) return {};
  if (typeof tsconfig === "function" && changes.length === 0) return {};
  options.onProgress?.({ server: "", stage: "searching" });
  const result = await findCallSites(changes, revisionsOf(state), project, tsconfig);
  const sites = result.changes.flatMap(({ callSites = [] }) => callSites);
  const isSite = ({ file, line }: Finding): boolean =>
    sites.some((site) => site.file === file && site.line === line);
  return { ...result, scripts: scripts.filter((script) => script.facts?.of === "lock" || !isSite(script)) };
};

/** Finds names of tools in files that agents read, and in the policy. */
export const agentFilePass: Pass = async ({ project, lock, options }, report) => {
  const agentFiles = await readAgentFiles(project);
  const tooLarge = agentFiles.tooLarge.map((file) => ({
    rule: NOT_VERIFIED,
    server: file,
    file,
    message: `The file ${NOT_SEARCHED}.`,
    hint: "Shorten it, or list the files to search in references.",
  }));
  const unmatched = agentFiles.unmatched.map((glob) => findingOfUnmatched("references", glob));
  const unverified = [...report.unverified, ...tooLarge, ...unmatched];
  const { policy, servers } = project.config;
  const hasNames =
    policy !== undefined || Object.values(servers).some(({ tools }) => tools?.annotations !== undefined);
  if (agentFiles.files.length === 0 && !hasNames) return { unverified };
  const { findNames } = await loadSavedJudges();
  return { unverified, ...(await findNames(project, lock(), agentFiles, { ...report, ...options })) };
};

function hostsOf({ options, project }: CheckState): readonly HostId[] {
  return options.hosts ?? project.config.hosts ?? [];
}

/** Finds what hosts refuse or change in the locked tools of all servers, which a host has together. */
export const hostPass: Pass = async (state) => {
  const { options, lock } = state;
  const hosts = hostsOf(state);
  if (hosts.length === 0) return {};
  const { findHostFindings } = await loadJudges();
  const tools = Object.entries(lock().servers).flatMap(([server, locked]) =>
    Object.values(locked.tools).map(({ definition }) => ({ server, definition })),
  );
  const isWanted = (server: string | undefined): boolean =>
    server === undefined || (options.servers?.includes(server) ?? true);
  return { hosts: findHostFindings(tools, hosts).filter(({ server }) => isWanted(server)) };
};

/**
 * Marks changes and mentions that waivers cover, and adds suspicious parts of the lock. A lock that was
 * scanned before is not scanned again.
 */
export const waiverPass: Pass = async (state, { changes, names, hosts, checked }) => {
  const { project, lock, digest, drift, options } = state;
  const hidden = drift?.hideSecrets?.(lock());
  const hidesNone =
    hidden === undefined ||
    Object.entries(hidden.servers).every(([server, block]) => block === lock().servers[server]);
  const source = { lock: () => hidden ?? lock(), digest: hidesNone ? digest : undefined };
  const suspicious = await findSuspicious(project, source, options.trusts);
  const waivers = await project.waivers();
  if (waivers.length + suspicious.length + changes.length === 0) return {};
  const shown = hidden ?? lock();
  const { waiveFindings, waiveOthers } = await loadJudges();
  // A server that is neither locked nor configured is not compared, and has nothing to waive.
  const servers = [project.config.servers, lock().servers];
  const gone = waivers
    .map(({ server }) => server)
    .filter((name) => !servers.some((named) => Object.hasOwn(named, name)));
  const compared = [...checked.servers, ...gone];
  const judging = { waivers, today: project.run.today, check: options.check, compared };
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
export const pinPass: Pass = async ({ project, options }, { notes }) => {
  const { config, dir } = project;
  const servers = Object.entries(config.servers).filter(
    ([name, { command }]) => command !== undefined && (options.servers?.includes(name) ?? true),
  );
  if (servers.length === 0) return {};
  const unpinned = (await findUnpinned(Object.fromEntries(servers), dir)).map((server): Finding => {
    const message = Object.values(describeUnpinned(server)).join(" ");
    return { rule: "SERVER_UNPINNED", server: server.server, tool: "", path: "", message };
  });
  return { notes: [...notes, ...unpinned] };
};
