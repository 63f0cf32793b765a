import type { PullReport, ServerPlan } from "../pipeline/pull/pull-report.js";
import {
  count,
  countEntries,
  type Layout,
  type Paint,
  present,
  firstOf,
  joinWithin,
  wrap,
} from "./layout.js";
import { groupBy } from "../core/collections.js";
import { findingOfFile, findingOfNote } from "../core/findings.js";
import { LOCKFILE_NAME, type LockedServer } from "../core/lockfile.js";
import type { Change, ImpactSummary } from "../core/change.js";
import { printable, formatNumber } from "../core/printable.js";
import { countFindings, foldChanges } from "./fold-changes.js";
import { printChanges, printFindingPlaces } from "./print-changes.js";
import { printGenerate, printNotes } from "./print-generate.js";
import {
  describeHeads,
  type HeadContent,
  isSilent,
  joinHead,
  listHits,
  unlessFailed,
} from "./report-head.js";
import { printFiles, printHead, printHits, printUnverified } from "./text.js";
import { HOSTS } from "../core/hosts/host.js";
import { hostsWithFewer } from "../core/hosts/find-host-findings.js";
import { type ListedCategory, type ListedTool, listServerTools } from "./list-tools.js";

interface PlanOptions {
  readonly isAll?: boolean | undefined;
  /** The most lines of a server's changes without `--all`. */
  readonly most?: number;
  /** Whether the head that all reports begin with was printed. */
  readonly hasHead?: boolean;
  readonly impact?: ImpactSummary | undefined;
}

/** Prints the differences between the lock and each server, before anything is written. */
export function printPlan(
  plans: readonly ServerPlan[],
  layout: Layout,
  options: PlanOptions = {},
): readonly string[] {
  return plans.flatMap((plan) => [
    ...printServer(plan, layout, options),
    ...(plan.isPrivate === true
      ? [layout.paint.dim("  the server marks its list as private: it may differ for another account")]
      : []),
    ...printNotes(plan.diagnostics.map(findingOfNote), layout.paint).map((line) => `  ${line}`),
  ]);
}

/** Where nothing else is printed. */
const MOST = 50;
/** The fewest lines for the changes of all servers, however many others there are. */
const LEAST = 20;

/**
 * Prints a plan that is not carried out: what changed, whether it hits the user's code and what can be done, as a check
 * does, then the changes of each server in the room that `rest`, the lines after them, leaves.
 */
export function printDryRun(
  servers: readonly ServerPlan[],
  layout: Layout,
  { rest, isAll, ...head }: HeadContent & PlanOptions & { readonly rest: number },
): readonly string[] {
  const lines = printHead(head, layout);
  const changed = servers.filter(({ status, changes }) => status === "changed" && changes.length > 0);
  const room = Math.max(LEAST, MOST - lines.length - rest);
  const most = Math.ceil(room / Math.max(1, changed.length));
  return [...lines, ...printPlan(servers, layout, { isAll, most, hasHead: true })];
}

function printServer(plan: ServerPlan, layout: Layout, options: PlanOptions = {}): readonly string[] {
  const { isAll = false, hasHead = false } = options;
  const { paint } = layout;
  const name = paint.bold(plan.server);
  switch (plan.status) {
    case "new":
      return [
        `${name} ${paint.green("new")}, ${countParts(plan)}, contract ${plan.after ?? "1.0.0"}`,
        ...(plan.block === undefined ? [] : printNewServer(plan.server, plan.block, layout, isAll)),
        ...printSome(
          plan.changes.filter(({ rule }) => rule !== "tool-added"),
          layout,
          options,
        ),
      ];
    case "changed":
      // A server's metadata or the way it was listed may change without a finding.
      if (plan.changes.length === 0) return [`${name}: contract ${printContract(plan)}, no tool changed`];
      return [
        ...(plan.isEmptied === true
          ? [`${name} ${paint.red("all tools to be removed")}: none is left; ${describeFiles(plan)}`]
          : []),
        ...(hasHead
          ? [`${name}: contract ${printContract(plan)}`]
          : describeHeads(plan.changes, unlessFailed(options.impact)).map(
              (words) => `${joinHead(words, name)} · contract ${printContract(plan)}`,
            )),
        ...printSome(plan.changes, layout, options),
        ...present(
          plan.isPartial === true && paint.dim("  all else stays as it is locked: check lists its changes"),
        ),
      ];
    case "unchanged":
      return [`${name} unchanged, ${countParts(plan)}, contract ${plan.before ?? plan.after ?? ""}`];
    case "removed":
      return [`${name} ${paint.red("to be removed")}: no longer configured; ${describeRemoval(plan)}`];
    case "leftover":
      return [
        `${name} ${paint.red("not removed")}: ${whyRemoved(plan)}, and ${LEFTOVER[plan.leftover ?? "unconfirmed"]}`,
        paint.dim(`  its block in the lock stays unchanged, with ${describeRemoval(plan)}`),
      ];
    case "failed":
      // The reason is printed later, under "Not verified".
      return [`${name} ${paint.red("failed")}`, ...(plan.before === undefined ? [] : [paint.dim(UNCHANGED)])];
    case "held":
      return [
        `${name} ${paint.red("held back")}: ${countUnaccepted(plan)} not accepted`,
        ...printUnaccepted(plan, layout),
        paint.dim(UNCHANGED),
      ];
    default:
      return plan.status satisfies never;
  }
}

function countParts({ tools, entries = {} }: ServerPlan): string {
  return [count(tools, "tool"), ...countEntries((list) => entries[list])].join(", ");
}

const UNCHANGED = "  its block in the lock and its files stay unchanged";

/** Returns why a locked server, or its tools, would leave the lock. */
export function whyRemoved({ isEmptied }: ServerPlan): string {
  return isEmptied === true ? "none of its tools is left" : "no longer configured";
}

const LEFTOVER = {
  unconfirmed: "its removal was not confirmed",
  unreplaced: "a new server that may replace it was not locked",
} as const;

function describeRemoval(plan: ServerPlan): string {
  const lost = `${count(plan.tools, "tool")} and ${describeFiles(plan)}`;
  return plan.renamedTo === undefined ? lost : `${lost}; its new key is probably "${plan.renamedTo}"`;
}

function describeFiles({ files = 0 }: ServerPlan): string {
  return count(files, "generated file");
}

/** Prints a server that is held back, or its tools that are. */
function printHeld(plan: ServerPlan, layout: Layout & { readonly wrote: boolean }): readonly string[] {
  const { paint, wrote } = layout;
  const { heldTools = [], heldEntries = [] } = plan;
  if (plan.status === "held" || plan.status === "leftover") return printServer(plan, layout);
  if (heldTools.length + heldEntries.length === 0) return [];
  const others = plan.tools - heldTools.length;
  const held = present(
    heldTools.length > 0 && count(heldTools.length, "tool"),
    ...countEntries((list) => heldEntries.filter((entry) => entry.list === list).length || undefined),
  ).join(", ");
  return [
    `${paint.bold(plan.server)} ${paint.red(`${held} held back`)}: ${countUnaccepted(plan)} not accepted`,
    ...printUnaccepted(plan, layout),
    // The contract in the plan, printed before, includes the held back tools.
    paint.dim(
      `  the lock is unchanged for these; ${count(others, "other tool")} ${wrote ? (others === 1 ? "is" : "are") : "would be"} locked as contract ${plan.after ?? plan.before ?? "1.0.0"}`,
    ),
  ];
}

/** `1 security finding in 6 places` */
export function countUnaccepted({ unaccepted = [] }: ServerPlan): string {
  return countFindings(foldChanges(unaccepted), "security finding");
}

/** How many places of findings that hold tools back are named: `--json` has all. */
const MOST_HELD = 12;

function printUnaccepted({ unaccepted = [] }: ServerPlan, layout: Layout): readonly string[] {
  const groups = [...groupBy(unaccepted, ({ rule, class: level }) => `${level} ${rule}`).values()];
  const most = Math.max(3, Math.floor(MOST_HELD / groups.length));
  return groups.flatMap((group) => printFindingPlaces(group, layout, most));
}

function printSome(
  changes: readonly Change[],
  layout: Layout,
  { isAll = false, most = MOST }: PlanOptions,
): readonly string[] {
  const { lines, isWhole } = printChanges(changes, layout, isAll ? Infinity : most);
  return isWhole ? lines : [...lines, layout.paint.dim('  "--all" prints all of it')];
}

/** The contract of a server, with the one before if it is another. */
export function printContract({ before, after }: ServerPlan): string {
  if (before === undefined || before === after) return after ?? "";
  return after === undefined ? before : `${before} → ${after}`;
}

interface PullContext extends Layout {
  /** The output folder; undefined where no code is generated. */
  readonly output: string | undefined;
  /** The command that accepts the held back findings; absent without any. */
  readonly accept?: string | undefined;
  readonly isFrozen?: boolean | undefined;
  readonly isDryRun?: boolean | undefined;
  /** Whether the project has code that may use old names. */
  readonly hasCode?: boolean | undefined;
  /** With `--server`: the server was only listed. */
  readonly isLook?: boolean | undefined;
}

/** Prints the result of a `pull` after its plan: written files, unverified servers, and the next command. */
export function printPull(report: PullReport, context: PullContext): readonly string[] {
  const { paint, output, accept, isLook = false } = context;
  return [
    ...printNotes(report.diagnostics.map(findingOfNote), paint),
    ...printFiles("Files that would be written:", report.stale.map(findingOfFile), paint),
    ...(report.edited.length > 0 && !report.wrote
      ? ["Edited by hand:", ...report.edited.map((path) => paint.yellow(`  ${printable(path)}`))]
      : []),
    ...(report.files === undefined || output === undefined
      ? printLock(report, paint)
      : printGenerate(report.files, { paint, output })),
    ...report.servers.flatMap((plan) => printHeld(plan, { ...context, wrote: report.wrote })),
    ...printUnverified(report.unverified, paint),
    ...(report.wrote ? printHits(SILENT, listHits(changesOf(report), isSilent), context) : []),
    ...(report.wrote && !isLook ? [] : [printNothingWritten(report, context)]),
    ...present(
      accept && `To accept: ${paint.bold(accept)}`,
      context.hasCode === true &&
        report.wrote &&
        report.servers.some(isRenamed) &&
        `To rename it in your code: ${paint.bold("npx mcp-codegen fix")}`,
    ),
  ];
}

/** After a pull, `tsc` lists the other lines, and a check finds nothing any more. */
const SILENT = "Your code, where tsc reports nothing";

/** The changes that the lock now has. */
function changesOf({ servers }: PullReport): readonly Change[] {
  return servers.flatMap(({ status, changes }) => (status === "changed" ? changes : []));
}

/** Whether the lock now has a new name of a tool, or of a part of one, and a line of the code may have the old one. */
function isRenamed({ status, changes }: ServerPlan): boolean {
  const isInCode = ({ rule, callSites }: Change): boolean =>
    rule.endsWith("-renamed") && callSites?.length !== 0;
  return status === "changed" && changes.some(isInCode);
}

function printLock({ wrote, servers }: PullReport, paint: Paint): readonly string[] {
  if (!wrote) return [];
  const isChanged = servers.some(({ status }) => ["new", "changed", "removed"].includes(status));
  return [`${paint.bold(LOCKFILE_NAME)}: ${isChanged ? "written" : "unchanged"}`];
}

function printNothingWritten(
  { unverified }: PullReport,
  { isLook = false, isFrozen = false, isDryRun = false, accept }: PullContext,
): string {
  if (isLook) return "Nothing was written (--server).";
  if (!isFrozen && !isDryRun) return "Nothing was written: no server has tools to lock.";
  if (accept !== undefined)
    return `Nothing was written (${isFrozen ? "--frozen, the default when CI is set" : "--dry-run"}).`;
  return unverified.length === 0
    ? "Nothing to write: lock and files are up to date."
    : "Nothing to write for the servers that were verified.";
}

/** Fewer tools are named one by one. */
const FEW = 30;
/** The most lines of a server that is locked for the first time, besides its head. */
const MOST_OF_NEW = 30;

/** Prints the tools of a new server: their cost, the hosts that do not take so many, and a line for each category. */
function printNewServer(
  server: string,
  block: LockedServer,
  { paint, width }: Layout,
  isAll: boolean,
): readonly string[] {
  const { categories, tools, tokens } = listServerTools({ server, block, isLocked: true });
  const cost = `  ≈ ${count(tokens, "token")} in every turn that lists all tools`;
  const limits = hostsWithFewer(tools).map(
    ({ host, most }, at) => `${HOSTS[host]}${at === 0 ? " takes" : ""} ${most}`,
  );
  const names = Object.keys(block.tools);
  const lines =
    isAll || names.length <= FEW
      ? names.map((name) => paint.green(`  + ${printable(name, 80)}`))
      : printCategories(categories, width);
  return [
    ...firstOf(
      lines,
      isAll ? Infinity : MOST_OF_NEW,
      (rest) => `  … ${count(rest, "more line")}: "--all" names every tool`,
    ),
    ...(limits.length === 0
      ? []
      : wrap(`${formatNumber(tools)} tools: ${limits.join(", ")}`, width - 2).map((line) =>
          paint.yellow(`  ${line}`),
        )),
    paint.dim(cost),
  ];
}

function printCategories(categories: readonly ListedCategory[], width: number): readonly string[] {
  const rows = categories.map(({ category, isGuess, tools }) => ({
    name:
      category === null ? "no category" : `${printable(category, 40)}${isGuess === true ? " (guessed)" : ""}`,
    effects: countEffects(tools),
    tools,
  }));
  const names = Math.max(...rows.map(({ name }) => name.length));
  const effects = Math.max(...rows.map((row) => row.effects.length));
  return rows.map(({ name, effects: counted, tools }) => {
    const head = `  ${name.padEnd(names)}  ${counted.padEnd(effects)}  `;
    const room = width - head.length;
    // A line for each category: a list that is hardly more than "… 28 more" says nothing.
    if (room < LEAST_OF_CATEGORY) return head.trimEnd();
    const listed = tools.map((tool) => printable(tool.name, 80));
    return head + joinWithin(listed, room);
  });
}

/** The least room for the names of a category. */
const LEAST_OF_CATEGORY = 20;

/** `20 read, 1 writes, 1 unstated` */
function countEffects(tools: readonly ListedTool[]): string {
  return (["reads", "writes", "destroys", "unstated"] as const)
    .map((effect) => ({ effect, amount: tools.filter((tool) => tool.effect === effect).length }))
    .filter(({ amount }) => amount > 0)
    .map(
      ({ effect, amount }) => `${formatNumber(amount)} ${amount === 1 ? effect : effect.replace(/s$/, "")}`,
    )
    .join(", ");
}
