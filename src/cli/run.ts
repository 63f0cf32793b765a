import type { Io } from "./context.js";
import { rejectAfterGrace } from "./interruption.js";
import { readPackage } from "./read-package.js";

export type { Io } from "./context.js";
export { abortOnSignals } from "./interruption.js";

/**
 * Runs one command line and returns the exit code: 0 nothing found, 1 findings, 2 wrong input, 3 could not check, 70 a
 * bug in mcp-codegen, 128 + the signal's number if interrupted. Loads only the modules that the command needs.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  for (const stream of [io.stdout, io.stderr]) stream.on("error", ignoreBrokenPipe);
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    io.stdout.write(`${readPackage().version}\n`);
    return 0;
  }
  if (argv[0] === "__complete") {
    const { answerCompletion } = await import("./completion/answer-completion.js");
    return answerCompletion(argv.slice(1), io);
  }
  try {
    const { runProgram } = await import("./program.js");
    const interrupted = io.signal === undefined ? [] : [rejectAfterGrace(io.signal)];
    const exitCode = await Promise.race([runProgram(argv, io), ...interrupted]);
    return interruption(io) ?? exitCode;
  } catch (error) {
    const { reportError, reportInterruption } = await import("./report-error.js");
    const interrupted = interruption(io);
    if (interrupted !== undefined) return reportInterruption(interrupted, argv, io);
    return reportError(error, argv, io);
  }
}

function interruption({ signal }: Io): number | undefined {
  if (signal?.aborted !== true) return undefined;
  return signal.reason === "SIGTERM" ? 143 : 130;
}

/** Ignores a reader that closes the pipe early, as in `mcp-codegen list | head`. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}
