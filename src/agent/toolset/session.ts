import {
  checkArgument,
  checkOptions,
  describeValue,
  FUNCTION,
  OBJECT,
  TEXT,
  TEXTS,
} from "../../core/check-options.js";
import type { CallOptions, Result } from "../../core/call.js";
import { decide, fitsName } from "../../core/decide.js";
import { omitUndefined } from "../../core/collections.js";
import type { JsonObject } from "../../core/json.js";
import { McpCodegenError } from "../../core/errors.js";
import { assertNamePatterns } from "../../core/name-pattern.js";
import { EVERYTHING, type Policy, readPolicy } from "../../core/policy.js";
import type { RegisteredTool } from "../../core/tool.js";
import { wholeNameOf } from "../../core/tool-name.js";
import { createWarner } from "../../runtime/events.js";
import { describeUnlisted, introduceHidden } from "../adapters/system-prompt.js";
import { readJsonObject } from "../registry/registered-tool.js";
import type { Explanation, ToolSource, ToolView } from "../registry/registry.js";
import { failTool, findNameError, listFirst, LONGEST_NAME, lookUpAgain } from "../registry/tool-names.js";
import { openView } from "../registry/tool-view.js";
import { SEARCH_OPTIONS, WEAK_SCORE } from "../search/create-tool-search.js";
import { assembleToolset, type ToolsetParts } from "./assemble-toolset.js";
import {
  ActiveSet,
  describeHit,
  findUnknownFilter,
  type FoundTools,
  type WantedTools,
} from "./find-tools.js";
import { type MetaCall, type MetaToolDefinition, objectOf } from "./meta-tool.js";
import { hasNoCondition, readWanted, refuseEmpty } from "./search-tools.js";
import { nearestNames, type ToolCatalog } from "./toolset-catalog.js";
import { answerWith } from "./toolset-error.js";
import type { FoundOptions, ToolSession, ToolAnswer } from "./toolset.js";

/** The settings and the state of a session, which all its environments share. */
interface SessionState extends Omit<FoundOptions, "limit" | "maxActive"> {
  readonly core: readonly string[];
  readonly limit: number;
  readonly maxActive: number;
  readonly policy: Policy;
  readonly onWarning: (message: string) => void;
  /** The found tools of the conversation. */
  readonly memory: { active: ActiveSet };
  /** By environment. */
  readonly views: Map<string, ToolSession>;
}

/** Creates the toolset of one conversation. Sessions share only the index of their source's tools. */
export function createSession(source: ToolSource, options: FoundOptions): ToolSession {
  checkOptions("createToolset", options, {
    ...SEARCH_OPTIONS,
    show: ["found"],
    core: TEXTS,
    limit: "any",
    maxActive: "any",
    found: TEXTS,
    policy: "any",
    prefix: TEXT,
    onWarning: FUNCTION,
  });
  const { core = [], found: remembered = [], policy: rules = EVERYTHING } = options;
  const policy = readPolicy("createToolset", rules);
  assertNamePatterns("createToolset: core", core);
  const maxActive = readCount("maxActive", options.maxActive, 20);
  const limit = readCount("limit", options.limit, Math.min(5, maxActive));
  if (limit > maxActive) {
    const message = `"limit" of the session is ${limit}, more than "maxActive" (${maxActive}).`;
    throw new McpCodegenError("CONFIG_INVALID", message, { hint: 'Raise "maxActive" or lower "limit".' });
  }
  const active = new ActiveSet(maxActive);
  for (const name of remembered) active.add([name]);
  const onWarning = createWarner(options.onWarning);
  const memory = { active };
  const views = new Map<string, ToolSession>();
  return openSession(openView(source), {
    ...options,
    core,
    limit,
    maxActive,
    policy,
    onWarning,
    memory,
    views,
  });
}

function readCount(name: string, option: number | undefined, otherwise: number): number {
  const value = option === undefined ? otherwise : option;
  if (Number.isInteger(value) && value > 0) return value;
  throw new McpCodegenError("CONFIG_INVALID", `"${name}" of the session is ${describeValue(value)}.`, {
    hint: "Use an integer of at least 1.",
  });
}

const MOST_CORE = 30;
/** Of tools with a longer definition, in characters, only the best one is added: the others cost more than they help. */
const LONGEST_DEFINITION = 6_000;

function openSession(source: ToolView, state: SessionState): ToolSession {
  const { policy, limit, maxActive, memory, views, onWarning: warn, prefix = "" } = state;
  const searchName = `${prefix}search_tools`;
  const search: MetaToolDefinition = {
    name: "search_tools",
    describe: () =>
      `Finds tools for a task. They join your tools with their schemas, at most ${limit} per search: call them by name in your next step. A search for one of the "names" adds that tool. A category alone lists the names of its tools.`,
    inputSchema: searchSchema(limit),
    annotate: () => ({ readOnlyHint: true, idempotentHint: true, openWorldHint: false }),
    answer: (args, call) => find(readWanted(args), call, state),
  };
  const isOther = ({ name }: RegisteredTool): boolean => name !== searchName;
  const parts: ToolsetParts = {
    definitions: [search],
    names: { introspect: searchName, search: searchName, describe: searchName, execute: searchName, context: searchName }, // prettier-ignore
    keep: (tools) => {
      if (tools.every(isOther)) return tools;
      warn(`Tool "${searchName}" is hidden by the session's search tool. Set "prefix".`);
      return tools.filter(isOther);
    },
    // Does not depend on what was found, so that it can be cached.
    introduce: (hidden, catalog) => {
      const core = coreOf(catalog, state).map(catalog.modelNameOf);
      return introduceHidden(hidden, [
        "You see few of them at a time.",
        `If none of your tools fits the task, call ${searchName} with the task in plain English words, such as {"query": "publish a post"}, with a category from the list below, or with both. The best matches join your tools, at most ${limit} per search: call them by name from your next step on.`,
        `If nothing fits, search again in other words. Search separately for each task. The ${maxActive} tools found or called last stay. You cannot call a tool that is not among yours, even if you know its name: search for it first.`,
        ...(core.length > 0 ? ["", `Always available: ${listFirst(core, MOST_CORE)}.`] : []),
      ]);
    },
  };
  const { toolset, view } = assembleToolset(source, state, parts, (shown, rules) =>
    openSession(shown, { ...state, policy: rules, views: new Map() }),
  );

  const open = async (): Promise<ToolCatalog> => {
    const catalog = await view().open();
    for (const pattern of state.core)
      if (!catalog.tools.some((tool) => fitsName(tool, pattern)))
        warn(`No tool matches ${JSON.stringify(pattern)}, a core pattern of the session.`);
    return catalog;
  };
  const explain = async (name: string): Promise<Explanation> => {
    await lookUpAgain(source, name);
    const catalog = await view().open();
    const call = JSON.stringify(searchName);
    const quoted = JSON.stringify(name.slice(0, LONGEST_NAME));
    const isThere = catalog.visible.some((tool) => catalog.modelNameOf(tool) === name);
    if (isThere || (await catalog.resolve(name)).kind === "tool")
      return { message: `Tool ${quoted} is not among your tools now. Find it with ${call}, then call it.` };
    const error = findNameError(name, source.servers);
    if (error !== undefined) {
      const again = error.retryable ? " The same call may succeed later." : "";
      return { message: `${error.message}${again}`, error };
    }
    const names = (await nearestNames(name, catalog, catalog.modelNameOf)).map((near) =>
      JSON.stringify(near),
    );
    const suggested = names.length === 0 ? "" : ` Nearest: ${names.join(", ")}.`;
    return { message: `There is no tool ${quoted}.${suggested} Find a tool with ${call}, then call it.` };
  };
  const failUnknown = async (name: string, server?: string): Promise<Result<never>> => {
    const { message, error } = await explain(name);
    return error === undefined ? failTool({ name, server }, "TOOL_NOT_FOUND", message) : { ok: false, error };
  };
  /** Applies the policy again at each call, since the tool may have been removed or changed. */
  const handOut = (tool: RegisteredTool, { modelNameOf }: ToolCatalog): RegisteredTool => ({
    ...tool,
    name: modelNameOf(tool),
    call: async (input: unknown, options?: CallOptions) => {
      const now = await source.getTool(tool.name);
      if (now === undefined) return failUnknown(modelNameOf(tool), tool.server);
      const [reason] = decide(now, policy).reasons;
      if (reason !== undefined) return failTool(tool, reason.code, reason.message);
      memory.active.use(tool.name);
      return now.call(input, options);
    },
  });
  const getTools = async (): Promise<readonly RegisteredTool[]> => {
    const catalog = await open();
    const core = coreOf(catalog, state);
    const { active } = memory;
    active.keep((name) => catalog.byName.has(name) && !core.some((tool) => tool.name === name));
    const tools = active.names.flatMap((name) => catalog.byName.get(name) ?? []);
    return [...(await toolset.getTools()), ...[...core, ...tools].map((tool) => handOut(tool, catalog))];
  };
  /** Of one server, the whole name is understood as well: a program knows it from the registry. */
  const getTool = async (name: string): Promise<RegisteredTool | undefined> =>
    (await getTools()).find((tool) => [tool.name, wholeNameOf(tool)].includes(name));
  return {
    ...toolset,
    get servers() {
      return source.servers;
    },
    get tools() {
      return source.tools;
    },
    get found() {
      return memory.active.names;
    },
    getTools,
    getTool,
    getDeferrable: async () => {
      const catalog = await open();
      const core = coreOf(catalog, state);
      const others = catalog.visible.filter((tool) => !core.includes(tool));
      return [
        ...(await toolset.getTools()).map((tool) => ({ ...tool, isSearch: true as const })),
        ...core.map((tool) => handOut(tool, catalog)),
        ...others.map((tool) => ({ ...handOut(tool, catalog), isDeferred: true as const })),
      ];
    },
    search: async (wanted) => {
      checkArgument("search", "wanted", wanted, OBJECT);
      return toolset.answer(searchName, omitUndefined(wanted));
    },
    call: async (name, input, options) => {
      // A program without types may pass any value.
      const value: unknown = name;
      return (await getTool(name))?.call(input, options) ?? failUnknown(String(value));
    },
    explain,
    clear: () => {
      // Searches that the old conversation still runs add to the old set.
      memory.active = new ActiveSet(maxActive);
    },
    for: (environment) => {
      const there = views.get(environment) ?? openSession(source.for(environment), state);
      views.set(environment, there);
      return there;
    },
  };
}

function searchSchema(limit: number): JsonObject {
  const text = { type: "string", minLength: 1, maxLength: 1_000 };
  return objectOf({
    query: { ...text, description: "The task, in plain words. Required without a category." },
    category: { ...text, description: "Only tools of this category." },
    server: { ...text, description: "Only tools of this server." },
    limit: { type: "integer", minimum: 1, maximum: limit, default: limit },
    offset: { type: "integer", minimum: 0, description: 'For names: "next" of the previous answer.' },
  });
}

function coreOf({ visible }: ToolCatalog, { core }: SessionState): readonly RegisteredTool[] {
  return visible.filter((tool) => core.some((pattern) => fitsName(tool, pattern)));
}

/**
 * Adds the tools that fit best, and names others: without a query all that match, in pages of 100; for a query those that fit less
 * well, or have a long definition.
 */
async function find(
  { limit = Infinity, ...wanted }: WantedTools,
  { view, source, warn }: MetaCall,
  state: SessionState,
): Promise<ToolAnswer> {
  const { active } = state.memory;
  if (hasNoCondition(wanted)) return refuseEmpty('Set "query" to what you want to do, or "category".');
  const most = Math.min(limit, state.limit);
  const catalog = await view.open();
  const isListing = wanted.query === undefined;
  const { hits, total, next, warning } = await catalog.find(isListing ? wanted : { ...wanted, limit: most });
  if (warning !== undefined) warn(warning);
  // Similar meaning alone scores low.
  const isWeak = !isListing && state.embedder === undefined && (hits[0]?.score ?? 1) < WEAK_SCORE;
  const isShort = ({ description = "", inputSchema }: RegisteredTool): boolean =>
    description.length + JSON.stringify(readJsonObject(inputSchema) ?? {}).length <= LONGEST_DEFINITION;
  // A category does not rank its tools, so that none is added if there are too many.
  const isAdded = ({ tool, fit }: FoundTools["hits"][number]): boolean =>
    isListing ? total <= most : !isWeak && (fit === "best" || (fit === "near" && isShort(tool)));
  const shown = hits.filter(isAdded);
  const core = new Set(coreOf(catalog, state));
  active.add(shown.flatMap(({ tool }) => (core.has(tool) ? [] : [tool.name])));
  const others = isListing ? hits : hits.filter((hit) => !shown.includes(hit));
  const suggest = (): string | undefined => {
    if (isWeak)
      return "No tool fits well. If one of these names does, search for it to load the tool; or try other words.";
    if (total > 0) return shown.length > 0 ? undefined : "Search for one of these names to load the tool.";
    const servers = source.servers.map(({ name }) => name);
    const unknown = findUnknownFilter(wanted, catalog.visible, servers);
    const advice = unknown
      ? `${unknown.message} ${unknown.suggestion}`
      : "Try other words, or a category alone.";
    return [advice, ...describeUnlisted(source.servers)].join(" ");
  };
  return answerWith({
    tools: shown.map((hit) => describeHit(hit, catalog.modelNameOf(hit.tool))),
    names: others.length > 0 ? others.map(({ tool }) => catalog.modelNameOf(tool)) : undefined,
    total,
    next,
    query: wanted.query ?? "",
    suggestion: suggest(),
  });
}
