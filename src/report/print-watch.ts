import type { ImpactSummary } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import type { Finding, PhpNotes } from "../core/finding.js";
import { NOT_VERIFIED } from "../core/findings.js";
import type { McpCodegenError } from "../core/errors.js";
import { printable } from "../core/printable.js";
import { successorsOf } from "../core/rename.js";
import type { PullReport, ServerPlan } from "../pipeline/pull/pull-report.js";
import { nameSubject } from "./describe-edit.js";
import { describeRefusals } from "./describe-findings.js";
import { countOthers, isEdited, type ReportContent, TAKE_IT } from "./report-content.js";
import { byServer, joinSubjects, subjectsOf } from "./fold-changes.js";
import { describeHeads, unlessFailed } from "./report-head.js";
import { count, firstOf, joinFirst, present } from "./layout.js";
import { countUnaccepted, printContract, whyRemoved } from "./print-pull.js";
import { type ChangeRow, rowsOf } from "./rows.js";

/** One line of `watch` about a server, or about all if `server` is empty. All text is printable. */
export interface WatchLine {
  readonly server: string;
  readonly text: string;
  /** `event`: it happened in this round. The others last, and are printed once while they do. */
  readonly kind: "event" | "finding" | "outage";
}

const LIMITS = { value: 40, line: 120 } as const;
/** How many names or findings of a server a round prints. */
const SHOWN = { names: 3, findings: 20 } as const;

/**
 * Returns the changes and failures of a pull, one line each.
 *
 * @param retried the servers that are tried again after a failure
 * @param accept the command that accepts the held back findings
 */
export function linesOfPull(
  report: PullReport,
  { retried, accept }: { readonly retried: ReadonlySet<string>; readonly accept?: string | undefined },
): readonly WatchLine[] {
  const { written, removed } = report.files ?? { written: [], removed: [] };
  const files = present(
    written.length > 0 && `wrote ${count(written.length, "file")}`,
    removed.length > 0 && `removed ${count(removed.length, "file")}`,
  );
  const eventOf = (server: string, parts: readonly string[]): WatchLine => ({
    server,
    kind: "event",
    text: parts.join(" · "),
  });
  const changed = report.servers.filter((plan) => describePlan(plan).length > 0);
  // Which files belong to which of several servers is seldom of interest.
  const isOne = changed.length === 1;
  return [
    ...changed.map((plan) =>
      eventOf(plan.server, [...describePlan(plan, report.impact), ...(isOne ? files : [])]),
    ),
    ...(isOne || files.length === 0 ? [] : [eventOf("", files)]),
    ...report.servers.flatMap((plan) => describeHeld(plan, accept)),
    ...linesOfRefused(report.php ?? []),
    ...describeOutages(report.unverified, retried),
  ];
}

/** The parts of the line about a server whose files were written; empty for others. */
function describePlan(plan: ServerPlan, impact?: ImpactSummary): readonly string[] {
  const contract = `contract ${printContract(plan)}`;
  switch (plan.status) {
    case "new":
      return [`locked ${count(plan.tools, "tool")}`, contract];
    case "changed":
      return plan.changes.length === 0
        ? [contract, "no tool changed"]
        : [
            ...describeHeads(plan.changes, unlessFailed(impact)).flatMap(({ version, classes, code }) =>
              present(version, classes, code),
            ),
            describeTools(plan),
            contract,
          ];
    case "removed":
      return [`removed from the lock, ${count(plan.tools, "tool")}`];
    case "unchanged":
    case "leftover":
    case "failed":
    case "held":
      return [];
    default:
      return plan.status satisfies never;
  }
}

/** `1 tool changed (list-posts), 1 renamed (find-post → search-posts), 2 added (get-post, get-page)` */
function describeTools({ changes }: ServerPlan): string {
  const toolsWith = (rule?: string): readonly string[] => [
    ...new Set(
      changes.flatMap((change) => (rule === undefined || change.rule === rule ? (change.tool ?? []) : [])),
    ),
  ];
  const added = toolsWith("tool-added");
  const removed = toolsWith("tool-removed");
  const renames = changes
    .filter(({ rule }) => rule === "tool-renamed")
    .map((change) => ({ before: change.tool ?? "", after: successorsOf(change) }));
  const others = new Set([
    ...added,
    ...removed,
    ...renames.flatMap(({ before, after }) => [before, ...after]),
  ]);
  const changed = toolsWith().filter((name) => !others.has(name));
  const renamed = renames.map(({ before, after }) => `${before} → ${after.join(" and ")}`);
  const groups = Object.entries({ changed, renamed, added, removed }).filter(([, names]) => names.length > 0);
  const tools = groups.map(([verb, names], index) => {
    const amount = index === 0 ? count(names.length, "tool") : String(names.length);
    const listed = names.map((name) => printable(name, 80));
    return `${amount} ${verb} (${joinFirst(listed, SHOWN.names)})`;
  });
  // The changes that the server made without a new version are in the line already.
  const about = changes.filter(({ tool, rule }) => tool === undefined && rule !== "server-version-kept");
  const subjects = new Set(about.map(nameSubject));
  const named = firstOf([...subjects], SHOWN.names, (rest) => `${rest} more`);
  return present(...tools, subjects.size > 0 && `changed: ${named.join(", ")}`).join(", ");
}

function describeHeld(plan: ServerPlan, accept: string | undefined): readonly WatchLine[] {
  const { server, status, unaccepted = [], heldTools = [] } = plan;
  const isLeftover = status === "leftover";
  if (unaccepted.length === 0 && !isLeftover) return [];
  const what = heldTools.length > 0 ? `${count(heldTools.length, "tool")} held back` : "held back";
  const rules = [...new Set(unaccepted.map(({ rule }) => rule))].join(", ");
  const findings = `${countUnaccepted(plan)} not accepted (${rules})`;
  const says = isLeftover ? `${whyRemoved(plan)}, and still locked` : `${what}: ${findings}`;
  return [findingLine(server, present(says, accept && `to accept: ${accept}`).join(" · "))];
}

/** Says what WordPress refuses to register: its tools are missing in the list, and no other line says why. */
function linesOfRefused(readings: readonly PhpNotes[]): readonly WatchLine[] {
  return readings.flatMap(({ server, refused }) =>
    describeRefusals(refused).map((text) => findingLine(server, text)),
  );
}

function describeOutages(unverified: readonly Finding[], retried: ReadonlySet<string>): readonly WatchLine[] {
  return unverified.map(({ rule, server = "", message = "", hint, facts: { stderr = [] } = {} }) => ({
    server,
    kind: "outage",
    text: present(
      present(rule !== NOT_VERIFIED && rule, printable(message, 400)).join(": "),
      stderr.length > 0 && `It wrote to stderr: ${JSON.stringify(printable(stderr.join(" "), 400))}.`,
      hint && printable(hint, 400),
      retried.has(server) && "Trying again.",
    ).join(" "),
  }));
}

/** Returns the findings of a check, one line each. */
export function linesOfCheck(
  content: ReportContent,
  { retried }: { readonly retried: ReadonlySet<string> },
): readonly WatchLine[] {
  const open = content.changes.filter(({ waiver }) => waiver === undefined);
  const rows = rowsOf({ ...content, changes: open }, { ...LIMITS, named: SHOWN.names });
  const changes = byServer(rows.changes).map(lineOfChange);
  const edited = content.files.filter(isEdited).length;
  const stale = content.files.length - edited;
  const rest = changes.length - SHOWN.findings;
  const others = present(
    rest > 0 && `and ${count(rest, "more change")}`,
    stale > 0 && `${count(stale, "file")} out of date`,
    edited > 0 && `${count(edited, "file")} edited by hand`,
    ...countOthers(content),
  );
  return [
    ...linesOfHeads({ ...content, changes: open }),
    ...changes.slice(0, SHOWN.findings),
    ...rows.budget.map((row): WatchLine => findingLine(row.owner?.server ?? "", row.message)),
    ...others.map((text) => findingLine("", text)),
    ...linesOfRefused(content.php.flatMap(({ facts }) => facts?.php ?? [])),
    ...describeOutages(content.unverified, retried),
  ];
}

/** The head of each server; of the only one, with the command that takes its changes. */
function linesOfHeads({ changes, repairs, impact }: ReportContent): readonly WatchLine[] {
  const servers = [...groupBy(changes, ({ server }) => server)];
  const take = servers.length === 1 ? repairs.find(({ does }) => does === TAKE_IT)?.command : undefined;
  return servers.flatMap(([server, ofServer]) =>
    describeHeads(ofServer, unlessFailed(impact)).map(({ version, classes, code }) =>
      findingLine(server, present(version, classes, code, take && `to take it: ${take}`).join(" · ")),
    ),
  );
}

function lineOfChange({ findings, words, message, rule }: ChangeRow): WatchLine {
  const [first] = findings;
  const tools = joinSubjects(subjectsOf(findings), SHOWN.names);
  const text = present(first.class, `${words.sign} ${tools}`, message, `(${rule})`).join(" ");
  return findingLine(first.server, text);
}

function findingLine(server: string, text: string): WatchLine {
  return { server, kind: "finding", text };
}

/** Returns the error of a round. A round that wrote nothing is tried again at the next wake. */
export function linesOfError(
  server: string,
  { exitCode, message, hint }: McpCodegenError,
): readonly WatchLine[] {
  const lines = message.split("\n").map((line) => printable(line.trim(), 400));
  const text = present(...lines, hint && printable(hint, 400)).join(" ");
  return [{ server, kind: exitCode === 3 ? "outage" : "finding", text }];
}
