import { decide, statedEffectOf } from "../core/decide.js";
import type { Policy } from "../core/policy.js";
import type { RegisteredTool } from "../core/tool.js";
import { serverNameOf } from "../core/tool-name.js";
import { createToolNames, type ToolNameTable } from "../agent/registry/tool-names.js";
import type { VariableLookup } from "../core/connection.js";
import { codeOf, McpCodegenError, messageOf } from "../core/errors.js";
import { getOwn } from "../core/json.js";
import { type Lockfile, LOCKFILE_VERSION } from "../core/lockfile.js";
import { editDistance, nearestName } from "../core/nearest-name.js";
import { findOwnTools, assertServerEnvironment, openLockedTools } from "../project/tools/locked-tools.js";
import { toolPolicyOf } from "../project/tool-policy.js";
import { listGeneratedNames } from "../project/generated-names.js";
import type { Project } from "../project/project.js";
import type { UnlockedTools } from "../project/tools/live-tools.js";
import type { OnInput } from "../core/input-question.js";
import {
  confirmStart,
  type EditorServers,
  findEditorServers,
  getConfigured,
  readServerOptions,
  type ServerOptions,
} from "./ad-hoc-server.js";
import { orAll } from "./command-spec.js";
import { type Context, redirectConsole, printWarning } from "./context.js";
import { type Access, findProject, loadProject, readAccess } from "./load-project.js";
import { printCommand } from "./print-text.js";
import { showProgress } from "./show-progress.js";

/** The tools of a command with their names and policy. */
export interface OpenedTools {
  readonly project: Project;
  /** The lock that defines the tools: the project's lock, or a lock in memory. */
  readonly lock: Lockfile;
  readonly lookup: VariableLookup;
  readonly policy: Policy;
  readonly tools: readonly RegisteredTool[];
  readonly names: ToolNameTable;
  /** Whether the project's lock defines the tools; otherwise, their servers were just listed. */
  readonly isLocked: boolean;
  /** The options that name their server on a command line; empty for tools of the project and of editors' servers. */
  readonly serverWords: readonly string[];
  /** Connects a tool to its server, in one of its environments. */
  readonly connect: (tool: RegisteredTool, environment: string | undefined) => ConnectedTool;
}

interface ConnectedTool {
  readonly tool: RegisteredTool;
  close(): Promise<void>;
}

interface OpenOptions extends ServerOptions {
  /** The names of the tools and the servers that are used: of an editor's servers, only these are started. */
  readonly tools?: readonly string[] | undefined;
  readonly servers?: readonly string[] | undefined;
  /** Answers the questions of a server that is not locked. */
  readonly onInput?: OnInput | undefined;
}

type Work<T> = (opened: OpenedTools) => Promise<T> | T;

/**
 * Opens the locked tools of the project and the tools of `serve.tools`; without a lock, the current tools of the server of
 * `--server`, or of the editors' files in a folder without a configuration. Runs `work` and closes them. A configured
 * server is not contacted. A tool of `serve.tools` replaces a server's tool of the same name, as in `serve`.
 *
 * @throws McpCodegenError `CONFIG_NOT_FOUND`, `LOCK_NOT_FOUND`, `CONFIRMATION_REQUIRED`, and errors of the configuration,
 *   the lock, a module of `serve.tools` or the listing
 */
export async function withOpenedTools<T>(context: Context, options: OpenOptions, work: Work<T>): Promise<T> {
  const { servers = [], tools = [], onInput } = options;
  const named = await readServerOptions(context, options);
  switch (named?.kind) {
    case "ad-hoc": {
      const { name, project, words, settings } = named.server;
      const access = await readAccess(context, project.dir, settings.url);
      return withLiveTools(context, { project, names: [name], words, access, onInput }, work);
    }
    case "editor":
      return withLiveTools(context, await openEditor(context, named.editor, [named.name], onInput), work);
    case "configured":
      return work(await openLocked(context, await loadProject(context), named.name));
    case undefined: {
      const project = await findProject(context);
      if (project !== undefined) return work(await openLocked(context, project, undefined));
      const editor = await findEditorServers(context);
      if (editor === undefined)
        return work(await openLocked(context, await loadProject(context, OR_SERVER), undefined));
      const all = Object.keys(editor.imported.servers);
      for (const server of servers) getConfigured(server, all, editor.imported.files);
      const used = orAll(servers) ?? orAll(serversOf(tools, all)) ?? all;
      return withLiveTools(context, await openEditor(context, editor, used, onInput), work);
    }
    default:
      return named satisfies never;
  }
}

/** What a hint adds, since these commands need no configuration. */
const OR_SERVER = ' To try a server without one, pass --server "<command or URL>".';

/** Returns the servers that the tools' names begin with; none if one of the names has no server. */
function serversOf(tools: readonly string[], servers: readonly string[]): readonly string[] {
  const names = tools.map((tool) =>
    servers.find((server) => tool.startsWith(`${server}.`) || tool.startsWith(`${server}__`)),
  );
  return names.includes(undefined) ? [] : [...new Set(names.filter((server) => server !== undefined))];
}

async function openEditor(
  context: Context,
  editor: EditorServers,
  names: readonly string[],
  onInput: OnInput | undefined,
): Promise<LiveServers> {
  const { project, withLiterals } = editor;
  await confirmStart(context, editor, names);
  const access = await readAccess(context, project.dir);
  return { project, names, words: [], access: { ...access, lookup: withLiterals(access.lookup) }, onInput };
}

async function openLocked(
  context: Context,
  project: Project,
  server: string | undefined,
): Promise<OpenedTools> {
  const [lock, access, statics] = await Promise.all([
    project.lockOrEmpty(),
    readAccess(context, project.dir),
    redirectConsole(context.io, () => findOwnTools(project, printWarning.bind(undefined, context))),
  ]);
  const { lookup } = access;
  const policy = toolPolicyOf(project.config, lookup);
  const { tools } = openLockedTools(project, lock, { ...access, static: statics }).registry;
  return {
    project,
    lock,
    lookup,
    policy,
    isLocked: true,
    tools: server === undefined ? tools : tools.filter((tool) => serverNameOf(tool) === server),
    // Printed names have to be unique without --server too.
    names: createToolNames(tools),
    serverWords: [],
    connect: (tool, environment) => {
      if (tool.server === undefined) return { tool, close: () => Promise.resolve() };
      const settings = getOwn(project.config.servers, tool.server);
      if (settings !== undefined) assertServerEnvironment(tool.server, settings, environment);
      const connected = openLockedTools(project, lock, {
        ...access,
        servers: [tool.server],
        environment,
      });
      const match = connected.registry.tools.find(({ name }) => name === tool.name);
      // The lock defines both.
      return { tool: match ?? tool, close: () => connected.close() };
    },
  };
}

interface LiveServers {
  /** A configuration in memory with these servers. */
  readonly project: Project;
  readonly names: readonly string[];
  /** The options that name the server on a command line; none for servers of an editor's files. */
  readonly words: readonly string[];
  readonly access: Access;
  readonly onInput: OnInput | undefined;
}

async function withLiveTools<T>(context: Context, live: LiveServers, work: Work<T>): Promise<T> {
  const { project, words, access } = live;
  const listed = await listLiveServers(context, live);
  const tools = listed.flatMap((server) => server.tools);
  const servers = Object.fromEntries(listed.flatMap(({ lock }) => Object.entries(lock.servers)));
  try {
    return await work({
      project,
      tools,
      isLocked: false,
      serverWords: words,
      lookup: access.lookup,
      lock: { lockfileVersion: LOCKFILE_VERSION, servers },
      policy: toolPolicyOf(project.config, access.lookup, { mayNameOthers: true }),
      names: createToolNames(tools),
      connect: (tool) => ({ tool, close: () => Promise.resolve() }),
    });
  } finally {
    await Promise.all(listed.map((server) => server.close()));
  }
}

/**
 * Lists the servers, with progress on a terminal. Of several, those that cannot be listed are reported and left out.
 *
 * @throws McpCodegenError the error of the only server, or of the first if none can be listed
 */
async function listLiveServers(
  context: Context,
  { project, names, access, onInput }: LiveServers,
): Promise<readonly UnlockedTools[]> {
  const progress = context.io.stderr.isTTY === true ? await showProgress(context) : undefined;
  for (const server of names) progress?.onProgress({ server, stage: "connecting" });
  // Locked tools need nothing of what lists a server.
  const { openLiveTools } = await import("../project/tools/live-tools.js");
  const settled = await Promise.allSettled(
    names.map((name) => openLiveTools(project, name, { ...access, ...(onInput && { onInput }) })),
  ).finally(() => progress?.close());
  context.io.signal?.throwIfAborted();
  const listed = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  for (const [at, outcome] of settled.entries()) {
    if (outcome.status === "fulfilled") continue;
    const reason: unknown = outcome.reason;
    if (listed.length === 0) throw reason;
    printWarning(context, `${names[at] ?? ""}: not listed: ${messageOf(reason)}`);
  }
  return listed;
}

/** Runs work with a tool. An error about one of its schemas names the tool. */
export async function withTool<T>({ name }: RegisteredTool, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) !== "SCHEMA_INVALID") throw error;
    const message = `Tool ${JSON.stringify(name)} cannot be used. ${messageOf(error)}`;
    throw new McpCodegenError("SCHEMA_INVALID", message, { cause: error });
  }
}

/**
 * Returns the tool with this name: its own name, `server__tool`, `server.tool`, or its name in generated code. Prefers tools that the
 * policy shows, but also returns a hidden tool.
 *
 * @throws McpCodegenError `TOOL_UNKNOWN`
 */
export function findTool(opened: OpenedTools, name: string): RegisteredTool {
  const { tools, names, policy, serverWords } = opened;
  const exact = [...names.find(name), ...names.find(dottedName(name, tools))].filter((tool) =>
    tools.includes(tool),
  );
  const generated: NamesInCode =
    exact.length > 0 ? new Map() : listGeneratedNames(opened.lock, opened.project.config);
  const named = exact.length > 0 ? exact : tools.filter((tool) => generated.get(tool.name)?.includes(name));
  const visible = named.filter((candidate) => decide(candidate, policy).isVisible);
  // Lists of names leave out hidden tools; the caller refuses a single hidden tool with the reason.
  const candidates = visible.length > 0 ? visible : named.slice(0, 1);
  const [tool, other] = candidates;
  if (tool !== undefined && other === undefined) return tool;
  const quoted = JSON.stringify(name);
  if (tool !== undefined)
    throw new McpCodegenError("TOOL_UNKNOWN", `Several servers have a tool ${quoted}.`, {
      hint: `Name one of them: ${candidates.map((match) => JSON.stringify(match.name)).join(", ")}.`,
    });
  const nearest = suggestName(opened, name, generated);
  const where = serverWords.length === 0 ? "" : " on this server";
  const list = printCommand("list", serverWords);
  if (serverWords.length === 0 && Object.hasOwn(opened.lock.servers, name))
    throw new McpCodegenError("TOOL_UNKNOWN", `There is no tool ${quoted}: this is the name of a server.`, {
      hint: `Write the name of one of its tools. "${list} ${name}" lists them.`,
    });
  throw new McpCodegenError("TOOL_UNKNOWN", `There is no tool ${quoted}${where}.`, {
    hint:
      nearest === undefined
        ? `Run "${list}" to list all tools.`
        : `Did you mean ${JSON.stringify(nearest)}? Use "${printCommand("search", serverWords)}" to find other tools.`,
  });
}

function dottedName(name: string, tools: readonly RegisteredTool[]): string {
  const at = name.indexOf(".");
  const server = name.slice(0, Math.max(at, 0));
  return tools.some((tool) => tool.server === server) ? `${server}__${name.slice(at + 1)}` : "";
}

/** The names in generated code by the name of the tool. */
type NamesInCode = ReadonlyMap<string, readonly string[]>;

/** Returns the visible tool with the nearest name; undefined if none is near. */
function suggestName(
  { tools, names, policy }: OpenedTools,
  name: string,
  generated: NamesInCode,
): string | undefined {
  const visible = tools.filter((tool) => decide(tool, policy).isVisible);
  const shown = new Map(
    visible.flatMap((tool) => {
      const all = [names.nameOf(tool), tool.name, ...(generated.get(tool.name) ?? [])];
      return all.map((form) => [normalizeName(form), names.nameOf(tool)]);
    }),
  );
  const wanted = normalizeName(name);
  const nearest = nearestName(wanted, shown.keys());
  const most = Math.max(1, Math.floor(wanted.length / 4));
  return nearest !== undefined && editDistance(wanted, nearest, most) <= most
    ? shown.get(nearest)
    : undefined;
}

/** `Create-Post` and `create_post` differ in no letter. */
function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/**
 * As {@link findTool}, but refuses a tool that the policy hides.
 *
 * @throws McpCodegenError `TOOL_UNKNOWN`
 */
export function findVisibleTool(opened: OpenedTools, name: string): RegisteredTool {
  const tool = findTool(opened, name);
  const { isVisible, reasons } = decide(tool, opened.policy);
  if (isVisible) return tool;
  throw new McpCodegenError("TOOL_UNKNOWN", reasons[0]?.message ?? "The policy hides this tool.", {
    hint: 'See "policy" in the configuration.',
  });
}

/**
 * Whether `call` asks before it calls the tool: a tool that destroys or states no effect, or that writes although writes
 * are not enabled. The policy's default is for agents; here a person has typed the command.
 */
export function needsConfirmation(tool: RegisteredTool, policy: Policy): boolean {
  const effect = statedEffectOf(tool, policy);
  return effect !== "reads" && (effect !== "writes" || !decide(tool, policy).isAllowed);
}
