import { groupBy } from "../core/collections.js";
import type { Section } from "../core/findings.js";
import { printable } from "../core/printable.js";
import { joinWords } from "./describe-change.js";
import { joinNote } from "./describe-findings.js";
import type { ReportContent } from "./report-content.js";
import { byServer, joinSubjects, nameClass, subjectsOf } from "./fold-changes.js";
import { present } from "./layout.js";
import { type ChangeRow, groupNotes, type Row, rowsOf, TITLES } from "./rows.js";

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
  const { changes, ...others } = { ...rows, notes: groupNotes(rows.notes) };
  const drifted = new Set(content.changes.map(({ server }) => server));
  const upToDate = content.verified.filter((server) => !drifted.has(server));
  const areFilesCurrent = rows.files.length === 0 && content.comparedFiles > 0;
  const all = [
    ...byServer(changes).map(caseOfChange),
    ...upToDate.map((server) => passed(server, "is as locked")),
    ...Object.values(others).flat().map(caseOf),
    ...(areFilesCurrent ? [passed(suiteOf("files"), "match the lock")] : []),
  ];
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

function suiteOf(section: Section): string {
  return TITLES[section].toLowerCase();
}

/** What is about a server is a case of its suite. */
const OF_SERVER: readonly Section[] = ["changes", "unverified", "budget", "notes", "php"];

/** A case has the name of its rule, like that of a change. A row that does not fail the check is not a failure. */
function caseOf(row: Row): Case {
  const { section, fails, place, subject, rule, message, explanations, notes } = row;
  const isInformation = section === "notes" || section === "php";
  const isOfServer = OF_SERVER.includes(section);
  return {
    suite: isOfServer ? place : suiteOf(section),
    name: present(!isOfServer && place, subject, `[${rule}]`).join(" "),
    outcome: section === "unverified" ? "error" : fails ? "failure" : isInformation ? "skipped" : "passed",
    type: rule,
    message,
    detail: [...explanations, ...notes.map(joinNote)],
  };
}

function passed(suite: string, name: string): Case {
  return { suite, name, outcome: "passed", type: "", message: "", detail: [] };
}

function caseOfChange(row: ChangeRow): Case {
  const { rule, words, findings } = row;
  const subject = joinSubjects(subjectsOf(findings), 20);
  return {
    ...caseOf(row),
    name: present(subject, words.place, `[${rule}]`).join(" "),
    message: present(nameClass(findings[0]), joinWords({ ...words, place: "" })).join(": "),
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
