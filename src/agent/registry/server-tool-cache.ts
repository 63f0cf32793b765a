import { omitUndefined } from "../../core/collections.js";
import { explainError } from "../../core/errors.js";
import { ofServer } from "../../core/tool-name.js";
import { limitTtl } from "../../core/snapshot.js";
import { isPassing } from "../../runtime/client/caller.js";
import type { Clock } from "../../runtime/events.js";
import type { Result, ToolError } from "../../core/call.js";
import { lookUpVariable } from "../../runtime/client/connect-options.js";
import type { AnyTool, ServerTool, RegisteredTool } from "../../core/tool.js";
import { compareTools, type ToolChange } from "./registered-tool.js";
import type { RegistryServer } from "./server-source.js";
import type { RefusedTool, RegistryOptions, ServerListing, ServerState } from "./registry.js";
import { failTool } from "./tool-names.js";

export interface LiveList {
  readonly tools: readonly RegisteredTool[];
  readonly refused: readonly RefusedTool[];
  readonly notes?: readonly string[] | undefined;
  /** Milliseconds for which the list is fresh, as the server states. */
  readonly ttlMs?: number | undefined;
}

export interface RegistryRules {
  readonly isEnabled: (server: string) => boolean;
  /** Returns the tools of a server that are offered. */
  readonly offered: (tools: readonly RegisteredTool[]) => readonly RegisteredTool[];
}

/** A registry in one environment. */
export interface RegistryContext {
  readonly options: RegistryOptions;
  readonly environment: string | undefined;
  readonly servers: readonly RegistryServer[];
  readonly rules: RegistryRules;
  readonly statics: ReadonlyMap<string, AnyTool>;
  readonly slots: ReadonlyMap<string, ServerToolCache>;
  readonly now: Clock;
  /** Called after each list of a server, also if no names have changed. */
  readonly onChange: (change: ToolChange) => void;
  readonly onListChanged: (server: string) => void;
}

interface ServerToolCacheOptions {
  readonly server: string;
  /** The environment of its calls. */
  readonly environment?: string | undefined;
  /** The locked tools by their names on the server. */
  readonly locked: ReadonlyMap<string, ServerTool>;
  /** The tools before the server is listed. */
  readonly tools: readonly RegisteredTool[];
  /** Whether the server offers only its locked tools. */
  readonly isClosed?: boolean | undefined;
  /** Lists the server's tools; absent where there is no connection. */
  readonly list?: (() => Promise<LiveList>) | undefined;
  /** Returns the reason why calls of the server are suspended. */
  readonly findOutage?: (() => string | undefined) | undefined;
}

/** The outcome of listing a server; without a result if the server is switched off. */
export interface ListOutcome {
  readonly result?: Result<ServerListing> | undefined;
  readonly change: ToolChange;
}

/** Milliseconds for which a server that failed is not listed again, except by `refresh`. */
const RESPITE = 30_000;
/** Milliseconds between two lists for unknown names: a model may invent any number of them. */
const PAUSE_BETWEEN_LOOKUPS = 5_000;
const NOTHING: ToolChange = { added: [], removed: [] };
/** Milliseconds until a list is stale if its server states no time. */
const DEFAULT_TTL = 300_000;

/** The last known tools of one server, and their age. */
export class ServerToolCache {
  readonly #context: RegistryContext;
  readonly #options: ServerToolCacheOptions;
  /** The last good list, whether or not the server is switched on. */
  #known: LiveList;
  #tools: readonly RegisteredTool[];
  #listedAt: number | undefined;
  /** When the last good list was received. Stays when the list is invalidated. */
  #answeredAt: number | undefined;
  #failedAt: number | undefined;
  /** When the server was last listed, also without success. */
  #askedAt: number | undefined;
  #error: ToolError | undefined;
  #running: Promise<ListOutcome> | undefined;
  /** Whether the server was listed since creation or invalidation, so that its known tools may be shown during the next list. */
  #isReady = false;
  /** Whether the server reported a change since it was last listed. */
  #hasChanged = false;
  /** Increases with each invalidation. Results of earlier epochs are ignored. */
  #epoch = 0;
  #isGone = false;

  constructor(context: RegistryContext, options: ServerToolCacheOptions) {
    this.#context = context;
    this.#options = options;
    this.#known = { tools: options.tools, refused: [] };
    this.#tools = this.isEnabled ? options.tools : [];
  }

  get tools(): readonly RegisteredTool[] {
    return this.#tools;
  }

  get server(): string {
    return this.#options.server;
  }

  get environment(): string | undefined {
    return this.#options.environment;
  }

  get isEnabled(): boolean {
    return this.#context.rules.isEnabled(this.server);
  }

  get state(): ServerState {
    const { server, isEnabled } = this;
    const { isClosed = false, tools } = this.#options;
    const error = isEnabled ? (this.#error ?? this.#findOutage()) : undefined;
    const refused = isEnabled ? this.#known.refused : [];
    return omitUndefined({
      name: server,
      isEnabled,
      toolCount: this.#tools.length,
      listedAt: this.#answeredAt === undefined ? undefined : new Date(this.#answeredAt).toISOString(),
      refused: refused.length > 0 ? refused : undefined,
      hasAllTools: (isEnabled && isClosed && this.#tools.length === tools.length) || undefined,
      error,
    });
  }

  /** Calls may fail although the last list is good. */
  #findOutage(): ToolError | undefined {
    const { server, findOutage } = this.#options;
    const message = findOutage?.();
    if (message === undefined) return undefined;
    return failTool({ name: "", server }, "TOOL_UNAVAILABLE", message, { retryable: true }).error;
  }

  get isAsked(): boolean {
    return this.#running !== undefined;
  }

  /** Whether its tools may be shown while it is listed again. */
  get isReady(): boolean {
    return this.#isReady;
  }

  findLocked(tool: string): ServerTool | undefined {
    return this.#options.locked.get(tool);
  }

  findRefused(tool: string): RefusedTool | undefined {
    return this.#known.refused.find((refused) => refused.tool === tool);
  }

  isStale(now: number): boolean {
    if (this.#options.list === undefined || this.#isGone) return false;
    const ttl = this.#context.options.ttl ?? limitTtl(this.#known.ttlMs) ?? DEFAULT_TTL;
    return this.#listedAt === undefined || now - this.#listedAt >= ttl;
  }

  /** Whether it has to be listed when its tools are needed. */
  isWanting(now: number): boolean {
    const isResting = this.#failedAt !== undefined && now - this.#failedAt < RESPITE;
    return this.isStale(now) && !isResting;
  }

  /** Whether it may be listed for an unknown name. */
  mayLookUp(now: number): boolean {
    if (this.#options.list === undefined || this.#isGone || !this.isEnabled) return false;
    return this.#askedAt === undefined || now - this.#askedAt >= PAUSE_BETWEEN_LOOKUPS;
  }

  /** Marks the list as stale. A running request is only for those who already wait for it. */
  invalidate(): void {
    this.#epoch += 1;
    this.#running = undefined;
    this.#isReady = false;
    this.#forget();
  }

  /** Records that the server reported a change. The known tools may still be shown until it is listed. */
  markChanged(): void {
    this.#hasChanged = true;
    this.#forget();
  }

  #forget(): void {
    this.#listedAt = undefined;
    this.#failedAt = undefined;
  }

  remove(): void {
    this.invalidate();
    this.#isGone = true;
  }

  /** Sets the tools as if the server had listed them. */
  setTools(list: LiveList): void {
    this.invalidate();
    this.#isReady = true;
    this.#hasChanged = false;
    this.#take(list);
  }

  /** Never rejects. */
  refresh(): Promise<ListOutcome> {
    return (this.#running ??= this.#ask(this.#epoch));
  }

  async #ask(epoch: number): Promise<ListOutcome> {
    this.#hasChanged = false;
    const listed = await this.#list();
    const result = listed && summarize(listed);
    // Measured after the request, so that slow failures get the same pause as quick ones.
    const now = this.#context.now();
    this.#askedAt = now;
    // The list was invalidated in the meantime.
    if (epoch !== this.#epoch) return { result, change: NOTHING };
    this.#running = undefined;
    this.#isReady = true;
    if (listed?.ok === true) return { result, change: this.#take(listed.value) };
    if (listed === undefined) {
      this.#listedAt = now;
      return { change: this.#show([]) };
    }
    this.#failedAt = now;
    this.#error = listed.error;
    // The server may have been switched off until now.
    return { result, change: this.#show(this.#known.tools) };
  }

  /** Undefined if the server is switched off. */
  async #list(): Promise<Result<LiveList> | undefined> {
    if (!this.isEnabled) return undefined;
    const { server, list } = this.#options;
    try {
      return { ok: true, value: (await list?.()) ?? this.#known };
    } catch (error) {
      return failListing(server, error);
    }
  }

  #take(list: LiveList): ToolChange {
    this.#known = list;
    this.#answeredAt = this.#context.now();
    // A list that changed while it was read is already stale.
    this.#listedAt = this.#hasChanged ? undefined : this.#answeredAt;
    this.#failedAt = undefined;
    this.#error = undefined;
    return this.#show(this.isEnabled ? list.tools : []);
  }

  #show(tools: readonly RegisteredTool[]): ToolChange {
    const change = compareTools(this.#tools, tools);
    this.#tools = tools;
    this.#context.onChange(change);
    return change;
  }
}

/** The variable `<SERVER>_MCP_ENABLED` takes precedence over the configuration. */
export function isServerEnabled(
  server: string,
  enabled: { readonly [server: string]: boolean } | undefined,
): boolean {
  const variable = lookUpVariable(`${server.toUpperCase()}_MCP_ENABLED`)?.trim().toLowerCase() ?? "";
  if (["false", "0", "off", "no"].includes(variable)) return false;
  if (["true", "1", "on", "yes"].includes(variable)) return true;
  return ofServer(enabled ?? {}, server) ?? true;
}

function summarize(listed: Result<LiveList>): Result<ServerListing> {
  if (!listed.ok) return listed;
  const { tools, refused, notes = [] } = listed.value;
  const shown = notes.length > 0 ? notes : undefined;
  return { ok: true, value: omitUndefined({ toolCount: tools.length, refused, notes: shown }) };
}

function failListing(server: string, cause: unknown): Result<never> {
  const message = `The tools of server ${JSON.stringify(server)} could not be listed: ${explainError(cause)}`;
  return failTool({ name: "", server }, "TOOL_UNAVAILABLE", message, { retryable: isPassing(cause), cause });
}
