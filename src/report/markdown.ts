import { PHP_ENVIRONMENT } from "../core/change.js";
import { SECTIONS } from "../core/findings.js";
import { formatNumber, printable } from "../core/printable.js";
import { describeSubject } from "./describe-edit.js";
import type { Note } from "./describe-findings.js";
import { type EnvironmentTable, nameEnvironment, printBehind, wordsOf } from "./environment-table.js";
import { countOthers, isClean, type ReportContent, summaryOf } from "./report-content.js";
import {
  countClasses,
  countFindings,
  foldChanges,
  joinSubjects,
  qualify,
  type Owner,
  subjectsOf,
} from "./fold-changes.js";
import { firstOf, joinFirst, present } from "./layout.js";
import { describeHead, MOST_HITS } from "./report-head.js";
import { type ChangeRow, type Row, rowsOf, TITLES } from "./rows.js";

/** What a person reads in a comment; the log of the run has all of it. GitHub takes 65,536 characters. */
const LIMIT = 10_000;

const NAMED = 50;
/** More rows are folded. */
const MOST_OPEN = 5;

/** The first line of every report, by which a workflow finds its earlier comment. */
const MARKER = "<!-- mcp-codegen -->";

/**
 * A report as a comment on a pull request: GitHub-flavoured Markdown of at most 10,000 characters, with the changes folded.
 * Findings that do not fit are counted; the worst come first. What GitHub would read as a mention, link, image or tag in the
 * text of a server appears only in code spans, where it does not.
 */
export function printMarkdown(content: ReportContent): readonly string[] {
  const rows = rowsOf(content, { value: 160, line: 320, named: 20 });
  const hasOwners = new Set(rows.changes.map(({ place }) => place)).size > 1;
  const changes = rows.changes.map((row, at) => ({
    lines: [...(at === 0 ? [""] : []), ...printFinding(row, hasOwners)],
    shown: 1,
  }));
  const { environments = [] } = content;
  const others = [
    ...SECTIONS.flatMap((section) => (section === "changes" ? [] : listOf(TITLES[section], rows[section]))),
    ...environments.filter((table) => table.rows.length > 0).map(printEnvironments),
  ];
  const head = [MARKER, `## mcp-codegen: ${headline(content)}`, ...printHead(content)];
  const isFolded = rows.changes.length > MOST_OPEN;
  const open = isFolded
    ? ["", "<details>", `<summary>${countFindings(rows.changes.map(({ findings }) => findings))}</summary>`]
    : [];
  const tail = [...(isFolded ? ["", "</details>"] : []), "", `${prose(summaryOf(content))}.`];
  const more = (rest: number): readonly string[] =>
    rest > 0 ? ["", `… and ${formatNumber(rest)} more changes: \`--all\` prints them.`] : [];
  const fixed = [...head, ...open, ...tail, ...more(rows.changes.length)];
  const used = fixed.reduce((sum, line) => sum + line.length + 1, 0);
  const first = fit(others, LIMIT - used - LEAST);
  const { lines, shown } = fit(changes, first.left + LEAST);
  return [...head, ...first.lines, ...open, ...lines, ...more(rows.changes.length - shown), ...tail];
}

/** Reserved for changes, whatever else there is. */
const LEAST = 4_000;

/** What changed on each server, what can be done, and the lines of the user's code that are hit. */
function printHead(content: ReportContent): readonly string[] {
  const { heads, ways, notes, hits } = describeHead(content);
  const places = hits.map(
    ({ quote, text, tools }) => `- ${code(quote)} ${prose(text)}: ${joinFirst(tools.map(code), 3)}`,
  );
  const blocks = [
    heads.map(
      ({ owner, version, classes, code: extent }) =>
        `- ${[code(owner), ...present(version).map(code), ...present(classes, extent).map(prose)].join(", ")}`,
    ),
    ...notes.map((text) => [prose(text)]),
    ways.map(({ command, does }) => `- ${prose(does)}: ${code(printable(command, 1_000))}`),
    places.length === 0
      ? []
      : ["### Your code", "", ...firstOf(places, MOST_HITS, (rest) => `- … and ${formatNumber(rest)} more`)],
  ];
  return blocks.filter(({ length }) => length > 0).flatMap((block) => ["", ...block]);
}

function headline(content: ReportContent): string {
  if (isClean(content)) return content.clean.toLowerCase();
  const { changes, files, unverified, budget } = content;
  return present(
    countClasses(foldChanges(changes)),
    budget.length > 0 && "over the token budget",
    ...countOthers(content),
    files.length > 0 && "generated files differ",
    unverified.length > 0 && `${unverified.length} not verified`,
  ).join("; ");
}

/** Lines that are shown or left out together. */
interface Block {
  readonly lines: readonly string[];
  /** How many changes the block shows. */
  readonly shown: number;
}

function listOf(title: string, rows: readonly Row[]): readonly Block[] {
  const items = rows.map((row) => `- ${printItem(row)}`);
  const shown = firstOf(items, NAMED, (rest) => `- … and ${formatNumber(rest)} more`);
  return rows.length === 0 ? [] : [{ lines: ["", `### ${title}`, "", ...shown], shown: 0 }];
}

/** A row on one line: its server, its subject, its message, its notes and its rule. What was read from PHP has a line for each note. */
function printItem({ section, owner, subject, message, notes, rule }: Row): string {
  if (section === "waivers") return [prose(message), ...notes.map(printNote)].join(" ");
  const about = present(owner && printOwner(owner), subject === "" ? "" : code(subject)).join(" ");
  const head = [about, ...present(message).map(prose)];
  if (section === "php")
    return [head.join(": "), ...notes.map((note) => `  - ${printNote(note)}`)].join("\n");
  return `${[...head, ...notes.map(printNote)].join(": ")} (${rule})`;
}

function printNote({ quote, text }: Note): string {
  return [...present(quote).map(code), ...present(text).map(prose)].join(" ");
}

function printOwner({ server, environment }: Owner): string {
  const name = code(printable(server, 80));
  return environment === undefined ? name : `${name} (${code(printable(environment, 80))})`;
}

/**
 * A line for each tool that differs in some environment. A bar is escaped, since it ends the table cell even inside
 * code.
 */
function printEnvironments({ server, environments, rows }: EnvironmentTable): Block {
  const cell = (text: string): string => code(printable(text, 80).replaceAll("|", "¦"));
  const hasPhp = environments.includes(PHP_ENVIRONMENT);
  const row = (cells: readonly string[], behind: string): string =>
    `| ${[...cells, ...(hasPhp ? [behind] : [])].join(" | ")} |`;
  const heads = environments.map((name) => cell(nameEnvironment(name)));
  const rest = rows.length - NAMED;
  return {
    lines: [
      "",
      `### ${code(printable(server, 80))} by environment`,
      "",
      row(["", ...heads], "behind PHP"),
      row(["---", ...heads.map(() => "---")], "---"),
      ...rows.slice(0, NAMED).map(({ tool, states, behind = [] }) => {
        const name = tool === null ? "the server itself" : cell(tool);
        return row([name, ...states.map(wordsOf)], cell(printBehind(behind)));
      }),
      ...(rest > 0 ? ["", `… and ${formatNumber(rest)} more tools`] : []),
    ],
    shown: 0,
  };
}

const ICON = { breaking: "🔴", dangerous: "🟠", unknown: "🟠", safe: "🟢" } as const;

function printFinding({ findings, owner, words }: ChangeRow, hasOwners: boolean): readonly string[] {
  const [first] = findings;
  const subjects = subjectsOf(findings);
  const isOfServer = describeSubject(first) === undefined;
  const name = joinSubjects(isOfServer ? subjects : subjects.map(code), 5);
  const { says, place, before, after } = words;
  const values = [before, after].filter((value) => value !== undefined).map(code);
  const subject =
    says === undefined ? present(...present(place).map(code), values.join(" → ")).join(": ") : prose(says);
  const rules = present(...new Set(findings.map(({ rule }) => code(rule))), ...qualify(findings)).join(", ");
  const classes = `${ICON[first.class]} **${first.class}**${first.security ? " 🔒 **security**" : ""}`;
  return [
    `- ${present(classes, hasOwners && owner && printOwner(owner), name, subject, `(${rules})`).join(" ")}`,
    ...words.notes.map((note) => `  - ${printNote(note)}`),
  ];
}

/** The first blocks that fit into `room` characters, and the room that is left. */
function fit(blocks: readonly Block[], room: number): Block & { readonly left: number } {
  const sizes = blocks.map(({ lines }) => lines.reduce((sum, line) => sum + line.length + 1, 0));
  let left = room;
  const end = sizes.findIndex((size) => {
    if (size > left) return true;
    left -= size;
    return false;
  });
  const fitting = end < 0 ? blocks : blocks.slice(0, end);
  return {
    lines: fitting.flatMap(({ lines }) => lines),
    shown: fitting.reduce((sum, { shown }) => sum + shown, 0),
    left,
  };
}

/**
 * A code span (CommonMark, section 6.1) with any one-line text: its delimiters are longer than every run of backticks
 * in it. GitHub does not interpret mentions, links, references, images or tags in code spans.
 */
function code(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(1 + runs.reduce((longest, run) => Math.max(longest, run.length), 0));
  const pad = /^`|`$|^ .* $/.test(text) || text.trim() === "" ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

/**
 * Words and punctuation that Markdown does not interpret, without domains, references, commits or emoji that GitHub
 * replaces.
 */
const UNMARKED = /^(?!.*(?:www\.|gh-\d|[\da-f]{7}|:\w+:))[\p{L}\p{N} .,:;?'"()→…-]*$/iu;

/** The parts of a sentence: a name in backticks, a quotation, spaces, or a word without the punctuation after it. */
const PARTS = /`[^`]+`|"[^"]*"|\s+|[.,:;)]+(?=[\s`"]|$)|[^\s`"]*[^\s`".,:;)]|\S/gu;

/** What begins a list, or is a rule, at the start of a line. */
const LIST_MARKER = /^(?:-|\d+[.)](?:\s|$))/;

/** A sentence in Markdown. Parts that Markdown or GitHub would interpret become code spans. */
function prose(text: string): string {
  // Adjacent parts share a span, since two adjacent spans would merge their backticks.
  const runs: { text: string; readonly isPlain: boolean }[] = [];
  for (const [part] of text.matchAll(PARTS)) {
    const isPlain = UNMARKED.test(part) && !(runs.length === 0 && LIST_MARKER.test(text));
    const last = runs.at(-1);
    if (last?.isPlain === isPlain) last.text += part;
    else runs.push({ text: part, isPlain });
  }
  return runs
    .map((run) => (run.isPlain ? run.text : code(/^`([^`]+)`$/.exec(run.text)?.[1] ?? run.text)))
    .join("");
}
