import { describe, expect, it } from "vitest";
import { askQuestion } from "../../src/cli/questions/ask-question.js";
import type { InputAnswer, InputField, InputQuestion, InputValues } from "../../src/runtime/index.js";
import { answer, DOWN, ENTER, LEAVE } from "./press-keys.js";

const choices = ["Free", "Pro", "Team"].map((title) => ({ value: title.toLowerCase(), title }));
const NAME: InputField = { name: "name", type: "string", isRequired: true, maxLength: 3 };
const SEATS: InputField = { name: "seats", type: "integer", isRequired: true, minimum: 1, default: 7 };
const NOTE: InputField = { name: "note", type: "string", isRequired: false };
const TRIAL: InputField = { name: "trial", type: "boolean", isRequired: true };
const PLAN: InputField = { name: "plan", type: "choice", isRequired: true, choices, default: "pro" };
const MAYBE: InputField = { name: "maybe", type: "choice", isRequired: false, choices };
const EXTRAS: InputField = { name: "extras", type: "choices", isRequired: true, choices, maxItems: 1 };

function form(...fields: readonly InputField[]): InputQuestion {
  return { kind: "form", server: "shop", tool: "buy", message: "Which?", fields, schema: {} };
}

function asking(
  question: InputQuestion,
  keys: readonly string[],
  known: InputValues = {},
): Promise<InputAnswer> {
  return answer((context) => askQuestion(context, question, known, new AbortController()), keys);
}

describe("a form at a terminal", () => {
  it.each<[string, readonly InputField[], readonly string[], InputValues]>([
    ["a text", [NAME], ["Ada", ENTER], { name: "Ada" }],
    [
      "a text that fits, after one that is too long",
      [NAME],
      ["Adas", ENTER, "\u007f", ENTER],
      { name: "Ada" },
    ],
    ["a default", [SEATS], [ENTER], { seats: 7 }],
    ["a number", [SEATS], ["\u007f", "3", ENTER], { seats: 3 }],
    ["no answer to an optional text", [NOTE], [ENTER], {}],
    ["yes", [TRIAL], ["y"], { trial: true }],
    ["no as the default", [TRIAL], [ENTER], { trial: false }],
    ["the default choice", [PLAN], [ENTER], { plan: "pro" }],
    ["another choice", [PLAN], [DOWN, ENTER], { plan: "team" }],
    ["no choice", [MAYBE], [ENTER], {}],
    ["some choices, after too many", [EXTRAS], [" ", DOWN, " ", ENTER, " ", ENTER], { extras: ["free"] }],
    ["several fields", [NAME, TRIAL], ["Ada", ENTER, "y"], { name: "Ada", trial: true }],
    ["nothing but consent", [], [], {}],
  ])("takes %s", async (_, fields, keys, values) => {
    expect(await asking(form(...fields), [...keys, ENTER])).toEqual({ action: "accept", values });
  });

  it("asks only for what is not known", async () => {
    expect(await asking(form(NAME, TRIAL), ["y", ENTER], { name: "Ada" })).toEqual({
      action: "accept",
      values: { name: "Ada", trial: true },
    });
  });

  it.each<[string, readonly string[], InputAnswer]>([
    ["leaving a field", [LEAVE], { action: "cancel" }],
    ["leaving the review", ["Ada", ENTER, LEAVE], { action: "cancel" }],
    ["declining in the review", ["Ada", ENTER, DOWN, DOWN, ENTER], { action: "decline" }],
    [
      "changing the answers",
      ["Ada", ENTER, DOWN, ENTER, "Eve", ENTER, ENTER],
      { action: "accept", values: { name: "Eve" } },
    ],
  ])("takes %s", async (_, keys, expected) => {
    expect(await asking(form(NAME), keys)).toEqual(expected);
  });

  it("ends when the server withdraws the question", async () => {
    const controller = new AbortController();
    const withdrawn = answer((context) => {
      setImmediate(() => {
        controller.abort();
      });
      return askQuestion(context, form(NAME), {}, controller);
    }, []);
    expect(await withdrawn).toEqual({ action: "cancel" });
  });
});

it.each<[string, readonly string[], InputAnswer]>([
  ["accepts", [ENTER], { action: "accept" }],
  ["declines", [DOWN, ENTER], { action: "decline" }],
  ["leaves", [LEAVE], { action: "cancel" }],
])("an address: the user %s", async (_, keys, expected) => {
  const question: InputQuestion = {
    ...{ kind: "url", server: "shop", message: "Sign in." },
    ...{ url: "https://example.com/", host: "example.com" },
  };
  expect(await asking(question, keys)).toEqual(expected);
});
