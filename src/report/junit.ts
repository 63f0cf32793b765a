import { groupBy } from "../core/collections.js";
import { printable } from "../core/printable.js";
import { joinWords } from "./describe-change.js";
import { joinNote } from "./describe-findings.js";
import type { ReportContent } from "./report-content.js";
import { byServer, joinToolNames, nameClass, toolsOf } from "./fold-changes.js";
import { present } from "./layout.js";
import {
  type ChangeRow,
  groupNotes,
  type Row,
  type Rows,
  rowsOf,
  type Sections,
  splitFiles,
  stateOf,
} from "./rows.js";

interface Case {
  readonly suite: string;
  readonly name: string;
  /** `error`: could not be checked, so it neither passed nor failed. `skipped`: does not count, but is shown. */
  readonly outcome: "passed" | "failure" | "error" | "skipped";
  readonly type: string;
  readonly message: string;
  /** Lines of detail. */
  readonly detail: readonly string[];
}

/**
 * A report as JUnit XML: a suite for each server and one for the generated files, a case for each finding. A server
 * that was not verified is an error, like a test that could not run; notes are skipped cases, since reports of tests
 * show these, and hide what a passed case prints.
 */
export function printJunit(content: ReportContent): readonly string[] {
  const rows = rowsOf(content, { value: 400, line: 800, named: 20 });
  const cases = Object.values(sectionsOf(rows, content)).flat();
  const areFilesCurrent = rows.files.length === 0 && content.comparedFiles > 0;
  const all = areFilesCurrent ? [...cases, passed(FILES, "match the lock")] : cases;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="mcp-codegen" ${countsOf(all, ["failure", "error"])}>`,
    ...[...groupBy(all, ({ suite }) => suite)].flatMap(([suite, those]) => [
      `  <testsuite name="${escapeXml(suite)}" ${countsOf(those, ["failure", "error", "skipped"])}>`,
      ...those.flatMap(printCase),
      "  </testsuite>",
    ]),
    "</testsuites>",
  ];
}

const FILES = "generated files";

function sectionsOf(rows: Rows, { verified, changes }: ReportContent): Sections<Case> {
  const { edited, stale } = splitFiles(rows);
  const drifted = new Set(changes.map(({ server }) => server));
  const upToDate = verified.filter((server) => !drifted.has(server));
  const ofFiles = (suite: string, those: readonly Row[]): readonly Case[] =>
    casesOf("failure", those, ({ subject, findings: [{ column = 1 }] }) => ({
      suite,
      name: `${subject}:${column}`,
    }));
  return {
    unverified: casesOf("error", rows.unverified, ({ place }) => ({ suite: place, name: "is verified" })),
    budget: casesOf("failure", rows.budget, ({ place, findings: [{ facts }] }) => ({
      suite: place,
      name: facts?.of === "lock" ? "is locked within its token budget" : "is within its token budget",
    })),
    changes: [
      ...byServer(rows.changes).map(caseOfChange),
      ...upToDate.map((server) => passed(server, "is as locked")),
    ],
    notes: casesOf("skipped", groupNotes(rows.notes), ({ place, rule }) => ({
      suite: place,
      name: `[${rule}]`,
    })),
    php: casesOf("skipped", rows.php, ({ place }) => ({ suite: place, name: "is read from PHP" })),
    records: ofFiles("cassettes", rows.records),
    scripts: ofFiles("scripts", rows.scripts),
    names: ofFiles("unknown names", rows.names),
    hosts: casesOf("failure", rows.hosts, ({ place, subject, rule }) => ({
      suite: "hosts",
      name: present(place, subject, `[${rule}]`).join(" "),
    })),
    // A waiver without effect is not a failure; the finding that it was for fails.
    waivers: casesOf("passed", rows.waivers, ({ rule, place, subject }) => ({
      suite: "waivers",
      name: `of ${rule} for ${place} ${subject}`,
    })),
    files: [
      ...casesOf("failure", stale, (row) => ({
        suite: FILES,
        name: row.subject,
        type: "stale",
        otherwise: `The file is ${stateOf(row)}.`,
      })),
      ...casesOf("failure", edited, ({ subject }) => ({
        suite: FILES,
        name: subject,
        type: "edited",
        otherwise: "The file was edited by hand.",
      })),
    ],
  };
}

interface CaseName {
  readonly suite: string;
  readonly name: string;
  /** Default: the rule. */
  readonly type?: string;
  /** The message of a row without one. */
  readonly otherwise?: string;
}

/** A row that does not fail the check is not a failure. */
function casesOf(
  outcome: Case["outcome"],
  rows: readonly Row[],
  nameOf: (row: Row) => CaseName,
): readonly Case[] {
  return rows.map((row) => {
    const { suite, name, type = row.rule, otherwise = "" } = nameOf(row);
    return {
      suite,
      name,
      type,
      outcome: outcome === "failure" && !row.fails ? "passed" : outcome,
      message: row.message === "" ? otherwise : row.message,
      detail: row.notes.map(joinNote),
    };
  });
}

function passed(suite: string, name: string): Case {
  return { suite, name, outcome: "passed", type: "", message: "", detail: [] };
}

function caseOfChange({ fails, rule, place, words, explanations, notes, findings }: ChangeRow): Case {
  const subject = joinToolNames(toolsOf({ findings }), 20);
  return {
    suite: place,
    name: present(subject, words.place, `[${rule}]`).join(" "),
    outcome: fails ? "failure" : "passed",
    type: rule,
    message: present(nameClass(findings[0]), joinWords({ ...words, place: "" })).join(": "),
    detail: [...explanations, ...notes.map(joinNote)],
  };
}

const COUNTED = { failure: "failures", error: "errors", skipped: "skipped" } as const;

function countsOf(cases: readonly Case[], outcomes: readonly (keyof typeof COUNTED)[]): string {
  const counts = outcomes.map((counted) => {
    const those = cases.filter(({ outcome }) => outcome === counted);
    return `${COUNTED[counted]}="${those.length}"`;
  });
  return [`tests="${cases.length}"`, ...counts].join(" ");
}

function printCase({ suite, name, outcome, type, message, detail }: Case): readonly string[] {
  const head = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}"`;
  if (outcome === "passed" && message === "") return [`${head}/>`];
  const text = detail.map(escapeXml).join("\n");
  const says = escapeXml(message);
  // The published schemas allow no type of a skipped case.
  const kind = outcome === "skipped" ? "" : ` type="${escapeXml(type)}"`;
  const body =
    outcome === "passed"
      ? `<system-out>${present(says, text).join("\n")}</system-out>`
      : `<${outcome}${kind} message="${says}">${text}</${outcome}>`;
  return [`${head}>`, `      ${body}`, "    </testcase>"];
}

const ENTITY: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/**
 * Escapes text for an element or an attribute. Characters that XML 1.0 does not allow (section 2.2) are escaped by
 * `printable`.
 */
function escapeXml(text: string): string {
  return printable(text, 2_000).replace(/[&<>"']/g, (character) => ENTITY[character] ?? character);
}
