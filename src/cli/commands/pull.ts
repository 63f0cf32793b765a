import { relative } from "node:path";
import type { ServerPlan } from "../../pipeline/reports.js";
import { McpCodegenError } from "../../contract/errors.js";
import { pullDocument } from "../../report/documents.js";
import { printPlan, printPull } from "../../report/print-pull.js";
import { createAccept } from "../accept-findings.js";
import { readServerOptions } from "../ad-hoc-server.js";
import { isCi, type Runner } from "../context.js";
import { loadProject } from "../load-project.js";
import { previewServer } from "../preview-server.js";
import { adviseImports } from "../advise-imports.js";
import { createConfirmPrelude, createConfirmRemoval, pullServers } from "../pull-servers.js";
import { showProgress, showRendering } from "../show-progress.js";

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
  const { placesOf } = await import("../../pipeline/places.js");
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
  const progress = await showProgress(context);
  const rendering = showRendering(context);
  const { report, exitCode, command } = await pullServers(context, loaded, servers, {
    ...options,
    isFrozen,
    accept,
    confirmRemoval: createConfirmRemoval(context, options),
    confirmPrelude: createConfirmPrelude(context, options),
    onProgress: progress.onProgress,
    onRender: rendering.onRender,
    onPlan: (plan) => {
      progress.close();
      context.print(printPlan(plan, context));
    },
  }).finally(() => {
    progress.close();
    rendering.close();
  });

  const { output } = placesOf(loaded);
  if (report.php !== undefined)
    context.print((await import("../../report/describe-findings.js")).printPhp(report.php, context.paint));
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
  if (needsPackages) context.print(await adviseImports(context, loaded.dir, output, true));
  context.printDocument(
    pullDocument(report, { exitCode, ...(command !== undefined && { accept: command }) }),
  );
  return exitCode;
};

/** Nothing is generated for a server that was never locked. */
function hasCode({ status }: ServerPlan): boolean {
  return status === "new" || status === "changed" || status === "unchanged";
}
