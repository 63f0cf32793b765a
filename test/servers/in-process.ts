/**
 * Runs a server of the tests in this process instead of a child process: to start Node costs a tenth of a second of processor
 * time, a thousand times. It has the streams, the signals and the exit code of a child process.
 */
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import { basename, dirname } from "node:path";
import { PassThrough, Transform } from "node:stream";
import { finished } from "node:stream/promises";
import { setImmediate } from "node:timers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { run } from "../../src/cli/run.js";

const require = createRequire(import.meta.url);
const FIXTURES = dirname(fileURLToPath(import.meta.url));
const BIN = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));
/** Servers whose subject is their process: they ignore signals, start others or end without `exit`. */
const OWN_PROCESS = ["stubborn", "talkative"];

let isEnabled = true;

/** Starts the servers of a file or a group of tests as processes, since these are their subject. */
export function useProcesses(): void {
  beforeAll(() => {
    isEnabled = false;
  });
  afterAll(() => {
    isEnabled = true;
  });
}

/** Replaces `cross-spawn` in tests, see `vitest.config.ts`. */
export default function spawn(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess | InProcess {
  return (
    startInProcess(command, args, options) ?? (require("cross-spawn") as typeof spawn)(command, args, options)
  );
}

/** Starts a fixture, or a server of the command line, in this process; returns undefined for other programs. */
export function startInProcess(
  command: string,
  [file = "", ...args]: readonly string[],
  options: SpawnOptions,
): InProcess | undefined {
  const { env = process.env } = options;
  const cwd = String(options.cwd ?? process.cwd());
  if (!isEnabled || basename(command) !== basename(process.execPath)) return undefined;
  const name = basename(file) === "fixtures.js" ? args[0] : basename(file, ".js");
  const isFixture = dirname(file) === FIXTURES && !OWN_PROCESS.includes(name ?? "");
  if (isFixture)
    return new InProcess(env, async (child) => {
      const fixtures = (await import(new URL("fixtures.js", import.meta.url).href)) as Fixtures;
      await fixtures.start(file, args, child);
    });
  if (file === BIN && ["example-server", "mock", "serve"].includes(args[0] ?? ""))
    return new InProcess(env, (child) => runProgram(child, args, cwd));
  return undefined;
}

function runProgram(child: InProcess, argv: readonly string[], cwd: string): Promise<void> {
  const interrupt = new AbortController();
  child.signals.once("SIGTERM", () => {
    interrupt.abort("SIGTERM");
  });
  const { env, stdin, stdout, stderr } = child;
  void run(argv, { env, cwd, stdin, stdout, stderr, signal: interrupt.signal }).then((code) => {
    child.end(code, null);
  });
  return Promise.resolve();
}

interface Fixtures {
  start(file: string, args: readonly string[], host: InProcess): Promise<void>;
}

/** Returns a stream that is read in a later turn of the event loop, as a pipe is, so that timers run between answers. */
function openOutput(): Transform {
  return new Transform({
    transform: (chunk, _encoding, done) => {
      setImmediate(done, null, chunk);
    },
  });
}

/** What callers use of a child process. */
class InProcess extends EventEmitter {
  readonly stdin = new PassThrough();
  readonly stdout = openOutput();
  readonly stderr = openOutput();
  /** The listeners of its signals. */
  readonly signals = new EventEmitter();
  /** Closes what a process would close by ending. */
  readonly atEnd: (() => void)[] = [];
  readonly pid = undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;

  readonly env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv, main: (child: InProcess) => Promise<void>) {
    super();
    this.env = env;
    main(this).then(
      () => this.emit("spawn"),
      (error: unknown) => this.emit("error", error),
    );
  }

  kill(signal: NodeJS.Signals = "SIGTERM"): boolean {
    if (!this.signals.emit(signal)) this.end(null, signal);
    return true;
  }

  exit(code: number): void {
    this.end(code, null);
  }

  end(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.exitCode !== null || this.signalCode !== null) return;
    this.exitCode = code;
    this.signalCode = signal;
    for (const close of this.atEnd) close();
    // What it writes later is lost.
    const outputs = [this.stdout, this.stderr];
    for (const stream of outputs) stream.end();
    for (const stream of outputs) stream.write = () => false;
    this.stdin.destroy();
    setImmediate(() => {
      this.emit("exit", code, signal);
      void Promise.allSettled(outputs.map((stream) => finished(stream))).then(() =>
        this.emit("close", code, signal),
      );
    });
  }
}
