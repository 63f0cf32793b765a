import type { Result } from "./result.js";
import { warn } from "./warn.js";
import type { RecordedCall } from "./recorded-call.js";
import { wasNeverSent } from "./was-never-sent.js";
import type { ToolAnnotations } from "../contract/snapshot.js";

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

/** Passes a finished call to a recorder. A recorder that fails causes a warning; the call does not fail. */
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
    warn(`A call of tool ${JSON.stringify(call.tool.name)} could not be recorded: ${words}`, onWarning);
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
      return undefined;
    default:
      return code satisfies never;
  }
}
