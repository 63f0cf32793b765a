import { describeChanges, joinNote, joinWords } from "./describe-change.js";
import { describeFileFinding, describeExcess, describeNotice, isWaived } from "./print-sections.js";
import type { Findings, ReportedChange } from "./findings.js";
import { describeNotes, groupNotes } from "./notes.js";
import { rulesOf, type FoldedChange } from "./fold-changes.js";
import { groupChanges, nameTools, placeOf, toolsOf } from "./group-changes.js";
import { printable } from "../contract/printable.js";

/** One test case. */
interface Case {
  readonly suite: string;
  readonly name: string;
  /** `error`: could not be checked, so it neither passed nor failed. `skipped`: does not count, but is shown. */
  readonly outcome: "passed" | "failure" | "error" | "skipped";
  readonly type?: string;
  readonly message?: string;
  /** Lines of detail. */
  readonly detail?: readonly string[];
}

/**
 * A report as JUnit XML: a suite for each server and one for the generated files, a case for each finding. A server
 * that was not verified is an error, like a test that could not run; notes are skipped cases, since reports of tests
 * show these, and hide what a passed case prints.
 */
export function printJunit(findings: Findings): readonly string[] {
  const cases = casesOf(findings);
  const suites = [...new Set(cases.map(({ suite }) => suite))];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="mcp-codegen" ${countsOf(cases, ["failure", "error"])}>`,
    ...suites.flatMap((suite) =>
      printSuite(
        suite,
        cases.filter((one) => one.suite === suite),
      ),
    ),
    "</testsuites>",
  ];
}

function casesOf(findings: Findings): readonly Case[] {
  const { changes, verified, unverified, stale, edited, doFilesFail, files, diagnostics } = findings;
  const { waivers = [], overBudget = [], cassettes = [], mentions = [] } = findings;
  const fileOutcome = doFilesFail ? "failure" : "passed";
  const fileCases: readonly Case[] = [
    ...stale.map(({ path, state, reason, hint }): Case => ({
      suite: "generated files",
      name: path,
      outcome: fileOutcome,
      type: "stale",
      message: reason ?? `The file is ${state}.`,
      ...(hint !== undefined && { detail: [hint] }),
    })),
    ...edited.map((path): Case => ({
      suite: "generated files",
      name: path,
      outcome: fileOutcome,
      type: "edited",
      message: "The file was edited by hand.",
    })),
  ];
  const drifted = new Set(changes.map(({ server }) => server));
  return [
    ...unverified.map(({ server, environment, reason, hint, stderr = [] }): Case => ({
      suite: placeOf({ server, environment }),
      name: "is verified",
      outcome: "error",
      type: "not-verified",
      message: reason,
      detail: [...stderr, ...(hint === undefined ? [] : [hint])],
    })),
    ...overBudget.map((excess): Case => ({
      suite: placeOf(excess),
      name: excess.of === "lock" ? "is locked within its token budget" : "is within its token budget",
      outcome: "failure",
      type: "over-token-budget",
      message: describeExcess(excess),
    })),
    ...groupChanges(changes).flatMap(({ findings: found }) => found.map(caseOf)),
    ...verified
      .filter((server) => !drifted.has(server))
      .map((server): Case => ({ suite: server, name: "is as locked", outcome: "passed" })),
    ...groupNotes(diagnostics).map((notes): Case => {
      const [{ server, code, file }] = notes;
      const [first, ...others] = describeNotes(notes);
      return {
        suite: server,
        name: [...(file === undefined ? [] : [file]), `[${code}]`].join(" "),
        outcome: "skipped",
        type: code,
        ...(first !== undefined && { message: first }),
        detail: others,
      };
    }),
    ...[...cassettes, ...mentions].map((finding): Case => ({
      suite: finding.rule === "mention-unknown" ? "unknown names" : "cassettes",
      name: `${finding.path}:${finding.line}:${finding.column}`,
      outcome: isWaived(finding) ? "passed" : fileOutcome,
      type: finding.rule,
      message: describeFileFinding(finding),
    })),
    // A waiver without effect is not a failure; the finding that it was for fails.
    ...waivers.map((notice): Case => ({
      suite: "waivers",
      name: `of ${notice.waiver.rule} for ${[notice.waiver.server, notice.waiver.tool ?? "(the server itself)"].join(" ")}`,
      outcome: "passed",
      message: describeNotice(notice),
    })),
    ...(fileCases.length === 0 && files > 0
      ? [{ suite: "generated files", name: "match the lock", outcome: "passed" } as const]
      : fileCases),
  ];
}

function caseOf(finding: FoldedChange<ReportedChange>): Case {
  const { changes } = finding;
  const [first] = changes;
  const words = describeChanges(changes, { value: 400, line: 800 });
  const { place, notes } = words;
  const values = joinWords({ ...words, place: "" });
  const rules = rulesOf(finding);
  return {
    suite: placeOf(first),
    name: [nameTools(toolsOf(finding), 20), ...(place === "" ? [] : [place]), `[${rules}]`].join(" "),
    outcome: first.fails ? "failure" : "passed",
    type: rules,
    message: [`${first.class}${first.security ? ", security" : ""}`, ...(values === "" ? [] : [values])].join(
      ": ",
    ),
    detail: [...new Set(changes.map(({ explanation }) => explanation)), ...notes.map(joinNote)],
  };
}

function printSuite(name: string, cases: readonly Case[]): readonly string[] {
  return [
    `  <testsuite name="${escapeXml(name)}" ${countsOf(cases, ["failure", "error", "skipped"])}>`,
    ...cases.flatMap((one) => printCase(one)),
    "  </testsuite>",
  ];
}

const COUNTED = { failure: "failures", error: "errors", skipped: "skipped" } as const;

function countsOf(cases: readonly Case[], outcomes: readonly (keyof typeof COUNTED)[]): string {
  const counts = outcomes.map((counted) => {
    const those = cases.filter(({ outcome }) => outcome === counted);
    return `${COUNTED[counted]}="${those.length}"`;
  });
  return [`tests="${cases.length}"`, ...counts].join(" ");
}

function printCase({ suite, name, outcome, type = "", message = "", detail = [] }: Case): readonly string[] {
  const head = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}"`;
  const text = detail.map(escapeXml).join("\n");
  if (outcome === "passed") {
    if (message === "") return [`${head}/>`];
    return [
      `${head}>`,
      `      <system-out>${[escapeXml(message), ...(text === "" ? [] : [text])].join("\n")}</system-out>`,
      "    </testcase>",
    ];
  }
  // The published schemas allow no type of a skipped case.
  const kind = outcome === "skipped" ? "" : ` type="${escapeXml(type)}"`;
  return [
    `${head}>`,
    `      <${outcome}${kind} message="${escapeXml(message)}">${text}</${outcome}>`,
    "    </testcase>",
  ];
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
