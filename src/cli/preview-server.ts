import { basename } from "node:path";
import { formatConfig } from "../config/format-config.js";
import { CONFIG_NAME } from "../config/load-config.js";
import { toServerName } from "../config/server-names.js";
import { McpCodegenError } from "../contract/errors.js";
import { pullDocument } from "../report/documents.js";
import { printPlan, printPull } from "../report/print-pull.js";
import { settingsToKeep, type AdHocServer } from "./ad-hoc-server.js";
import { today, type Context, printServerOutput } from "./context.js";
import { findProject, readAccess } from "./load-project.js";
import type { CommandOptions } from "./command-table.js";
import { OPTIONS } from "./options.js";
import { showProgress } from "./show-progress.js";

/** Options of `pull` that apply only to configured servers. */
const CONFIGURED_ONLY = ["php", "frozen", "accept", "reason", "remove", "force", "allowUnresolved"] as const;

/**
 * Prints what `pull` would lock for a server that is not configured, and the configuration to add. Writes no files.
 *
 * @throws McpCodegenError `USAGE` for names of configured servers, and for options that apply only to them
 */
export async function previewServer(
  context: Context,
  server: AdHocServer,
  servers: readonly string[],
  options: CommandOptions<"pull">,
): Promise<number> {
  const misplaced = CONFIGURED_ONLY.find((name) => options[name] !== undefined);
  const other = misplaced === undefined ? "names of configured servers" : OPTIONS[misplaced].flag;
  if (servers.length > 0 || misplaced !== undefined) {
    throw new McpCodegenError("USAGE", `--server cannot be used with ${other}: --server writes nothing.`, {
      hint: "Add the server to the configuration first.",
    });
  }
  const { name, project, settings } = server;
  const [{ look }, access, progress] = await Promise.all([
    import("../pipeline/pull/pull.js"),
    readAccess(context, project.dir, settings.url),
    showProgress(context),
  ]);
  const report = await look(project, {
    ...access,
    servers: [name],
    today: today(),
    onProgress: progress.onProgress,
    ...printServerOutput(context),
    ...(context.io.signal !== undefined && { signal: context.io.signal }),
  }).finally(() => {
    progress.close();
  });
  const exitCode = report.unverified.length > 0 ? 3 : 0;
  context.print(printPlan(report.servers, context));
  context.print(printPull(report, { paint: context.paint, width: context.width, output: ".", isLook: true }));
  // Propose the configuration only if the server could be listed.
  if (exitCode === 0) {
    const { lead, text } = await printConfig(context, server);
    context.print(["", lead, ""]);
    context.printText(`${text}\n`);
  }
  context.printDocument(pullDocument(report, { exitCode }));
  return exitCode;
}

async function printConfig(
  context: Context,
  server: AdHocServer,
): Promise<{ readonly lead: string; readonly text: string }> {
  const found = await findProject(context);
  const name = toServerName(server.name, Object.keys(found?.config.servers ?? {}));
  const text = formatConfig({ servers: { [name]: await settingsToKeep(server) } }, "ts");
  const where =
    found === undefined ? `save this as ${CONFIG_NAME}` : `add it to the servers of ${basename(found.path)}`;
  return { lead: `To lock it, ${where} and run "npx mcp-codegen pull":`, text };
}
