import { McpCodegenError } from "../../core/errors.js";
import type { AnyTool, RegisteredTool } from "../../core/tool.js";
import { isTool } from "../../runtime/tool.js";
import type { ToolError } from "../../core/call.js";
import { registerTool } from "../registry/registered-tool.js";
import type { ServerState } from "../registry/registry.js";

/**
 * A source of tools for a model: a registry, a toolset, a session, a list of registered tools, or generated and static tools: a
 * single tool, a list or an object of tools, the result of `connect()`, `import * as wordpress`, or a module of such modules.
 */
export type ToolSource = ToolHolder | PlainSource;

/** Sources whose tools are known without a request. */
type PlainSource =
  | readonly RegisteredTool[]
  | { readonly [name: string]: unknown }
  | (object & { readonly then?: never });

/** The part of a tool provider that adapters read, and the texts that toolsets and sessions add. */
export interface ToolHolder {
  /** Absent if the servers' own settings apply. */
  readonly environment?: string | undefined;
  readonly environments?: readonly string[];
  readonly servers?: readonly ServerState[];
  getTools(): Promise<readonly RegisteredTool[]>;
  /** Returns all tools: those that a search has yet to find have `isDeferred`. Absent if there is no search. */
  getDeferrable?(): Promise<readonly RegisteredTool[]>;
  getTool?(name: string): Promise<RegisteredTool | undefined>;
  /** Returns the same tools in another environment of {@link ToolHolder.environments}. */
  for?(environment: string): ToolHolder;
  /** Returns the error for a name whose server could not be listed, if {@link ToolHolder.servers} does not have it. */
  findListingError?(name: string): Promise<ToolError | undefined>;
  /** Explains to a model why none of these tools has a name. */
  explainUnknown?(name: string): Promise<string>;
  /** Introduces the tools to a model that does not see all of them. */
  introduce?(environment?: string): Promise<string>;
}

/** A result for a source: a promise if servers may have to be listed. */
export type Made<S extends ToolSource, T> = S extends ToolHolder ? Promise<T> : T;

export interface SourceTool {
  readonly tool: RegisteredTool;
  /** The environment that the tool is bound to. */
  readonly environment?: string | undefined;
  /** The environments in which it can be called. */
  readonly environments: readonly string[];
}

/**
 * Passes the tools of a source to `make`. Static tools keep their names. Generated tools of one server keep the server's names;
 * those of several servers are named `server__tool`, as in a registry.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name
 */
export function withSourceTools<S extends ToolSource, T>(
  source: S,
  options: { readonly environment?: string | undefined; readonly deferLoading?: unknown },
  make: (tools: readonly SourceTool[]) => T,
): Made<S, T>;
export function withSourceTools(
  source: ToolSource,
  { environment, deferLoading = false }: Parameters<typeof withSourceTools>[1],
  make: (tools: readonly SourceTool[]) => unknown,
): unknown {
  if (isList(source)) return make(unique(source.map((tool) => ({ tool, environments: [] }))));
  const holder = findHolder(source, environment);
  if (holder === undefined) {
    const tools = findTools(source).filter(({ definition }) => definition.visibility !== "app");
    return make(unique(nameTools(tools)));
  }
  const listed = (deferLoading === false ? undefined : holder.getDeferrable?.()) ?? holder.getTools();
  return listed.then((tools) => {
    const bound = { environment: holder.environment, environments: [] };
    return make(tools.map((tool) => ({ tool, ...bound })));
  });
}

/** Returns a source as a holder, in the given environment if it has that. */
export function findHolder(source: ToolSource, environment: string | undefined): ToolHolder | undefined {
  if (isList(source) || !isHolder(source)) return undefined;
  const isElsewhere = environment !== undefined && source.environments?.includes(environment) === true;
  return (isElsewhere ? source.for?.(environment) : undefined) ?? source;
}

function unique(tools: readonly SourceTool[]): readonly SourceTool[] {
  const names = tools.map(({ tool }) => tool.name);
  if (new Set(names).size === names.length) return tools;
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  throw new McpCodegenError("NAME_COLLISION", `Two tools are called ${JSON.stringify(repeated)}.`, {
    hint: "Leave one out, or use a registry.",
  });
}

function nameTools(found: readonly AnyTool[]): readonly SourceTool[] {
  // A module may export a tool twice.
  const tools = [...new Map(found.map((tool) => [tool.definition, tool])).values()];
  const servers = new Set(tools.flatMap(({ definition }) => definition.server?.name ?? []));
  return tools.map((tool) => {
    const { name, server } = tool.definition;
    return readTool(tool, server === undefined || servers.size === 1 ? name : `${server.name}__${name}`);
  });
}

/** One tool under a name. */
export function readTool(tool: AnyTool, name: string): SourceTool {
  const { server } = tool.definition;
  return {
    tool: registerTool(tool, name, server?.name),
    environment: tool.environment,
    environments: Object.keys(server?.environments ?? {}),
  };
}

/** Finds the tools among an object's values and one level below, for a module of modules. */
function findTools(value: unknown, depth = 0): readonly AnyTool[] {
  if (isTool(value)) return [value];
  // Schemas are objects too.
  if (depth > 1 || typeof value !== "object" || value === null || "~standard" in value) return [];
  return Object.values(value).flatMap((inner: unknown) => findTools(inner, depth + 1));
}

/** A source may also be a list of tools. */
function isList(source: ToolSource): source is readonly RegisteredTool[] {
  return Array.isArray(source) && !source.some(isTool);
}

export function isHolder(source: object): source is ToolHolder {
  // A server may have a tool of this name.
  return "getTools" in source && typeof source.getTools === "function" && !isTool(source.getTools);
}
