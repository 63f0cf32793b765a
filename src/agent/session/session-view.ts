import type { CallOptions } from "../../runtime/call-options.js";
import type { Result, ToolError } from "../../runtime/result.js";
import { decide, fitsName } from "../policy/decide.js";
import { describeUnlisted, writeSessionPrompt } from "../adapters/system-prompt.js";
import { narrowPolicy } from "../policy/policy.js";
import { refuse } from "../policy/restrict-tools.js";
import { registerTool, type RegisteredTool } from "../registry/registered-tool.js";
import { findListingError, lookUpAgain } from "../registry/tool-names.js";
import type { ToolProvider } from "../registry/registry.js";
import { describeHit, type WantedTools, findUnknownFilter } from "../toolset/find-tools.js";
import { nearestNames } from "../toolset/toolset-catalog.js";
import { openCatalog, type Catalog } from "./catalog.js";
import { makeSearchTool, type SearchTool, type SessionSearchAnswer } from "./search-tool.js";
import type { SessionState, ToolSession } from "./tool-session.js";

/** A name that a model made up may be of any length. */
const LONGEST_SAID = 100;

/** A session in one environment. See {@link ToolSession}. */
export class SessionView implements ToolSession {
  declare readonly environment?: string;
  readonly #source: ToolProvider;
  readonly #state: SessionState;
  /** The search tool of the conversation that has this active set. */
  #search: { readonly tool: SearchTool; readonly active: ActiveSet } | undefined;

  constructor(source: ToolProvider, state: SessionState) {
    if (source.environment !== undefined) this.environment = source.environment;
    this.#source = source;
    this.#state = state;
  }

  get environments(): readonly string[] {
    return this.#source.environments;
  }

  get tools(): readonly RegisteredTool[] {
    return this.#source.tools ?? [];
  }

  get found(): readonly string[] {
    return this.#state.active.names;
  }

  get search(): SearchTool {
    const { active, searchName: name, limit } = this.#state;
    if (this.#search?.active !== active) {
      const search = (wanted: WantedTools): Promise<SessionSearchAnswer> => this.#find(wanted, active);
      this.#search = { tool: makeSearchTool({ name, limit, search }), active };
    }
    return this.#search.tool;
  }

  for(environment: string): ToolSession {
    const { views } = this.#state;
    const view = views.get(environment) ?? new SessionView(this.#source.for(environment), this.#state);
    views.set(environment, view);
    return view;
  }

  async getTools(): Promise<readonly RegisteredTool[]> {
    const { tools, catalog } = await this.#open();
    this.#warnOfCore(tools);
    const { active, searchName } = this.#state;
    const core = this.#coreOf(catalog);
    const places = new Set(core.map(({ name }) => name));
    active.keep((name) => catalog.visible.has(name) && !places.has(name));
    const found = active.names.flatMap((name) => catalog.visible.get(name) ?? []);
    const shown = [...core, ...found].map((tool) => this.#handOut(tool, catalog.nameOf(tool)));
    return [registerTool(this.search, searchName), ...shown];
  }

  async call(name: string, input: unknown, options?: CallOptions): Promise<Result<unknown>> {
    const tool = (await this.getTools()).find((shown) => shown.name === name);
    if (tool !== undefined) return tool.call(input, options);
    return this.#failUnknown({ name });
  }

  clear(): void {
    // What the old conversation was handed adds to the old set.
    this.#state.active = new ActiveSet(this.#state.maxActive);
  }

  narrow(role: string): void {
    this.#state.policy = narrowPolicy(this.#state.policy, role);
  }

  async findListingError(name: string): Promise<ToolError | undefined> {
    const { catalog } = await this.#open();
    const isThere = [...catalog.visible.values()].some((tool) => catalog.nameOf(tool) === name);
    return isThere ? undefined : findListingError(name, this.#source.servers);
  }

  async explainUnknown(name: string): Promise<string> {
    await lookUpAgain(this.#source, name);
    const { catalog } = await this.#open();
    const search = JSON.stringify(this.#state.searchName);
    const said = JSON.stringify(name.slice(0, LONGEST_SAID));
    const isThere = [...catalog.visible.values()].some((tool) => catalog.nameOf(tool) === name);
    if (isThere) return `Tool ${said} is not among your tools now. Find it with ${search}, then call it.`;
    const error = findListingError(name, this.#source.servers);
    if (error !== undefined)
      return error.retryable ? `${error.message} The same call may succeed later.` : error.message;
    const nearest = await nearestNames(name, catalog.finder, catalog);
    const names = nearest.map((near) => JSON.stringify(near)).join(", ");
    const told = names === "" ? "" : ` Nearest: ${names}.`;
    return `There is no tool ${said}.${told} Find a tool with ${search}, then call it.`;
  }

  async introduce(environment: string | undefined = this.environment): Promise<string> {
    const { catalog } = await this.#open();
    const { searchName, limit, maxActive } = this.#state;
    const core = this.#coreOf(catalog).map((tool) => catalog.nameOf(tool));
    const tools = [...catalog.visible.values()];
    const { servers } = this.#source;
    return writeSessionPrompt({ tools, core, searchName, limit, maxActive, environment, servers });
  }

  async #open(): Promise<{ readonly tools: readonly RegisteredTool[]; readonly catalog: Catalog }> {
    const all = await this.#source.getTools();
    // By the policy of now: it may have been narrowed while servers were asked.
    const { policy, searchOptions, searchName } = this.#state;
    const isOther = ({ name }: RegisteredTool): boolean => name !== searchName;
    // The same list has the same catalog.
    const tools = all.every(isOther) ? all : all.filter(isOther);
    if (tools !== all)
      this.#state.warn(`Tool "${searchName}" is hidden by the session's search tool. Set "prefix".`);
    return { tools, catalog: openCatalog(tools, { ...searchOptions, policy }) };
  }

  /** Those that a policy shows, in the order of the source. */
  #coreOf({ visible }: Catalog): readonly RegisteredTool[] {
    const { core } = this.#state;
    return [...visible.values()].filter((tool) => core.some((pattern) => fitsName(tool, pattern)));
  }

  async #find({ limit, ...wanted }: WantedTools, active: ActiveSet): Promise<SessionSearchAnswer> {
    const most = Math.min(limit ?? this.#state.limit, this.#state.limit);
    const { catalog } = await this.#open();
    const isListing = (wanted.query ?? "").trim() === "";
    const found = await catalog.finder.find(isListing ? wanted : { ...wanted, limit: most });
    const { total, next, warning } = found;
    const known = this.#source.servers?.map(({ name }) => name);
    const unknown = total > 0 ? undefined : findUnknownFilter(wanted, catalog.finder.visible, known);
    const advice =
      unknown === undefined
        ? "Try other words, or a category alone."
        : `${unknown.message} ${unknown.suggestion}`;
    if (warning !== undefined) this.#state.warn(warning);
    const hits = found.hits.filter(({ tool }) => decide(tool, this.#state.policy).isVisible);
    // A category does not say which of its tools matter: of many, none is brought.
    const shown = isListing && total > most ? [] : hits;
    const core = new Set(this.#coreOf(catalog));
    active.add(shown.flatMap(({ tool }) => (core.has(tool) ? [] : [tool.name])));
    return {
      tools: shown.map((hit) => describeHit(hit, catalog)),
      ...(isListing && total > 0 && { names: hits.map(({ tool }) => catalog.nameOf(tool)) }),
      total,
      ...(next !== undefined && { next }),
      query: wanted.query ?? "",
      ...(shown.length === 0 &&
        total > 0 && { suggestion: "Search for one of these names to load the tool." }),
      ...(total === 0 && {
        suggestion: [advice, ...describeUnlisted(this.#source.servers)].join(" "),
      }),
    };
  }

  async #failUnknown(tool: Pick<RegisteredTool, "name" | "server">): Promise<Result<never>> {
    const message = await this.explainUnknown(tool.name);
    const error = await this.findListingError(tool.name);
    return error === undefined ? refuse(tool, { code: "TOOL_NOT_FOUND", message }) : { ok: false, error };
  }

  #warnOfCore(tools: readonly RegisteredTool[]): void {
    for (const pattern of this.#state.core) {
      if (tools.some((tool) => fitsName(tool, pattern))) continue;
      this.#state.warn(`No tool matches ${JSON.stringify(pattern)}, a core pattern of the session.`);
    }
  }

  /** A tool as it is shown: judged once more when it is called, since it may have gone or been forbidden. */
  #handOut(tool: RegisteredTool, name: string): RegisteredTool {
    const { active } = this.#state;
    return {
      ...tool,
      name,
      call: async (input, options) => {
        const now = await this.#source.getTool(tool.name);
        if (now === undefined) return this.#failUnknown({ ...tool, name });
        const [reason] = decide(now, this.#state.policy).reasons;
        if (reason !== undefined) return refuse(tool, reason);
        active.use(tool.name);
        return now.call(input, options);
      },
    };
  }
}

/**
 * The names of the tools that searches have found: a bounded number of them, the least recently used of which make room
 * for new ones.
 */
export class ActiveSet {
  readonly #most: number;
  /** When each was last used. The order of the keys is that of finding. */
  readonly #uses = new Map<string, number>();
  #now = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** In the order in which they were found: using one again does not move it. */
  get names(): readonly string[] {
    return [...this.#uses.keys()];
  }

  /** Adds what a search has found, best first. What is there already is used again. */
  add(names: readonly string[]): void {
    const found = names.slice(0, this.#most);
    for (const name of found) if (!this.#uses.has(name)) this.#uses.set(name, 0);
    // The best is the last to go.
    for (const name of found.toReversed()) this.use(name);
    const excess = this.#uses.size - this.#most;
    if (excess <= 0) return;
    const oldest = [...this.#uses].sort(([, a], [, b]) => a - b).slice(0, excess);
    for (const [name] of oldest) this.#uses.delete(name);
  }

  /** Notes that a tool is called. One that has left meanwhile stays out. */
  use(name: string): void {
    if (!this.#uses.has(name)) return;
    this.#now += 1;
    this.#uses.set(name, this.#now);
  }

  /** Drops those that do not fit. */
  keep(fits: (name: string) => boolean): void {
    for (const name of this.names) if (!fits(name)) this.#uses.delete(name);
  }
}
