import { describe, expect, it } from "vitest";
import { createCommandContext, type Context } from "../../src/cli/context.js";
import { ask, choose, confirm } from "../../src/cli/prompts.js";
import { answer, ENTER, LEAVE, terminal } from "./press-keys.js";

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
  expect(createCommandContext({ ...context.io, env }, options).isInteractive).toBe(expected);
});
