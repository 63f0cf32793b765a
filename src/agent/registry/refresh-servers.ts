import { chosenTraceId, type Clock, logEvent, newTraceId, warn } from "../../runtime/events.js";
import type { Result, RuntimeEvent } from "../../core/call.js";
import type { ToolChange } from "./registered-tool.js";
import type { ServerListing } from "./registry.js";
import { DEFAULT_ENVIRONMENT } from "./server-source.js";
import type { ListOutcome, RegistryContext, ServerToolCache } from "./server-tool-cache.js";
import type { ToolIndex } from "./server-tools.js";

interface ServerAnswers {
  readonly results: readonly (readonly [server: string, result: Result<ServerListing>])[];
  readonly changes: readonly ToolChange[];
}

type LogEvent = (event: RuntimeEvent, fields: object) => void;

/** Lists the servers of a registry: on request, when a list is stale, and when a server reports a change. */
export class ServerRefresher {
  readonly #context: RegistryContext;
  readonly #index: ToolIndex;
  /** By server, the failure that the last warning reported. */
  readonly #failures = new Map<string, string>();
  /** Lists a server that reports a change: soon, but not too often. */
  readonly receiveListChange: (server: string) => void;

  constructor(context: RegistryContext, index: ToolIndex) {
    this.#context = context;
    this.#index = index;
    const { slots, now } = context;
    this.receiveListChange = limitReactions(now, (server) => {
      const slot = slots.get(server);
      if (slot?.isWanting(now()) === true) this.#askInBackground([slot]);
    });
  }

  /** Waits until every server was listed once. Stale lists are read again in the background. */
  async waitFor(slots: readonly (ServerToolCache | undefined)[]): Promise<void> {
    for (;;) {
      const now = this.#context.now();
      const wanting = slots.filter((slot) => slot !== undefined).filter((slot) => slot.isWanting(now));
      this.#askInBackground(wanting.filter(({ isReady }) => isReady));
      const unready = wanting.filter(({ isReady }) => !isReady);
      if (unready.length === 0) return;
      await this.ask(unready);
    }
  }

  /** Lists servers in parallel. A server that is being listed is not listed or logged again. */
  async ask(slots: readonly ServerToolCache[]): Promise<ServerAnswers> {
    const log = this.openLog();
    const asked = new Set(slots.filter((slot) => !slot.isAsked));
    const serverCount = [...asked].filter((slot) => slot.isEnabled).length;
    if (serverCount > 0) log("tools.discovery.started", { serverCount });
    const outcomes = await Promise.all(
      slots.map(async (slot) => {
        const outcome = await slot.refresh();
        if (asked.has(slot)) logOutcome(slot.server, outcome, log);
        return [slot.server, outcome] as const;
      }),
    );
    const results = outcomes.flatMap(([server, { result }]) =>
      result === undefined ? [] : [[server, result] as const],
    );
    for (const [server, result] of results) this.#warnOfFailure(server, result);
    const { statics, slots: all } = this.#context;
    const toolCount = this.#index.list.length;
    const counts = { staticCount: statics.size, serverCount: all.size, toolCount };
    log("tools.registry.updated", counts);
    return { results, changes: outcomes.map(([, { change }]) => change) };
  }

  /** Returns a log whose events share one trace id. */
  openLog(): LogEvent {
    const { options, environment = DEFAULT_ENVIRONMENT } = this.#context;
    const { logger, traceId: chosen } = options;
    const traceId = logger === undefined ? "" : (chosenTraceId(chosen) ?? newTraceId());
    return (event, fields) => {
      logEvent(logger, event, { ...fields, environment, traceId });
    };
  }

  #askInBackground(slots: readonly ServerToolCache[]): void {
    const idle = slots.filter(({ isAsked }) => !isAsked);
    if (idle.length === 0) return;
    // Only the program's `onWarning` can throw, and no caller waits here.
    this.ask(idle).catch(() => undefined);
  }

  /** Warns about each failure once, until the server answers again. */
  #warnOfFailure(server: string, result: Result<ServerListing>): void {
    const message = result.ok ? "" : result.error.message;
    if (message !== "" && this.#failures.get(server) !== message)
      warn(message, this.#context.options.onWarning);
    this.#failures.set(server, message);
  }
}

function logOutcome(server: string, { result, change }: ListOutcome, log: LogEvent): void {
  if (result === undefined) {
    const removedCount = change.removed.length;
    if (removedCount > 0) log("tools.registry.server.removed", { server, removedCount });
  } else if (result.ok) {
    log("tools.discovery.server.success", { server, toolCount: result.value.toolCount });
  } else {
    log("tools.discovery.server.failed", { server, message: result.error.message });
  }
}

/** Milliseconds for which messages about a changed list count as one: they come in bursts. */
const BURST = 100;
/** Milliseconds between two reactions: a server may send such a message after every list. */
const PAUSE = 5_000;

/** Returns a function that receives messages about changed lists, and limits how often `react` is called. */
export function limitReactions(now: Clock, react: (server: string) => void): (server: string) => void {
  const pending = new Set<string>();
  const reactedAt = new Map<string, number>();
  return (server) => {
    if (pending.has(server)) return;
    pending.add(server);
    const since = now() - (reactedAt.get(server) ?? -Infinity);
    const timer: { unref?(): void } = setTimeout(
      () => {
        pending.delete(server);
        reactedAt.set(server, now());
        react(server);
      },
      since < PAUSE ? PAUSE : BURST,
    );
    // Do not keep an otherwise idle process alive.
    timer.unref?.();
  };
}
