import { createHash } from "node:crypto";
import type { Change } from "../../core/change.js";
import { NAME_TAKEN, successorsOf } from "../../core/changed-names.js";
import { getOwn, type JsonValue } from "../../core/json.js";
import type { Lockfile } from "../../core/lockfile.js";
import { printJson } from "../../core/printable.js";
import { explain } from "../../drift/rules.js";
import type { LogReport } from "../../pipeline/log/log.js";
import { describeNotes, describeTaken, describeVerdictOn } from "../describe-change.js";
import { describeEdit } from "../describe-edit.js";
import { describeCallSites, joinNote, printPhp } from "../describe-findings.js";
import { nameEnvironment, wordsOf } from "../environment-table.js";
import { isClean, type ReportContent } from "../report-content.js";
import { foldChanges, type Fold, nameOwner, toolsOf, worstFirst } from "../fold-changes.js";
import { PLAIN, present } from "../layout.js";
import { describeHeads, joinHead } from "../report-head.js";
import { groupNotes, type Row, rowsOf, type Sections, splitFiles, stateOf } from "../rows.js";
import { showWitness } from "../show-witness.js";
import type { PageData, PageEdit, PageFinding, PageReport, PageSchemas, PageVersion } from "./page-data.js";
import { describePageTools, describeServers, type PageProject } from "./page-tools.js";

/** How many findings of an earlier version are shown. */
const MOST_FINDINGS = 60;

export interface PageContent {
  readonly title: string;
  readonly isServed?: boolean | undefined;
  /** Absent where no lock is known, as for a comparison of two servers. */
  readonly lock?: Lockfile | undefined;
  /** By server. */
  readonly histories?: ReadonlyMap<string, LogReport> | undefined;
  readonly content?: ReportContent | undefined;
}

interface PageSource extends PageContent {
  /** Of mcp-codegen. */
  readonly version: string;
  readonly project?: PageProject | undefined;
}

/** Returns the data of a page: the tools of a lock with their history, and the findings. */
export async function collectPage({
  version,
  title,
  isServed = false,
  lock,
  project,
  histories,
  content,
}: PageSource): Promise<PageData> {
  const servers = lock === undefined ? [] : describeServers(lock);
  return {
    version,
    title,
    servers: servers.map((server) => ({
      ...server,
      history: histories?.get(server.name)?.versions.map(versionOf),
    })),
    tools: lock === undefined ? [] : await describePageTools(lock, project),
    report: content && reportOf(content),
    isServed,
  };
}

function versionOf({ changes, commit, ...version }: LogReport["versions"][number]): PageVersion {
  const { contract, date, subject, tools } = version;
  const findings = findingsOf(changes);
  return {
    contract,
    date,
    commit: commit.slice(0, 10),
    subject,
    tools,
    findings: findings.slice(0, MOST_FINDINGS),
    left: Math.max(0, findings.length - MOST_FINDINGS),
  };
}

function reportOf(content: ReportContent): PageReport {
  const schemas = schemasOf(content);
  const indexes = new Map([...schemas.keys()].map((key, at) => [key, at]));
  return {
    work: content.work,
    clean: content.clean,
    isClean: isClean(content),
    findings: findingsOf(content.changes, (change) => indexes.get(keyOfSchemas(change))),
    schemas: [...schemas.values()],
    sides: content.sides ?? ["Before", "After"],
    sections: Object.values(sectionsOf(content))
      .flat()
      .filter(({ lines }) => lines.length > 0),
    repairs: [...content.repairs, ...content.ways],
    note: content.note,
  };
}

/** Larger schemas are shown by their edits alone. */
const LARGEST_SCHEMAS = 200_000;

/** The schemas of each tool with a change in them, by {@link keyOfSchemas}. */
function schemasOf({ changes, definitionsOf }: ReportContent): ReadonlyMap<string, PageSchemas> {
  const bySchema = new Map<string, PageSchemas>();
  if (definitionsOf === undefined) return bySchema;
  for (const change of changes) {
    const { server, environment, tool } = change;
    const key = keyOfSchemas(change);
    if (tool === undefined || key === "" || bySchema.has(key)) continue;
    // A renamed tool has one side under each name.
    const renamed = changes.find(
      (other) =>
        other.server === server &&
        other.environment === environment &&
        (successorsOf(other).includes(tool) || (other.tool === tool && successorsOf(other).length > 0)),
    );
    const sides = renamed === undefined ? [] : definitionsOf(renamed);
    const [before = {}, after = {}] = definitionsOf(change).map((schema, side) => {
      const definition = schema ?? sides[side] ?? {};
      return {
        inputSchema: getOwn(definition, "inputSchema"),
        outputSchema: getOwn(definition, "outputSchema"),
      };
    });
    const schemas = { tool, before, after };
    if (JSON.stringify(schemas).length <= LARGEST_SCHEMAS) bySchema.set(key, schemas);
  }
  return bySchema;
}

/** Empty for a change that is not in a schema. */
function keyOfSchemas({ server, environment, tool, path }: Change): string {
  const isInSchema = /^\/(?:input|output)Schema(?:\/|$)/.test(path);
  return isInSchema ? JSON.stringify([server, environment, tool]) : "";
}

type PageSection = PageReport["sections"][number];

function sectionsOf(content: ReportContent): Sections<PageSection> {
  // The page has its own form of changes.
  const rows = rowsOf(content);
  const { edited, stale } = splitFiles(rows);
  return {
    unverified: sectionOf("Not verified", rows.unverified),
    budget: sectionOf("Over the token budget", rows.budget),
    changes: [
      ...environmentSections(content),
      {
        title: "What changed",
        lines: describeHeads(content.changes, content.impact).map((words) => joinHead(words)),
      },
    ],
    php: [{ title: "PHP", lines: printPhp(content.php, PLAIN) }],
    records: sectionOf("Recorded calls", rows.records),
    scripts: sectionOf("Scripts", rows.scripts),
    names: sectionOf("Unknown names", rows.names),
    hosts: sectionOf("Hosts", rows.hosts, (row) => [present(row.subject, printRow(row)).join(": ")]),
    files: [
      ...sectionOf("Edited by hand", edited),
      ...sectionOf("Out of date", stale, (row) => {
        const why = row.message === "" ? "" : `: ${row.message}`;
        return [[`${row.subject} (${stateOf(row)}${why})`, ...row.notes.map(joinNote)].join(" ")];
      }),
    ],
    waivers: sectionOf("Waivers without effect", rows.waivers, ({ message }) => [message]),
    notes: sectionOf("Notes", groupNotes(rows.notes), ({ owner, rule, message, notes }) =>
      [message, ...notes.map(joinNote)].map((line) => `${owner?.server ?? ""} ${line} [${rule}]`),
    ),
  };
}

function sectionOf(
  title: string,
  rows: readonly Row[],
  print: (row: Row) => readonly string[] = (row) => [printRow(row)],
): readonly PageSection[] {
  return [{ title, lines: rows.flatMap(print) }];
}

function printRow({ owner, subject, message, notes }: Row): string {
  const lead = owner === undefined ? subject : `${nameOwner(owner)}:`;
  return present(lead, message, ...notes.map(joinNote)).join(" ");
}

/** A line for each tool that differs in some environment. */
function environmentSections({ environments = [] }: ReportContent): PageReport["sections"] {
  return environments.map(({ server, environments: names, rows }) => ({
    title: `${server} by environment`,
    lines: rows.map(({ tool, states }) => {
      const cells = states.map((state, at) => `${nameEnvironment(names[at] ?? null)}: ${wordsOf(state)}`);
      return `${tool ?? "the server itself"} (${cells.join(", ")})`;
    }),
  }));
}

interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/**
 * Returns a page as one HTML file that sends no requests: its policy allows only its own script and style, by their
 * hashes. A served page may also wait for changes from its own server.
 */
export function renderPage(data: PageData, { script, style }: PageAssets): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    ...(data.isServed ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="mcp-codegen">
<title>${escapeText(data.title)}</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
<noscript><p>This page needs JavaScript: its script is in this file, and requests nothing.</p></noscript>
<script type="application/json" id="data">${escapeJson(data)}</script>
<script>${script}</script>
</body>
</html>
`;
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6e5f'/%3E%3Cpath d='M4 5l3 3-3 3M8.5 11.5H12' stroke='white' stroke-width='1.5' fill='none'/%3E%3C/svg%3E";

/** The hash of the text between the tags (Content Security Policy level 3). */
function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/**
 * JSON that cannot end its script, nor begin a comment in it (HTML, "Restrictions for contents of script elements"), and that no
 * terminal acts on when the file is printed.
 */
function escapeJson(data: PageData): string {
  return printJson(data, 0).replaceAll("<", "\\u003c");
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** How many changes of a finding are shown; `--json` has all of them. */
const MOST_EDITS = 24;
const LONGEST_VALUE = 6_000;

/** Returns changes as findings, worst first. A change without a verdict does not fail. */
export function findingsOf(
  changes: readonly Change[],
  findSchemas: FindSchemas = () => undefined,
): readonly PageFinding[] {
  return foldChanges(worstFirst(changes)).map((finding) => findingOf(finding, findSchemas));
}

/** Finds the index of the schemas of a change. */
type FindSchemas = (change: Change) => number | undefined;

function findingOf(finding: Fold, findSchemas: FindSchemas): PageFinding {
  const { findings: changes } = finding;
  const [first] = changes;
  const { foundClass } = first;
  const shown = changes.slice(0, MOST_EDITS);
  return {
    class: first.class,
    security: first.security,
    fails: first.fails === true,
    server: first.server,
    environment: first.environment,
    tools: toolsOf(finding).filter((tool) => tool !== undefined),
    rules: [...new Set(changes.map(({ rule }) => rule))],
    says: explain(first),
    edits: shown.map((change) => ({ ...editOf(change), schemas: findSchemas(change) })),
    left: Math.max(0, changes.length - MOST_EDITS),
    witness: witnessOf(shown),
    notes: [
      ...(foundClass === undefined ? [] : [{ text: `found ${foundClass}` }]),
      ...describeNotes(changes),
      ...describeCallSites(changes.flatMap(({ callSites = [] }) => callSites)),
    ],
  };
}

function editOf(change: Change): PageEdit {
  const { tool } = change;
  const { place, path = change.path, before, after, areWords } = describeEdit(change);
  if (change.rule === NAME_TAKEN) return { tool, place: "", path, after: describeTaken(change) };
  const isRenamed = change.rule.endsWith("-property-renamed");
  // Both texts of an edit are prose, or both are JSON.
  const isProse =
    areWords === true || [before, after].some((value) => typeof value === "string" && /\s/.test(value));
  return {
    tool,
    place,
    path,
    renamedFrom: isRenamed && typeof change.before === "string" ? change.before : undefined,
    before: before === undefined ? undefined : textOf(before, isProse),
    after: after === undefined ? undefined : textOf(after, isProse),
  };
}

/** JSON, on several lines if it is long; or unquoted prose. */
function textOf(value: JsonValue, isProse = false): string {
  const json = JSON.stringify(value);
  const text =
    isProse && typeof value === "string"
      ? value
      : json.length < 60
        ? json
        : JSON.stringify(value, undefined, 2);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

/** One instance is enough to show what breaks. */
function witnessOf(changes: readonly Change[]): PageFinding["witness"] {
  const edit = changes.findIndex(({ witness }) => witness !== undefined);
  const change = changes[edit];
  if (change?.witness === undefined) return undefined;
  const { witness, witnessAt = "" } = change;
  const isLong = JSON.stringify(witness).length > LONGEST_VALUE;
  const json = isLong ? showWitness(witness, witnessAt, LONGEST_VALUE) : textOf(witness);
  return { edit, json, says: describeVerdictOn(change) };
}
