import { Console } from "node:console";
import type { Io } from "./io.js";

/** Runs user code with `console` redirected to stderr, since stdout carries the `--json` document or the protocol. */
export async function redirectConsole<T>({ stderr }: Io, work: () => Promise<T>): Promise<T> {
  const { console } = globalThis;
  globalThis.console = new Console({ stdout: stderr, stderr });
  try {
    return await work();
  } finally {
    globalThis.console = console;
  }
}
