import { availableParallelism } from "node:os";
import { acceptOptions } from "../contract/change.js";
import type { LoadedConfig } from "../config/load-config.js";
import { isDrift } from "../drift/apply-policy.js";
import type { Accept } from "../pipeline/pull/settle-plan.js";
import type { ConfirmRemoval } from "../pipeline/pull/settle-plan.js";
import type { PullOptions } from "../pipeline/pull/pull.js";
import { printable } from "../contract/printable.js";
import type { ConfirmPrelude, PullReport, ServerPlan } from "../pipeline/reports.js";
import type { CommandOptions } from "./command-table.js";
import { printServerOutput, today, type Context } from "./context.js";
import { readAccess } from "./load-project.js";
import { confirm } from "./prompts.js";

export interface PullServersOptions extends Pick<
  PullOptions,
  "onPlan" | "onProgress" | "onRender" | "onSnapshot"
> {
  readonly isFrozen: boolean;
  readonly accept: Accept;
  readonly confirmRemoval: ConfirmRemoval;
  readonly confirmPrelude: ConfirmPrelude;
}

export interface PulledServers {
  readonly report: PullReport;
  readonly exitCode: 0 | 1 | 3;
  /** The command that accepts what was held back; absent when there is nothing to accept. */
  readonly command?: string;
}

/** Pulls the named servers, or all, with the variables, the logins and the signal of the command line. */
export async function pullServers(
  context: Context,
  loaded: LoadedConfig,
  servers: readonly string[],
  options: Omit<CommandOptions<"pull">, "accept" | "frozen"> & PullServersOptions,
): Promise<PulledServers> {
  const [{ pull }, access] = await Promise.all([
    import("../pipeline/pull/pull.js"),
    readAccess(context, loaded.dir),
  ]);
  const { isFrozen, accept, confirmRemoval, confirmPrelude, onPlan, onProgress, onRender, onSnapshot } =
    options;
  const isDryRun = options.dryRun === true;
  const report = await pull(loaded, {
    ...access,
    workers: availableParallelism(),
    dryRun: isDryRun,
    frozen: isFrozen,
    force: options.force === true,
    php: options.php === true,
    today: today(),
    accept,
    confirmRemoval,
    confirmPrelude,
    ...printServerOutput(context),
    ...(onPlan && { onPlan }),
    ...(onProgress && { onProgress }),
    ...(onRender && { onRender }),
    ...(onSnapshot && { onSnapshot }),
    ...(servers.length > 0 && { servers }),
    ...(context.io.signal !== undefined && { signal: context.io.signal }),
  });
  const command = acceptCommand(report, servers, options);
  return {
    report,
    exitCode: exitCodeOf(report, {
      isFrozen,
      allowUnresolved: options.allowUnresolved === true,
    }),
    ...(command !== undefined && { command }),
  };
}

/** Returns a function that asks on the terminal, unless `remove` confirms all removals. */
export function createConfirmRemoval(
  context: Context,
  { remove }: { readonly remove?: boolean },
): ConfirmRemoval {
  return (removed) => {
    if (remove === true || !context.isInteractive) return remove === true;
    const names = removed.map(({ server }) => JSON.stringify(server)).join(", ");
    return confirm(context, `Remove ${names} from the lock, and delete the generated files?`, {
      initial: false,
    });
  };
}

/** Returns a function that asks on the terminal, one request after another, unless `prelude` confirms all calls. */
export function createConfirmPrelude(
  context: Context,
  { prelude }: { readonly prelude?: boolean },
): ConfirmPrelude {
  let last: Promise<unknown> = Promise.resolve();
  return ({ server, variant, calls }) => {
    if (prelude === true || !context.isInteractive) return prelude === true;
    const names = calls.map(({ tool }) => JSON.stringify(printable(tool, 80))).join(", ");
    const whose = `server ${JSON.stringify(server)}${variant === undefined ? "" : `, variant ${JSON.stringify(variant)}`}`;
    const asked = last.then(() =>
      confirm(context, `Call ${names} before the tools of ${whose} are listed?`, { initial: false }),
    );
    last = asked.catch(() => undefined);
    return asked;
  };
}

/** Whether there is something to write. */
function isPending({ servers, stale, edited }: PullReport): boolean {
  return servers.some(isToBeWritten) || stale.length > 0 || edited.length > 0;
}

function isToBeWritten({ status }: ServerPlan): boolean {
  return status === "new" || status === "changed" || status === "removed";
}

/** Whether the server, or one of its tools, is held back. */
function hasHeld({ unaccepted = [] }: ServerPlan): boolean {
  return unaccepted.length > 0;
}

function isUnconfirmed({ leftover }: ServerPlan): boolean {
  return leftover === "unconfirmed";
}

/** Whether there is drift, as in `check`. A change that is never drift, such as a server's version, is not a finding. */
function hasFindings({ servers, stale, edited }: PullReport): boolean {
  const found = servers.some(
    (plan) =>
      isToBeWritten(plan) &&
      (plan.status !== "changed" ||
        plan.changes.length === 0 ||
        plan.changes.some((change) => isDrift(change, "any"))),
  );
  return found || stale.length > 0 || edited.length > 0;
}

/**
 * Findings take precedence over servers that were not verified, so that an outage never hides drift. A dry run exits as
 * the pull would.
 */
function exitCodeOf(
  report: PullReport,
  { isFrozen, allowUnresolved }: { readonly isFrozen: boolean; readonly allowUnresolved: boolean },
): 0 | 1 | 3 {
  const isHeld = report.servers.some(hasHeld);
  const isLeft = report.servers.some(isUnconfirmed);
  if ((isFrozen && hasFindings(report)) || isHeld || isLeft) return 1;
  return report.unverified.some(({ rule }) => !allowUnresolved || rule !== "php-unresolved") ? 3 : 0;
}

function acceptCommand(
  report: PullReport,
  servers: readonly string[],
  options: { readonly php?: boolean },
): string | undefined {
  const held = report.servers.filter(hasHeld);
  const isRemoving = report.servers.some((plan) => plan.status === "removed" || isUnconfirmed(plan));
  const isRemovalLeft = isRemoving && (!report.wrote || report.servers.some(isUnconfirmed));
  if (held.length === 0 && !isRemovalLeft && (report.wrote || !isPending(report))) return undefined;
  // If everything else was written, only held findings remain to be accepted.
  const named = report.wrote && !isRemovalLeft ? held.map(({ server }) => server) : servers;
  const accepted = acceptOptions(held.flatMap(({ unaccepted = [] }) => unaccepted));
  const force = !report.wrote && report.edited.length > 0 ? ["--force"] : [];
  const php = options.php === true ? ["--php"] : [];
  const remove = isRemovalLeft ? ["--remove"] : [];
  return ["npx mcp-codegen pull", ...php, ...named, ...accepted, ...remove, ...force].join(" ");
}
