/** The one file of a page: its data, its first view as HTML, and the script that shows the others. */
import { createHash } from "node:crypto";
import { type Change, NAME_TAKEN } from "../../core/change.js";
import { groupBy } from "../../core/collections.js";
import { SECTIONS } from "../../core/findings.js";
import { type JsonValue, byCodeUnit, findText, getOwn } from "../../core/json.js";
import { EMPTY_LOCK, type Lockfile } from "../../core/lockfile.js";
import { printJson } from "../../core/printable.js";
import { explain } from "../../drift/rules.js";
import type { LogReport } from "../../pipeline/log/log.js";
import { describeNotes, describeTaken, describeVerdictOn } from "../describe-change.js";
import { describeEdit, describeSubject } from "../describe-edit.js";
import { nameEnvironment, wordsOf } from "../environment-table.js";
import { isClean, type ReportContent } from "../report-content.js";
import { foldChanges, type Fold, worstFirst } from "../fold-changes.js";
import { describeCallSite } from "../describe-findings.js";
import { describeHead, groupHits, joinHead } from "../report-head.js";
import { groupNotes, joinRow, rowsOf, TITLES } from "../rows.js";
import { commonEnds, showWitness } from "../show-witness.js";
import type {
  PageData,
  PageEdit,
  PageFinding,
  PageReport,
  PageVersion,
  PageServer,
  PageTool,
} from "./page-data.js";
import { describeTool, readStatedEffect } from "../../core/snapshot.js";
import { ENTRY_LIST_NAMES } from "../../core/entries.js";
import { estimateTokens, sumTokens } from "../../core/model-schema.js";
import { deriveCategory } from "../../core/words/derive-category.js";
import { present } from "../layout.js";

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

/** Returns the data of a page: the tools of a lock with their history, and the findings. */
function collectPage({
  title,
  isServed = false,
  lock = EMPTY_LOCK,
  histories,
  content,
}: PageContent): PageData {
  const servers = describeServers(lock).map((server) => {
    return { ...server, history: histories?.get(server.name)?.versions.map(versionOf) };
  });
  return {
    title,
    servers,
    tools: describePageTools(lock),
    report: content && reportOf(content),
    isServed,
  };
}

function versionOf({ changes, commit, ...version }: LogReport["versions"][number]): PageVersion {
  const { contract, date, subject, tools } = version;
  const all = findingsOf(changes);
  const findings = all.slice(0, MOST_FINDINGS);
  const left = all.length - findings.length;
  return { contract, date, commit: commit.slice(0, 10), subject, tools, findings, left };
}

function reportOf(content: ReportContent): PageReport {
  const head = describeHead(content);
  return {
    work: content.work,
    clean: content.clean,
    isClean: isClean(content),
    findings: findingsOf(content.changes),
    ...head,
    heads: head.heads.map((words) => joinHead(words)),
    sections: sectionsOf(content),
  };
}

/** The changes are not in it: they have a form of their own. */
function sectionsOf(content: ReportContent): PageReport["sections"] {
  const { notes, ...rows } = rowsOf(content);
  const all = { ...rows, notes: groupNotes(notes) };
  const sections = SECTIONS.map((section) => ({ title: TITLES[section], lines: all[section].map(joinRow) }));
  return [...sections, ...environmentSections(content)].filter(({ lines }) => lines.length > 0);
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

/** What a page is built from. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
  /** Returns the first view as HTML, for readers without JavaScript. */
  readonly toHtml: (data: PageData) => string;
}

/**
 * Returns a page as one HTML file that sends no requests: its policy allows only its own script and style, by their
 * hashes. A served page may also wait for changes from its own server.
 */
export function renderPage(content: PageContent, { script, style, toHtml }: PageAssets): string {
  const data = collectPage(content);
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
<title>${data.title.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
<noscript><p class="warning">The pages of tools need JavaScript: their script is in this file, and requests nothing.</p></noscript>
<div id="page">${toHtml(data)}</div>
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

/** Longer values are cut. */
const LONGEST_VALUE = 6_000;
/** What is left of the common start of two texts that are cut. */
const LEAD = 200;

/** Returns changes as findings, the worst first. */
export function findingsOf(changes: readonly Change[]): readonly PageFinding[] {
  return foldChanges(worstFirst(changes)).map(findingOf);
}

function findingOf(changes: Fold): PageFinding {
  const [first] = changes;
  const { foundClass } = first;
  return {
    class: first.class,
    security: first.security,
    fails: first.fails,
    server: first.server,
    environment: first.environment,
    tools: [...new Set(changes.flatMap((change) => describeSubject(change) ?? []))],
    rules: [...new Set(changes.map(({ rule }) => rule))],
    says: explain(first),
    edits: editsOf(changes),
    witness: witnessOf(changes),
    notes: [
      ...(foundClass === undefined ? [] : [{ text: `found ${foundClass}` }]),
      ...describeNotes(changes),
      ...notesOfSites(changes),
    ],
  };
}

/** Returns each affected place of the user's code once, with the tools whose changes hit it. */
function notesOfSites(changes: readonly Change[]): PageFinding["notes"] {
  return [...groupHits(changes)].map((group) => ({
    ...describeCallSite(group[0].site),
    tools: group.flatMap(({ change: { tool } }) => tool ?? []),
  }));
}

/** Returns each edit once, with its tools. */
function editsOf(changes: readonly Change[]): readonly PageEdit[] {
  const edits = changes.map((change) => ({ change, edit: editOf(change) }));
  return [...groupBy(edits, ({ edit }) => JSON.stringify(edit)).values()].map((alike) => ({
    ...alike[0].edit,
    tools: alike.flatMap(({ change: { tool } }) => tool ?? []),
  }));
}

function editOf(change: Change): Omit<PageEdit, "tools"> {
  const { place, path = change.path, before, after, areWords } = describeEdit(change);
  if (change.rule === NAME_TAKEN) return { place: "", path, after: describeTaken(change) };
  // Both texts of an edit are prose, or both are JSON.
  const isProse =
    areWords === true || [before, after].some((value) => typeof value === "string" && /\s/.test(value));
  const textBefore = before === undefined ? undefined : textOf(before, isProse);
  const textAfter = after === undefined ? undefined : textOf(after, isProse);
  const isBoth = textBefore !== undefined && textAfter !== undefined;
  const from = isBoth ? commonEnds(textBefore, textAfter).start - LEAD : 0;
  const texts = { before: textBefore && cut(textBefore, from), after: textAfter && cut(textAfter, from) };
  return { place, path, ...texts };
}

/** Leaves out the start of a long text up to what differs, and its end. */
function cut(text: string, from: number): string {
  if (text.length <= LONGEST_VALUE) return text;
  const rest = from > 0 ? `…${text.slice(from)}` : text;
  return rest.length > LONGEST_VALUE ? `${rest.slice(0, LONGEST_VALUE)}…` : rest;
}

/** JSON, on several lines if it is long; or unquoted prose. */
function textOf(value: JsonValue, isProse = false): string {
  if (isProse && typeof value === "string") return value;
  const json = JSON.stringify(value);
  return json.length < 60 ? json : JSON.stringify(value, undefined, 2);
}

/** One instance is enough to show what breaks. */
function witnessOf(changes: readonly Change[]): PageFinding["witness"] {
  const change = changes.find(({ witness }) => witness !== undefined);
  if (change?.witness === undefined) return undefined;
  const { tool, witness, witnessAt = "" } = change;
  const isLong = JSON.stringify(witness).length > LONGEST_VALUE;
  const json = isLong ? showWitness(witness, witnessAt, LONGEST_VALUE) : textOf(witness);
  return { tool, json, says: describeVerdictOn(change) };
}

/** Returns the servers of a lock, by name. */
function describeServers(lock: Lockfile): readonly PageServer[] {
  return sortedEntries(lock.servers).map(([name, server]) => {
    const { serverInfo, protocolVersion, instructions } = server.identity;
    const identity = present(findText(serverInfo, "name"), findText(serverInfo, "version"));
    return {
      name,
      contract: server.contract,
      identity: identity.length > 0 ? identity.join(" ") : undefined,
      protocol: protocolVersion === "" ? undefined : protocolVersion,
      instructions,
      ...sumTokens(server),
      entries: ENTRY_LIST_NAMES.flatMap((list) => {
        const ids = Object.keys(server[list] ?? {});
        return ids.length === 0 ? [] : [{ list, ids }];
      }),
    };
  });
}

/** Returns the tools of a lock, by server and name. */
export function describePageTools(lock: Lockfile): readonly PageTool[] {
  return sortedEntries(lock.servers).flatMap(([server, { tools }]) =>
    sortedEntries(tools).map(([name, tool]): PageTool => {
      const { definition, unusable, ability } = tool;
      const words = describeTool(definition);
      const guess = deriveCategory(name);
      // The plugin is the folder below `plugins`, where the file has one.
      const plugin = /(?:^|\/)plugins\/([^/]+)\//.exec(ability?.file ?? "")?.[1];
      return {
        server,
        name,
        title: words.title,
        description: words.description ?? "",
        category: tool.category ?? (guess === undefined ? "uncategorized" : `${guess} (guessed)`),
        tokens: tool.tokens ?? estimateTokens(definition),
        isEstimate: tool.tokens === undefined,
        effect: readStatedEffect(words.annotations),
        unusable,
        input: getOwn(definition, "inputSchema") ?? {},
        output: getOwn(definition, "outputSchema"),
        ability: ability && { name: ability.definition.name, plugin, file: ability.file },
      };
    }),
  );
}

function sortedEntries<T>(byName: Readonly<Record<string, T>>): readonly (readonly [string, T])[] {
  return Object.entries(byName).sort(([a], [b]) => byCodeUnit(a, b));
}
