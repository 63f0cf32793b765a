import { decide } from "../agent/policy/decide.js";
import type { Policy } from "../agent/policy/policy.js";
import { type RegisteredTool, registerTool } from "../agent/registry/registered-tool.js";
import { createToolNames, serverNameOf, type ToolNameTable } from "../agent/registry/tool-names.js";
import type { LoadedConfig } from "../config/load-config.js";
import type { VariableLookup } from "../core/connection.js";
import { McpCodegenError } from "../core/errors.js";
import { byCodeUnit } from "../core/json.js";
import type { Lockfile } from "../core/lockfile.js";
import { printable } from "../core/printable.js";
import {
  findOwnTools,
  listGeneratedNames,
  readProjectLock,
  toolPolicyOf,
} from "../serve/project/project-tools.js";
import type { UnlockedTools } from "../serve/project/live-tools.js";
import { openLockedTools } from "../serve/project/locked-tools.js";
import type { OnInput } from "../runtime/input-question.js";
import { type AdHocServer, readServerOptions, type ServerOptions } from "./ad-hoc-server.js";
import { type Context, printServerOutput, redirectConsole, runOptionsOf } from "./context.js";
import { loadProject, readAccess } from "./load-project.js";
import { printCommand } from "./print-text.js";
import { showProgress } from "./show-progress.js";

/** The tools of a command with their names and policy. */
export interface OpenedTools {
  readonly project: LoadedConfig;
  /** The lock that defines the tools: the project's lock, or a lock in memory for an ad-hoc server. */
  readonly lock: Lockfile;
  readonly lookup: VariableLookup;
  readonly policy: Policy;
  readonly tools: readonly RegisteredTool[];
  readonly names: ToolNameTable;
  /** The options that name their server on a command line; empty for tools of the project. */
  readonly serverWords: readonly string[];
  /** Connects a tool to its server, in one of its environments. */
  readonly connect: (tool: RegisteredTool, environment: string | undefined) => ConnectedTool;
}

/** A tool that can be called until `close`. */
interface ConnectedTool {
  readonly tool: RegisteredTool;
  close(): Promise<void>;
}

/** How questions of an ad-hoc server are answered. */
interface AnswerOptions {
  readonly onInput?: OnInput;
}

/**
 * Opens the locked tools of the project and the tools of `serve.tools`, or the current tools of the ad-hoc server of
 * `--server`; runs `work` and closes them. A configured server is not contacted. A tool of `serve.tools` replaces a
 * server's tool of the same name, as in `serve`.
 *
 * @throws McpCodegenError `CONFIG_NOT_FOUND`, `LOCK_NOT_FOUND`, and errors of the configuration, the lock, a module of
 *   `serve.tools` or the listing
 */
export async function withOpenedTools<T>(
  context: Context,
  options: ServerOptions,
  work: (opened: OpenedTools) => Promise<T>,
  connection: AnswerOptions = {},
): Promise<T> {
  const named = await readServerOptions(context, options);
  if (named?.kind === "ad-hoc") return withAdHocTools(context, named.server, work, connection);
  return work(await openLocked(context, named?.name));
}

async function openLocked(context: Context, server: string | undefined): Promise<OpenedTools> {
  const project = await loadProject(context);
  const [lock, access, own] = await Promise.all([
    readProjectLock(project),
    readAccess(context, project.dir),
    redirectConsole(context.io, () =>
      findOwnTools(project, (message) => {
        warn(context, message);
      }),
    ),
  ]);
  const { lookup } = access;
  const policy = toolPolicyOf(project.config, lookup);
  const statics = own.map((tool) => registerTool(tool, tool.definition.name));
  const taken = new Set(statics.map(({ name }) => name));
  const locked = openLockedTools(project, lock, access).tools;
  const tools = [...statics, ...locked.filter(({ name }) => !taken.has(name))];
  return {
    ...{ project, lock, lookup, policy },
    tools: server === undefined ? tools : tools.filter((tool) => serverNameOf(tool) === server),
    // Printed names have to be unique without --server too.
    names: createToolNames(tools),
    serverWords: [],
    connect: (tool, environment) => {
      if (tool.server === undefined) return { tool, close: () => Promise.resolve() };
      const connected = openLockedTools(project, lock, {
        ...access,
        servers: [tool.server],
        ...printServerOutput(context),
        environment,
      });
      return { tool: getTool(connected.tools, tool.name), close: () => connected.close() };
    },
  };
}

function getTool(tools: readonly RegisteredTool[], name: string): RegisteredTool {
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  throw new Error(`Tool ${JSON.stringify(name)} disappeared while it was being opened.`);
}

async function withAdHocTools<T>(
  context: Context,
  server: AdHocServer,
  work: (opened: OpenedTools) => Promise<T>,
  connection: AnswerOptions,
): Promise<T> {
  const { project, words } = server;
  const [live, lookup] = await listAdHocServer(context, server, connection);
  try {
    const { lock, tools } = live;
    return await work({
      ...{ project, lock, lookup, tools },
      policy: toolPolicyOf(project.config, lookup, { mayNameOthers: true }),
      names: createToolNames(tools),
      serverWords: words,
      connect: (tool) => ({ tool, close: () => Promise.resolve() }),
    });
  } finally {
    await live.close();
  }
}

/** Lists the tools of the server, with progress on a terminal. */
async function listAdHocServer(
  context: Context,
  { name, project, settings }: AdHocServer,
  connection: AnswerOptions,
): Promise<readonly [UnlockedTools, VariableLookup]> {
  const [{ openLiveTools }, access] = await Promise.all([
    import("../serve/project/live-tools.js"),
    readAccess(context, project.dir, settings.url),
  ]);
  const progress = context.io.stderr.isTTY === true ? await showProgress(context) : undefined;
  progress?.onProgress({ server: name, stage: "connecting" });
  const live = await openLiveTools(project, name, {
    ...access,
    ...connection,
    ...runOptionsOf(context),
  }).finally(() => {
    progress?.close();
  });
  return [live, access.lookup];
}

function warn({ io }: Context, message: string): void {
  io.stderr.write(`${printable(message, 400)}\n`);
}

/**
 * Returns the tool with this name: its own name, `server__tool`, or its name in generated code. Prefers tools that the
 * policy shows, but also returns a hidden tool.
 *
 * @throws McpCodegenError `TOOL_UNKNOWN`
 */
export async function findTool(opened: OpenedTools, name: string): Promise<RegisteredTool> {
  const { tools, names, policy, serverWords } = opened;
  const exact = names.find(name).filter((tool) => tools.includes(tool));
  const generated = exact.length > 0 ? [] : await readGeneratedNames(opened);
  const named =
    exact.length > 0 ? exact : generated.flatMap((one) => (one.names.includes(name) ? one.tool : []));
  const visible = named.filter((one) => decide(one, policy).isVisible);
  // Lists of names leave out hidden tools; the caller refuses a single hidden tool with the reason.
  const found = visible.length > 0 ? visible : named.slice(0, 1);
  const [tool, other] = found;
  if (tool !== undefined && other === undefined) return tool;
  const quoted = JSON.stringify(name);
  if (tool !== undefined) {
    throw new McpCodegenError("TOOL_UNKNOWN", `Several servers have a tool ${quoted}.`, {
      hint: `Name one of them: ${found.map((one) => JSON.stringify(one.name)).join(", ")}.`,
    });
  }
  const nearest = await suggestNames(opened, name, generated);
  const where = serverWords.length === 0 ? "" : " on this server";
  const list = printCommand("list", serverWords);
  const search = printCommand("search", serverWords);
  if (serverWords.length === 0 && Object.hasOwn(opened.lock.servers, name)) {
    throw new McpCodegenError("TOOL_UNKNOWN", `There is no tool ${quoted}: this is the name of a server.`, {
      hint: `Write the name of one of its tools. "${list} ${name}" lists them.`,
    });
  }
  throw new McpCodegenError("TOOL_UNKNOWN", `There is no tool ${quoted}${where}.`, {
    hint:
      nearest.length === 0
        ? `Run "${list}" to list all tools.`
        : `Did you mean ${nearest.map((one) => JSON.stringify(one)).join(", ")}? Use "${search}" to find other tools.`,
  });
}

interface NamedInCode {
  readonly tool: RegisteredTool;
  readonly names: readonly string[];
}

async function readGeneratedNames({ lock, project, tools }: OpenedTools): Promise<readonly NamedInCode[]> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (await listGeneratedNames(lock, project.config)).flatMap(({ tool, names }) => {
    const found = byName.get(tool);
    return found === undefined ? [] : [{ tool: found, names }];
  });
}

/** Returns the visible tools with a name that differs from `name` in few letters, the nearest first. */
async function suggestNames(
  { tools, names, policy }: OpenedTools,
  name: string,
  generated: readonly NamedInCode[],
): Promise<readonly string[]> {
  const { editDistance } = await import("../core/words/edit-distance.js");
  const wanted = normalizeName(name);
  const most = Math.max(1, Math.floor(wanted.length / 4));
  return tools
    .filter((tool) => decide(tool, policy).isVisible)
    .map((tool) => {
      const shown = names.nameOf(tool);
      const inCode = generated.find((one) => one.tool === tool)?.names ?? [];
      const all = [shown, tool.name, ...inCode].map(normalizeName);
      return { shown, distance: Math.min(...all.map((known) => editDistance(wanted, known, most))) };
    })
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || byCodeUnit(a.shown, b.shown))
    .map(({ shown }) => shown)
    .slice(0, MOST_SUGGESTED);
}

const MOST_SUGGESTED = 5;
/** `Create-Post` and `create_post` differ in no letter. */
function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/**
 * As {@link findTool}, but refuses a tool that the policy hides.
 *
 * @throws McpCodegenError `TOOL_UNKNOWN`
 */
export async function findVisibleTool(opened: OpenedTools, name: string): Promise<RegisteredTool> {
  const tool = await findTool(opened, name);
  const { isVisible, reasons } = decide(tool, opened.policy);
  if (isVisible) return tool;
  throw new McpCodegenError("TOOL_UNKNOWN", reasons[0]?.message ?? "The policy hides this tool.", {
    hint: 'See "policy" in the configuration.',
  });
}
