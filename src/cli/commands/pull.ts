import { availableParallelism } from "node:os";
import { relative } from "node:path";
import type { PullReport, ServerPlan } from "../../pipeline/reports.js";
import type { ConfirmRemoval } from "../../pipeline/plan-removals.js";
import { McpCodegenError } from "../../contract/errors.js";
import { acceptOptions } from "../../contract/change.js";
import { isDrift } from "../../drift/apply-policy.js";
import { pullDocument } from "../../report/documents.js";
import { printPlan, printPull } from "../../report/print-pull.js";
import { createAccept } from "../accept-findings.js";
import { readServerOptions } from "../ad-hoc-server.js";
import { isCi, today, type Context, type Runner, printServerOutput } from "../context.js";
import { loadProject, readAccess } from "../load-project.js";
import { previewServer } from "../preview-server.js";
import { missingPackages } from "../missing-packages.js";
import type { CommandOptions } from "../command-table.js";
import { showProgress, showRendering } from "../show-progress.js";
import { confirm } from "../prompts.js";

/** Sources → lock → files, with the differences shown before anything is written. With `--server`, only shown. */
export const runPull: Runner<"pull"> = async (context, servers, options) => {
  const named = await readServerOptions(context, options);
  if (named?.kind === "ad-hoc") return previewServer(context, named.server, servers, options);
  if (named !== undefined) {
    throw new McpCodegenError(
      "USAGE",
      `Server "${named.name}" is configured; --server takes a command or a URL.`,
      {
        hint: `Run "npx mcp-codegen pull ${named.name}".`,
      },
    );
  }
  const [{ pull }, { placesOf }] = await Promise.all([
    import("../../pipeline/pull.js"),
    import("../../pipeline/places.js"),
  ]);
  const loaded = await loadProject(context);
  const isDryRun = options.dryRun === true;
  const names = options.accept ?? [];
  // An acceptance is written to the waivers.
  const isFrozen = options.frozen ?? (isCi(context.io.env) && !isDryRun && names.length === 0);

  const accept = createAccept(context, {
    names,
    ...(options.reason !== undefined && { reason: options.reason }),
    asks: context.isInteractive && !isDryRun && !isFrozen,
  });
  const access = await readAccess(context, loaded.dir);
  const progress = await showProgress(context);
  const rendering = showRendering(context);
  const report = await pull(loaded, {
    ...access,
    workers: availableParallelism(),
    dryRun: isDryRun,
    frozen: isFrozen,
    force: options.force === true,
    php: options.php === true,
    today: today(),
    accept,
    confirmRemoval: confirmRemoval(context, options),
    onProgress: progress.onProgress,
    ...printServerOutput(context),
    onRender: rendering.onRender,
    onPlan: (plan) => {
      progress.close();
      context.print(printPlan(plan, context));
    },
    ...(servers.length > 0 && { servers }),
    ...(context.io.signal !== undefined && { signal: context.io.signal }),
  }).finally(() => {
    progress.close();
    rendering.close();
  });

  const { output } = placesOf(loaded);
  const exitCode = exitCodeOf(report, {
    isFrozen,
    isDryRun,
    allowUnresolved: options.allowUnresolved === true,
  });
  const command = acceptCommand(report, servers, options);
  if (report.php !== undefined)
    context.print((await import("../../report/print-sections.js")).printPhp(report.php, context.paint));
  context.print(
    printPull(report, {
      paint: context.paint,
      width: context.width,
      output: output === undefined ? undefined : relative(context.io.cwd, output) || ".",
      isFrozen,
      ...(command !== undefined && { accept: command }),
    }),
  );
  const needsPackages = output !== undefined && report.wrote && report.servers.some(hasCode);
  const install = needsPackages ? missingPackages(output) : undefined;
  if (install !== undefined)
    context.print([`Install the packages that the generated code imports: ${context.paint.bold(install)}`]);
  context.printDocument(
    pullDocument(report, { exitCode, ...(command !== undefined && { accept: command }) }),
  );
  return exitCode;
};

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

/** Nothing is generated for a server that was never locked. */
function hasCode({ status }: ServerPlan): boolean {
  return status === "new" || status === "changed" || status === "unchanged";
}

function isUnconfirmed({ leftover }: ServerPlan): boolean {
  return leftover === "unconfirmed";
}

function confirmRemoval(context: Context, options: CommandOptions<"pull">): ConfirmRemoval {
  return (removed) => {
    if (options.remove === true || !context.isInteractive) return options.remove === true;
    const names = removed.map(({ server }) => JSON.stringify(server)).join(", ");
    return confirm(context, `Remove ${names} from the lock, and delete the generated files?`, {
      initial: false,
    });
  };
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

/** Findings take precedence over servers that were not verified, so that an outage never hides drift. */
function exitCodeOf(
  report: PullReport,
  {
    isFrozen,
    isDryRun,
    allowUnresolved,
  }: { readonly isFrozen: boolean; readonly isDryRun: boolean; readonly allowUnresolved: boolean },
): 0 | 1 | 3 {
  const isHeld = report.servers.some(hasHeld);
  const isLeft = report.servers.some(isUnconfirmed);
  if ((isFrozen && hasFindings(report)) || ((isHeld || isLeft) && !isDryRun)) return 1;
  return report.unverified.some(({ rule }) => !allowUnresolved || rule !== "php-unresolved") ? 3 : 0;
}

function acceptCommand(
  report: PullReport,
  servers: readonly string[],
  options: CommandOptions<"pull">,
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
