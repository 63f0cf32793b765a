import { omitUndefined } from "../core/collections.js";
import { callSafely, McpCodegenError, messageOf } from "../core/errors.js";
import { warn } from "./events.js";
import { isUnsent } from "./client/caller.js";
import type { CallRecorder, FinishedCall, Result, ToolContent } from "../core/call.js";

/** The server of a static tool in records. */
export const STATIC_SERVER: FinishedCall["tool"]["server"] = { name: "" };

/** Passes a finished call to a recorder. If that fails, it warns: the call was made. Never throws. */
export function recordCall(
  recorder: CallRecorder | undefined,
  call: FinishedCall,
  onWarning: ((message: string) => void) | undefined,
): void {
  callSafely(recorder?.record.bind(recorder), [call], (error) => {
    const words = messageOf(error);
    warn(`A call of tool ${JSON.stringify(call.tool.name)} could not be recorded: ${words}`, onWarning);
  });
}

/**
 * Returns the record of a call. Undefined for a read-only tool, and for a call without effect: it was refused before it was
 * sent, or the server answered with a failure.
 */
export function toRecordedCall(
  { tool, args, result, environment }: FinishedCall,
  at: string,
): RecordedCall | undefined {
  if (tool.annotations?.readOnlyHint === true) return undefined;
  const outcome = outcomeOf(result);
  if (outcome === undefined) return undefined;
  const { name, server } = tool;
  const { contract } = server;
  return {
    tool: name,
    server: server.name,
    args,
    ...outcome,
    at,
    ...omitUndefined({ environment, contract }),
  };
}

function outcomeOf(result: Result<unknown>): Pick<RecordedCall, "result" | "outcome" | "answer"> | undefined {
  if (result.ok) return { result: result.value };
  const { code, cause } = result.error;
  switch (code) {
    case "TOOL_UNAVAILABLE":
    case "INPUT_REQUIRED":
      return wasNeverSent(cause) ? undefined : { result: null, outcome: "unknown" };
    case "TOOL_INVALID_OUTPUT":
      // An SDK's own client refuses an answer with an error, which does not contain the answer.
      if (cause === undefined || cause instanceof Error) return { result: null, outcome: "unfit" };
      return { result: null, outcome: "unfit", answer: cause };
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

/** Whether a call that failed for this cause cannot have had an effect: the settings were invalid, or connecting failed. */
function wasNeverSent(cause: unknown): boolean {
  return isUnsent(cause) || (cause instanceof McpCodegenError && cause.exitCode === 2);
}

/**
 * One call of a tool that is not read-only, as plain JSON: a line of a file of changes. Contains the arguments and the result
 * unchanged, but never the server's address or credentials.
 */
export interface RecordedCall {
  /** The name that the server gives it. */
  readonly tool: string;
  /** Empty for a static tool. */
  readonly server: string;
  /** The arguments that were sent: without `undefined`, and with the defaults that the server is sent. */
  readonly args: unknown;
  /** The result of the tool; null if it is unknown or does not fit the output schema. */
  readonly result: unknown;
  /** Absent for a call whose result is known. */
  readonly outcome?: RecordedOutcome;
  /** The answer that does not fit the output schema, if the outcome is `unfit`. */
  readonly answer?: unknown;
  /** The step of the agent that made the call, from 0. */
  readonly step?: number;
  /**
   * The id of the call, if the outcome came later, such as after an approval: that of the model, or in a journal the number and
   * the digest of the change that the call repeats.
   */
  readonly toolCallId?: string;
  /** The time of the answer, ISO 8601. */
  readonly at: string;
  /** The environment that was changed; absent for the default one. */
  readonly environment?: string;
  /** The version of the server's contract that the caller was generated from; absent without a lock. */
  readonly contract?: string;
}

/**
 * Why the result of a recorded call is not known.
 *
 * - `unfit`: the tool ran, and its answer does not fit the output schema.
 * - `unknown`: there was no answer, so the tool may or may not have run.
 */
type RecordedOutcome = "unfit" | "unknown";

/**
 * The union of the recorded calls of a server's tools. The index of a server exports it as `RecordedCalls`.
 *
 * @template Names the names of the tools on the server, by their names in code
 */
export type RecordedCallsOf<
  Server extends string,
  Tools,
  Names extends { readonly [name in keyof Tools]?: string },
> = {
  [name in keyof Names & keyof Tools]: RecordedToolCall<Server, Names[name] & string, Tools[name]>;
}[keyof Names & keyof Tools];

/** A change by one generated tool. */
export interface RecordedToolCall<Server extends string, Name extends string, T> extends RecordedCall {
  readonly server: Server;
  readonly tool: Name;
  readonly args: InputOf<T>;
  readonly result: RecordedResult<OutputOf<T>> | null;
}

type InputOf<T> = T extends (input: infer I, ...rest: never) => unknown ? I : never;
type OutputOf<T> = T extends (...args: never) => Promise<infer O> ? O : never;

/** Functions are not recorded. */
type RecordedResult<O> = O extends ToolContent ? Omit<O, "json"> : O;
