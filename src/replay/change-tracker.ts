import { systemClock, type Clock } from "../runtime/clock.js";
import { callsOfSteps, type AgentResult } from "./calls-of-steps.js";
import {
  type RecordedCall,
  toRecordedCall,
  type CallRecorder,
  type FinishedCall,
} from "../runtime/call-recorder.js";
import { findKnownTools } from "./find-replay-tools.js";
import { memoryLines, type Lines, parseChanges } from "./parse-changes.js";

export interface TrackerOptions {
  /** Stores changes: in memory by default; `openChangeFile` of `mcp-codegen/node` stores them on disk. */
  readonly store?: Lines;
  /**
   * The tools that an agent's results may name: a registry, or what `connect()` or a server's index has. They say which
   * tools only read. A tool that is not among them counts as one that writes.
   */
  readonly tools?: object;
  /** The environment of an agent's results. Default: that of the registry or the connection. */
  readonly environment?: string;
  readonly clock?: Clock;
}

/** The recorder of a tracker whose changes need no fields beside their own. */
type Recorder<Extra> = object extends Extra ? CallRecorder : unknown;

/**
 * Records the changes that tools make.
 *
 * `Extra` are fields of the user's own, which every change has; `Recorded` says which changes there are, as the `Changes`
 * of a generated index does.
 */
export type ChangeTracker<
  Extra extends object = object,
  Recorded extends RecordedCall = RecordedCall,
> = Recorder<Extra> & {
  /** Records a change. */
  track(change: Recorded & Extra): void;
  /** Returns copies of all changes in the order of recording. */
  changes(): readonly (Recorded & Extra)[];
  clear(): void;
  /**
   * Keeps the changes of an agent's run: what `generateText` of the AI SDK (5 to 7) returns, or anything with its `steps`.
   * Calls are matched with their results by `toolCallId`. Do not use it with tools that record their own calls: each call
   * would be kept twice.
   *
   * @returns the number of recorded changes
   * @throws McpCodegenError `USAGE` for a result without a list of steps
   */
  trackFromAgentResult(
    result: AgentResult,
    ...extra: object extends Extra ? [extra?: Extra] : [extra: Extra]
  ): number;
  /** Returns a recorder for `connect({ changes })` whose changes have these fields. */
  with(extra: Extra): CallRecorder;
};

/** Creates a tracker, with the changes in its store if any. */
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
