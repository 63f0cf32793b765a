import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { createCommandContext, type Context } from "../../src/cli/context.js";
import { readWritten } from "./read-written.js";

export function terminal(): {
  readonly context: Context;
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
} {
  const open = (): PassThrough =>
    Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24, setRawMode: () => undefined });
  const [stdin, stdout, stderr] = [open(), open(), open()];
  return { context: createCommandContext({ stdin, stdout, stderr, cwd: "/", env: {} }, {}), stdin, stdout };
}

/** Asks, and presses these keys one after the other. */
export async function answer<T>(
  question: (context: Context) => Promise<T>,
  keys: readonly string[],
): Promise<T> {
  const { context, stdin, stdout } = terminal();
  const answered = question(context);
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  for (const key of keys) {
    stdin.write(key);
    for (let turn = 0; turn < 5; turn++) await setImmediate();
  }
  const value = await answered;
  expect(readWritten(stdout), "stdout belongs to the answer").toBe("");
  return value;
}

export const ENTER = "\r";
export const LEAVE = "\u0003";
