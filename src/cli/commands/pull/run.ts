import { look } from "../../../pipeline/pull/pull-project.js";
import { findingOfPhp } from "../../../core/findings.js";
import { basename, relative } from "node:path";
import { formatConfig } from "../../../config/format-config.js";
import { CONFIG_NAME } from "../../../config/load-config.js";
import { makeServerName } from "../../../config/parse-server-argument.js";
import { pullDocument } from "../../../report/documents.js";
import { printPlan, printPull } from "../../../report/print-pull.js";
import { type AdHocServer, readServerOptions, settingsToKeep } from "../../ad-hoc-server.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, isCi } from "../../context.js";
import { findOwnTsconfig, findProject, loadProject } from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import { adviseImports } from "../setup/examine-tsconfig.js";
import { tryEmbedLockedTools } from "../../search-by-meaning.js";
import { showProgress, showRendering } from "../../show-progress.js";
import { offerCore } from "../offer-core.js";
import { createAccept, createConfirmPrelude, createConfirmRemoval, pullServers } from "./pull-servers.js";
import type { PULL_FLAGS } from "./spec.js";
import { printPhp } from "../../../report/describe-findings.js";
import type { Project } from "../../../project/project.js";
import { upgradePins } from "./upgrade-pins.js";

/** Sources → lock → files, with the differences shown before anything is written. With `--server`, only shown. */
export const runPull: Runner<typeof PULL_FLAGS> = async (context, servers, options) => {
  const named = await readServerOptions(context, options);
  if (named?.kind === "ad-hoc") return previewServer(context, named.server, servers, options.all);
  if (named?.kind === "editor")
    throw usageError(
      `Server "${named.name}" comes from ${named.editor.imported.files.join(" and ")}.`,
      'Run "npx mcp-codegen init" to write a configuration, and then "npx mcp-codegen pull".',
    );
  if (named !== undefined)
    throw usageError(
      `Server "${named.name}" is configured; --server takes a command or a URL.`,
      `Run "npx mcp-codegen pull ${named.name}".`,
    );
  const project = await loadProject(context);
  const gone = servers.find((server) => !Object.hasOwn(project.config.servers, server));
  if (gone !== undefined && options.remove === true)
    throw usageError(
      `Server ${JSON.stringify(gone)} is not configured, so it cannot be named.`,
      'To remove all servers that are no longer configured, run "npx mcp-codegen pull --remove".',
    );
  await offerCore(context, project, { names: servers, readsAll: options.php === true });
  if (options.upgrade !== true) return pullAndPrint(context, project, servers, options);
  // The pull that follows a preview prints the only document.
  const previews: Parameters<Context["printDocument"]>[0][] = [];
  const previewing: Context = { ...context, printDocument: (document) => void previews.push(document) };
  const isDryRun = options.dryRun === true || (options.frozen ?? isCi(context.io.env));
  const upgraded = await upgradePins(context, project, {
    servers,
    isDryRun,
    preview: (changed, names) =>
      pullAndPrint(previewing, changed, names, { ...options, dryRun: true, isPlanOnly: !isDryRun }),
  });
  if (!("exitCode" in upgraded))
    return pullAndPrint(context, upgraded.project, servers, { ...options, planned: upgraded.servers });
  for (const document of previews) context.printDocument(document);
  return upgraded.exitCode;
};

interface PrintedPull extends OptionValues<typeof PULL_FLAGS> {
  /** Whether to print the plan alone, unless a server could not be listed. */
  readonly isPlanOnly?: boolean;
  /** The servers whose plan was printed before. */
  readonly planned?: readonly string[];
}

async function pullAndPrint(
  context: Context,
  project: Project,
  servers: readonly string[],
  { isPlanOnly = false, planned = [], ...options }: PrintedPull,
): Promise<number> {
  const { dryRun: isDryRun = false, accept: names = [], reason } = options;
  // An acceptance is written to the waivers.
  const frozen = options.frozen ?? (isCi(context.io.env) && !isDryRun && names.length === 0);
  const asks = context.isInteractive && !isDryRun && !frozen;
  const accept = createAccept(context, { names, reason, asks });
  const progress = await showProgress(context);
  const rendering = showRendering(context);
  const { report, exitCode, command } = await pullServers(project, servers, {
    ...options,
    frozen,
    accept,
    confirmRemoval: createConfirmRemoval(context, options),
    confirmPrelude: createConfirmPrelude(context, options),
    onProgress: progress.onProgress,
    onRender: rendering.onRender,
    onPlan: (plan) => {
      progress.close();
      const others = plan.filter(({ server }) => !planned.includes(server));
      context.print(printPlan(others, context, options.all));
    },
  }).finally(() => {
    progress.close();
    rendering.close();
  });

  if (isPlanOnly && exitCode !== 3) return context.report(pullDocument(report, { exitCode }), []);
  const { output } = project.paths;
  if (report.php !== undefined) context.print(printPhp(report.php.map(findingOfPhp), context.paint));
  context.print(
    printPull(report, {
      paint: context.paint,
      width: context.width,
      output: output === undefined ? undefined : relative(context.io.cwd, output) || ".",
      isFrozen: frozen,
      isDryRun,
      hasCode: findOwnTsconfig(project) !== undefined,
      accept: command,
    }),
  );
  if (report.wrote) await tryEmbedLockedTools(context, project);
  // Nothing is generated for a server that was never locked.
  const hasCode = report.servers.some(({ status }) => ["new", "changed", "unchanged"].includes(status));
  const needsPackages = output !== undefined && report.wrote && hasCode;
  return context.report(
    pullDocument(report, { exitCode, accept: command }),
    needsPackages ? await adviseImports(context, project, true) : [],
  );
}

/**
 * Prints what `pull` would lock for a server that is not configured, and the configuration to add. Writes no files.
 *
 * @throws McpCodegenError `USAGE` for names of configured servers
 */
async function previewServer(
  context: Context,
  server: AdHocServer,
  servers: readonly string[],
  isAll?: boolean,
): Promise<number> {
  if (servers.length > 0) {
    throw usageError(
      "--server cannot be used with names of configured servers.",
      "Add the server to the configuration first.",
    );
  }
  const { name, project } = server;
  const progress = await showProgress(context);
  const report = await look(project, {
    servers: [name],
    onProgress: progress.onProgress,
  }).finally(progress.close);
  const exitCode = report.unverified.length > 0 ? 3 : 0;
  context.print(printPlan(report.servers, context, isAll));
  context.print(printPull(report, { paint: context.paint, width: context.width, output: ".", isLook: true }));
  // Propose the configuration only if the server could be listed.
  if (exitCode === 0) await proposeConfig(context, server);
  return context.report(pullDocument(report, { exitCode }));
}

async function proposeConfig(context: Context, server: AdHocServer): Promise<void> {
  const project = await findProject(context);
  const name = makeServerName(server.name, Object.keys(project?.config.servers ?? {}));
  const language = /\.jsonc?$/.test(project?.path ?? "") ? "json" : "ts";
  const text = formatConfig({ servers: { [name]: settingsToKeep(server) } }, language, false);
  const where =
    project === undefined
      ? `save this as ${CONFIG_NAME}`
      : `add it to the servers of ${basename(project.path)}`;
  context.print(["", `To lock it, ${where} and run "npx mcp-codegen pull":`, ""]);
  context.printText(`${text}\n`);
}
