import { omitUndefined } from "../../core/collections.js";
import { isJsonObject } from "../../core/json.js";
import { nameForModels } from "../adapters/model-tools.js";
import type { ToolView } from "../registry/registry.js";
import { isLister } from "../registry/tool-view.js";
import type { AnyTool, RegisteredTool } from "../../core/tool.js";
import { isTool } from "../../runtime/tool.js";
import { isRegisteredTool } from "../registry/registered-tool.js";
import { ownNameOf } from "../../core/tool-name.js";
import { createToolNames } from "../registry/tool-names.js";
import type { FinishedCall } from "../../core/call.js";
import { STATIC_SERVER } from "../../runtime/call-recorder.js";

/** The common members of a registry, a restricted registry, a toolset and a session. */
interface ToolRegistryLike extends ToolView {
  /** The meta-tools of a toolset. */
  readonly metaTools?: readonly { readonly name: string }[];
  /** The search tool of a session. */
  readonly search?: unknown;
}

/** A tool in the form of recorded changes, and the environment that it is bound to. */
interface KnownTool {
  readonly tool: FinishedCall["tool"];
  readonly environment?: string | undefined;
  /** Whether it has no output schema, so that its value is content blocks. */
  readonly returnsContent: boolean;
}

/** The actual call that a model's call makes, which may be through a toolset. */
export interface ResolvedCall extends KnownTool {
  readonly args: unknown;
  /** Whether the tracker has the tool. */
  readonly isKnown: boolean;
  /** Whether a toolset's `execute` made the call. */
  readonly isWrapped: boolean;
}

/** The tools that an agent's result may name. */
export interface KnownTools {
  /** The environment of all tools, if they are from a registry. */
  readonly environment?: string | undefined;
  /** Returns the actual call of a call by this name. */
  resolve(name: string, input: unknown): ResolvedCall;
}

/**
 * Finds tools by every name under which a model may know them. From a registry, these are the last known tools, which the model was
 * offered; from a toolset or a session, the tools that they call.
 */
export function findKnownTools(source: object): KnownTools {
  const byName = new Map<string, KnownTool>();
  const listed: unknown = isRegistry(source) ? source.tools : source;
  const registered = Array.isArray(listed) ? listed.filter(isRegisteredTool) : [];
  const names = createToolNames(registered);
  const environment = isRegistry(source) ? source.environment : undefined;
  for (const [name, tool] of [
    ...nameForModels(registered),
    ...registered.map((entry) => [entry.name, entry] as const),
  ])
    byName.set(name, { ...knownTool(toAnyTool(tool)), environment });
  if (!isRegistry(source)) {
    for (const [key, tool] of Object.entries(source) as [string, unknown][]) {
      if (!isTool(tool)) continue;
      const entry = { ...knownTool(tool), environment: tool.environment };
      const { name, server } = entry.tool;
      for (const spelled of [key, name, `${server.name}__${name}`]) byName.set(spelled, entry);
    }
  }
  const find = (name: string): KnownTool | undefined => {
    const [only, ...others] = names.find(name);
    return byName.get(name) ?? (only && others.length === 0 ? byName.get(only.name) : undefined);
  };
  const helpers = helpersOf(source);
  return {
    environment,
    resolve: (name, input) => {
      const isHelper = helpers.has(name);
      const entry = isHelper ? undefined : byName.get(name);
      if (entry !== undefined) return { ...entry, args: input, isKnown: true, isWrapped: false };
      const inner = readExecuted(name, input);
      if (inner !== undefined) {
        const match = find(inner.name);
        const tool = match ?? { tool: unknownTool(inner.name), returnsContent: false };
        return { ...tool, args: inner.args, isKnown: match !== undefined, isWrapped: true };
      }
      const reads = isHelper || HELPERS.has(name);
      const tool = { ...unknownTool(name), annotations: reads ? { readOnlyHint: true } : undefined };
      return { tool, returnsContent: false, args: input, isKnown: reads, isWrapped: false };
    },
  };
}

/** The standard names of tools that only find others. */
const HELPERS: ReadonlySet<string> = new Set(["introspect", "search_tools", "describe_tools", "context"]);

/** Returns the names of the own tools of a toolset or a session. */
function helpersOf(source: object): ReadonlySet<string> {
  if (!isRegistry(source)) return new Set();
  const { metaTools = [], search } = source;
  const names = isTool(search) ? [search.definition.name] : [];
  return new Set([...metaTools.map(({ name }) => name), ...names]);
}

/** Returns the call in the arguments of a toolset's `execute`, whose name may have a prefix. */
function readExecuted(
  name: string,
  input: unknown,
): { readonly name: string; readonly args: unknown } | undefined {
  if (!name.endsWith("execute") || !isJsonObject(input)) return undefined;
  const { tool, args, ...others } = input;
  if (typeof tool !== "string" || Object.keys(others).length > 0) return undefined;
  return { name: tool, args: isJsonObject(args) ? args : {} };
}

/** An unknown tool may write. Its server is in the name, `server__tool`. */
function unknownTool(name: string): FinishedCall["tool"] {
  const at = name.indexOf("__");
  const isServed = at > 0 && at + 2 < name.length;
  return {
    name: isServed ? name.slice(at + 2) : name,
    server: { name: isServed ? name.slice(0, at) : "" },
  };
}

/** The tools of a replay's target, and the reasons why some may be missing. */
export interface TargetTools {
  readonly tools: readonly AnyTool[];
  /** Servers that could not be listed, with the reason. */
  readonly failures: ReadonlyMap<string, string>;
}

/**
 * Finds the tools of a replay's target. A registry lists its tools in the environment.
 *
 * @throws McpCodegenError `SERVER_UNKNOWN` for an environment that the registry does not have
 */
export async function findTargetTools(source: object, environment: string): Promise<TargetTools> {
  if (isRegistry(source)) {
    const there = source.environment === environment ? source : (source.for?.(environment) ?? source);
    const tools = await there.getTools();
    const failures = (there.servers ?? []).flatMap(({ name, error }) =>
      error === undefined ? [] : [[name, error.message] as const],
    );
    // The registry has chosen the environment, and the server may have none of that name.
    const bound = tools.map((tool): AnyTool => ({
      ...toAnyTool(tool),
      safe: (input, options) => tool.call(input, { ...options, environment: undefined }),
    }));
    return { tools: bound, failures: new Map(failures) };
  }
  if (isTool(source)) return { tools: [source], failures: new Map() };
  if (isRegisteredTool(source)) return { tools: [toAnyTool(source)], failures: new Map() };
  if (!Array.isArray(source)) return { tools: Object.values(source).filter(isTool), failures: new Map() };
  const parts = await Promise.all(
    source.filter((part) => Object(part) === part).map((part: object) => findTargetTools(part, environment)),
  );
  return {
    tools: parts.flatMap(({ tools }) => tools),
    failures: new Map(parts.flatMap(({ failures }) => [...failures])),
  };
}

/** Converts a registered tool to one under its name on the server. */
function toAnyTool(tool: RegisteredTool): AnyTool {
  const { server, ...description } = tool;
  const { contract } = tool;
  return {
    definition: omitUndefined({
      ...description,
      name: ownNameOf(tool),
      server: server === undefined ? undefined : omitUndefined({ name: server, contract }),
    }),
    safe: (input, options) => tool.call(input, options),
  };
}

function knownTool({ definition: { name, server, annotations, output } }: AnyTool): KnownTool {
  return {
    tool: { name, server: server ?? STATIC_SERVER, annotations },
    returnsContent: server !== undefined && output === undefined,
  };
}

function isRegistry(source: object): source is ToolRegistryLike {
  return isLister(source);
}
