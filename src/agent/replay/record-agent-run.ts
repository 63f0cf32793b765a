import { toRecordedCall, type FinishedCall, type RecordedCall } from "../../runtime/call-recorder.js";
import type { Result } from "../../runtime/result.js";
import {
  readAgentResult,
  type AgentCall,
  type AgentOutcome,
  type AgentResult,
  findExecuted,
  readOutcome,
} from "./agent-result.js";
import type { KnownTools, ResolvedCall } from "./find-replay-tools.js";
import { parseChanges, toEndedLine, toWaitingLine, type Lines } from "./parse-changes.js";

export interface AgentRunContext {
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

/**
 * Records the changes of an agent's run, and the calls that wait for an outcome.
 *
 * @returns the number of recorded changes
 * @throws McpCodegenError `USAGE` for a result without a list of steps
 */
export function recordAgentRun(result: AgentResult, context: AgentRunContext): number {
  const { calls, outcomes } = readAgentResult(result);
  const own = new Set(calls.map(({ id }) => id));
  const earlier = [...outcomes].filter(([id]) => !own.has(id));
  // Calls of earlier runs were made before the first step.
  const late = earlier.length === 0 ? 0 : recordLateOutcomes(earlier, context);
  const recorded = calls.filter((call) => recordCall(call, outcomes.get(call.id), context));
  return late + recorded.length;
}

/** Returns whether a change was recorded. */
function recordCall(
  { id, name, input, step, at, isRequested }: AgentCall,
  outcome: AgentOutcome | undefined,
  { store, known, environment, now, extra }: AgentRunContext,
): boolean {
  const resolved = known.resolve(name, input);
  const { tool, args, isKnown } = resolved;
  const where = environment ?? resolved.environment ?? known.environment;
  const finished = { tool, args, environment: where };
  if (outcome === undefined) {
    // The program itself answers calls of unknown tools that do not wait for an approval.
    const waiting = isKnown || isRequested ? toWaiting(finished, at ?? now()) : undefined;
    if (waiting !== undefined) store.append(toWaitingLine({ ...waiting, step, ...extra, toolCallId: id }));
    return false;
  }
  const result = readOutcome(outcome, resolved);
  const change = result && toRecordedCall({ ...finished, result }, at ?? now());
  if (change === undefined) return false;
  store.append(JSON.stringify({ ...change, result: change.result ?? null, step, ...extra }));
  return true;
}

const NO_RESULT: Result<never> = {
  ok: false,
  error: { code: "TOOL_UNAVAILABLE", message: "", retryable: false, tool: "", server: "" },
};

/** Returns the change that a call may make; undefined for a tool that only reads. */
function toWaiting(call: Omit<FinishedCall, "result">, at: string): RecordedCall | undefined {
  return toRecordedCall({ ...call, result: NO_RESULT }, at);
}

/** Records outcomes of open calls of earlier runs. Returns the number of changes. */
function recordLateOutcomes(
  outcomes: readonly (readonly [id: string, outcome: AgentOutcome])[],
  { store, known, now, warn, extra }: AgentRunContext,
): number {
  const { unresolved } = parseChanges(store.read());
  const open = new Map(unresolved.map(({ change }) => [change.toolCallId, change]));
  const recorded = outcomes.filter(([id, outcome]) => {
    const waiting = open.get(id);
    if (waiting === undefined) {
      if (!isHarmless(outcome, known)) warn(describeStray(id, outcome));
      return false;
    }
    const { outcome: _unknown, ...call } = waiting;
    const resolved = resolveAgain(waiting, outcome, known);
    const result = readOutcome(outcome, resolved);
    const { environment, args } = waiting;
    const change = result && toRecordedCall({ tool: resolved.tool, args, result, environment }, now());
    store.append(
      change === undefined
        ? toEndedLine(call)
        : JSON.stringify({ ...call, ...extra, ...change, result: change.result ?? null }),
    );
    return change !== undefined;
  });
  return recorded.length;
}

/** Returns the recorded tool of a call that waited, since the tracker may have different tools now. */
function resolveAgain(
  { tool, server, args, contract }: RecordedCall,
  { name }: AgentOutcome,
  known: KnownTools,
): ResolvedCall {
  const whole = server === "" ? tool : `${server}__${tool}`;
  const resolved = known.resolve(name, { tool: whole, args });
  return {
    ...resolved,
    tool: { name: tool, server: { name: server, contract } },
  };
}

/** Whether a call made no changes, according to its outcome. */
function isHarmless(outcome: AgentOutcome, known: KnownTools): boolean {
  if (outcome.kind === "denied") return true;
  const { tool } = known.resolve(outcome.name, { tool: findExecuted(outcome) ?? "" });
  return tool.annotations?.readOnlyHint === true;
}

function describeStray(id: string, { name }: AgentOutcome): string {
  return `A result of tool ${JSON.stringify(name)} belongs to a call that was not recorded (call ${JSON.stringify(id)}). Pass the result of each run to trackFromAgentResult of one tracker, or of trackers with the same store.`;
}
