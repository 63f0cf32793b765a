import {
  checkArgument,
  checkOptions,
  FLAG,
  FUNCTION,
  listOf,
  OBJECT,
  SETTLED,
  TEXT,
} from "../../core/check-options.js";
import { quoteAll } from "../../core/collections.js";
import { callSafely, McpCodegenError } from "../../core/errors.js";
import { createWarner, systemClock, warn } from "../../runtime/events.js";
import { failNotFound } from "../../runtime/fail-call.js";
import type { Result, CallOptions, ToolCaller } from "../../core/call.js";
import type { AnyTool, RegisteredTool } from "../../core/tool.js";
import { type ApprovalOptions, approvalsOf } from "./approval.js";
import { createRefresher, type ServerRefresher } from "./refresh-servers.js";
import { describeChange, type RegistryChange, type ToolChange } from "./registered-tool.js";
import type {
  RefreshReport,
  Registry,
  RegistryOptions,
  ServerState,
  ToolEntry,
  ToolFilter,
  ToolView,
} from "./registry.js";
import {
  assertEnvironment,
  DEFAULT_ENVIRONMENT,
  type RegistryServer,
  unknownEnvironment,
} from "./server-source.js";
import { type RegistryContext, type RegistryRules, type ServerToolCache } from "./server-tool-cache.js";
import {
  cacheOfSource,
  cacheOfTools,
  createToolIndex,
  readServerTools,
  type ToolIndex,
} from "./server-tools.js";
import {
  assertServerName,
  splitToolName,
  categoryNameOf,
  toServerName,
  toWholeName,
} from "../../core/tool-name.js";
import { fitsName, type PolicyDecision } from "../../core/decide.js";
import type { Policy } from "../../core/policy.js";
import { decideByName, restrictView } from "./restrict-view.js";
import { describeNearest, failTool, failUnknown, findCallable } from "./tool-names.js";

/** The shared state of a registry in several environments. */
interface Family extends Pick<RegistryContext, "options" | "servers" | "rules"> {
  readonly statics: Map<string, AnyTool>;
  /** By environment. */
  readonly members: Map<string, ToolRegistry>;
}

const TOOLS = listOf(SETTLED, "an array of tools");

class ToolRegistry implements Registry {
  declare readonly environment?: string;
  readonly #family: Family;
  readonly #slots = new Map<string, ServerToolCache>();
  readonly #listeners = new Set<(change: RegistryChange) => void>();
  readonly #context: RegistryContext;
  readonly #index: ToolIndex;
  readonly #refresher: ServerRefresher;
  readonly #warnOnce: (message: string) => void;
  /** The list whose categories were judged last. */
  #judged: readonly RegisteredTool[] | undefined;

  constructor(family: Family, environment: string | undefined) {
    if (environment !== undefined) this.environment = environment;
    this.#family = family;
    const { options, servers } = family;
    this.#warnOnce = createWarner(options.onWarning);
    this.#context = {
      ...family,
      environment,
      slots: this.#slots,
      now: () => (options.now ?? systemClock)(),
      onChange: (change) => {
        this.#change(change);
      },
      onListChanged: (server) => {
        this.#slots.get(server)?.markChanged();
        this.#refresher.receiveListChange(server);
      },
    };
    this.#index = createToolIndex(this.#context, this);
    this.#refresher = createRefresher(this.#context, this.#index);
    family.members.set(environment ?? DEFAULT_ENVIRONMENT, this);
    for (const server of servers) {
      const source = server.in(environment);
      if (source !== undefined) this.#addSlot(cacheOfSource(source, this.#context));
    }
  }

  get approvals(): ApprovalOptions {
    return approvalsOf({}, this.#family.options);
  }

  get environments(): readonly string[] {
    const named = this.#family.servers.flatMap(({ definition }) =>
      Object.keys(definition.environments ?? {}),
    );
    return [...new Set([this.environment ?? DEFAULT_ENVIRONMENT, ...this.#family.members.keys(), ...named])];
  }

  get servers(): readonly ServerState[] {
    return [...this.#slots.values()].map((slot) => slot.state);
  }

  get tools(): readonly RegisteredTool[] {
    return this.#index.list;
  }

  for(environment: string): Registry {
    const member = this.#family.members.get(environment);
    if (member !== undefined) return member;
    this.#assertEnvironment(environment);
    return new ToolRegistry(this.#family, environment);
  }

  async getTools(filter: ToolFilter = {}): Promise<readonly RegisteredTool[]> {
    checkOptions("getTools", filter, { server: TEXT, category: TEXT, isLocked: FLAG });
    const { category, isLocked } = filter;
    const server = filter.server && toServerName(filter.server);
    await this.#refresher.waitFor(
      server === undefined ? [...this.#slots.values()] : [this.#slots.get(server)],
    );
    const { list } = this.#index;
    if (server === undefined) this.#warnOfCategories(list);
    if (server === undefined && category === undefined && isLocked === undefined) return list;
    return list.filter(
      (tool) =>
        (server === undefined || tool.server === server) &&
        (category === undefined || categoryNameOf(tool) === category) &&
        (isLocked === undefined || tool.isLocked === isLocked),
    );
  }

  async getTool(toolName: string): Promise<RegisteredTool | undefined> {
    checkArgument("getTool", "name", toolName, TEXT);
    const name = this.#index.byName.has(toolName) ? toolName : toWholeName(toolName);
    const tool = this.#index.byName.get(name);
    // Static tools have no server to list.
    const server = tool === undefined ? splitToolName(name)?.server : tool.server;
    const slot = server === undefined ? undefined : this.#slots.get(server);
    if (slot === undefined) return tool;
    // An unknown tool may be in the list that the server is about to send.
    const now = this.#context.now();
    const isAskedFor = slot.isAsked || slot.isWanting(now) || slot.mayLookUp(now);
    if (tool === undefined && slot.isReady && isAskedFor) await this.#refresher.ask([slot]);
    else await this.#refresher.waitFor([slot]);
    return this.#index.byName.get(name);
  }

  async call(name: string, input: unknown, options?: CallOptions): Promise<Result<unknown>> {
    // A program without types may pass any value.
    const value: unknown = name;
    if (typeof value !== "string") return failUnknown(value, this.tools, this.servers);
    const tool = await findCallable(this, name);
    if (tool !== undefined) return tool.call(input, options);
    const { server = "", tool: toolName = "" } = splitToolName(name) ?? {};
    const slot = this.#slots.get(server);
    const failure = failUnknown(name, this.tools, this.servers);
    const isOfSlot = slot?.findRefused(toolName) !== undefined || failure.error.code === "TOOL_NOT_FOUND";
    return slot !== undefined && isOfSlot ? failUnknownTool({ name, server, tool: toolName }, slot) : failure;
  }

  restrict(rule: Policy | string): ToolView {
    return restrictView(this, rule);
  }

  decide(name: string): PolicyDecision {
    return decideByName(this.tools, name);
  }

  registerStaticTool(tool: AnyTool): void {
    checkArgument("registerStaticTool", "tool", tool, SETTLED);
    const { statics, members } = this.#family;
    const { name } = this.#index.registerStatic(tool);
    if (statics.has(name)) {
      const message = `Static tool ${JSON.stringify(name)} is registered twice. The later one is used.`;
      warn(message, this.#family.options.onWarning);
    }
    const lacking = [...members.values()].filter((member) => !member.#index.byName.has(name));
    statics.set(name, tool);
    for (const member of members.values()) {
      member.#index.clear();
      if (lacking.includes(member))
        member.#change({ added: [member.#index.registerStatic(tool)], removed: [] });
    }
  }

  registerServerTools(
    server: string,
    tools: readonly (AnyTool | ToolEntry)[],
    options: { readonly client?: ToolCaller } = {},
  ): void {
    checkOptions("registerServerTools", options, { client: OBJECT });
    checkArgument("registerServerTools", "server", server, TEXT);
    checkArgument("registerServerTools", "tools", tools, TOOLS);
    const name = toServerName(server);
    assertServerName(name);
    const { given: locked, list } = readServerTools(name, tools, options.client, this.#context);
    if (!this.#slots.has(name)) this.#addSlot(cacheOfTools(name, locked, this.#context));
    this.#getSlot(name).setTools(list);
  }

  removeServerTools(name: string): void {
    checkArgument("removeServerTools", "name", name, TEXT);
    const server = toServerName(name);
    const slot = this.#slots.get(server);
    if (slot === undefined) return;
    this.#slots.delete(server);
    slot.remove();
    this.#refresher.openLog()("tools.registry.server.removed", { server, removedCount: slot.tools.length });
    this.#change({ added: [], removed: slot.tools });
  }

  isStale(server: string): boolean {
    checkArgument("isStale", "server", server, TEXT);
    return this.#getSlot(server).isStale(this.#context.now());
  }

  async refresh(server?: string): Promise<RefreshReport> {
    if (server !== undefined) checkArgument("refresh", "server", server, TEXT);
    const slots = server === undefined ? [...this.#slots.values()] : [this.#getSlot(server)];
    const { results, changes } = await this.#refresher.ask(slots);
    return {
      ok: results.every(([, result]) => result.ok),
      servers: Object.fromEntries(results),
      ...describeChange(changes),
    };
  }

  invalidate(environment?: string): void {
    if (environment !== undefined) this.#assertEnvironment(environment);
    // An unused environment has nothing to forget.
    for (const [name, member] of this.#family.members)
      if (environment === undefined || environment === name)
        for (const slot of member.#slots.values()) slot.invalidate();
  }

  onChange(listener: (change: RegistryChange) => void): () => void {
    checkArgument("onChange", "listener", listener, FUNCTION);
    // A new function, so that a listener that was added twice is called twice and removed once.
    const report = (change: RegistryChange): void => {
      listener(change);
    };
    this.#listeners.add(report);
    return () => this.#listeners.delete(report);
  }

  /** Warns about patterns that are probably misspelt. A server that was not listed may have their tools. */
  #warnOfCategories(tools: readonly RegisteredTool[]): void {
    if (tools === this.#judged) return;
    if (this.servers.some(({ error, isEnabled }) => error !== undefined || !isEnabled)) return;
    this.#judged = tools;
    for (const pattern of Object.keys(this.#family.options.categories ?? {}))
      if (!tools.some((tool) => fitsName(tool, pattern)))
        this.#warnOnce(`createRegistry: categories has ${JSON.stringify(pattern)}, which matches no tool.`);
  }

  #change(change: ToolChange): void {
    this.#index.clear();
    const { statics } = this.#family;
    const isVisible = ({ name, server }: RegisteredTool): boolean =>
      server === undefined || !statics.has(name);
    const added = change.added.filter(isVisible);
    const removed = change.removed.filter(isVisible);
    if (added.length === 0 && removed.length === 0) return;
    const described = describeChange([{ added, removed }]);
    for (const listener of [...this.#listeners]) {
      callSafely(listener, [described]);
    }
  }

  #assertEnvironment(environment: string): void {
    const { environments } = this;
    if (!environments.includes(environment)) throw unknownEnvironment(environment, environments);
  }

  #addSlot(slot: ServerToolCache): void {
    this.#slots.set(slot.server, slot);
    this.#index.clear();
  }

  #getSlot(server: string): ServerToolCache {
    const slot = this.#slots.get(toServerName(server));
    if (slot !== undefined) return slot;
    const names = quoteAll([...this.#slots.keys()]);
    throw new McpCodegenError("SERVER_UNKNOWN", `The registry has no server ${JSON.stringify(server)}.`, {
      hint: names === "" ? "It has no servers." : `Known: ${names}.`,
    });
  }
}

function failUnknownTool(
  { name, server, tool }: { readonly name: string; readonly server: string; readonly tool: string },
  slot: ServerToolCache,
): Result<never> {
  const address = { name: tool, server };
  if (!slot.isEnabled) return failTool(address, "TOOL_NOT_FOUND", `Server "${server}" is switched off.`);
  const refused = slot.findRefused(tool);
  if (refused !== undefined)
    return failTool(
      address,
      "TOOL_NOT_ALLOWED",
      `Tool ${JSON.stringify(name)} is not offered: ${refused.reason}`,
    );
  const locked = slot.findLocked(tool);
  if (locked !== undefined) {
    const { server: definition } = locked.definition;
    return failNotFound({ name: tool, server: definition, environment: slot.environment }, undefined);
  }
  const nearest = describeNearest(name, slot.tools);
  const message = `Server "${server}" has no tool ${JSON.stringify(tool)}.${nearest}`;
  return failTool(address, "TOOL_NOT_FOUND", message);
}

/** Warns that calls of servers without the environment go elsewhere. */
function warnOfOwnSettings(
  { environment = DEFAULT_ENVIRONMENT, onWarning }: RegistryOptions,
  servers: readonly RegistryServer[],
): void {
  if (environment === DEFAULT_ENVIRONMENT) return;
  for (const { definition } of servers) {
    if (Object.hasOwn(definition.environments ?? {}, environment)) continue;
    const message = `Server "${definition.name}" has no environment ${JSON.stringify(environment)}, so its calls go to its own settings.`;
    warn(message, onWarning);
  }
}

/** Creates a registry of any servers. Its options were checked. */
export function openRegistry(
  options: RegistryOptions,
  servers: readonly RegistryServer[],
  rules: RegistryRules,
): Registry {
  const names = servers.map(({ definition }) => definition.name);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) {
    throw new McpCodegenError("CONFIG_INVALID", `Two servers of the registry are called "${repeated}".`);
  }
  const environments = servers.flatMap(({ definition }) => Object.keys(definition.environments ?? {}));
  assertEnvironment(options.environment, [...new Set(environments)]);
  const family: Family = { options, servers, rules, statics: new Map(), members: new Map() };
  const registry = new ToolRegistry(family, options.environment);
  const elsewhere = names.find((name) => !registry.servers.some((server) => server.name === name));
  if (elsewhere !== undefined) {
    const here = options.environment ?? DEFAULT_ENVIRONMENT;
    const message = `The connection to "${elsewhere}" does not use environment "${here}" of the registry.`;
    throw new McpCodegenError("CONFIG_INVALID", message, {
      hint: "Connect with the same environment, or give the generated index instead.",
    });
  }
  warnOfOwnSettings(options, servers);
  for (const tool of options.static ?? []) registry.registerStaticTool(tool);
  return registry;
}
