import { once } from "node:events";
import { createRequire } from "node:module";
import { setImmediate as nextTurn, setTimeout } from "node:timers/promises";
import type { Io } from "./context.js";

export type { Io } from "./context.js";

/**
 * Runs one command line and returns the exit code: 0 nothing found, 1 findings, 2 wrong input, 3 could not check, 70 a
 * bug in mcp-codegen, 128 + the signal's number if interrupted. Loads only the modules that the command needs.
 */
export async function run(argv: readonly string[], streams: Io): Promise<number> {
  const io: Io = { ...streams, made: new Set() };
  const failures: Error[] = [];
  const onError = (error: NodeJS.ErrnoException): void => {
    // A reader may close the pipe early, as in `mcp-codegen list | head`.
    if (error.code !== "EPIPE") failures.push(error);
  };
  for (const stream of [io.stdout, io.stderr]) stream.on("error", onError);
  const exitCode = await runCommand(argv, io);
  // Streams report a failed write in a later turn.
  await nextTurn();
  const [failure] = failures;
  if (failure === undefined || exitCode === 70) return exitCode;
  const { reportFailedOutput } = await loadErrors();
  return reportFailedOutput(failure, argv, io);
}

/** A command that succeeds reports none. */
const loadErrors = async () => import("./report-error.js");

async function runCommand(argv: readonly string[], io: Io): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    // An import would take longer than this.
    const { version } = createRequire(import.meta.url)("mcp-codegen/package.json") as { version: string };
    io.stdout.write(`${version}\n`);
    return 0;
  }
  if (argv[0] === "__complete") {
    const { answerCompletion } = await import("./completion/answer-completion.js");
    return answerCompletion(argv.slice(1), io);
  }
  try {
    const { runCommandLine } = await import("./program.js");
    const interrupted = io.signal === undefined ? [] : [rejectAfterGrace(io.signal)];
    const exitCode = await Promise.race([runCommandLine(argv, io), ...interrupted]);
    return interruption(io) ?? exitCode;
  } catch (error) {
    const { reportError, reportInterruption } = await loadErrors();
    const interrupted = interruption(io);
    if (interrupted !== undefined) return reportInterruption(interrupted, argv, io);
    return reportError(error, argv, io);
  }
}

function interruption({ signal }: Io): number | undefined {
  if (signal?.aborted !== true) return undefined;
  return signal.reason === "SIGTERM" ? 143 : 130;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Returns a signal that SIGINT or SIGTERM aborts. They are caught only while something listens to the returned signal, such
 * as a request. At any other time nothing could react, and long synchronous work would delay them, so the system ends the
 * program at once: writes are atomic, and servers over stdio end with it. The second one always does.
 */
export function abortOnSignals(target: NodeJS.Process = process): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const end = (name: NodeJS.Signals): void => {
    controller.abort(name);
    update();
  };
  let isCatching = false;
  const update = (): void => {
    const isWanted = listeners.size > 0 && !signal.aborted;
    if (isWanted === isCatching) return;
    isCatching = isWanted;
    for (const name of SIGNALS)
      if (isWanted) target.on(name, end);
      else target.removeListener(name, end);
  };
  const add: typeof signal.addEventListener = signal.addEventListener.bind(signal);
  const remove: typeof signal.removeEventListener = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>): void => {
    if (args[0] === "abort") listeners.add(args[1]);
    add(...args);
    update();
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>): void => {
    listeners.delete(args[1]);
    remove(...args);
    // The event loop delivers signals. Without this turn, a signal that has arrived would be lost.
    setImmediate(update);
  };
  return signal;
}

/** Milliseconds that an interrupted command may take to close its connections. A stubborn server over stdio takes longer. */
const GRACE = 700;

/** Rejects with the signal's reason once an interrupted command has had its time to end. Signals are not caught for this. */
async function rejectAfterGrace(signal: AbortSignal): Promise<never> {
  // A signal of its own, since a listener on the given one would catch signals.
  const combined = AbortSignal.any([signal]);
  if (!combined.aborted) await once(combined, "abort");
  await setTimeout(GRACE);
  throw signal.reason;
}
