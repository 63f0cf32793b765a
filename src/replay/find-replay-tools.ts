import { isJsonObject } from "../contract/json.js";
import { NAME_LIMITS, nameForModels } from "../agent/adapters/model-tools.js";
import { isTool, type AnyTool } from "../runtime/tool.js";
import { isRegisteredTool, type RegisteredTool } from "../agent/registry/registered-tool.js";
import type { ServerState } from "../agent/registry/registry.js";
import { createToolNames, ownNameOf } from "../agent/registry/tool-names.js";
import { STATIC_SERVER, type FinishedCall } from "../runtime/call-recorder.js";

/** What changes need of a registry, a restricted one, a toolset or a session. */
interface ToolRegistryLike {
  getTools(): Promise<readonly RegisteredTool[]>;
  readonly environment?: string;
  readonly environments?: readonly string[];
  readonly tools?: readonly RegisteredTool[];
  readonly servers?: readonly ServerState[];
  for?(environment: string): ToolRegistryLike;
  /** The tools of a toolset that a model sees. */
  readonly metaTools?: readonly { readonly name: string }[];
  /** The search tool of a session. */
  readonly search?: unknown;
}

/** A tool as a change names it, and the environment that it is bound to. */
interface KnownTool {
  readonly tool: FinishedCall["tool"];
  readonly environment?: string | undefined;
  /** Whether it has no output schema, so that its value is content blocks. */
  readonly returnsContent: boolean;
}

/** The call that a model's call stands for. */
export interface ResolvedCall extends KnownTool {
  readonly args: unknown;
  /** Whether the tool is one of those that the tracker was given. */
  readonly isKnown: boolean;
  /** Whether a toolset's `execute` made the call. */
  readonly isWrapped: boolean;
}

/** The tools that an agent's result may name. */
export interface KnownTools {
  /** The environment of all of them, if they come from a registry. */
  readonly environment?: string | undefined;
  /** What a call by this name does. */
  resolve(name: string, input: unknown): ResolvedCall;
}

/**
 * Tools by every name that a model may know them by. A registry answers with the tools that it knows now: those that the model
 * was offered. A toolset and a session answer with the tools behind their own.
 */
export function findKnownTools(source: object): KnownTools {
  const byName = new Map<string, KnownTool>();
  const registered = listRegistered(source);
  const names = createToolNames(registered);
  const environment = isRegistry(source) ? source.environment : undefined;
  for (const [name, tool] of [
    ...nameForModels(registered, NAME_LIMITS.openai),
    ...registered.map((one) => [one.name, one] as const),
  ])
    byName.set(name, { ...knownTool(toAnyTool(tool)), environment });
  if (!isRegistry(source)) {
    for (const [key, tool] of Object.entries(source) as [string, unknown][]) {
      if (!isTool(tool)) continue;
      const known = { ...knownTool(tool), environment: tool.environment };
      const { name, server } = known.tool;
      for (const spelled of [key, name, `${server.name}__${name}`]) byName.set(spelled, known);
    }
  }
  const find = (name: string): KnownTool | undefined => {
    const [only, ...others] = names.find(name);
    return byName.get(name) ?? (only && others.length === 0 ? byName.get(only.name) : undefined);
  };
  const isOwnHelper = helpersOf(source);
  return {
    environment,
    resolve: (name, input) => {
      const isHelper = isOwnHelper(name);
      const known = isHelper ? undefined : byName.get(name);
      if (known !== undefined) return { ...known, args: input, isKnown: true, isWrapped: false };
      const inner = readExecuted(name, input);
      if (inner !== undefined) {
        const found = find(inner.name);
        const tool = found ?? { tool: unknownTool(inner.name), returnsContent: false };
        return { ...tool, args: inner.args, isKnown: found !== undefined, isWrapped: true };
      }
      const reads = isHelper || HELPERS.has(name);
      const tool = { ...unknownTool(name), ...(reads && { annotations: { readOnlyHint: true } }) };
      return { tool, returnsContent: false, args: input, isKnown: reads, isWrapped: false };
    },
  };
}

function listRegistered(source: object): readonly RegisteredTool[] {
  const given: readonly unknown[] = isRegistry(source)
    ? (source.tools ?? [])
    : Array.isArray(source)
      ? source
      : [];
  return given.filter(isRegisteredTool);
}

/** The tools by which a model finds others, by their standard names: they change nothing. */
const HELPERS: ReadonlySet<string> = new Set(["introspect", "search_tools", "describe_tools", "context"]);

/** Whether a name is that of a tool of a toolset or of a session itself. */
function helpersOf(source: object): (name: string) => boolean {
  if (!isRegistry(source)) return () => false;
  const { metaTools = [], search } = source;
  const own = new Set([
    ...metaTools.map(({ name }) => name),
    ...(isTool(search) ? [search.definition.name] : []),
  ]);
  return (name) => own.has(name);
}

/** What `execute` of a toolset is asked to call; its name may have a prefix. */
function readExecuted(
  name: string,
  input: unknown,
): { readonly name: string; readonly args: unknown } | undefined {
  if (!name.endsWith("execute") || !isJsonObject(input)) return undefined;
  const { tool, args, ...others } = input;
  if (typeof tool !== "string" || Object.keys(others).length > 0) return undefined;
  return { name: tool, args: isJsonObject(args) ? args : {} };
}

/** An unknown tool may write. The name, `server__tool`, says which server has it. */
function unknownTool(name: string): FinishedCall["tool"] {
  const at = name.indexOf("__");
  const isServed = at > 0 && at + 2 < name.length;
  return {
    name: isServed ? name.slice(at + 2) : name,
    server: { name: isServed ? name.slice(0, at) : "" },
  };
}

/** Where a plan finds a tool, and what it says if the tool is missing. */
export interface TargetTools {
  readonly tools: readonly AnyTool[];
  /** Servers that could not be listed, with the reason. */
  readonly failures: ReadonlyMap<string, string>;
}

/**
 * The tools of a replay's target. A registry is asked for the tools that it has in the environment.
 *
 * @throws McpCodegenError `SERVER_UNKNOWN` for an environment that the registry does not have.
 */
export async function findTargetTools(source: object, environment: string): Promise<TargetTools> {
  if (isRegistry(source)) {
    const there = source.environment === environment ? source : (source.for?.(environment) ?? source);
    const tools = await there.getTools();
    const failures = (there.servers ?? []).flatMap(({ name, error }) =>
      error === undefined ? [] : [[name, error.message] as const],
    );
    return { tools: tools.map((tool) => inOneEnvironment(toAnyTool(tool))), failures: new Map(failures) };
  }
  if (isTool(source)) return { tools: [source], failures: new Map() };
  if (isRegisteredTool(source)) return { tools: [toAnyTool(source)], failures: new Map() };
  if (!Array.isArray(source)) return { tools: Object.values(source).filter(isTool), failures: new Map() };
  const parts = await Promise.all(
    source.filter(isObject).map((one: object) => findTargetTools(one, environment)),
  );
  return {
    tools: parts.flatMap(({ tools }) => tools),
    failures: new Map(parts.flatMap(({ failures }) => [...failures])),
  };
}

/** A registered tool under the name that its server gives it. */
function toAnyTool(tool: RegisteredTool): AnyTool {
  const { server, ...description } = tool;
  const { contract } = tool;
  return {
    definition: {
      ...description,
      name: ownNameOf(tool),
      ...(server !== undefined && { server: { name: server, ...(contract !== undefined && { contract }) } }),
    },
    safe: (input, options) => tool.call(input, options),
  };
}

/** The tool without a choice of environment: the registry has made it, and a server may have none of that name. */
function inOneEnvironment(tool: AnyTool): AnyTool {
  return {
    definition: tool.definition,
    // oxlint-disable-next-line no-unused-vars -- what is left out
    safe: (input, { environment, ...options } = {}) => tool.safe(input, options),
  };
}

function knownTool({ definition: { name, server, annotations, output } }: AnyTool): KnownTool {
  return {
    tool: { name, server: server ?? STATIC_SERVER, ...(annotations && { annotations }) },
    returnsContent: server !== undefined && output === undefined,
  };
}

function isRegistry(source: object): source is ToolRegistryLike {
  // A server may have a tool of this name.
  return "getTools" in source && typeof source.getTools === "function" && !isTool(source.getTools);
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
