import type { RuntimeEvent } from "../../runtime/events.js";
import type { Result } from "../../runtime/result.js";
import type { ServerListing } from "./registry.js";
import type { ToolChange } from "./registry-change.js";
import type { Outcome, ServerToolCache } from "./server-tool-cache.js";

/** What servers came to that were asked together. */
export interface Answers {
  readonly results: readonly (readonly [server: string, result: Result<ServerListing>])[];
  readonly changes: readonly ToolChange[];
}

export type LogEvent = (event: RuntimeEvent, fields: object) => void;

/** Lists servers in parallel. A server whose list is under way is not listed, or logged, again. */
export async function askCaches(slots: readonly ServerToolCache[], tell: LogEvent): Promise<Answers> {
  const asked = new Set(slots.filter((slot) => !slot.isAsked));
  const serverCount = [...asked].filter((slot) => slot.isEnabled).length;
  if (serverCount > 0) tell("tools.discovery.started", { serverCount });
  const outcomes = await Promise.all(
    slots.map(async (slot) => {
      const outcome = await slot.refresh();
      if (asked.has(slot)) tellOutcome(slot.server, outcome, tell);
      return [slot.server, outcome] as const;
    }),
  );
  return {
    results: outcomes.flatMap(([server, { result }]) => (result === undefined ? [] : [[server, result]])),
    changes: outcomes.map(([, { change }]) => change),
  };
}

function tellOutcome(server: string, { result, change }: Outcome, tell: LogEvent): void {
  if (result === undefined) {
    const removedCount = change.removed.length;
    if (removedCount > 0) tell("tools.registry.server.removed", { server, removedCount });
  } else if (result.ok) {
    tell("tools.discovery.server.success", { server, toolCount: result.value.toolCount });
  } else {
    tell("tools.discovery.server.failed", { server, message: result.error.message });
  }
}
