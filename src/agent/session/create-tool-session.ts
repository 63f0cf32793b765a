import { checkOptions, FUNCTION, TEXT, TEXTS } from "../../core/check-options.js";
import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { assertNamePatterns } from "../../core/name-pattern.js";
import { createWarner } from "../../runtime/events.js";
import type { Result, ToolError, CallOptions } from "../../core/call.js";
import { describeUnlisted, introduceHidden } from "../adapters/system-prompt.js";
import { decide, fitsName } from "../../core/decide.js";
import { createPolicy, CREATED_POLICY, narrowPolicy, type Policy } from "../../core/policy.js";
import type { RegisteredTool } from "../../core/tool.js";
import { readJsonObject, registerTool } from "../registry/registered-tool.js";
import type { ToolSource, ToolView } from "../registry/registry.js";
import { openView } from "../registry/tool-view.js";
import type { ToolAddress } from "../../core/tool-name.js";
import { failTool, findNameError, listFirst, LONGEST_NAME, lookUpAgain } from "../registry/tool-names.js";
import { SEARCH_OPTIONS, WEAK_SCORE, type ToolSearchOptions } from "../search/create-tool-search.js";
import { nameMetaTools } from "../toolset/create-toolset.js";
import { describeHit, type FoundTools, type WantedTools, findUnknownFilter } from "../toolset/find-tools.js";
import { nearestNames, openCatalog, type ToolCatalog, warnOfUnmatched } from "../toolset/toolset-catalog.js";
import {
  ActiveSet,
  makeSearchTool,
  type SearchTool,
  type SessionSearchAnswer,
  type ToolSession,
  type ToolSessionOptions,
} from "./tool-session.js";

/** The settings and the state of a session, which all its environments share. */
interface SessionState {
  readonly core: readonly string[];
  readonly limit: number;
  readonly searchName: string;
  readonly searchOptions: ToolSearchOptions;
  /** Reports each message once. */
  readonly warn: (message: string) => void;
  policy: Policy;
  active: ActiveSet;
  readonly maxActive: number;
  /** By environment. */
  readonly views: Map<string, ToolSession>;
}

const EVERYTHING = createPolicy({ writes: true });

/**
 * Creates a session for the tools of a registry. Servers are contacted when tools are first needed. Sessions share only the
 * index of their source's tools.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a number that is not an integer of at least 1, a `limit` above `maxActive`, a
 * malformed pattern, or a `prefix` that providers would refuse; `USAGE` for an unknown option.
 */
export function createToolSession(source: ToolSource, options: ToolSessionOptions = {}): ToolSession {
  checkOptions("createToolSession", options, {
    ...SEARCH_OPTIONS,
    core: TEXTS,
    limit: "any",
    maxActive: "any",
    found: TEXTS,
    policy: CREATED_POLICY,
    prefix: TEXT,
    onWarning: FUNCTION,
  });
  assertNamePatterns("createToolSession: core", options.core ?? []);
  const {
    core = [],
    found: remembered = [],
    policy = EVERYTHING,
    prefix = "",
    onWarning,
    embedder,
  } = options;
  const maxActive = readCount("maxActive", options.maxActive ?? 20);
  const limit = readCount("limit", options.limit ?? Math.min(5, maxActive));
  if (limit > maxActive) {
    const message = `"limit" of the session is ${limit}, more than "maxActive" (${maxActive}).`;
    throw new McpCodegenError("CONFIG_INVALID", message, { hint: 'Raise "maxActive" or lower "limit".' });
  }
  const active = new ActiveSet(maxActive);
  for (const name of remembered) active.add([name]);
  return new SessionView(openView(source), {
    core,
    limit,
    maxActive,
    policy,
    warn: createWarner(onWarning),
    searchName: nameMetaTools(prefix).search,
    searchOptions: { embedder },
    active,
    views: new Map(),
  });
}

function readCount(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new McpCodegenError("CONFIG_INVALID", `"${name}" of the session is ${value}.`, {
    hint: "Use an integer of at least 1.",
  });
}

/** The most core tools in a prompt. */
const MOST_CORE = 30;
/** Of tools with a longer definition, in characters, only the best one is added: the others cost more than they help. */
const LONGEST_DEFINITION = 6_000;

class SessionView implements ToolSession {
  declare readonly environment?: string;
  readonly #source: ToolView;
  readonly #state: SessionState;

  constructor(source: ToolView, state: SessionState) {
    if (source.environment !== undefined) this.environment = source.environment;
    this.#source = source;
    this.#state = state;
  }

  get environments(): readonly string[] {
    return this.#source.environments ?? [];
  }

  get tools(): readonly RegisteredTool[] {
    return this.#source.tools ?? [];
  }

  get found(): readonly string[] {
    return this.#state.active.names;
  }

  get search(): SearchTool {
    const { active, searchName: name, limit } = this.#state;
    return makeSearchTool(name, limit, (wanted) => this.#find(wanted, active));
  }

  for(environment: string): ToolSession {
    const { views } = this.#state;
    const view =
      views.get(environment) ?? new SessionView(this.#source.for?.(environment) ?? this.#source, this.#state);
    views.set(environment, view);
    return view;
  }

  async getTools(): Promise<readonly RegisteredTool[]> {
    const catalog = await this.#openAndWarn();
    const { active, searchName } = this.#state;
    const core = this.#coreOf(catalog);
    const places = new Set(core.map(({ name }) => name));
    active.keep((name) => catalog.byName.has(name) && !places.has(name));
    const tools = active.names.flatMap((name) => catalog.byName.get(name) ?? []);
    const shown = [...core, ...tools].map((tool) => this.#handOut(tool, catalog.nameOf(tool)));
    return [registerTool(this.search, searchName), ...shown];
  }

  async getTool(name: string): Promise<RegisteredTool | undefined> {
    return (await this.getTools()).find((tool) => tool.name === name);
  }

  async getDeferrable(): Promise<readonly RegisteredTool[]> {
    const catalog = await this.#openAndWarn();
    const core = this.#coreOf(catalog);
    const others = catalog.visible.filter((tool) => !core.includes(tool));
    const handOut = (tool: RegisteredTool): RegisteredTool => this.#handOut(tool, catalog.nameOf(tool));
    return [
      { ...registerTool(this.search, this.#state.searchName), isSearch: true },
      ...core.map(handOut),
      ...others.map((tool) => ({ ...handOut(tool), isDeferred: true as const })),
    ];
  }

  async call(name: string, input: unknown, options?: CallOptions): Promise<Result<unknown>> {
    const tool = await this.getTool(name);
    // A program without types may pass any value.
    const value: unknown = name;
    return tool === undefined ? this.#failUnknown({ name: String(value) }) : tool.call(input, options);
  }

  clear(): void {
    // Searches that the old conversation still runs add to the old set.
    this.#state.active = new ActiveSet(this.#state.maxActive);
  }

  narrow(role: string): void {
    this.#state.policy = narrowPolicy(this.#state.policy, role);
  }

  async findListingError(name: string): Promise<ToolError | undefined> {
    const { catalog } = await this.#open();
    return isKnown(name, catalog) ? undefined : findNameError(name, this.#source.servers);
  }

  async explainUnknown(name: string): Promise<string> {
    await lookUpAgain(this.#source, name);
    const { catalog } = await this.#open();
    const search = JSON.stringify(this.#state.searchName);
    const quoted = JSON.stringify(name.slice(0, LONGEST_NAME));
    if (isKnown(name, catalog))
      return `Tool ${quoted} is not among your tools now. Find it with ${search}, then call it.`;
    const error = findNameError(name, this.#source.servers);
    if (error !== undefined)
      return error.retryable ? `${error.message} The same call may succeed later.` : error.message;
    const nearest = await nearestNames(name, catalog, catalog.nameOf);
    const names = nearest.map((near) => JSON.stringify(near)).join(", ");
    const suggested = names === "" ? "" : ` Nearest: ${names}.`;
    return `There is no tool ${quoted}.${suggested} Find a tool with ${search}, then call it.`;
  }

  /** Does not depend on what was found, so that it can be cached. */
  async introduce(environment: string | undefined = this.environment): Promise<string> {
    const { catalog } = await this.#open();
    const { searchName, limit, maxActive, policy } = this.#state;
    const core = this.#coreOf(catalog).map(catalog.nameOf);
    const hidden = { tools: catalog.visible, policy, environment, servers: this.#source.servers };
    return introduceHidden(hidden, [
      "You see few of them at a time.",
      `If none of your tools fits the task, call ${searchName} with the task in plain English words, such as {"query": "publish a post"}, with a category from the list below, or with both. The best matches join your tools, at most ${limit} per search: call them by name from your next step on.`,
      `If nothing fits, search again in other words. Search separately for each task. The ${maxActive} tools found or called last stay. You cannot call a tool that is not among yours, even if you know its name: search for it first.`,
      ...(core.length > 0 ? ["", `Always available: ${listFirst(core, MOST_CORE)}.`] : []),
    ]);
  }

  async #open(): Promise<{ readonly tools: readonly RegisteredTool[]; readonly catalog: ToolCatalog }> {
    const all = await this.#source.getTools();
    // Read after listing, during which the policy may have been narrowed.
    const { policy, searchOptions, searchName } = this.#state;
    const isOther = ({ name }: RegisteredTool): boolean => name !== searchName;
    // Catalogs are cached by the identity of the list.
    const tools = all.every(isOther) ? all : all.filter(isOther);
    if (tools !== all)
      this.#state.warn(`Tool "${searchName}" is hidden by the session's search tool. Set "prefix".`);
    return { tools, catalog: openCatalog(tools, { ...searchOptions, policy }) };
  }

  #coreOf({ visible }: ToolCatalog): readonly RegisteredTool[] {
    const { core } = this.#state;
    return visible.filter((tool) => core.some((pattern) => fitsName(tool, pattern)));
  }

  async #find({ limit, ...wanted }: WantedTools, active: ActiveSet): Promise<SessionSearchAnswer> {
    const most = Math.min(limit ?? this.#state.limit, this.#state.limit);
    const { catalog } = await this.#open();
    const isListing = (wanted.query ?? "").trim() === "";
    const result = await catalog.find(isListing ? wanted : { ...wanted, limit: most });
    const { total, next, warning } = result;
    if (warning !== undefined) this.#state.warn(warning);
    const hits = result.hits.filter(({ tool }) => decide(tool, this.#state.policy).isVisible);
    // A category does not rank its tools, so that none is added if there are too many.
    // Similar meaning alone scores low.
    const byWords = this.#state.searchOptions.embedder === undefined;
    const isWeak = !isListing && byWords && (hits[0]?.score ?? 1) < WEAK_SCORE;
    const isShort = ({ description = "", inputSchema }: RegisteredTool): boolean =>
      description.length + JSON.stringify(readJsonObject(inputSchema) ?? {}).length <= LONGEST_DEFINITION;
    const isAdded = ({ tool, fit }: FoundTools["hits"][number]): boolean =>
      isListing ? total <= most : !isWeak && (fit === "best" || (fit === "near" && isShort(tool)));
    const shown = hits.filter(isAdded);
    const core = new Set(this.#coreOf(catalog));
    active.add(shown.flatMap(({ tool }) => (core.has(tool) ? [] : [tool.name])));
    const others = isListing ? hits : hits.filter((hit) => !shown.includes(hit));
    const named = others.map(({ tool }) => catalog.nameOf(tool));
    return omitUndefined({
      tools: shown.map((hit) => describeHit(hit, catalog.nameOf(hit.tool))),
      names: named.length > 0 ? named : undefined,
      total,
      next,
      query: wanted.query ?? "",
      suggestion: this.#suggest(wanted, catalog, { total, isShown: shown.length > 0, isWeak }),
    });
  }

  #suggest(
    wanted: WantedTools,
    { visible }: ToolCatalog,
    result: { readonly total: number; readonly isShown: boolean; readonly isWeak: boolean },
  ): string | undefined {
    if (result.isWeak)
      return "No tool fits well. If one of these names does, search for it to load the tool; or try other words.";
    if (result.total > 0)
      return result.isShown ? undefined : "Search for one of these names to load the tool.";
    const { servers } = this.#source;
    const names = servers?.map(({ name }) => name);
    const unknown = findUnknownFilter(wanted, visible, names);
    const advice = unknown
      ? `${unknown.message} ${unknown.suggestion}`
      : "Try other words, or a category alone.";
    return [advice, ...describeUnlisted(servers)].join(" ");
  }

  async #failUnknown(tool: ToolAddress): Promise<Result<never>> {
    const message = await this.explainUnknown(tool.name);
    const error = await this.findListingError(tool.name);
    return error === undefined ? failTool(tool, "TOOL_NOT_FOUND", message) : { ok: false, error };
  }

  /** Warns about patterns of the core and the policy that match no tool. */
  async #openAndWarn(): Promise<ToolCatalog> {
    const { tools, catalog } = await this.#open();
    warnOfUnmatched(tools, this.#source, this.#state);
    for (const pattern of this.#state.core) {
      if (tools.some((tool) => fitsName(tool, pattern))) continue;
      this.#state.warn(`No tool matches ${JSON.stringify(pattern)}, a core pattern of the session.`);
    }
    return catalog;
  }

  /** Applies the policy again at each call, since the tool may have been removed or forbidden. */
  #handOut(tool: RegisteredTool, name: string): RegisteredTool {
    const { active } = this.#state;
    return {
      ...tool,
      name,
      call: async (input, options) => {
        const now = await this.#source.getTool(tool.name);
        if (now === undefined) return this.#failUnknown({ name, server: tool.server });
        const [reason] = decide(now, this.#state.policy).reasons;
        if (reason !== undefined) return failTool(tool, reason.code, reason.message);
        active.use(tool.name);
        return now.call(input, options);
      },
    };
  }
}

function isKnown(name: string, catalog: ToolCatalog): boolean {
  return catalog.visible.some((tool) => catalog.nameOf(tool) === name);
}
