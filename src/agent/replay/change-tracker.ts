import { checkOptions, FUNCTION, HOLDER, LIST, OBJECT, TEXT } from "../../core/check-options.js";
import { type Clock, createWarner, systemClock } from "../../runtime/events.js";
import { isStreamed, settle, type AgentResult, type StreamedAgentResult } from "./agent-result.js";
import {
  type RecordedCall,
  toRecordedCall,
  type CallRecorder,
  type FinishedCall,
} from "../../runtime/call-recorder.js";
import { findKnownTools } from "./find-replay-tools.js";
import { memoryLines, type Lines, parseChanges } from "./parse-changes.js";
import { recordAgentRun } from "./record-agent-run.js";

export interface TrackerOptions {
  /** The store of the changes. Default: memory. `openChangeFile` of `mcp-codegen/node` stores them on disk. */
  readonly store?: Lines | undefined;
  /**
   * The source of the agent's tools: a registry, a toolset, a session, the result of `connect()`, or a server's index. It says
   * which tools only read. A tool that it does not have counts as a writing tool.
   */
  readonly tools?: object | undefined;
  /** The environment of calls that do not name one. Default for an agent's results: that of the registry. */
  readonly environment?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Receives warnings about calls whose outcome was not found. Default: `process.emitWarning`, if it exists. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** A tracker is a recorder itself if its changes need no additional fields. */
type Recorder<Extra> = object extends Extra ? CallRecorder : unknown;

/**
 * Records the changes that tools make.
 *
 * `Extra` are the user's own fields of every change. `Recorded` is the type of the changes, such as `Changes` of a generated
 * index.
 */
export type ChangeTracker<
  Extra extends object = object,
  Recorded extends RecordedCall = RecordedCall,
> = Recorder<Extra> & {
  track(change: Recorded & Extra): void;
  /** Returns copies of all changes in the order of recording. */
  changes(): readonly (Recorded & Extra)[];
  clear(): void;
  /**
   * Records the changes of an agent's run, from the result of `generateText` or `streamText` of the AI SDK (5 to 7), or any object
   * with its `steps`. Calls are matched with their results by `toolCallId`. A call that waits for an approval is kept in the
   * store, and recorded when a later result has its outcome. Do not use this with tools that record their own calls: each
   * call would be recorded twice.
   *
   * @returns the number of recorded changes; for a stream, once it has ended
   * @throws McpCodegenError `USAGE` for a result without a list of steps
   */
  trackFromAgentResult(
    result: AgentResult,
    ...extra: object extends Extra ? [extra?: Extra] : [extra: Extra]
  ): number;
  trackFromAgentResult(
    result: StreamedAgentResult,
    ...extra: object extends Extra ? [extra?: Extra] : [extra: Extra]
  ): Promise<number>;
  trackFromAgentResult(
    result: AgentResult | StreamedAgentResult,
    ...extra: object extends Extra ? [extra?: Extra] : [extra: Extra]
  ): number | Promise<number>;
  /** Returns a recorder for `connect({ changes })` that adds these fields to each change. */
  with(extra: Extra): CallRecorder;
};

/**
 * Creates a tracker. It has the changes that are already in its store.
 *
 * @throws McpCodegenError `USAGE` for an unknown option
 */
export function createChangeTracker<
  Extra extends object = object,
  Recorded extends RecordedCall = RecordedCall,
>(options: TrackerOptions = {}): ChangeTracker<Extra, Recorded> {
  checkOptions("createChangeTracker", options, {
    store: OBJECT,
    tools: [HOLDER, LIST],
    environment: TEXT,
    clock: FUNCTION,
    onWarning: FUNCTION,
  });
  const { store = memoryLines(), clock = systemClock, tools = {}, environment } = options;
  const warn = createWarner(options.onWarning);
  const keep = (change: RecordedCall): void => {
    store.append(JSON.stringify({ ...change, result: change.result ?? null }));
  };
  const record = (call: FinishedCall, extra: object | undefined): void => {
    const change = toRecordedCall({ ...call, environment: call.environment ?? environment }, toTime(clock()));
    if (change !== undefined) keep({ ...change, ...extra });
  };
  const trackRun = (result: AgentResult, extra: object | undefined): number => {
    const known = findKnownTools(tools);
    return recordAgentRun(result, { store, known, environment, now: () => toTime(clock()), warn, extra });
  };
  function track(result: AgentResult, extra?: Extra): number;
  function track(result: StreamedAgentResult, extra?: Extra): Promise<number>;
  function track(result: AgentResult | StreamedAgentResult, extra?: Extra): number | Promise<number>;
  function track(result: AgentResult | StreamedAgentResult, extra?: Extra): number | Promise<number> {
    if (!isStreamed(result)) return trackRun(result, extra);
    return settle(result).then((settled) => trackRun(settled, extra));
  }
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
    changes: () => {
      const { changes, unresolved } = parseChanges<Recorded & Extra>(store.read());
      for (const { change } of unresolved) warn(describeUnresolved(change));
      return changes;
    },
    clear: () => {
      store.clear();
    },
    trackFromAgentResult: track,
  };
}

function describeUnresolved({ tool, toolCallId, at }: RecordedCall): string {
  return `The outcome of a call of tool ${JSON.stringify(tool)} is not known (call ${JSON.stringify(toolCallId)}, ${at}), so it is not among the changes. If it was approved, pass the result of the run that made it to trackFromAgentResult.`;
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
