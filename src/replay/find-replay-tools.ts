import { LONGEST_NAME, nameForModels } from "../agent/adapters/model-names.js";
import { isTool, type AnyTool } from "../runtime/tool.js";
import { isRegisteredTool, type RegisteredTool } from "../agent/registry/registered-tool.js";
import type { ServerState } from "../agent/registry/registry.js";
import { ownNameOf } from "../agent/registry/tool-names.js";
import { STATIC_SERVER, type FinishedCall } from "../runtime/call-recorder.js";

/** What changes need of a registry; `restrictRegistry` returns one as well. */
interface ToolRegistryLike {
  getTools(): Promise<readonly RegisteredTool[]>;
  readonly environment?: string;
  readonly environments?: readonly string[];
  readonly tools?: readonly RegisteredTool[];
  readonly servers?: readonly ServerState[];
  for?(environment: string): ToolRegistryLike;
}

/** A tool as a change names it, and the environment that it is bound to. */
export interface KnownTool {
  readonly tool: FinishedCall["tool"];
  readonly environment?: string | undefined;
}

/** The tools that an agent's result may name. */
export interface KnownTools {
  readonly byName: ReadonlyMap<string, KnownTool>;
  /** The environment of all of them, if they come from a registry. */
  readonly environment?: string | undefined;
}

/**
 * Tools by every name that a model may know them by. A registry answers with the tools that it knows now: those that the model
 * was offered.
 */
export function findKnownTools(source: object): KnownTools {
  const names = new Map<string, KnownTool>();
  if (isRegistry(source) || Array.isArray(source)) {
    const given: readonly unknown[] = isRegistry(source) ? (source.tools ?? []) : source;
    const environment = isRegistry(source) ? source.environment : undefined;
    const registered = given.filter(isRegisteredTool);
    const named = [...nameForModels(registered, LONGEST_NAME.openai)];
    for (const [name, tool] of [...named, ...registered.map((one) => [one.name, one] as const)])
      names.set(name, { tool: recordedTool(toAnyTool(tool)), environment });
    if (isRegistry(source)) return { byName: names, environment };
  }
  for (const [key, tool] of Object.entries(source) as [string, unknown][]) {
    if (!isTool(tool)) continue;
    const known = { tool: recordedTool(tool), environment: tool.environment };
    const { name, server } = known.tool;
    for (const spelled of [key, name, `${server.name}__${name}`]) names.set(spelled, known);
  }
  return { byName: names };
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

function recordedTool({ definition: { name, server, annotations } }: AnyTool): FinishedCall["tool"] {
  return { name, server: server ?? STATIC_SERVER, ...(annotations && { annotations }) };
}

function isRegistry(source: object): source is ToolRegistryLike {
  // A server may have a tool of this name.
  return "getTools" in source && typeof source.getTools === "function" && !isTool(source.getTools);
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
