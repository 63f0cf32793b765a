import { McpCodegenError } from "../../contract/errors.js";
import type { CallOptions, ToolCaller } from "../../runtime/call-options.js";
import { systemClock } from "../../runtime/clock.js";
import { isTool, type AnyTool } from "../../runtime/tool.js";
import { logEvent, warn } from "../../runtime/events.js";
import type { Result } from "../../runtime/result.js";
import { fitsName } from "../policy/decide.js";
import { chosenTraceId, newTraceId } from "../../runtime/tracing.js";
import { askCaches, type Answers, type LogEvent } from "./ask-caches.js";
import { failUnknownTool } from "./fail-unknown-tool.js";
import { readServerTools } from "./read-server-tools.js";
import { bindOptions, cacheOfSource, cacheOfTools, type CacheContext } from "./make-server-tool-cache.js";
import { registerTool, type RegisteredTool } from "./registered-tool.js";
import { ListChangeReactions } from "./list-change-reactions.js";
import {
  categoryOf,
  countCategories,
  describeChange,
  isEmptyChange,
  type ToolChange,
} from "./registry-change.js";
import type { RefreshReport, Registry, RegistryChange, RegistryOptions, ServerListing, ServerState, ToolEntry, ToolFilter } from "./registry.js"; // prettier-ignore
import type { ServerToolCache } from "./server-tool-cache.js";
import { DEFAULT_ENVIRONMENT, definitionOf, environmentOf, resolveSource } from "./server-source.js"; // prettier-ignore
import { assertServerName, splitToolName } from "./tool-names.js";

/** What registries of several environments have in common. */
export interface Family {
  readonly options: RegistryOptions;
  readonly statics: Map<string, AnyTool>;
  /** By environment. */
  readonly members: Map<string, ToolRegistry>;
}

/** See {@link Registry}. */
export class ToolRegistry implements Registry {
  declare readonly environment?: string;
  readonly #family: Family;
  readonly #slots = new Map<string, ServerToolCache>();
  readonly #listeners = new Set<(change: RegistryChange) => void>();
  readonly #shadowed = new Set<string>();
  /** By server, the failure that was warned about. */
  readonly #failures = new Map<string, string>();
  /** Everything there is by name, in order; made when it is asked for. */
  #tools: ReadonlyMap<string, RegisteredTool> | undefined;
  #list: readonly RegisteredTool[] = [];

  constructor(family: Family, environment: string | undefined) {
    if (environment !== undefined) this.environment = environment;
    this.#family = family;
    family.members.set(environment ?? DEFAULT_ENVIRONMENT, this);
    for (const source of family.options.servers ?? []) {
      const resolved = resolveSource(source, environment);
      if (resolved !== undefined) this.#addSlot(cacheOfSource(resolved, this.#context));
    }
  }

  get environments(): readonly string[] {
    const named = (this.#family.options.servers ?? []).flatMap((source) =>
      Object.keys(definitionOf(source).environments ?? {}),
    );
    return [...new Set([this.environment ?? DEFAULT_ENVIRONMENT, ...this.#family.members.keys(), ...named])];
  }

  get servers(): readonly ServerState[] {
    return [...this.#slots.values()].map((slot) => slot.state);
  }

  get tools(): readonly RegisteredTool[] {
    this.#index();
    return this.#list;
  }

  for(environment: string): Registry {
    const member = this.#family.members.get(environment);
    if (member !== undefined) return member;
    if (!this.environments.includes(environment)) throw unknownEnvironment(environment, this.environments);
    return new ToolRegistry(this.#family, environment);
  }

  has(server: string): boolean {
    return this.#slots.has(server);
  }

  async getTools(filter: ToolFilter = {}): Promise<readonly RegisteredTool[]> {
    const { server, category, isLocked } = filter;
    await this.#waitFor(server === undefined ? [...this.#slots.values()] : [this.#slots.get(server)]);
    this.#index();
    if (server === undefined && category === undefined && isLocked === undefined) return this.#list;
    return this.#list.filter(
      (tool) =>
        (server === undefined || tool.server === server) &&
        (category === undefined || categoryOf(tool) === category) &&
        (isLocked === undefined || tool.isLocked === isLocked),
    );
  }

  async getCategories(filter?: ToolFilter): Promise<{ readonly [category: string]: number }> {
    return countCategories(await this.getTools(filter));
  }

  async getTool(name: string): Promise<RegisteredTool | undefined> {
    const known = this.#index().get(name);
    // Static tools have no server to list.
    const server = known === undefined ? splitToolName(name)?.server : known.server;
    const slot = server === undefined ? undefined : this.#slots.get(server);
    if (slot === undefined) return known;
    // A tool that is not known may be one that the server is about to list.
    if (known === undefined && slot.isReady && (slot.isAsked || slot.isWanting(this.#now())))
      await this.#ask([slot]);
    else await this.#waitFor([slot]);
    return this.#index().get(name);
  }

  async call(name: string, input: unknown, options?: CallOptions): Promise<Result<unknown>> {
    const tool = await this.getTool(name);
    if (tool !== undefined) return tool.call(input, options);
    return failUnknownTool(name, this.#slots.get(splitToolName(name)?.server ?? ""));
  }

  registerStaticTool(tool: AnyTool): void {
    const { statics, members } = this.#family;
    const { name } = this.#toStatic(tool);
    if (statics.has(name)) this.#warn(`Static tool ${JSON.stringify(name)} is registered twice. The later one is used.`); // prettier-ignore
    const news = [...members.values()].filter((member) => !member.#index().has(name));
    statics.set(name, tool);
    for (const member of members.values()) {
      member.#tools = undefined;
      if (news.includes(member)) member.#change({ added: [member.#toStatic(tool)], removed: [] });
    }
  }

  registerServerTools(
    server: string,
    tools: readonly (AnyTool | ToolEntry)[],
    { client }: { readonly client?: ToolCaller } = {},
  ): void {
    assertServerName(server);
    const { given, list } = readServerTools(server, tools, client, this.#context);
    if (!this.has(server)) this.#addSlot(cacheOfTools(server, given, this.#context));
    this.#getSlot(server).setTools(list);
  }

  removeServerTools(server: string): void {
    const slot = this.#slots.get(server);
    if (slot === undefined) return;
    this.#slots.delete(server);
    slot.remove();
    this.#teller()("tools.registry.server.removed", { server, removedCount: slot.tools.length });
    this.#change({ added: [], removed: slot.tools });
  }

  isStale(server: string): boolean {
    return this.#getSlot(server).isStale(this.#now());
  }

  async refresh(server?: string): Promise<RefreshReport> {
    const slots = server === undefined ? [...this.#slots.values()] : [this.#getSlot(server)];
    const { results, changes } = await this.#ask(slots);
    return {
      ok: results.every(([, result]) => result.ok),
      servers: Object.fromEntries(results),
      ...describeChange(
        changes.map(({ added, removed }) => ({
          added: added.map(this.#categorize),
          removed: removed.map(this.#categorize),
        })),
      ),
    };
  }

  invalidate(environment?: string): void {
    const members =
      environment === undefined ? this.#family.members.values() : [this.#family.members.get(environment)];
    // An unused environment has nothing to forget.
    if (environment !== undefined && !this.environments.includes(environment))
      throw unknownEnvironment(environment, this.environments);
    for (const member of members) {
      for (const slot of member === undefined ? [] : member.#slots.values()) slot.invalidate();
    }
  }

  onChange(listener: (change: RegistryChange) => void): () => void {
    // A new function, so that a listener that was added twice is called twice and removed once.
    const own = (change: RegistryChange): void => {
      listener(change);
    };
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** Waits for servers that were not asked yet. Those that were are asked again in the background. */
  async #waitFor(slots: readonly (ServerToolCache | undefined)[]): Promise<void> {
    for (;;) {
      const now = this.#now();
      const wanting = slots.filter((slot) => slot?.isWanting(now) === true).filter((slot) => slot !== undefined); // prettier-ignore
      this.#askInBackground(wanting.filter(({ isReady }) => isReady));
      const unready = wanting.filter(({ isReady }) => !isReady);
      if (unready.length === 0) return;
      await this.#ask(unready);
    }
  }

  #askInBackground(slots: readonly ServerToolCache[]): void {
    const idle = slots.filter(({ isAsked }) => !isAsked);
    if (idle.length === 0) return;
    // Only `onWarning` of the program can throw, and nothing waits for it here.
    this.#ask(idle).catch(() => undefined);
  }

  async #ask(slots: readonly ServerToolCache[]): Promise<Answers> {
    const tell = this.#teller();
    const answers = await askCaches(slots, tell);
    for (const [server, result] of answers.results) this.#warnOfFailure(server, result);
    const counts = { staticCount: this.#family.statics.size, serverCount: this.#slots.size };
    tell("tools.registry.updated", { ...counts, toolCount: this.tools.length });
    return answers;
  }

  /** Logs what happens together as one event. */
  #teller(): LogEvent {
    const { logger, traceId: chosen } = this.#family.options;
    const traceId = logger === undefined ? "" : (chosenTraceId(chosen) ?? newTraceId());
    const environment = this.environment ?? DEFAULT_ENVIRONMENT;
    return (event, fields) => {
      logEvent(logger, event, { ...fields, environment, traceId });
    };
  }

  /** What is shown has changed, of a server or of what is static. */
  #change(change: ToolChange): void {
    this.#tools = undefined;
    const { statics } = this.#family;
    const visible = ({ name, server }: RegisteredTool): boolean => server === undefined || !statics.has(name);
    const seen = {
      added: change.added.filter(visible).map(this.#categorize),
      removed: change.removed.filter(visible).map(this.#categorize),
    };
    if (isEmptyChange(seen)) return;
    const told = describeChange([seen]);
    for (const listener of [...this.#listeners]) {
      try {
        listener(told);
      } catch {
        // One listener's fault is not the others', nor the registry's.
      }
    }
  }

  #index(): ReadonlyMap<string, RegisteredTool> {
    if (this.#tools !== undefined) return this.#tools;
    const tools = new Map<string, RegisteredTool>();
    for (const [name, tool] of this.#family.statics) tools.set(name, this.#categorize(this.#toStatic(tool)));
    for (const slot of this.#slots.values()) {
      for (const tool of slot.tools) {
        if (tools.has(tool.name)) this.#warnOfShadow(tool.name, slot.server);
        else tools.set(tool.name, this.#categorize(tool));
      }
    }
    this.#list = Object.freeze([...tools.values()]);
    this.#tools = tools;
    return tools;
  }

  /** The tool with the category that the options give it. */
  readonly #categorize = (tool: RegisteredTool): RegisteredTool => {
    const { categories = {} } = this.#family.options;
    const found = Object.entries(categories).find(([pattern]) => fitsName(tool, pattern));
    return found === undefined ? tool : { ...tool, category: found[1] };
  };

  /** Each failure once, until the server answers again. */
  #warnOfFailure(server: string, result: Result<ServerListing>): void {
    const message = result.ok ? undefined : result.error.message;
    if (message !== undefined && this.#failures.get(server) !== message) this.#warn(message);
    if (message === undefined) this.#failures.delete(server);
    else this.#failures.set(server, message);
  }

  #warnOfShadow(name: string, server: string): void {
    if (this.#shadowed.has(name)) return;
    this.#shadowed.add(name);
    this.#warn(`Static tool ${JSON.stringify(name)} hides the tool of the same name of server "${server}".`);
  }

  #toStatic(tool: AnyTool): RegisteredTool {
    if (!isTool(tool) || tool.definition.name === "") {
      throw new McpCodegenError(
        "CONFIG_INVALID",
        '"static" of a registry contains a value that is not a tool.',
        {
          hint: "Make one with defineStaticTool({ name, input, execute }).",
        },
      );
    }
    const { name, server } = tool.definition;
    const environment = server === undefined ? this.environment : environmentOf(server, this.environment);
    return registerTool(tool, name, undefined, this.#bind(environment));
  }

  #bind(environment: string | undefined): CallOptions {
    return bindOptions(environment, this.#family.options);
  }

  #addSlot(slot: ServerToolCache): void {
    this.#slots.set(slot.server, slot);
    this.#tools = undefined;
  }

  get #context(): CacheContext {
    return {
      options: this.#family.options,
      environment: this.environment,
      now: this.#now,
      onChange: (change) => {
        this.#change(change);
      },
      onListChanged: (server) => {
        this.#slots.get(server)?.markChanged();
        this.#reactions.receive(server);
      },
    };
  }

  #getSlot(server: string): ServerToolCache {
    const slot = this.#slots.get(server);
    if (slot !== undefined) return slot;
    const known = [...this.#slots.keys()].map((name) => JSON.stringify(name)).join(", ");
    throw new McpCodegenError("SERVER_UNKNOWN", `The registry has no server ${JSON.stringify(server)}.`, {
      hint: known === "" ? "It has no servers." : `Known: ${known}.`,
    });
  }

  readonly #now = (): number => (this.#family.options.now ?? systemClock)();

  readonly #reactions = new ListChangeReactions(this.#now, (server) => {
    const slot = this.#slots.get(server);
    if (slot?.isWanting(this.#now()) === true) this.#askInBackground([slot]);
  });

  #warn(message: string): void {
    warn(message, this.#family.options.onWarning);
  }
}

/** The error about an environment that no server of a registry has. */
export function unknownEnvironment(environment: string, known: readonly string[]): McpCodegenError {
  return new McpCodegenError(
    "SERVER_UNKNOWN",
    `The registry has no environment ${JSON.stringify(environment)}.`,
    {
      // prettier-ignore
      hint: `Known: ${known.map((name) => JSON.stringify(name)).join(", ")}.`,
    },
  );
}
