import type { Project } from "../../../project/project.js";
import { acceptOptions, findingId, isFindingId } from "../../../core/waivers.js";
import type { Change } from "../../../core/change.js";
import type { McpCodegenError } from "../../../core/errors.js";
import { printable } from "../../../core/printable.js";
import { isDrift } from "../../../drift/apply-policy.js";
import { adviseOnRule, ALL_RULES } from "../../../drift/rules.js";
import type { Accept, Acceptance, ConfirmRemoval } from "../../../pipeline/pull/settle-plan.js";
import { type PullOptions, pullProject } from "../../../pipeline/pull/pull-project.js";
import type { PullReport, ServerPlan } from "../../../pipeline/pull/pull-report.js";
import type { ConfirmPrelude } from "../../../sources/snapshot-server.js";
import { count, present, quoteForShell } from "../../../report/layout.js";
import { groupFindings, printFinding } from "../../../report/print-changes.js";
import { orAll, usageError } from "../../command-spec.js";
import { type Context, printOnStderr } from "../../context.js";
import { hasWords } from "../../print-text.js";
import { ask, confirm, printArguments } from "../../prompts.js";

/** The answers to the questions of `pull`. */
export interface PullAnswers {
  readonly accept: Accept;
  readonly confirmRemoval: ConfirmRemoval;
  readonly confirmPrelude: ConfirmPrelude;
}

type PullServersOptions = Partial<PullOptions> &
  PullAnswers & {
    readonly allowUnresolved?: boolean | undefined;
    readonly upgrade?: boolean | undefined;
  };

/**
 * Pulls the named servers, or all. The `command` of the result accepts the findings that were held back; undefined without such
 * findings.
 */
export async function pullServers(project: Project, servers: readonly string[], options: PullServersOptions) {
  const report = await pullProject(project, { ...options, servers: orAll(servers) });
  const command = acceptCommand(report, servers, options);
  return { report, exitCode: exitCodeOf(report, options), command };
}

/** Returns a function that asks on the terminal, unless `remove` confirms all removals. */
export function createConfirmRemoval(
  context: Context,
  { remove }: { readonly remove?: boolean | undefined },
): ConfirmRemoval {
  return (removed) => {
    if (remove === true || !context.isInteractive) return remove === true;
    const names = removed.map(
      ({ server, isEmptied }) => `${isEmptied === true ? "all tools of " : ""}${JSON.stringify(server)}`,
    );
    return confirm(context, `Remove ${names.join(", ")} from the lock, and delete the generated files?`, {
      initial: false,
    });
  };
}

/** Returns a function that asks on the terminal, one request after another, unless `prelude` confirms all calls. */
export function createConfirmPrelude(
  context: Context,
  { prelude }: { readonly prelude?: boolean | undefined },
): ConfirmPrelude {
  let last: Promise<unknown> = Promise.resolve();
  return ({ server, variant, calls }) => {
    if (prelude === true || !context.isInteractive) return prelude === true;
    const names = calls.map(({ tool }) => JSON.stringify(printable(tool, 80))).join(", ");
    const whose = `server ${JSON.stringify(server)}${variant === undefined ? "" : `, variant ${JSON.stringify(variant)}`}`;
    const asked = last.then(() => {
      for (const { tool, arguments: args } of calls)
        printOnStderr(context, [
          `Tool ${JSON.stringify(printable(tool, 80))} would get:`,
          ...printArguments(args),
        ]);
      return confirm(context, `Call ${names} before the tools of ${whose} are listed?`, { initial: false });
    });
    last = asked.catch(() => undefined);
    return asked;
  };
}

function isToBeWritten({ status }: ServerPlan): boolean {
  return status === "new" || status === "changed" || status === "removed";
}

function hasHeld({ unaccepted = [] }: ServerPlan): boolean {
  return unaccepted.length > 0;
}

function isUnconfirmed({ leftover }: ServerPlan): boolean {
  return leftover === "unconfirmed";
}

/** Whether there is drift, as in `check`. A change that is never drift, such as a server's version, is not a finding. */
function hasFindings({ servers, stale, edited }: PullReport): boolean {
  const isCosmetic = ({ status, changes }: ServerPlan): boolean =>
    status === "changed" && changes.length > 0 && !changes.some((change) => isDrift(change, "any"));
  const hasChanges = servers.some((plan) => isToBeWritten(plan) && !isCosmetic(plan));
  return hasChanges || stale.length + edited.length > 0;
}

/**
 * Findings take precedence over servers that were not verified, so that an outage never hides drift. A dry run exits as
 * the pull would.
 */
function exitCodeOf(
  report: PullReport,
  { frozen = false, allowUnresolved = false }: PullServersOptions,
): 0 | 1 | 3 {
  const isHeld = report.servers.some((plan) => hasHeld(plan) || isUnconfirmed(plan));
  if ((frozen && hasFindings(report)) || isHeld) return 1;
  return report.unverified.some(({ rule }) => !allowUnresolved || rule !== "php-unresolved") ? 3 : 0;
}

function acceptCommand(
  report: PullReport,
  servers: readonly string[],
  options: PullServersOptions,
): string | undefined {
  const { servers: plans, stale, edited, wrote } = report;
  const held = plans.filter(hasHeld);
  const isRemoving = plans.some(
    (plan) => plan.status === "removed" || plan.isEmptied === true || isUnconfirmed(plan),
  );
  const isRemovalLeft = isRemoving && (!wrote || plans.some(isUnconfirmed));
  const isPending = !wrote && (plans.some(isToBeWritten) || stale.length + edited.length > 0);
  if (held.length === 0 && !isRemovalLeft && !isPending) return undefined;
  // If everything else was written, only held findings remain to be accepted.
  const isPreview = options.dryRun === true || options.frozen === true;
  const named = !isPreview && !isRemovalLeft ? held.map(({ server }) => server) : servers;
  return present(
    "npx mcp-codegen pull",
    options.php === true && "--php",
    options.upgrade === true && isPreview && "--upgrade",
    ...named,
    ...(options.tools ?? []).map((pattern) => `--tools ${quoteForShell(pattern)}`),
    ...acceptOptions(held.flatMap(({ unaccepted = [] }) => unaccepted)),
    isRemovalLeft && "--remove",
    !wrote && edited.length > 0 && "--force",
    options.allowUnresolved === true && "--allow-unresolved",
  ).join(" ");
}

interface AskOptions {
  /** Names of rules, and ids of findings. */
  readonly names: readonly string[];
  readonly reason?: string | undefined;
  /** Whether to ask the user about all other findings. */
  readonly asks: boolean;
}

/**
 * Returns a function that accepts the findings that `names` lists, by id or by rule, and asks about the others if
 * `asks` is set. It prints each of the `names` that matches no finding.
 *
 * @throws McpCodegenError `USAGE` for a rule that does not exist, and for names without a reason, or a reason
 *   without names
 */
export function createAccept(context: Context, { names, reason, asks }: AskOptions): Accept {
  const unknown = names.find((name) => !ALL_RULES.has(name) && !isFindingId(name));
  if (unknown !== undefined) {
    throw usageError(
      `--accept: unknown rule or finding "${unknown}"${adviseOnRule(unknown)}.`,
      "Reports print the rule and the id of each finding in brackets.",
    );
  }
  if (reason !== undefined && !hasWords(reason)) throw noReason("--reason contains no words.");
  if (names.length > 0 && reason === undefined && !asks) throw noReason("--accept requires --reason.");
  if (names.length === 0 && reason !== undefined && !asks)
    throw usageError("--reason requires --accept.", "Add --accept with the id of a finding, or with a rule.");
  return async (findings) => {
    const namesOf = (finding: Change): readonly string[] => [finding.rule, findingId(finding)];
    const isNamed = (finding: Change): boolean => namesOf(finding).some((name) => names.includes(name));
    const held = new Set(findings.flatMap(namesOf));
    const unused = names.filter((name) => !held.has(name));
    const inVain = (name: string): string => `--accept ${name} matches no finding that is held back.`;
    context.print(unused.map((name) => context.paint.yellow(inVain(name))));
    const accepted = await acceptAll(context, findings.filter(isNamed), reason);
    if (!asks) return accepted;
    const acceptances = [...accepted];
    for (const group of groupFindings(findings.filter((each) => !isNamed(each))))
      acceptances.push(...(await askAbout(context, group, reason)));
    return acceptances;
  };
}

function noReason(message: string): McpCodegenError {
  return usageError(
    message,
    "Explain why these findings are harmless; the reason is saved in mcp-codegen.waivers.json.",
  );
}

async function askAbout(
  context: Context,
  findings: readonly [Change, ...Change[]],
  reason: string | undefined,
): Promise<readonly Acceptance[]> {
  context.print(["", ...printFinding(findings, context)]);
  const what = findings.length === 1 ? "this finding" : `these ${count(findings.length, "finding")}`;
  const isAccepted = await confirm(context, `Accept ${what} (${findings[0].rule})?`, { initial: false });
  return isAccepted ? acceptAll(context, findings, reason) : [];
}

/** Accepts findings for `reason`, or for the reason that the user enters; accepts none if the user cancels. */
async function acceptAll(
  context: Context,
  findings: readonly Change[],
  reason: string | undefined,
): Promise<readonly Acceptance[]> {
  if (findings.length === 0) return [];
  const why =
    reason ??
    (await ask(context, "Why is this harmless? The reason is saved in mcp-codegen.waivers.json.", {
      validate: (text) => (hasWords(text) ? undefined : "Write a reason, or press Ctrl+C to accept nothing."),
    }));
  return why === undefined ? [] : findings.map((finding) => ({ finding, reason: why.trim() }));
}
