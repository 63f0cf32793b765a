import { chosenTraceId, type Clock, logEvent, newTraceId, warn } from "../../runtime/events.js";
import type { Result, RuntimeEvent } from "../../core/call.js";
import type { ServerListing } from "./registry.js";
import { DEFAULT_ENVIRONMENT } from "./server-source.js";
import type { ListOutcome, RegistryContext, ServerToolCache } from "./server-tool-cache.js";
import type { ToolIndex } from "./server-tools.js";

type LogEvent = (event: RuntimeEvent, fields: object) => void;

export type ServerRefresher = ReturnType<typeof createRefresher>;

/** Lists the servers of a registry: on request, when a list is stale, and when a server reports a change. */
export function createRefresher(context: RegistryContext, index: ToolIndex) {
  const { options, environment = DEFAULT_ENVIRONMENT, statics, slots: all, now } = context;
  /** By server, the failure that the last warning reported. */
  const failures = new Map<string, string>();

  /** Returns a log whose events share one trace id. */
  const openLog = (): LogEvent => {
    const { logger, traceId: chosen } = options;
    const traceId = logger === undefined ? "" : (chosenTraceId(chosen) ?? newTraceId());
    return (event, fields) => {
      logEvent(logger, event, { ...fields, environment, traceId });
    };
  };
  /** Lists servers in parallel. A server that is being listed is not listed or logged again. */
  const ask = async (slots: readonly ServerToolCache[]) => {
    const log = openLog();
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
    for (const [server, result] of results) warnOfFailure(server, result);
    const toolCount = index.list.length;
    log("tools.registry.updated", { staticCount: statics.size, serverCount: all.size, toolCount });
    return { results, changes: outcomes.map(([, { change }]) => change) };
  };
  const askInBackground = (slots: readonly ServerToolCache[]): void => {
    const idle = slots.filter(({ isAsked }) => !isAsked);
    if (idle.length === 0) return;
    void ask(idle);
  };
  /** Warns about each failure once, until the server answers again. */
  const warnOfFailure = (server: string, result: Result<ServerListing>): void => {
    const message = result.ok ? "" : result.error.message;
    if (message !== "" && failures.get(server) !== message) warn(message, options.onWarning);
    failures.set(server, message);
  };
  return {
    openLog,
    ask,
    /** Waits until every server was listed once. Stale lists are read again in the background. */
    waitFor: async (slots: readonly (ServerToolCache | undefined)[]): Promise<void> => {
      for (;;) {
        const time = now();
        const wanting = slots.filter((slot) => slot !== undefined).filter((slot) => slot.isWanting(time));
        askInBackground(wanting.filter(({ isReady }) => isReady));
        const unready = wanting.filter(({ isReady }) => !isReady);
        if (unready.length === 0) return;
        await ask(unready);
      }
    },
    /** Lists a server that reports a change: soon, but not too often. */
    receiveListChange: limitReactions(now, (server) => {
      const slot = all.get(server);
      if (slot?.isWanting(now()) === true) askInBackground([slot]);
    }),
  };
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
