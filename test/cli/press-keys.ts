import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { createCommandContext, type Context } from "../../src/cli/context.js";
import { readWritten } from "./read-written.js";

export function terminal(env: Context["io"]["env"] = {}): {
  readonly context: Context;
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
} {
  const open = (): PassThrough =>
    Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24, setRawMode: () => undefined });
  const [stdin, stdout, stderr] = [open(), open(), open()];
  return { context: createCommandContext({ stdin, stdout, stderr, cwd: "/", env }, {}), stdin, stdout };
}

/** Presses keys one after the other, and waits for the answer. */
export async function press<T>(
  stdin: PassThrough,
  keys: readonly string[],
  answered: T | Promise<T>,
): Promise<T> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  for (const key of keys) {
    stdin.write(key);
    for (let turn = 0; turn < 10; turn++) await setImmediate();
  }
  return answered;
}

/** Asks, and presses these keys. */
export async function answer<T>(
  question: (context: Context) => Promise<T>,
  keys: readonly string[],
): Promise<T> {
  const { context, stdin, stdout } = terminal();
  const value = await press(stdin, keys, question(context));
  expect(readWritten(stdout), "stdout belongs to the answer").toBe("");
  return value;
}

export const ENTER = "\r";
export const LEAVE = "\u0003";
