import type { Lockfile } from "../contract/lockfile.js";
import type { LogReport } from "../pipeline/reports.js";
import { type Findings, isClean } from "../report/findings.js";
import { joinNote, printImpact, printPhp } from "../report/describe-findings.js";
import { nameEnvironment, wordsOf } from "../report/environment-table.js";
import { nameOwner } from "../report/fold-changes.js";
import { groupNotes, printSections, type Row, rowsOf, type Sections } from "../report/rows.js";
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
  // The page has its own form of changes.
  const rows = rowsOf({ ...findings, changes: [] }, { value: 0, line: 0, named: 0 });
  return {
    work: findings.work,
    clean: findings.clean,
    isClean: isClean(findings),
    findings: findingsOf(findings.changes),
    sections: printSections(rows, sectionsOf(findings)).filter(({ lines }) => lines.length > 0),
    repairs: findings.repairs,
    note: findings.note,
  };
}

type Section = PageReport["sections"][number];

function sectionsOf(findings: Findings): Sections<Section> {
  return {
    unverified: sectionOf("Not verified"),
    overBudget: sectionOf("Over the token budget"),
    changes: () => [
      ...environmentSections(findings),
      { title: "Your code", lines: printImpact(findings.impact, findings.changes, PLAIN) },
    ],
    php: () => [{ title: "PHP", lines: printPhp(findings.php, PLAIN) }],
    cassettes: sectionOf("Recorded calls"),
    mentions: sectionOf("Unknown names"),
    edited: sectionOf("Edited by hand"),
    stale: sectionOf("Out of date", ({ subject, state = "", message, notes }) => [
      [`${subject} (${state}${message === "" ? "" : `: ${message}`})`, ...notes.map(joinNote)].join(" "),
    ]),
    waivers: sectionOf("Waivers without effect", ({ message }) => [message]),
    diagnostics: (rows) =>
      sectionOf("Notes", ({ owner, rule, message, notes }) =>
        [message, ...notes.map(joinNote)].map((line) => `${owner?.server ?? ""} ${line} [${rule}]`),
      )(groupNotes(rows)),
  };
}

function sectionOf(
  title: string,
  print: (row: Row) => readonly string[] = (row) => [printRow(row)],
): (rows: readonly Row[]) => readonly Section[] {
  return (rows) => [{ title, lines: rows.flatMap(print) }];
}

function printRow({ owner, subject, message, notes }: Row): string {
  const lead = owner === undefined ? subject : `${nameOwner(owner)}:`;
  return [lead, message, ...notes.map(joinNote)].filter((part) => part !== "").join(" ");
}

/** A line for each tool that differs in some environment. */
function environmentSections({ environments = [] }: Findings): PageReport["sections"] {
  return environments.map(({ server, environments: names, rows }) => ({
    title: `${server} by environment`,
    lines: rows.map(({ tool, states }) => {
      const cells = states.map((state, at) => `${nameEnvironment(names[at] ?? null)}: ${wordsOf(state)}`);
      return `${tool ?? "the server itself"} (${cells.join(", ")})`;
    }),
  }));
}
