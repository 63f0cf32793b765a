import { HOLDER } from "../../core/check-options.js";
import { omitUndefined } from "../../core/collections.js";
import { isJsonObject } from "../../core/json.js";
import type { ToolView } from "../registry/registry.js";
import type { Toolset } from "../toolset/toolset.js";
import { isLister, openView, registerIn } from "../registry/tool-view.js";
import type { AnyTool, RegisteredTool } from "../../core/tool.js";
import { originOf } from "../../runtime/define-tool.js";
import { isTool } from "../../runtime/tool.js";
import { isAnyTool, isRegisteredTool } from "../registry/registered-tool.js";
import { ownNameOf, wholeNameOf } from "../../core/tool-name.js";
import { createToolNames, nameForModels } from "../registry/tool-names.js";
import type { CallOptions, FinishedCall } from "../../core/call.js";
import { nearestName } from "../../core/nearest-name.js";
import { STATIC_SERVER } from "../../runtime/call-recorder.js";

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
  /** Whether it runs a script, whose calls an agent's result does not have. */
  readonly isScript?: true;
}

/** The tools that an agent's result may name. */
export interface KnownTools {
  /** The environment of all tools, if they are from a registry. */
  readonly environment?: string | undefined;
  /** Returns the actual call of a call by this name. */
  resolve(name: string, input: unknown): ResolvedCall;
}

/** Finds tools by every name under which a model may know them: the last known tools of the source, also behind a toolset. */
export function findKnownTools(source: object): KnownTools {
  const view: ToolView & Partial<Pick<Toolset, "metaTools">> = openView(source);
  // Meta-tools are the own tools of a toolset or a session.
  const { tools, environment, metaTools = [] } = view;
  const helpers = new Set(metaTools.map(({ name }) => name));
  const names = createToolNames(
    tools,
    view.servers.map(({ name }) => name),
  );
  const keyed = isLister(source) ? [] : Object.entries(source);
  const byName = new Map<string, RegisteredTool>([
    ...tools.map((tool) => [wholeNameOf(tool), tool] as const),
    ...nameForModels(tools),
    ...nameForModels(tools, names),
    ...tools.map((tool) => [tool.name, tool] as const),
    ...keyed.flatMap(([key, tool]: readonly [string, unknown]) =>
      isTool(tool) ? [[key, registerIn(undefined, tool, tool.definition.name)] as const] : [],
    ),
  ]);
  const find = (name: string): RegisteredTool | undefined => {
    const [only, ...others] = names.find(name);
    return byName.get(name) ?? (others.length === 0 ? only : undefined);
  };
  return {
    environment,
    resolve: (name, input) => {
      const tool = helpers.has(name) ? undefined : byName.get(name);
      if (tool !== undefined)
        return { ...describe(tool, view), args: input, isKnown: true, isWrapped: false };
      const inner = readExecuted(name, input);
      if (inner !== undefined) {
        const match = find(inner.name);
        const called = match
          ? describe(match, view)
          : { tool: unknownTool(inner.name), returnsContent: false };
        return { ...called, args: inner.args, isKnown: match !== undefined, isWrapped: true };
      }
      const isScript = name === RUN_CODE || (helpers.has(name) && name.endsWith(RUN_CODE));
      const reads = helpers.has(name) || HELPERS.has(name) || isScript;
      const unknown = { ...unknownTool(name), annotations: reads ? { readOnlyHint: true } : undefined };
      return {
        tool: unknown,
        returnsContent: false,
        args: input,
        isKnown: reads,
        isWrapped: false,
        ...(isScript && { isScript }),
      };
    },
  };
}

function describe(tool: RegisteredTool, view: ToolView): KnownTool {
  const { annotations, output, environment = view.environment } = tool;
  const { name, server = STATIC_SERVER } = toAnyTool(tool).definition;
  return {
    tool: { name, server, annotations },
    environment,
    returnsContent: tool.server !== undefined && output === undefined,
  };
}

/** The standard names of tools that only find others. */
const HELPERS: ReadonlySet<string> = new Set(["introspect", "search_tools", "describe_tools", "context"]);

/** The tool of `createCodeTools` that runs scripts. With a prefix, it is one of the source's own. */
const RUN_CODE = "run_code";

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
  /** Servers that cannot be called, since they do not have the environment, with words for that. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

/**
 * Finds the tools of a replay's target. A registry lists its tools in the environment.
 *
 * @param callOptions the options that the calls will have
 * @throws McpCodegenError `SERVER_UNKNOWN` for an environment that the registry does not have
 */
export async function findTargetTools(
  source: object,
  environment: string,
  callOptions: CallOptions,
): Promise<TargetTools> {
  if (isLister(source)) {
    const view = openView(source);
    const there = view.environment === environment ? view : view.for(environment);
    const tools = await there.getTools();
    const failures = there.servers.flatMap(({ name, error }) =>
      error === undefined ? [] : [[name, error.message] as const],
    );
    // The registry has chosen the environment, and the server may have none of that name.
    const bound = tools.map((tool): AnyTool => ({
      ...toAnyTool(tool),
      safe: (input, options) => tool.call(input, { ...options, environment: undefined }),
    }));
    return { tools: bound, failures: new Map(failures), elsewhere: new Map() };
  }
  if (Array.isArray(source)) {
    const parts: readonly object[] = source;
    const targets = await Promise.all(parts.map((part) => findTargetTools(part, environment, callOptions)));
    return {
      tools: targets.flatMap(({ tools }) => tools),
      failures: new Map(targets.flatMap(({ failures }) => [...failures])),
      elsewhere: new Map(targets.flatMap(({ elsewhere }) => [...elsewhere])),
    };
  }
  const tools = isTool(source) ? [source] : Object.values(source).filter(isTool);
  return {
    tools: isRegisteredTool(source) ? [toAnyTool(source)] : tools,
    failures: new Map(),
    elsewhere: findElsewhere(source, tools, callOptions),
  };
}

/** Finds servers of a connection or an index whose calls would fail: they do not have the environment of the calls. */
function findElsewhere(
  source: object,
  tools: readonly AnyTool[],
  callOptions: CallOptions,
): TargetTools["elsewhere"] {
  const origin = originOf(source);
  const { environment, client, url } = { ...origin?.options, ...callOptions };
  // Whether single tools are on a client of the program cannot be seen.
  const isUnclear = origin === undefined && !("server" in source);
  if (isUnclear || environment === undefined || client !== undefined || url !== undefined) return new Map();
  const servers = tools.flatMap(({ definition }) => definition.server ?? []);
  return new Map(
    servers.flatMap(({ name, environments = {} }) => {
      if (Object.hasOwn(environments, environment)) return [];
      const near = nearestName(environment, Object.keys(environments));
      const hint = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
      const words = `Server ${JSON.stringify(name)} has no environment ${JSON.stringify(environment)}.${hint}`;
      return [[name, words] as const];
    }),
  );
}

/** Whether a value may be the target of a replay: a registry, a connection or an index, which may be empty, or a tool. */
export function isToolSet(value: unknown): boolean {
  if (!isHolder(value)) return false;
  return (
    isLister(value) ||
    isAnyTool(value) ||
    originOf(value) !== undefined ||
    "server" in value ||
    Object.values(value).some(isTool)
  );
}

function isHolder(value: unknown): value is object {
  return HOLDER.is(value);
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
