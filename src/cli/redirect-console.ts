import { Console } from "node:console";
import type { Io } from "./io.js";

/**
 * Runs the user's own code while `console` prints to stderr: stdout is for the document of `--json`, or for a protocol.
 */
export async function redirectConsole<T>({ stderr }: Io, work: () => Promise<T>): Promise<T> {
  const { console } = globalThis;
  globalThis.console = new Console({ stdout: stderr, stderr });
  try {
    return await work();
  } finally {
    globalThis.console = console;
  }
}
