import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { explainUnsendable } from "../../core/hosts/fit-schema.js";
import { byCodeUnit, getOwn, type JsonObject, mergeDefined } from "../../core/json.js";
import { printable } from "../../core/printable.js";
import type { ToolCaller } from "../../core/call.js";
import { isReplayed } from "../../runtime/request.js";
import { findOutage } from "../../runtime/client/caller.js";
import { connectTools } from "../../runtime/define-tool.js";
import { createWarner, warn } from "../../runtime/events.js";
import type { AnyTool, ServerDefinition, ServerTool, ServerTrust, RegisteredTool } from "../../core/tool.js";
import { isTool, withoutContract } from "../../runtime/tool.js";
import { fitsName } from "../../core/decide.js";
import { listFirst } from "./tool-names.js";
import { defineRawTool, lazySchema, readJsonObject, registerTool } from "./registered-tool.js";
import { rememberView } from "./tool-view.js";
import type { RefusedTool, RegistryOptions, ToolEntry, ToolView } from "./registry.js";
import {
  DEFAULT_ENVIRONMENT,
  environmentOf,
  isProduction,
  isServerTool,
  resolveSource,
  type ServerToolSource,
} from "./server-source.js";
import { type LiveList, type RegistryContext, ServerToolCache } from "./server-tool-cache.js";
import { isToolName, joinToolName, ofServer } from "../../core/tool-name.js";

/** Creates the cache of a configured server, with its locked tools. */
export function cacheOfSource(source: ServerToolSource, context: RegistryContext): ServerToolCache {
  const { definition, tools, environment, bind } = source;
  const server = definition.name;
  const { options } = context;
  const register = (tool: AnyTool): RegisteredTool => registerWith(options, tool, server, environment);
  const registered = new Map(tools.map((tool) => [tool.definition.name, register(tool)]));
  const locked = new Map(tools.map((tool) => [tool.definition.name, tool]));
  const admitsUnlocked =
    trustIn(options, definition).newTools ??
    options.admitUnlocked ??
    admitsByDefault(source, context.environment);
  // Connections hold it weakly. `list` keeps it, and the cache keeps `list`.
  const onListChanged = (): void => {
    context.onListChanged(server);
  };
  const list = source.list && !isReplayed(options) ? source.list : undefined;
  const warnOnce = createWarner(options.onWarning);
  return new ServerToolCache(context, {
    server,
    environment,
    locked,
    findOutage: () => findOutage(definition, environment),
    tools: sortByName(context.rules.offered([...registered.values()])),
    isClosed: !admitsUnlocked,
    list:
      list &&
      (async () => {
        const live = await list({ locked, admitsUnlocked, onListChanged });
        const refused = describeRefused(server, live.refused);
        if (refused !== undefined) warnOnce(refused);
        const kept = live.locked.flatMap((name) => registered.get(name) ?? []);
        const mark = unlockedIn(context, definition);
        const unlocked = live.unlocked.map((tool) => ({ ...register(bind(tool)), ...mark }));
        return { ...live, tools: sortByName(context.rules.offered([...kept, ...unlocked])) };
      }),
  });
}

const MOST_NAMED = 5;

function describeRefused(server: string, refused: readonly RefusedTool[]): string | undefined {
  const names = refused.flatMap(({ tool, code }) => (code === "not-locked" ? [printable(tool, 80)] : []));
  if (names.length === 0) return undefined;
  const tools =
    names.length === 1
      ? "a tool that is not locked, so it is"
      : `${names.length} tools that are not locked, so they are`;
  return `Server "${server}" has ${tools} not offered: ${listFirst(names, MOST_NAMED)}. Run "npx mcp-codegen pull ${server}", or set "trust": { "newTools": true } of the server in the configuration.`;
}

/** Creates the cache of a server that the program lists itself. */
export function cacheOfTools(
  server: string,
  tools: readonly AnyTool[],
  context: RegistryContext,
): ServerToolCache {
  const locked = new Map(tools.filter(isServerTool).map((tool) => [tool.definition.name, tool]));
  return new ServerToolCache(context, { server, locked, tools: [] });
}

function registerWith(
  { record, replay, mode, logger, traceId, onInput, changes, categories = {} }: RegistryOptions,
  tool: AnyTool,
  server: string | undefined,
  environment: string | undefined,
): RegisteredTool {
  const { name: toolName } = tool.definition;
  const name = server === undefined ? toolName : joinToolName(server, toolName);
  const bound = omitUndefined({ record, replay, mode, environment, logger, traceId, onInput, changes });
  const registered = registerTool(tool, name, server, bound);
  const category = Object.entries(categories).find(([pattern]) => fitsName(registered, pattern))?.[1];
  return category === undefined ? registered : { ...registered, category };
}

function sortByName(tools: readonly RegisteredTool[]): readonly RegisteredTool[] {
  return [...tools].sort((a, b) => byCodeUnit(a.name, b.name));
}

function unlockedIn(
  { environment, options }: Pick<RegistryContext, "environment" | "options">,
  server: ServerDefinition,
): Pick<RegisteredTool, "isLocked" | "hasTrustedHints" | "isProduction"> {
  return omitUndefined({
    isLocked: false,
    hasTrustedHints: trustIn(options, server).hints === true ? (true as const) : undefined,
    isProduction: isProduction(environment, server) || undefined,
  });
}

function trustIn({ trust = {} }: RegistryOptions, server: ServerDefinition): ServerTrust {
  return mergeDefined(server.trust ?? {}, ofServer(trust, server.name));
}

/** A registry without an environment may be in production, where unreviewed tools are refused. */
function admitsByDefault({ definition }: ServerToolSource, environment: string | undefined): boolean {
  if (definition.contract === undefined) return true;
  if (environment === undefined || environment === DEFAULT_ENVIRONMENT) return false;
  return !isProduction(environment, definition);
}

/** Registers the tools that a program gives for a server: tools, and entries of a `tools/list` result as unlocked tools. */
export function readServerTools(
  server: string,
  tools: readonly (AnyTool | ToolEntry)[],
  client: ToolCaller | undefined,
  context: RegistryContext,
): { readonly given: readonly AnyTool[]; readonly list: LiveList } {
  const { options, environment, servers } = context;
  const source =
    client === undefined
      ? servers.find(({ definition }) => definition.name === server)?.in(environment)
      : resolveSource(connectTools({ name: server }, {}, { client }), environment);
  const generated = tools.filter((tool) => isTool(tool));
  const entries = tools.filter((tool): tool is ToolEntry => !isTool(tool));
  const { made, refused } = bindEntries(server, entries, source);
  const unlocked = unlockedIn(context, source?.definition ?? { name: server });
  const registered = [
    ...generated.map((tool) => registerWith(options, tool, server, undefined)),
    ...made.map((tool) => ({ ...registerWith(options, tool, server, source?.environment), ...unlocked })),
  ];
  return { given: generated, list: { tools: sortByName(registered), refused } };
}

function bindEntries(
  server: string,
  entries: readonly ToolEntry[],
  source: ServerToolSource | undefined,
): { readonly made: readonly ServerTool[]; readonly refused: readonly RefusedTool[] } {
  if (entries.length === 0) return { made: [], refused: [] };
  if (source === undefined) {
    const message = `The registry cannot call the listed tools of server ${JSON.stringify(server)}.`;
    throw new McpCodegenError("CONFIG_INVALID", message, {
      hint: "Pass the client that listed them: registerServerTools(server, tools, { client }).",
    });
  }
  const made = new Map<string, ServerTool>();
  const refused: RefusedTool[] = [];
  for (const entry of entries) {
    // A program may pass any value.
    const read = readJsonObject(() => entry);
    const name = getOwn(read ?? {}, "name");
    const tool = typeof name === "string" ? name : "";
    const reason = findEntryProblem(tool, read, made);
    if (reason !== undefined) refused.push({ tool, code: "unusable", reason });
    else {
      const raw = { name: tool, definition: read ?? {} };
      // The tool is not locked.
      const unlocked = withoutContract(source.definition);
      made.set(
        tool,
        source.bind(defineRawTool(unlocked, raw, (schema) => lazySchema(() => schema, unlocked))),
      );
    }
  }
  return { made: [...made.values()], refused };
}

function findEntryProblem(
  name: string,
  entry: JsonObject | undefined,
  made: ReadonlyMap<string, unknown>,
): string | undefined {
  if (entry === undefined) return "It is not an object.";
  if (!isToolName(name)) return "Its name is malformed.";
  if (made.has(name)) return "The list has another tool with this name.";
  return explainUnsendable(getOwn(entry, "inputSchema") ?? { type: "object" });
}

export type ToolIndex = ReturnType<typeof createToolIndex>;

/** The tools of a registry by name: static ones first, which hide others of the same name, then those of its servers. */
export function createToolIndex(
  { options, environment: chosen, statics, slots }: RegistryContext,
  view: ToolView,
) {
  const shadowed = new Set<string>();
  let indexed:
    | { readonly byName: ReadonlyMap<string, RegisteredTool>; readonly list: readonly RegisteredTool[] }
    | undefined;

  /** @throws McpCodegenError `CONFIG_INVALID` for a value that is not a tool */
  const registerStatic = (tool: AnyTool): RegisteredTool => {
    if (!isTool(tool) || tool.definition.name === "") {
      const message = '"static" of a registry contains a value that is not a tool.';
      const hint = "Make one with defineStaticTool({ name, input, execute }).";
      throw new McpCodegenError("CONFIG_INVALID", message, { hint });
    }
    const { server } = tool.definition;
    const environment = server === undefined ? chosen : environmentOf(server, chosen);
    return registerWith(options, tool, undefined, environment);
  };
  const open = (): NonNullable<typeof indexed> => {
    if (indexed !== undefined) return indexed;
    const byName = new Map<string, RegisteredTool>();
    for (const [name, tool] of statics) byName.set(name, registerStatic(tool));
    for (const slot of slots.values()) {
      for (const tool of slot.tools) {
        if (byName.has(tool.name)) warnOfShadow(tool.name, slot.server);
        else byName.set(tool.name, tool);
      }
    }
    rememberView(byName.values(), view);
    return (indexed = { byName, list: Object.freeze([...byName.values()]) });
  };
  const warnOfShadow = (name: string, server: string): void => {
    if (shadowed.has(name)) return;
    shadowed.add(name);
    const message = `Static tool ${JSON.stringify(name)} hides the tool of the same name of server "${server}".`;
    warn(message, options.onWarning);
  };
  return {
    registerStatic,
    get byName() {
      return open().byName;
    },
    /** The same list until something changes. */
    get list() {
      return open().list;
    },
    /** Causes the sources to be read again at the next use. */
    clear: (): void => {
      indexed = undefined;
    },
  };
}
