import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The parts of the process that a command may use. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Aborted with the signal's name as reason when the user interrupts. */
  readonly signal?: AbortSignal;
}
