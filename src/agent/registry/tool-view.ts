import { checkArgument, isPromise, OBJECT, type OptionKind } from "../../core/check-options.js";
import { omitUndefined } from "../../core/collections.js";
import type { Policy } from "../../core/policy.js";
import { McpCodegenError } from "../../core/errors.js";
import { isEqual, isJsonObject } from "../../core/json.js";
import type { AnyTool, RegisteredTool } from "../../core/tool.js";
import { originOf } from "../../runtime/define-tool.js";
import { isTool } from "../../runtime/tool.js";
import { approvalsOf } from "./approval.js";
import { isAnyTool, registerTool } from "./registered-tool.js";
import type { ToolSource, ToolView } from "./registry.js";
import { decideByName, restrictView } from "./restrict-view.js";
import { assertEnvironment, DEFAULT_ENVIRONMENT, environmentOf } from "./server-source.js";
import { failTool, failUnknown, findCallable } from "./tool-names.js";

type Lister = Pick<ToolView, "getTools">;

interface ViewOptions {
  readonly environment?: string | undefined;
  /** A policy that restricts the tools further. */
  readonly policy?: Policy | undefined;
}

/** Returns the tools of a source and its view. Throws `NAME_COLLISION` when two tools have one name. */
export async function listSource(
  source: ToolSource,
  { deferLoading = false, ...options }: ViewOptions & { readonly deferLoading?: unknown },
): Promise<{ readonly tools: readonly RegisteredTool[]; readonly view: ToolView }> {
  const view = openView(source, options);
  const listed = (deferLoading === false ? undefined : view.getDeferrable?.()) ?? view.getTools();
  return { tools: assertUnique(await listed), view };
}

/**
 * Returns the tools of a source, in the given environment if it has that. Static tools keep their names. Generated tools of one
 * server keep the server's names; those of several servers are named `server__tool`, as in a registry.
 */
export function openView(source: ToolSource, { environment, policy }: ViewOptions = {}): ToolView {
  const view = openSource(source, environment);
  return policy === undefined ? view : view.restrict(policy);
}

/** Objects that have no values by name. */
const NAMELESS = /^\[object (?:Map|Set|Date)\]$/;

export const SOURCE: OptionKind = {
  words: "a registry, a toolset, what connect() returned, a module of generated tools, or an array of tools",
  is: (value) =>
    isTool(value) ||
    (Array.isArray(value)
      ? value.every(isAnyTool)
      : OBJECT.is(value) && !NAMELESS.test(Object.prototype.toString.call(value))),
  each: { words: "a tool", is: isAnyTool },
};

/** @throws McpCodegenError `USAGE` for anything else, such as a promise of a toolset */
function openSource(source: ToolSource, environment: string | undefined): ToolView {
  checkArgument("Tools for models", "source", source, SOURCE);
  if (isList(source)) return viewOfTools(source, environment);
  if (!isLister(source)) return viewOfModule(source, environment);
  const view = isView(source) ? source : completeView(source);
  if (environment === undefined) return view;
  assertEnvironment(environment, view.environments);
  return view.environments.includes(environment) ? view.for(environment) : view;
}

/** Copies of a tool have the same call. */
const viewsOfCalls = /* @__PURE__ */ new WeakMap<object, ToolView>();

/** Remembers the view of tools, for programs that pass on their list. */
export function rememberView(tools: Iterable<{ readonly call: object }>, view: ToolView): void {
  for (const { call } of tools) viewsOfCalls.set(call, view);
}

function viewOfTools(tools: readonly RegisteredTool[], environment: string | undefined): ToolView {
  const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
  const views = [
    ...new Set(tools.flatMap(({ call }: { readonly call: object }) => viewsOfCalls.get(call) ?? [])),
  ];
  const fail = (problem: string): McpCodegenError =>
    new McpCodegenError("USAGE", `Tools for models: the tools are of ${problem}.`, {
      hint: "Pass the registry or the toolset, not a list of its tools.",
    });
  for (const { environment: here = DEFAULT_ENVIRONMENT, environments } of views) {
    assertEnvironment(environment, environments);
    if (environment !== undefined && environment !== here && environments.includes(environment))
      throw fail(`the environment "${here}", not "${environment}"`);
  }
  const [approvals, ...others] = views.map((view) => approvalsOf(view, {}));
  if (others.some((other) => !isEqual(other, approvals))) throw fail("registries with different approvals");
  return completeView({
    approvals,
    tools,
    getTools: () => Promise.resolve(tools),
    getTool: (name) => Promise.resolve(byName.get(name)),
  });
}

function viewOfModule(source: object, environment: string | undefined): ToolView {
  const forgotten = Object.entries(source).find(([, value]) => isPromise(value));
  if (forgotten !== undefined)
    checkArgument("Tools for models", `source[${JSON.stringify(forgotten[0])}]`, forgotten[1], SOURCE);
  const definitions = findTools(source).filter(({ definition }) => definition.visibility !== "app");
  // A module may export a tool twice.
  const tools = [...new Map(definitions.map((tool) => [tool.definition, tool])).values()];
  const servers = tools.flatMap(({ definition }) => definition.server ?? []);
  const environments = [...new Set(servers.flatMap((server) => Object.keys(server.environments ?? {})))];
  assertEnvironment(environment, environments);
  if (tools.length === 0 && !isEmptyModule(source))
    throw new McpCodegenError("USAGE", "Tools for models: the object has no tools.", {
      hint: `Use ${SOURCE.words}. For several sources, use createRegistry({ servers: […], static: […] }).`,
    });
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
  return completeView({
    tools: registered,
    getTools: () => Promise.resolve(registered),
    environment: others.length === 0 ? common : undefined,
    environments,
    for: (other) => openSource(source, other),
  });
}

/** Whether an object is a module of servers that have no tools, or a connection to one. */
function isEmptyModule(source: object): boolean {
  if (originOf(source) !== undefined || "server" in source) return true;
  return Object.values(source).every((value: unknown) => isJsonObject(value) && isEmptyModule(value));
}

/** Registers a generated or static tool under a name, in an environment if its server has any. */
export function registerIn(environment: string | undefined, tool: AnyTool, name: string): RegisteredTool {
  const { server } = tool.definition;
  const chosen = server === undefined ? environment : environmentOf(server, environment);
  const bound = chosen === tool.environment ? undefined : chosen;
  return omitUndefined({
    ...registerTool(tool, name, server?.name, omitUndefined({ environment: bound })),
    environment: bound ?? tool.environment,
  });
}

/** Adds what an object of the program lacks that has only `getTools`. */
export function completeView(source: Lister & Partial<ToolView>): ToolView {
  const { environment, environments = [] } = source;
  const view: ToolView = {
    ...omitUndefined({
      environment,
      getDeferrable: source.getDeferrable?.bind(source),
      explain: source.explain?.bind(source),
      introduce: source.introduce?.bind(source),
      onChange: source.onChange?.bind(source),
      isPartial: source.isPartial,
      policy: source.policy,
      approvals: source.approvals,
    }),
    environments,
    get servers() {
      return source.servers ?? [];
    },
    get tools() {
      return source.tools ?? [];
    },
    getTools: (filter) => source.getTools(filter),
    getTool: async (name) =>
      source.getTool === undefined
        ? (await source.getTools()).find((tool) => tool.name === name)
        : source.getTool(name),
    call: async (name, input, options) => {
      // A program without types may pass any value.
      const value: unknown = name;
      const tool = await findCallable(view, name);
      if (tool !== undefined) return tool.call(input, options);
      const explained = await view.explain?.(String(value));
      if (explained === undefined) return failUnknown(name, view.tools, view.servers);
      const { message, error } = explained;
      return error === undefined ? failTool({ name }, "TOOL_NOT_FOUND", message) : { ok: false, error };
    },
    for: (other) => openView(source.for?.(other) ?? view),
    restrict: (rule) => restrictView(view, rule),
    decide: (name) => decideByName(view.tools, name),
  };
  return view;
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
  return typeof source.restrict === "function";
}
