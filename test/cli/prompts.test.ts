import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createContext, type Context } from "../../src/cli/context.js";
import { ask, choose, confirm } from "../../src/cli/prompts.js";
import { readWritten } from "./read-written.js";

function terminal(): {
  readonly context: Context;
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
} {
  const open = (): PassThrough =>
    Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24, setRawMode: () => undefined });
  const [stdin, stdout, stderr] = [open(), open(), open()];
  return { context: createContext({ stdin, stdout, stderr, cwd: "/", env: {} }, {}), stdin, stdout };
}

/** Asks, and presses these keys one after the other. */
async function answer<T>(question: (context: Context) => Promise<T>, keys: readonly string[]): Promise<T> {
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

const ENTER = "\r";
const LEAVE = "\u0003";
const validate = (text: string): string | undefined => (text === "" ? "Write a line." : undefined);
const choices = [
  { value: "site", label: "site" },
  { value: "shop", label: "shop" },
];

describe("a question on the terminal", () => {
  it.each([
    ["yes", ["y"], true],
    ["no", ["n"], false],
    ["leaving", [LEAVE], false],
    ["yes as the default", [ENTER], true],
  ])("takes %s", async (_, keys, expected) => {
    expect(await answer((context) => confirm(context, "Write it?"), keys)).toBe(expected);
  });

  it("takes no as the default", async () => {
    const accept = (context: Context): Promise<boolean> => confirm(context, "Accept?", { initial: false });
    expect(await answer(accept, [ENTER])).toBe(false);
  });

  it.each([
    ["all choices as the default", [ENTER], ["site", "shop"]],
    ["the remaining choices after one is deselected", [" ", ENTER], ["shop"]],
    ["cancelling as no answer", [LEAVE], undefined],
  ])("takes %s", async (_, keys, expected) => {
    expect(await answer((context) => choose(context, "Which?", choices), keys)).toEqual(expected);
  });

  it.each([
    ["a line", ["npx it", ENTER], "npx it"],
    ["cancelling as no answer", [LEAVE], undefined],
    ["a line that is valid, after one that is not", [ENTER, "npx it", ENTER], "npx it"],
  ])("takes %s", async (_, keys, expected) => {
    expect(
      await answer((context) => ask(context, "Which server?", { placeholder: "npx …", validate }), keys),
    ).toBe(expected);
  });
});

it.each([
  ["at a terminal", {}, {}, true],
  ["in CI", { CI: "1" }, {}, false],
  ["with --json", {}, { json: true }, false],
])("isInteractive %s", (_, env, options, expected) => {
  const { context } = terminal();
  expect(createContext({ ...context.io, env }, options).isInteractive).toBe(expected);
});
