import type { ToolContent } from "./content.js";

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
