import { execFile } from "node:child_process";

export interface EndedProgram {
  readonly kind: "ended";
  /** Null after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a program ended. */
type ProgramEnd = EndedProgram | { readonly kind: "not-found" | "timed-out" | "too-long" };

interface ProgramOptions {
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly stdin?: string | Uint8Array | undefined;
  /** Its time limit; none by default. */
  readonly seconds?: number | undefined;
  /** The most bytes that it may print. Default: 1 MB */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a program without a shell, and returns how it ended. An interrupted one has no code. */
export async function runProgram(
  [program = "", ...args]: readonly string[],
  { cwd, env, stdin = "", seconds = 0, limit = 1024 * 1024, signal }: ProgramOptions,
): Promise<ProgramEnd> {
  const options = {
    cwd,
    env,
    timeout: seconds * 1_000,
    killSignal: "SIGKILL",
    maxBuffer: limit,
    windowsHide: true,
    signal,
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
