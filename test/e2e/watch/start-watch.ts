import { PassThrough, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import { run } from "../../../src/cli/run.js";

export interface Watch {
  /** Resolves once this appears in the output that was not matched before; rejects if the watch ends before that. */
  readonly see: (pattern: RegExp) => Promise<string>;
  /** Everything on stdout so far. */
  readonly output: () => string;
  readonly stderr: () => string;
  /** Interrupts the watch and returns its exit code. */
  readonly stop: () => Promise<number>;
  readonly ended: Promise<number>;
}

/** Runs `watch` in this process until it is stopped, at the latest at the end of the test. */
export function startWatch(
  cwd: string,
  args: readonly string[] = [],
  { env = {}, keys }: { readonly env?: NodeJS.ProcessEnv; readonly keys?: PassThrough } = {},
): Watch {
  const texts = { stdout: "", stderr: "" };
  let seen = 0;
  let notify: () => void = () => undefined;
  const isTTY = keys !== undefined;
  const record = (name: keyof typeof texts): Writable & { readonly isTTY: boolean } =>
    Object.assign(
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          texts[name] += chunk.toString("utf8");
          notify();
          done();
        },
      }),
      { isTTY },
    );
  const interrupt = new AbortController();
  const stdin = keys ?? new PassThrough();
  const ended = run(["watch", ...args], {
    stdin: Object.assign(stdin, isTTY && { isTTY: true, setRawMode: () => stdin }),
    stdout: record("stdout"),
    stderr: record("stderr"),
    cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      WP_CORE_DIR: process.env["WP_CORE_DIR"],
      NO_COLOR: "1",
      ...env,
    },
    signal: interrupt.signal,
  });
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
    notify();
  });
  const stop = (): Promise<number> => {
    interrupt.abort("SIGINT");
    return ended;
  };
  onTestFinished(async () => {
    await stop();
  });
  return {
    see: (pattern) =>
      new Promise((resolve, reject) => {
        const complain = (what: string): void => {
          const all = `${texts.stdout}\n${texts.stderr}`;
          reject(new Error(`The watch ${what} before it printed ${String(pattern)}:\n${all}`));
        };
        // The test's own time limit would not show what was printed.
        const timer = setTimeout(complain, 50_000, "took 50 s");
        notify = () => {
          const found = pattern.exec(texts.stdout.slice(seen));
          if (found !== null) {
            seen += found.index + found[0].length;
            notify = () => undefined;
            clearTimeout(timer);
            resolve(found[0]);
          } else if (isOver) {
            clearTimeout(timer);
            complain("ended");
          }
        };
        notify();
      }),
    output: () => texts.stdout,
    stderr: () => texts.stderr,
    stop,
    ended,
  };
}
