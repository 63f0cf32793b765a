import type { Lockfile } from "../contract/lockfile.js";
import type { LogReport } from "../pipeline/reports.js";
import { type Findings, isClean } from "../report/findings.js";
import {
  describeFileFinding,
  describeExcess,
  describeNotice,
  printImpact,
  printPhp,
} from "../report/print-sections.js";
import { nameOf, wordsOf } from "../report/environment-table.js";
import { describeNotes, groupNotes } from "../report/notes.js";
import { PLAIN } from "../report/layout.js";
import { describeServers, describeTools, type PageProject } from "./page-tools.js";
import type { PageData, PageReport, PageServer, PageVersion } from "./page-data.js";
import { findingsOf } from "./page-finding.js";

/** How many findings of an earlier version are shown. */
const MOST_FINDINGS = 60;

export interface PageSource {
  readonly version: string;
  readonly title: string;
  readonly isServed?: boolean;
  /** Absent where no lock is known, as for a comparison of two servers. */
  readonly lock?: Lockfile;
  readonly project?: PageProject;
  /** By server. */
  readonly histories?: ReadonlyMap<string, LogReport>;
  readonly findings?: Findings;
}

/** Returns the data of a page: the tools of a lock with their history, and what was found. */
export async function pageOf({
  version,
  title,
  isServed = false,
  lock,
  project,
  histories,
  findings,
}: PageSource): Promise<PageData> {
  const servers = lock === undefined ? [] : describeServers(lock);
  return {
    version,
    title,
    servers: servers.map((server) => withHistory(server, histories?.get(server.name))),
    tools: lock === undefined ? [] : await describeTools(lock, project),
    ...(findings !== undefined && { report: reportOf(findings) }),
    isServed,
  };
}

function withHistory(server: PageServer, log: LogReport | undefined): PageServer {
  if (log === undefined) return server;
  return {
    ...server,
    history: log.versions.map(({ contract, date, commit, subject, tools, changes }): PageVersion => {
      const found = findingsOf(changes);
      return {
        contract,
        date,
        commit: commit.slice(0, 10),
        subject,
        tools,
        findings: found.slice(0, MOST_FINDINGS),
        left: Math.max(0, found.length - MOST_FINDINGS),
      };
    }),
  };
}

function reportOf(findings: Findings): PageReport {
  const {
    stale,
    edited,
    unverified,
    overBudget = [],
    cassettes = [],
    mentions = [],
    waivers = [],
    diagnostics,
  } = findings;
  const sections = [
    {
      title: "Not verified",
      lines: unverified.map(
        ({ server, reason, hint }) => `${server}: ${reason}${hint === undefined ? "" : ` ${hint}`}`,
      ),
    },
    {
      title: "Over the token budget",
      lines: overBudget.map((each) => `${each.server}: ${describeExcess(each)}`),
    },
    ...environmentSections(findings),
    { title: "Your code", lines: printImpact(findings.impact, findings.changes, PLAIN) },
    { title: "PHP", lines: printPhp(findings.php ?? [], PLAIN) },
    { title: "Recorded calls", lines: cassettes.map(describeFileFinding) },
    {
      title: "Unknown names",
      lines: mentions.map((each) => `${each.path}:${each.line} ${describeFileFinding(each)}`),
    },
    { title: "Edited by hand", lines: edited },
    {
      title: "Out of date",
      lines: stale.map(
        ({ path, state, reason }) => `${path} (${state}${reason === undefined ? "" : `: ${reason}`})`,
      ),
    },
    { title: "Waivers without effect", lines: waivers.map(describeNotice) },
    {
      title: "Notes",
      lines: groupNotes(diagnostics).flatMap((notes) =>
        describeNotes(notes).map((line) => `${notes[0].server} ${line} [${notes[0].code}]`),
      ),
    },
  ];
  return {
    work: findings.work,
    clean: findings.clean,
    isClean: isClean(findings),
    findings: findingsOf(findings.changes),
    sections: sections.filter(({ lines }) => lines.length > 0),
    repairs: findings.repairs,
    ...(findings.note !== undefined && { note: findings.note }),
  };
}

/** A line for each tool that differs in some environment. */
function environmentSections({ environments = [] }: Findings): PageReport["sections"] {
  return environments.map(({ server, environments: names, rows }) => ({
    title: `${server} by environment`,
    lines: rows.map(({ tool, states }) => {
      const cells = states.map((state, at) => `${nameOf(names[at] ?? null)}: ${wordsOf(state)}`);
      return `${tool ?? "the server itself"} (${cells.join(", ")})`;
    }),
  }));
}
