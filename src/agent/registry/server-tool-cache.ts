import { explainError } from "../../contract/errors.js";
import { limitTtl } from "../../contract/snapshot.js";
import { isPassing } from "../../runtime/client/failures.js";
import type { Clock } from "../../runtime/clock.js";
import type { Result, ToolError } from "../../runtime/result.js";
import type { ServerTool } from "../../runtime/tool.js";
import { type RegisteredTool, compareTools, type ToolChange } from "./registered-tool.js";
import type { RefusedTool, ServerListing, ServerState } from "./registry.js";

/** What asking a server gives. */
export interface LiveList {
  readonly tools: readonly RegisteredTool[];
  readonly refused: readonly RefusedTool[];
  readonly notes?: readonly string[];
  /** Milliseconds for which the server calls the list fresh. */
  readonly ttlMs?: number;
}

export interface ServerToolCacheOptions {
  readonly server: string;
  /** What is locked, by the server's own names. */
  readonly locked: ReadonlyMap<string, ServerTool>;
  /** The tools there are before anybody was asked. */
  readonly tools: readonly RegisteredTool[];
  /** Lists the server's tools; absent where there is no connection. */
  readonly list?: () => Promise<LiveList>;
  readonly isEnabled: () => boolean;
  /** Why calls of the server are not let through now. */
  readonly findOutage?: () => string | undefined;
  /** Milliseconds until a list is stale. By default the server decides, or five minutes. */
  readonly ttl: number | undefined;
  readonly now: Clock;
  /** Called with whatever is shown anew, if by the same names. */
  readonly onChange: (change: ToolChange) => void;
}

/** What became of asking a server; no result for one that is switched off. */
export interface Outcome {
  readonly result?: Result<ServerListing>;
  readonly change: ToolChange;
}

/** Milliseconds for which a server that failed is not asked again, unless somebody insists. */
const RESPITE = 30_000;
/** Milliseconds between two questions for names that the list does not have: a model may make up any number of them. */
const PAUSE_BETWEEN_LOOKUPS = 5_000;
const NOTHING: ToolChange = { added: [], removed: [] };
/** Milliseconds until a list is stale whose server states no time. */
const DEFAULT_TTL = 300_000;

/** One server's tools: those last known, and how old that is. */
export class ServerToolCache {
  readonly #options: ServerToolCacheOptions;
  /** The last good list, whether or not the server is switched on. */
  #known: readonly RegisteredTool[];
  #tools: readonly RegisteredTool[];
  #refused: readonly RefusedTool[] = [];
  #listedAt: number | undefined;
  /** Milliseconds until the list is stale, unless the options set another time. */
  #ttl = DEFAULT_TTL;
  /** When the list came that is known, whether or not it is still good. */
  #answeredAt: number | undefined;
  #failedAt: number | undefined;
  /** When it was last asked, whatever it answered. */
  #askedAt: number | undefined;
  #error: ToolError | undefined;
  #running: Promise<Outcome> | undefined;
  /** Whether it was asked since it was made or invalidated, so that what is known of its tools may be shown meanwhile. */
  #isReady = false;
  /** Whether its list has changed since it was last asked. */
  #hasChanged = false;
  /** Which question is the last one. */
  #epoch = 0;
  #isGone = false;

  constructor(options: ServerToolCacheOptions) {
    this.#options = options;
    this.#known = options.tools;
    this.#tools = options.isEnabled() ? options.tools : [];
  }

  get tools(): readonly RegisteredTool[] {
    return this.#tools;
  }

  get server(): string {
    return this.#options.server;
  }

  get isEnabled(): boolean {
    return this.#options.isEnabled();
  }

  get state(): ServerState {
    const { server, isEnabled } = this;
    const error = isEnabled ? (this.#error ?? this.#findOutage()) : undefined;
    const refused = isEnabled ? this.#refused : [];
    return {
      name: server,
      isEnabled,
      toolCount: this.#tools.length,
      ...(this.#answeredAt !== undefined && { listedAt: new Date(this.#answeredAt).toISOString() }),
      ...(refused.length > 0 && { refused }),
      ...(error && { error }),
    };
  }

  /** Calls may fail where the list is still known. */
  #findOutage(): ToolError | undefined {
    const { server, findOutage } = this.#options;
    const message = findOutage?.();
    return message === undefined
      ? undefined
      : { code: "TOOL_UNAVAILABLE", message, retryable: true, tool: "", server };
  }

  get isAsked(): boolean {
    return this.#running !== undefined;
  }

  /** Whether its tools may be shown while it is asked again. */
  get isReady(): boolean {
    return this.#isReady;
  }

  findLocked(tool: string): ServerTool | undefined {
    return this.#options.locked.get(tool);
  }

  findRefused(tool: string): RefusedTool | undefined {
    return this.#refused.find((refused) => refused.tool === tool);
  }

  isStale(now: number): boolean {
    if (this.#options.list === undefined || this.#isGone) return false;
    return this.#listedAt === undefined || now - this.#listedAt >= (this.#options.ttl ?? this.#ttl);
  }

  /** Whether it has to be asked when its tools are needed. */
  isWanting(now: number): boolean {
    const isResting = this.#failedAt !== undefined && now - this.#failedAt < RESPITE;
    return this.isStale(now) && !isResting;
  }

  /** Whether it may be asked for a name that its list does not have. */
  mayLookUp(now: number): boolean {
    if (this.#options.list === undefined || this.#isGone || !this.isEnabled) return false;
    return this.#askedAt === undefined || now - this.#askedAt >= PAUSE_BETWEEN_LOOKUPS;
  }

  /** What is being asked is for those who asked before. */
  invalidate(): void {
    this.#epoch += 1;
    this.#running = undefined;
    this.#isReady = false;
    this.#forget();
  }

  /** The server says that its list has changed. What is known may still be shown until it is asked. */
  markChanged(): void {
    this.#hasChanged = true;
    this.#forget();
  }

  #forget(): void {
    this.#listedAt = undefined;
    this.#failedAt = undefined;
  }

  /** Nothing is asked, and nothing shown, any more. */
  remove(): void {
    this.invalidate();
    this.#isGone = true;
  }

  /** Takes tools as if the server had listed them. */
  setTools(list: LiveList): void {
    this.invalidate();
    this.#isReady = true;
    this.#hasChanged = false;
    this.#take(list);
  }

  /** Never rejects. */
  refresh(): Promise<Outcome> {
    return (this.#running ??= this.#ask(this.#epoch));
  }

  async #ask(epoch: number): Promise<Outcome> {
    this.#hasChanged = false;
    const outcome = await this.#list();
    // Only now: a server that is slow to fail is left alone as long as one that is quick.
    this.#askedAt = this.#options.now();
    // Invalidated in the meantime: it changes nothing any more.
    if (epoch !== this.#epoch) return { ...(outcome.result && { result: outcome.result }), change: NOTHING };
    this.#running = undefined;
    this.#isReady = true;
    if (outcome.list !== undefined) return { result: outcome.result, change: this.#take(outcome.list) };
    if (outcome.result === undefined) {
      this.#listedAt = this.#options.now();
      return { change: this.#show([]) };
    }
    this.#failedAt = this.#options.now();
    this.#error = outcome.result.ok ? undefined : outcome.result.error;
    // It may have been switched off until now.
    return { result: outcome.result, change: this.#show(this.#known) };
  }

  async #list(): Promise<Listed> {
    if (!this.isEnabled) return {};
    const { server, list } = this.#options;
    try {
      const found: LiveList = (await list?.()) ?? { tools: this.#known, refused: this.#refused };
      const { tools, refused, notes = [] } = found;
      const value = { toolCount: tools.length, refused, ...(notes.length > 0 && { notes }) };
      return { list: found, result: { ok: true, value } };
    } catch (error) {
      return { result: failListing(server, error) };
    }
  }

  #take(list: LiveList): ToolChange {
    this.#known = list.tools;
    this.#refused = list.refused;
    this.#ttl = limitTtl(list.ttlMs) ?? DEFAULT_TTL;
    this.#answeredAt = this.#options.now();
    // A list that changed while it was read is shown, and stale.
    this.#listedAt = this.#hasChanged ? undefined : this.#answeredAt;
    this.#failedAt = undefined;
    this.#error = undefined;
    return this.#show(this.isEnabled ? list.tools : []);
  }

  #show(tools: readonly RegisteredTool[]): ToolChange {
    const change = compareTools(this.#tools, tools);
    this.#tools = tools;
    this.#options.onChange(change);
    return change;
  }
}

/** A list; a failure; or, of a server that is switched off, nothing. */
type Listed =
  | { readonly list: LiveList; readonly result: Result<ServerListing> }
  | { readonly list?: undefined; readonly result?: Result<ServerListing> };

/** The result of a server that could not be listed. */
export function failListing(server: string, error: unknown): Extract<Result<never>, { ok: false }> {
  const message = `The tools of server ${JSON.stringify(server)} could not be listed: ${explainError(error)}`;
  const retryable = isPassing(error);
  return {
    ok: false,
    error: { code: "TOOL_UNAVAILABLE", message, retryable, tool: "", server, cause: error },
  };
}
