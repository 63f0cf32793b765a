import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import type { AnyTool, RegisteredTool } from "../../core/tool.js";
import { isTool } from "../../runtime/tool.js";
import { registerTool } from "./registered-tool.js";
import type { ToolSource, ToolView } from "./registry.js";

type Lister = Pick<ToolView, "getTools">;

/** A result for a source: a promise if servers may have to be listed. */
export type Made<S extends ToolSource, T> = S extends Lister ? Promise<T> : T;

/**
 * Passes the tools of a source and its view to `make`.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name
 */
export function withViewTools<S extends ToolSource, T>(
  source: S,
  options: { readonly environment?: string | undefined; readonly deferLoading?: unknown },
  make: (tools: readonly RegisteredTool[], view: ToolView) => T,
): Made<S, T>;
export function withViewTools(
  source: ToolSource,
  { environment, deferLoading = false }: Parameters<typeof withViewTools>[1],
  make: (tools: readonly RegisteredTool[], view: ToolView) => unknown,
): unknown {
  const view = openView(source, environment);
  if (!isLister(source)) return make(assertUnique(view.tools ?? []), view);
  const listed = (deferLoading === false ? undefined : view.getDeferrable?.()) ?? view.getTools();
  return listed.then((tools) => make(tools, view));
}

/**
 * Returns the tools of a source, in the given environment if it has that. Static tools keep their names. Generated tools of one
 * server keep the server's names; those of several servers are named `server__tool`, as in a registry.
 */
export function openView(source: ToolSource, environment?: string): ToolView {
  if (isList(source)) return viewOfTools(source);
  if (!isLister(source)) return viewOfModule(source, environment);
  const view = isView(source) ? source : withLookup(source);
  const isElsewhere = environment !== undefined && view.environments?.includes(environment) === true;
  return (isElsewhere ? view.for?.(environment) : undefined) ?? view;
}

function viewOfTools(tools: readonly RegisteredTool[]): ToolView {
  const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
  return {
    tools,
    getTools: () => Promise.resolve(tools),
    getTool: (name) => Promise.resolve(byName.get(name)),
  };
}

function viewOfModule(source: object, environment: string | undefined): ToolView {
  const definitions = findTools(source).filter(({ definition }) => definition.visibility !== "app");
  // A module may export a tool twice.
  const tools = [...new Map(definitions.map((tool) => [tool.definition, tool])).values()];
  const servers = tools.flatMap(({ definition }) => definition.server ?? []);
  const isOneServer = new Set(servers.map(({ name }) => name)).size <= 1;
  const registered = tools.map((tool) => {
    const { name, server } = tool.definition;
    return registerIn(
      environment,
      tool,
      server === undefined || isOneServer ? name : `${server.name}__${name}`,
    );
  });
  const [common, ...others] = new Set(registered.map((tool) => tool.environment));
  return {
    ...viewOfTools(registered),
    environment: others.length === 0 ? common : undefined,
    environments: [...new Set(servers.flatMap((server) => Object.keys(server.environments ?? {})))],
    for: (other) => openView(source, other),
  };
}

/** Registers a generated or static tool under a name, in an environment if its server has that. */
export function registerIn(environment: string | undefined, tool: AnyTool, name: string): RegisteredTool {
  const { server } = tool.definition;
  const isThere =
    environment !== undefined &&
    (server === undefined || Object.hasOwn(server.environments ?? {}, environment));
  const bound = isThere && environment !== tool.environment ? environment : undefined;
  return omitUndefined({
    ...registerTool(tool, name, server?.name, omitUndefined({ environment: bound })),
    environment: bound ?? tool.environment,
  });
}

/** For an object of the program that has only `getTools`. */
function withLookup(source: Lister & Partial<ToolView>): ToolView {
  const { environment, environments, servers } = source;
  return omitUndefined({
    environment,
    environments,
    servers,
    getTools: source.getTools.bind(source),
    getTool: async (name: string) => (await source.getTools()).find((tool) => tool.name === name),
    getDeferrable: source.getDeferrable?.bind(source),
    for: source.for?.bind(source),
    findListingError: source.findListingError?.bind(source),
    explainUnknown: source.explainUnknown?.bind(source),
    introduce: source.introduce?.bind(source),
  });
}

function assertUnique(tools: readonly RegisteredTool[]): readonly RegisteredTool[] {
  const names = tools.map(({ name }) => name);
  if (new Set(names).size === names.length) return tools;
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  throw new McpCodegenError("NAME_COLLISION", `Two tools are called ${JSON.stringify(repeated)}.`, {
    hint: "Leave one out, or use a registry.",
  });
}

/** Finds the tools among an object's values and one level below, for a module of modules. */
function findTools(value: unknown, depth = 0): readonly AnyTool[] {
  if (isTool(value)) return [value];
  // Schemas are objects too.
  if (depth > 1 || typeof value !== "object" || value === null || "~standard" in value) return [];
  return Object.values(value).flatMap((inner: unknown) => findTools(inner, depth + 1));
}

function isList(source: ToolSource): source is readonly RegisteredTool[] {
  return Array.isArray(source) && !source.some(isTool);
}

/** Whether a source lists its tools, and not only holds them. */
export function isLister(source: object): source is Lister & Partial<ToolView> {
  // A server may have a tool of this name.
  return "getTools" in source && typeof source.getTools === "function" && !isTool(source.getTools);
}

function isView(source: Lister & Partial<ToolView>): source is ToolView {
  return typeof source.getTool === "function";
}
