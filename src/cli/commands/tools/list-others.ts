/** The lists of `list` that need more than the lock. */
import { createToolset } from "../../../agent/toolset/create-toolset.js";
import { omitUndefined, quoteAll } from "../../../core/collections.js";
import { codeOf, McpCodegenError, messageOf } from "../../../core/errors.js";
import type { Finding } from "../../../core/finding.js";
import { getOwn, type JsonObject } from "../../../core/json.js";
import { snapshotOfLock } from "../../../core/lock-server.js";
import { type LockedServer, EMPTY_LOCK, LOCKFILE_NAME } from "../../../core/lockfile.js";
import { printable, printJson } from "../../../core/printable.js";
import { isUnknownIdentity } from "../../../core/snapshot.js";
import { listLive, type LiveServer, measureFidelity } from "../../../pipeline/list.js";
import type { Project } from "../../../project/project.js";
import { listServerTools } from "../../../report/list-tools.js";
import { printUnverified } from "../../../report/text.js";
import { printSignature } from "../../../schema/print/print-signature.js";
import { readServerOptions } from "../../ad-hoc-server.js";
import { orAll, usageError } from "../../command-spec.js";
import { type Context, createCommandContext } from "../../context.js";
import { findLock, findProject } from "../../load-project.js";
import { withOpenedTools } from "../../open-tools.js";
import { printServerText } from "../../print-text.js";
import { showProgress } from "../../show-progress.js";
import { exitCodeOfList, type ListOptions, reportList, serversOfLock } from "./list.js";

/** Lists tools with their schemas, those of servers as they are now, or the context that a model gets. */
export async function listOthers(
  outer: Context,
  servers: readonly string[],
  options: ListOptions,
): Promise<number> {
  if (options.context === true) return printContext(outer, servers, options);
  const { live = false, raw = false, env } = options;
  const context = raw ? createCommandContext(outer.io, outer.options, { isStdoutTaken: true }) : outer;
  const named = await readServerOptions(context, options);
  if (named !== undefined && servers.length > 0)
    throw usageError("--server cannot be used with names of servers.", "Remove one of them.");
  const isConfigured = named === undefined || named.kind === "configured";
  const wanted = named?.kind === "configured" ? [named.name] : servers;
  const project = isConfigured ? await findProject(context) : undefined;
  if (live && project !== undefined) return showLive(context, project, wanted, options);
  const lock = isConfigured ? await findLock(context, project) : undefined;
  if (lock !== undefined) return show(context, project, serversOfLock(lock, wanted), options);
  if (project !== undefined)
    throw new McpCodegenError("LOCK_NOT_FOUND", `There is no "${LOCKFILE_NAME}" beside the configuration.`, {
      hint: 'Run "npx mcp-codegen pull" to write it, or "npx mcp-codegen list --live" to list the tools without a lock.',
    });
  if (env !== undefined)
    throw usageError("--env requires a configured server: this one has no environments.");
  const { server, header, bearer } = options;
  return withOpenedTools(context, { server, header, bearer, servers: wanted }, (opened) => {
    const unlocked = serversOfLock(opened.lock, []).map((each) => ({ ...each, isLocked: false }));
    return show(context, opened.project, unlocked, options);
  });
}

async function printContext(
  context: Context,
  servers: readonly string[],
  { maxTokens, server, header, bearer }: ListOptions,
): Promise<number> {
  if (servers.length > 0)
    throw usageError("--context cannot be used with names of servers.", "Remove one of them.");
  return withOpenedTools(context, { server, header, bearer }, async ({ tools, policy }) => {
    const toolset = createToolset(tools, { policy });
    const { content } = await toolset.answer("context", maxTokens === undefined ? {} : { maxTokens });
    const text = content[0]?.text ?? "";
    return context.report({ report: "context", exitCode: 0, text }, printServerText(text));
  });
}

/** Lists the current tools of configured servers. Without a lock, every tool is unlocked. */
async function showLive(
  context: Context,
  project: Project,
  servers: readonly string[],
  options: ListOptions,
): Promise<number> {
  const { env, raw = false } = options;
  if (raw) assertOneServer(servers.length > 0 ? servers : Object.keys(project.config.servers));
  const lock = await project.findLock();
  const progress = await showProgress(context);
  // Compared with a lock, a difference without a finding would keep the locked definition.
  const compared = raw ? EMPTY_LOCK : (lock ?? EMPTY_LOCK);
  const live = await listLive(project, compared, {
    onProgress: progress.onProgress,
    servers: orAll(servers),
    environment: env,
  }).finally(progress.close);
  return show(context, project, live.servers, options, live.unverified);
}

/** @param unverified the servers that could not be listed; undefined if none was asked */
function show(
  context: Context,
  project: Project | undefined,
  servers: readonly LiveServer[],
  options: ListOptions,
  unverified?: readonly Finding[],
): number {
  const { fidelity = false, tokens = false, signatures, raw = false } = options;
  if (raw) {
    if (unverified === undefined) assertOneServer(servers.map(({ server }) => server));
    context.print(printUnverified(unverified ?? [], context.paint));
    for (const { server, block } of servers) printRawList(context, server, block);
    return exitCodeOfList(unverified);
  }
  const signatureOf = signatures === true ? printToolSignature : undefined;
  const listed = servers.map((server) => {
    const settings = getOwn(project?.config.servers ?? {}, server.server);
    const measured = fidelity ? measureFidelity(server.server, server.block, settings) : undefined;
    return listServerTools({ ...server, fidelity: measured }, { byTokens: tokens, signatureOf });
  });
  return reportList(context, listed, options, unverified);
}

/** Returns the signature of a tool; for a schema that cannot be read, the reason. */
function printToolSignature({ inputSchema = {}, outputSchema }: JsonObject): string {
  try {
    return printSignature({ input: inputSchema, output: outputSchema ?? undefined });
  } catch (error) {
    if (codeOf(error) !== "SCHEMA_INVALID") throw error;
    return `// ${messageOf(error)}`;
  }
}

/**
 * Returns the only one of the names.
 *
 * @throws McpCodegenError `USAGE` for none or several
 */
function assertOneServer(names: readonly string[]): string {
  const [first, ...others] = names;
  if (first !== undefined && others.length === 0) return first;
  throw usageError(
    `--raw prints the tool list of one server; found ${quoteAll(names) || "none"}.`,
    `For example: npx mcp-codegen list ${first ?? "name"} --raw > tools.json.`,
  );
}

/**
 * Prints the tools of a server as a `tools/list` result with the server's identity, which `diff` and the `file` key
 * read. Notes each tool that generates no code on stderr.
 */
function printRawList({ io, paint }: Context, server: string, block: LockedServer): void {
  const { identity, tools, repeated = [], unusable } = snapshotOfLock(server, block);
  const notes = Object.entries(unusable).map(([name, reason]) =>
    paint.yellow(`note: "${printable(name, 120)}" generates no code: ${printable(reason, 400)}`),
  );
  if (notes.length > 0) io.stderr.write(`${notes.join("\n")}\n`);
  const { instructions } = identity;
  const shownIdentity = isUnknownIdentity(identity) ? omitUndefined({ instructions }) : identity;
  const list = { ...shownIdentity, tools: [...tools, ...repeated] };
  io.stdout.write(`${printJson(list)}\n`);
}
