import { systemClock, type Clock } from "../runtime/clock.js";
import { callsOfSteps, type AgentResult } from "./calls-of-steps.js";
import type { RecordedCall } from "../runtime/recorded-call.js";
import { toRecordedCall, type CallRecorder, type FinishedCall } from "../runtime/call-recorder.js";
import { findKnownTools } from "./find-replay-tools.js";
import { memoryLines, type Lines } from "./lines.js";
import { parseChanges } from "./parse-changes.js";

export interface TrackerOptions {
  /** Where changes are kept: in memory by default; `openChangeFile` of `mcp-codegen/node` keeps them on the disk. */
  readonly store?: Lines;
  /**
   * The tools that an agent's results may name: a registry, or what `connect()` or a server's index has. They say which
   * tools only read. A tool that is not among them counts as one that writes.
   */
  readonly tools?: object;
  /** The environment that an agent's results are about. Default: that of the registry, or of the connection. */
  readonly environment?: string;
  readonly clock?: Clock;
}

/** The recorder of a tracker whose changes need no fields beside their own. */
type Recorder<Extra> = object extends Extra ? CallRecorder : unknown;

/**
 * Keeps the changes that tools make.
 *
 * `Extra` are fields of the user's own, which every change has; `Recorded` says which changes there are, as the `Changes`
 * of a generated index does.
 */
export type ChangeTracker<
  Extra extends object = object,
  Recorded extends RecordedCall = RecordedCall,
> = Recorder<Extra> & {
  /** Keeps a change. */
  track(change: Recorded & Extra): void;
  /** Every change in the order of their recording: copies, which nothing changes later. */
  changes(): readonly (Recorded & Extra)[];
  clear(): void;
  /**
   * Keeps the changes of an agent's run: what `generateText` of the AI SDK (5 to 7) returns, or anything with its `steps`.
   * Calls are matched with their results by `toolCallId`. Do not use it with tools that record their own calls: each call
   * would be kept twice.
   *
   * @returns how many were kept
   * @throws McpCodegenError `USAGE` for a result without a list of steps
   */
  trackFromAgentResult(
    result: AgentResult,
    ...extra: object extends Extra ? [extra?: Extra] : [extra: Extra]
  ): number;
  /** A recorder for `connect({ changes })` whose changes carry these fields. */
  with(extra: Extra): CallRecorder;
};

/** A tracker without changes, or with those that its store holds. */
export function createChangeTracker<
  Extra extends object = object,
  Recorded extends RecordedCall = RecordedCall,
>(options: TrackerOptions = {}): ChangeTracker<Extra, Recorded> {
  const { store = memoryLines(), clock = systemClock, tools = {}, environment } = options;
  const keep = (change: RecordedCall): void => {
    store.append(JSON.stringify({ ...change, result: change.result ?? null }));
  };
  const record = (call: FinishedCall, extra: object | undefined): void => {
    const change = toRecordedCall(call, toTime(clock()));
    if (change !== undefined) keep({ ...change, ...extra });
  };
  return {
    record: (call: FinishedCall) => {
      record(call, undefined);
    },
    with: (extra: Extra) => ({
      record: (call: FinishedCall) => {
        record(call, extra);
      },
    }),
    track: keep,
    changes: () => parseChanges<Recorded & Extra>(store.read()).changes,
    clear: () => {
      store.clear();
    },
    trackFromAgentResult: (result: AgentResult, extra?: Extra) => {
      const calls = callsOfSteps(result, findKnownTools(tools), environment);
      const changes = calls.flatMap(({ call, step, at }) => {
        const change = toRecordedCall(call, at ?? toTime(clock()));
        return change === undefined ? [] : [{ ...change, step, ...extra }];
      });
      changes.forEach(keep);
      return changes.length;
    },
  };
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
