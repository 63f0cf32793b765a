import type { ToolAnnotations } from "../contract/snapshot.js";
import { McpCodegenError } from "../contract/errors.js";
import type { Result, ToolContent } from "./result.js";
import { warn } from "./events.js";
import { isUnsent } from "./client/failures.js";

/** Receives calls, and records those that change something. A tracker is a recorder. */
export interface CallRecorder {
  /** @throws What keeps the call from being recorded. */
  record(call: FinishedCall): void;
}

/** A call that is over. */
export interface FinishedCall {
  readonly tool: {
    readonly name: string;
    readonly server: { readonly name: string; readonly contract?: string };
    readonly annotations?: ToolAnnotations;
  };
  readonly args: unknown;
  readonly result: Result<unknown>;
  readonly environment?: string | undefined;
}

/** What stands for the server of a tool that no server has. */
export const STATIC_SERVER: FinishedCall["tool"]["server"] = { name: "" };

/** Passes a finished call to a recorder. If that fails, it warns: the call was made. Never throws. */
export function recordCall(
  recorder: CallRecorder | undefined,
  call: FinishedCall,
  onWarning: ((message: string) => void) | undefined,
): void {
  if (recorder === undefined) return;
  try {
    recorder.record(call);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    try {
      warn(`A call of tool ${JSON.stringify(call.tool.name)} could not be recorded: ${words}`, onWarning);
    } catch {
      // A handler of warnings that throws.
    }
  }
}

/**
 * What is recorded of a call. Undefined for a tool that only reads, and for a call that changed nothing: one that was
 * refused before it was sent, or that the server answered with a failure.
 */
export function toRecordedCall(
  { tool, args, result, environment }: FinishedCall,
  at: string,
): RecordedCall | undefined {
  if (tool.annotations?.readOnlyHint === true) return undefined;
  const outcome = outcomeOf(result);
  if (outcome === undefined) return undefined;
  return {
    tool: tool.name,
    server: tool.server.name,
    args,
    ...outcome,
    at,
    ...(environment !== undefined && { environment }),
    ...(tool.server.contract !== undefined && { contract: tool.server.contract }),
  };
}

type Outcome = Pick<RecordedCall, "result" | "outcome" | "answer">;

function outcomeOf(result: Result<unknown>): Outcome | undefined {
  if (result.ok) return { result: result.value };
  const { code, cause } = result.error;
  switch (code) {
    case "TOOL_UNAVAILABLE":
    case "INPUT_REQUIRED":
      return wasNeverSent(cause) ? undefined : { result: null, outcome: "unknown" };
    case "TOOL_INVALID_OUTPUT":
      // What an SDK's own client refuses is an error, and the answer is lost.
      return {
        result: null,
        outcome: "unfit",
        ...(cause !== undefined && !(cause instanceof Error) && { answer: cause }),
      };
    case "TOOL_INVALID_INPUT":
    case "TOOL_NOT_FOUND":
    case "TOOL_EXECUTION_FAILED":
    case "TOOL_NOT_ALLOWED":
    case "WRITES_DISABLED":
    case "CONTRACT_DRIFT":
    case "TOOL_NOT_IMPLEMENTED":
    case "CALL_NOT_RECORDED":
      return undefined;
    default:
      return code satisfies never;
  }
}

/**
 * Whether a call that failed so did surely nothing: the user's own settings kept it from being made, or no connection came
 * about.
 */
export function wasNeverSent(cause: unknown): boolean {
  return isUnsent(cause) || (cause instanceof McpCodegenError && cause.exitCode === 2);
}

/**
 * One call of a tool that is not read-only. Plain JSON: it is a line of a file of changes. Arguments and result are recorded
 * as they are, since that is the purpose; where the server is and how one logs in there never is.
 */
export interface RecordedCall {
  /** As the server calls it. */
  readonly tool: string;
  /** Empty for a tool that no server has. */
  readonly server: string;
  /** As they were sent: `undefined` left out, and defaults in it where those are sent. */
  readonly args: unknown;
  /** What the tool answered; null where that is not known, or does not fit the tool's output schema. */
  readonly result: unknown;
  /** Absent when the call was answered. */
  readonly outcome?: RecordedOutcome;
  /** An answer that does not fit the output schema, where the outcome is `unfit`. */
  readonly answer?: unknown;
  /** The step of an agent that the call was made in, from 0. */
  readonly step?: number;
  /** A model's id of a call that waited for an approval, or otherwise had its outcome later. */
  readonly toolCallId?: string;
  /** When the answer came, ISO 8601. */
  readonly at: string;
  /** The environment that was changed; absent where the server has but one, or it is the default one. */
  readonly environment?: string;
  /** The version of the server's contract that the caller knew; absent where it knew of none. */
  readonly contract?: string;
}

/**
 * What is special about a call that was recorded.
 *
 * - `unfit`: the tool ran, and its answer does not fit the output schema.
 * - `unknown`: no answer came, so the tool may or may not have run.
 */
export type RecordedOutcome = "unfit" | "unknown";

/** A change by one generated tool. A server's index has the union of its own as `RecordedCalls`. */
export interface RecordedToolCall<Server extends string, Name extends string, T> extends RecordedCall {
  readonly server: Server;
  readonly tool: Name;
  readonly args: InputOf<T>;
  readonly result: RecordedResult<OutputOf<T>> | null;
}

type InputOf<T> = T extends (input: infer I, ...rest: never) => unknown ? I : never;
type OutputOf<T> = T extends (...given: never) => Promise<infer O> ? O : never;

/** Functions are not recorded. */
type RecordedResult<O> = O extends ToolContent ? Omit<O, "json"> : O;
