import { execFile } from "node:child_process";

/** How a program ended. `code` is null after a signal. */
export type ProgramEnd =
  | { readonly kind: "ended"; readonly code: number | null; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "not-found" | "timed-out" | "too-long" };

export interface RunProgramOptions {
  readonly cwd: string;
  readonly stdin: string;
  readonly seconds: number;
  /** The most bytes that it may print. */
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs a program of the user without a shell, in the user's environment, which `wp-config.php`, Docker and
 * WP-CLI read.
 */
export async function runProgram(
  [program = "", ...args]: readonly string[],
  { cwd, stdin, seconds, limit, signal }: RunProgramOptions,
): Promise<ProgramEnd> {
  const options = {
    cwd,
    env: process.env,
    timeout: seconds * 1_000,
    killSignal: "SIGKILL",
    maxBuffer: limit,
    windowsHide: true,
    ...(signal && { signal }),
  } as const;
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ kind: "ended", code: 0, stdout, stderr });
      else if (error.code === "ENOENT") resolve({ kind: "not-found" });
      else if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") resolve({ kind: "too-long" });
      else if (error.killed === true) resolve({ kind: "timed-out" });
      else
        resolve({ kind: "ended", code: typeof error.code === "number" ? error.code : null, stdout, stderr });
    });
    // A program that does not read its input closes the pipe.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(stdin);
  });
}
