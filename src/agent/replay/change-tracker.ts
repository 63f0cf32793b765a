import {
  checkArgument,
  checkOptions,
  FUNCTION,
  OBJECT,
  type OptionKind,
  TEXT,
} from "../../core/check-options.js";
import { type RecordedCall, toRecordedCall } from "../../runtime/call-recorder.js";
import { type Clock, createWarner, systemClock } from "../../runtime/events.js";
import type { Result, CallRecorder, FinishedCall } from "../../core/call.js";
import {
  type AgentCall,
  type AgentOutcome,
  type AgentResult,
  findExecuted,
  isStreamed,
  readAgentResult,
  readOutcome,
  settle,
  type StreamedAgentResult,
} from "./agent-result.js";
import { findKnownTools, type KnownTools, type ResolvedCall } from "./find-replay-tools.js";
import { SOURCE } from "../registry/tool-view.js";
import { assertChange, LINES, type Lines, memoryLines, parseChanges, writeLine } from "./parse-changes.js";

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

/** The user's own fields, which may be absent if none is required. */
type ExtraOf<Extra> = object extends Extra ? [extra?: Extra] : [extra: Extra];

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
  /** Records a change. Throws `CHANGES_INVALID` for a value that is not one. */
  track(change: Recorded & Extra): void;
  /** Returns copies of all changes in the order of recording. */
  changes(): readonly (Recorded & Extra)[];
  clear(): void;
  /**
   * Records the changes of an agent's run, from the result of `generateText` or `streamText` of the AI SDK (5 to 7), or any object
   * with its `steps`. Calls are matched with their results by `toolCallId`. A call that waits for an approval is kept in the
   * store, and recorded when a later result has its outcome. A result that is passed again is ignored. Do not use this with tools that record their own calls: each
   * call would be recorded twice.
   *
   * @returns the number of recorded changes; for a stream, once it has ended
   * @throws McpCodegenError `USAGE` for a result without a list of steps
   */
  trackFromAgentResult(result: AgentResult, ...extra: ExtraOf<Extra>): number;
  trackFromAgentResult(result: StreamedAgentResult, ...extra: ExtraOf<Extra>): Promise<number>;
  trackFromAgentResult(
    result: AgentResult | StreamedAgentResult,
    ...extra: ExtraOf<Extra>
  ): number | Promise<number>;
  /**
   * Returns a recorder for `connect({ changes })` that adds these fields to each change. Fields that are recorded anyway, such as
   * `tool`, keep their values. The changes are in this tracker.
   *
   * @throws McpCodegenError `USAGE` for a value that is not an object
   */
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
    store: LINES,
    tools: SOURCE,
    environment: TEXT,
    clock: FUNCTION,
    onWarning: FUNCTION,
  });
  const { store = memoryLines(), clock = systemClock, tools = {}, environment } = options;
  const warn = createWarner(options.onWarning);
  const now = (): string => new Date(clock()).toISOString();
  const keep = (change: RecordedCall): void => {
    store.append(writeLine(change));
  };
  const record = (call: FinishedCall, extra: object | undefined): void => {
    const change = toRecordedCall({ ...call, environment: call.environment ?? environment }, now());
    if (change !== undefined) keep(addFields(change, extra));
  };
  const checkExtra = (caller: string, extra: object | undefined): void => {
    checkArgument(caller, "fields", extra, FIELDS);
    // A field such as "outcome" would make every change invalid.
    assertChange(`${caller}: the object of fields`, { ...NO_CHANGE, ...extra }, `Use ${FIELDS.words}.`);
  };
  let trackedResults = new WeakSet<object>();
  const trackRun = (
    source: AgentResult | StreamedAgentResult,
    result: AgentResult,
    extra: object | undefined,
  ): number => {
    if (trackedResults.has(source)) {
      warn(TRACKED);
      return 0;
    }
    const knownTools = findKnownTools(tools);
    const count = recordAgentRun(result, { store, known: knownTools, environment, now, warn, extra });
    trackedResults.add(source);
    return count;
  };
  const track = (result: AgentResult | StreamedAgentResult, extra?: Extra): number | Promise<number> => {
    if (extra !== undefined) checkExtra("trackFromAgentResult", extra);
    return isStreamed(result)
      ? settle(result).then((settled) => trackRun(result, settled, extra))
      : trackRun(result, result, extra);
  };
  return {
    record: (call: FinishedCall) => {
      record(call, undefined);
    },
    with: (extra: Extra) => {
      checkExtra("with", extra);
      return {
        record: (call: FinishedCall) => {
          record(call, extra);
        },
      };
    },
    track: (change: Recorded & Extra) => {
      assertChange(
        "track: the change",
        change,
        "Pass { tool, server, args, result, at } and your own fields.",
      );
      keep(change);
    },
    changes: () => {
      const { changes, unresolved } = parseChanges<Recorded & Extra>(store.read());
      for (const { change } of unresolved) warn(describeUnresolved(change));
      return changes;
    },
    clear: () => {
      store.clear();
      trackedResults = new WeakSet();
    },
    trackFromAgentResult: track as ChangeTracker<Extra, Recorded>["trackFromAgentResult"],
  };
}

const TRACKED =
  "This result of an agent is recorded already, so trackFromAgentResult ignores it: a replay would make its calls twice.";

function describeUnresolved({ tool, toolCallId, at }: RecordedCall): string {
  return `The outcome of a call of tool ${JSON.stringify(tool)} is not known (call ${JSON.stringify(toolCallId)}, ${at}), so it is not among the changes. If it was approved, pass the result of the run that made it to trackFromAgentResult.`;
}

function describeScripts(calls: readonly AgentCall[]): string {
  const [{ name } = { name: "" }] = calls;
  const times = calls.length === 1 ? "one script" : `${calls.length} scripts`;
  return `An agent's result does not have the calls of scripts, so those of ${times} are not recorded (tool ${JSON.stringify(name)}). Pass the tracker as "changes" to createRegistry or connect: their tools record their own calls.`;
}

const FIELDS: OptionKind = { ...OBJECT, words: 'an object such as { user: "ada" }' };
const NO_CHANGE: RecordedCall = { tool: "", server: "", args: {}, result: null, at: "" };

/** Adds the user's own fields, which replace none that was recorded. */
function addFields<Change extends object>(change: Change, extra: object | undefined): Change {
  return { ...change, ...extra, ...change };
}

interface AgentRunContext {
  readonly store: Lines;
  readonly known: KnownTools;
  /** Replaces the environment of the tools. */
  readonly environment: string | undefined;
  /** Returns the time, ISO 8601. */
  readonly now: () => string;
  readonly warn: (message: string) => void;
  /** The user's own fields of each change. */
  readonly extra: object | undefined;
}

/** Records the changes of an agent's run, and the calls that wait for an outcome. Returns the number of recorded changes. */
function recordAgentRun(result: AgentResult, context: AgentRunContext): number {
  const { calls, outcomes } = readAgentResult(result);
  const ids = new Set(calls.map(({ id }) => id));
  const earlier = [...outcomes].filter(([id]) => !ids.has(id));
  // Calls of earlier runs were made before the first step.
  const late = earlier.length === 0 ? 0 : recordLateOutcomes(earlier, context);
  const resolvedCalls = calls.map((call) => ({
    call,
    resolved: context.known.resolve(call.name, call.input),
  }));
  const scripts = resolvedCalls.filter(({ resolved }) => resolved.isScript === true);
  if (scripts.length > 0) context.warn(describeScripts(scripts.map(({ call }) => call)));
  const recorded = resolvedCalls.filter(({ call, resolved }) =>
    recordCall(call, resolved, outcomes.get(call.id), context),
  );
  return late + recorded.length;
}

function recordCall(
  { id, step, at, isRequested }: AgentCall,
  resolved: ResolvedCall,
  outcome: AgentOutcome | undefined,
  { store, known: knownTools, environment, now, extra }: AgentRunContext,
): boolean {
  const { tool, args, isKnown } = resolved;
  const where = environment ?? resolved.environment ?? knownTools.environment;
  const finished = { tool, args, environment: where };
  if (outcome === undefined) {
    // The program itself answers calls of unknown tools that do not wait for an approval.
    const waiting =
      isKnown || isRequested ? toRecordedCall({ ...finished, result: NO_RESULT }, at ?? now()) : undefined;
    if (waiting !== undefined)
      store.append(writeLine(addFields({ ...waiting, step, toolCallId: id }, extra), "waits"));
    return false;
  }
  const result = readOutcome(outcome, resolved);
  const change = result && toRecordedCall({ ...finished, result }, at ?? now());
  if (change === undefined) return false;
  store.append(writeLine(addFields({ ...change, step }, extra)));
  return true;
}

const NO_RESULT: Result<never> = {
  ok: false,
  error: { code: "TOOL_UNAVAILABLE", message: "", retryable: false, tool: "", server: "" },
};

/** Records outcomes of open calls of earlier runs. Returns the number of changes. */
function recordLateOutcomes(
  outcomes: readonly (readonly [id: string, outcome: AgentOutcome])[],
  { store, known: knownTools, now, warn, extra }: AgentRunContext,
): number {
  const { unresolved } = parseChanges(store.read());
  const open = new Map(unresolved.map(({ change }) => [change.toolCallId, change]));
  const recorded = outcomes.filter(([id, outcome]) => {
    const waiting = open.get(id);
    if (waiting === undefined) {
      const { tool } = knownTools.resolve(outcome.name, { tool: findExecuted(outcome) ?? "" });
      const isHarmless = outcome.kind === "denied" || tool.annotations?.readOnlyHint === true;
      if (!isHarmless) warn(describeStray(id, outcome));
      return false;
    }
    const { outcome: _unknown, ...call } = waiting;
    const resolved = resolveAgain(waiting, outcome, knownTools);
    const result = readOutcome(outcome, resolved);
    const { environment, args } = waiting;
    const change = result && toRecordedCall({ tool: resolved.tool, args, result, environment }, now());
    store.append(
      change === undefined ? writeLine(call, "none") : writeLine({ ...call, ...extra, ...change }),
    );
    return change !== undefined;
  });
  return recorded.length;
}

/** Returns the recorded tool of a call that waited, since the tracker may have different tools now. */
function resolveAgain(
  { tool, server, args, contract }: RecordedCall,
  { name }: AgentOutcome,
  tools: KnownTools,
): ResolvedCall {
  const whole = server === "" ? tool : `${server}__${tool}`;
  return {
    ...tools.resolve(name, { tool: whole, args }),
    tool: { name: tool, server: { name: server, contract } },
  };
}

function describeStray(id: string, { name }: AgentOutcome): string {
  return `A result of tool ${JSON.stringify(name)} belongs to a call that was not recorded (call ${JSON.stringify(id)}). Pass the result of each run to trackFromAgentResult of one tracker, or of trackers with the same store.`;
}
