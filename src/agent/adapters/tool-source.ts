import { McpCodegenError } from "../../contract/errors.js";
import { isTool, type AnyTool } from "../../runtime/tool.js";
import type { ToolError } from "../../runtime/result.js";
import { registerTool, type RegisteredTool, offeredToModels } from "../registry/registered-tool.js";
import type { ToolProvider } from "../registry/registry.js";

/**
 * Where the tools for a model come from: a registry, registered tools, or tools as they are: one, a list or an
 * object of them, what `connect()` gives, `import * as wordpress`, or a module of such modules.
 */
export type ToolSource = ToolHolder | PlainSource;

/** Sources whose tools need no promise. */
export type PlainSource =
  | readonly RegisteredTool[]
  | { readonly [name: string]: unknown }
  | (object & { readonly then?: never });

/** The part of a tool provider that adapters read, and the texts that toolsets and sessions add. */
export interface ToolHolder
  extends
    Pick<ToolProvider, "environment" | "getTools">,
    Partial<Pick<ToolProvider, "environments" | "servers" | "getTool">> {
  /** The same tools in another environment of {@link ToolHolder.environments}. */
  for?(environment: string): ToolHolder;
  /** The error about a name whose server could not be listed, where that is not a matter of {@link ToolHolder.servers}. */
  findListingError?(name: string): Promise<ToolError | undefined>;
  /** Explains to a model why a name belongs to none of these tools. */
  explainUnknown?(name: string): Promise<string>;
  /** Introduces the tools to a model, where there are more than it is shown. */
  introduce?(environment?: string): Promise<string>;
}

/** What is made of a source: at once, or once a registry has asked its servers. */
export type Made<S extends ToolSource, T> = S extends ToolHolder ? Promise<T> : T;

export interface SourceTool {
  readonly tool: RegisteredTool;
  /** The environment that the tool is bound to. */
  readonly environment?: string | undefined;
  /** Those that it can be called in. */
  readonly environments: readonly string[];
}

/**
 * Hands over the tools of a source. Static tools keep their names. Generated tools of one server keep the names that the
 * server gives them; those of several are called `server__tool`, as in a registry. A registry that knows the environment asked
 * for answers for that one.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export function withTools<T>(
  source: ToolSource,
  environment: string | undefined,
  make: (tools: readonly SourceTool[]) => T,
): T | Promise<T> {
  if (isList(source)) return make(unique(source.map((tool) => ({ tool, environments: [] }))));
  const holder = findHolder(source, environment);
  if (holder === undefined) return make(unique(nameTools(findTools(source).filter(isForModels))));
  return holder.getTools().then((tools) => {
    const bound = { environment: holder.environment, environments: [] };
    return make(tools.map((tool) => ({ tool, ...bound })));
  });
}

/** The holder that a source is, in an environment that it knows. */
export function findHolder(source: ToolSource, environment: string | undefined): ToolHolder | undefined {
  if (isList(source) || !isHolder(source)) return undefined;
  const isElsewhere = environment !== undefined && source.environments?.includes(environment) === true;
  return (isElsewhere ? source.for?.(environment) : undefined) ?? source;
}

function unique(tools: readonly SourceTool[]): readonly SourceTool[] {
  const names = new Set<string>();
  for (const { name } of tools.map(({ tool }) => tool)) {
    if (names.has(name)) {
      const message = `Two tools are called ${JSON.stringify(name)}.`;
      throw new McpCodegenError("NAME_COLLISION", message, { hint: "Leave one out, or use a registry." });
    }
    names.add(name);
  }
  return tools;
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

function isForModels({ definition }: AnyTool): boolean {
  return offeredToModels([definition]).length > 0;
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

/** The tools among an object's values, and one level below, for a module of modules. */
function findTools(value: unknown, depth = 0): readonly AnyTool[] {
  if (isTool(value)) return [value];
  // Schemas are objects as well.
  if (depth > 1 || typeof value !== "object" || value === null || "~standard" in value) return [];
  return Object.values(value).flatMap((inner: unknown) => findTools(inner, depth + 1));
}

/** A source may also be a list of tools. */
function isList(source: ToolSource): source is readonly RegisteredTool[] {
  return Array.isArray(source) && !source.some(isTool);
}

function isHolder(source: object): source is ToolHolder {
  // A server may have a tool that is called like this.
  return "getTools" in source && typeof source.getTools === "function" && !isTool(source.getTools);
}
