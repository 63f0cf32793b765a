/**
 * Why a recorded call is of no use to a test.
 *
 * - `recorded-input-invalid`: the locked input schema refuses the arguments.
 * - `recorded-output-invalid`: the locked output schema refuses the answer.
 * - `recorded-tool-missing`: the lock does not have the tool.
 * - `recorded-entry-missing`: the lock does not have the prompt or resource.
 * - `cassette-invalid`: the file cannot be read as a cassette.
 */
export type CassetteRule =
  | "recorded-input-invalid"
  | "recorded-output-invalid"
  | "recorded-tool-missing"
  | "recorded-entry-missing"
  | "cassette-invalid";

/** A problem of a cassette, once for all calls of a file that have it. */
export interface CassetteFinding {
  readonly rule: CassetteRule;
  /** The file: posix, relative to the configuration. */
  readonly path: string;
  /** The place of the first call that has the problem, from 1. */
  readonly line: number;
  readonly column: number;
  /** Absent where the file cannot be read. */
  readonly server?: string;
  readonly tool?: string | undefined;
  /** How many calls have the problem; 0 where it is one of the file. */
  readonly calls: number;
  readonly message: string;
}
