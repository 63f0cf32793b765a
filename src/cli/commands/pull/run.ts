import { look } from "../../../pipeline/pull/pull-project.js";
import type { PullReport } from "../../../pipeline/pull/pull-report.js";
import { findingOfPhp } from "../../../core/findings.js";
import { basename, relative } from "node:path";
import { formatConfig } from "../../../config/format-config.js";
import { CONFIG_NAME } from "../../../config/load-config.js";
import { makeServerName } from "../../../config/parse-server-argument.js";
import { pullDocument } from "../../../report/documents.js";
import { printDryRun, printPlan, printPull } from "../../../report/print-pull.js";
import { type AdHocServer, readServerOptions, settingsToKeep } from "../../ad-hoc-server.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, isCi } from "../../context.js";
import { findOwnTsconfig, findProject, loadProject } from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import { adviseImports } from "../setup/examine-tsconfig.js";
import { tryEmbedLockedTools } from "../../search-by-meaning.js";
import { showProgress, showRendering } from "../../show-progress.js";
import { findUserCode, findWays } from "../../ways-out.js";
import { offerCore } from "../offer-core.js";
import { createAccept, createConfirmPrelude, createConfirmRemoval, pullServers } from "./pull-servers.js";
import type { PULL_FLAGS } from "./spec.js";
import { TAKE_IT } from "../../../report/report-content.js";
import type { HeadContent } from "../../../report/report-head.js";
import { judgeChanges } from "../../../report/render-report.js";
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
  let look: Pick<PullReport, "servers" | "impact"> = { servers: [] };
  const { report, exitCode, command } = await pullServers(project, servers, {
    ...options,
    frozen,
    accept,
    confirmRemoval: createConfirmRemoval(context, options),
    confirmPrelude: createConfirmPrelude(context, options),
    onProgress: progress.onProgress,
    onRender: rendering.onRender,
    tsconfig: frozen ? undefined : findUserCode(project),
    // A dry run prints the plan with what can be done about it, and in the room that the rest leaves.
    onPlan: (plan) => {
      look = plan;
      if (isDryRun) return;
      progress.close();
      const others = plan.servers.filter(({ server }) => !planned.includes(server));
      context.print(printPlan(others, context, { isAll: options.all, impact: plan.impact }));
    },
  }).finally(() => {
    progress.close();
    rendering.close();
  });

  const { output } = project.paths;
  const lines = [
    ...(report.php === undefined ? [] : printPhp(report.php.map(findingOfPhp), context.paint)),
    ...printPull(report, {
      paint: context.paint,
      width: context.width,
      output: output === undefined ? undefined : relative(context.io.cwd, output) || ".",
      isFrozen: frozen,
      isDryRun,
      hasCode: findOwnTsconfig(project) !== undefined,
      accept: command,
    }),
  ];
  if (isDryRun) {
    const head = await headOf(context, project, look, {
      ...options,
      command: isPlanOnly ? undefined : command,
    });
    context.print(printDryRun(look.servers, context, { ...head, rest: lines.length, isAll: options.all }));
  }
  if (isPlanOnly && exitCode !== 3) return context.report(pullDocument(report, { exitCode }), []);
  context.print(lines);
  if (report.wrote) await tryEmbedLockedTools(context, project);
  // Nothing is generated for a server that was never locked.
  const hasCode = report.servers.some(({ status }) => ["new", "changed", "unchanged"].includes(status));
  const needsPackages = output !== undefined && report.wrote && hasCode;
  return context.report(
    pullDocument(report, { exitCode, accept: command }),
    needsPackages ? await adviseImports(context, project, true) : [],
  );
}

/** Returns what a dry run prints first; without a command, only whom the changes hit. */
async function headOf(
  context: Context,
  project: Project,
  { servers, impact }: Pick<PullReport, "servers" | "impact">,
  {
    php = false,
    upgrade = false,
    command,
  }: OptionValues<typeof PULL_FLAGS> & { readonly command: string | undefined },
): Promise<HeadContent> {
  const plans = servers.filter(({ status }) => status === "changed");
  const changes = plans.flatMap((plan) => judgeChanges(plan.changes, project.config, {}));
  if (command === undefined || changes.length === 0) return { changes, impact, repairs: [], ways: [] };
  const repairs = [{ does: TAKE_IT, command }];
  // To stay with what is configured, nothing is to be done.
  if (upgrade) return { changes, impact, repairs, ways: [] };
  const ways = await findWays(context, project, changes, php ? ["--php"] : [], {
    isPullable: true,
    php: php ? plans.map(({ server }) => server) : [],
  });
  return { changes, impact, repairs, ways };
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
  context.print(printPlan(report.servers, context, { isAll }));
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
