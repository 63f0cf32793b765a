import { describe, expect, test } from "vitest";
import type { InputAnswer } from "../../../src/core/input-question.js";
import type { JsonObject } from "../../../src/core/json.js";
import { checkAnswer, readQuestion } from "../../../src/runtime/client/questions.js";

const read = (params: JsonObject) => readQuestion(params, { server: "shop" }, (text) => text);
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

describe("a question is refused", () => {
  test.each([
    ["a nested object", object({ a: { type: "object" } }), 'property "a" is of type "object"'],
    ["a list of texts", object({ a: { type: "array", items: { type: "string" } } }), "list without choices"],
    ["no object", { type: "string" }, "not an object"],
    ["a control character", object({ "a\u001b[2J": { type: "string" } }), 'the name "a\\u001b'],
    ["a required key without a property", object({}, { required: ["a"] }), 'requires "a"'],
    ["no choices", object({ a: { type: "string", enum: [] } }), "no choices"],
  ])("for a schema with %s", (_, requestedSchema, why) => {
    expect(() => read({ message: "What?", requestedSchema })).toThrow(why);
  });

  test.each([
    ["javascript:alert(1)", 'begins with "javascript:"'],
    ["file:///etc/passwd", 'begins with "file:"'],
    ["https://bank.example@evil.example/", "contains credentials"],
    ["no address", "not a URL"],
    [7, "not a URL"],
  ])("for the address %s", (url, why) => {
    expect(() => read({ mode: "url", message: "Open this.", url })).toThrow(why);
  });
});

test("texts of a question have no control characters", () => {
  const a = { type: "string", title: "\u001b[2JTitle", description: "x\u202ey", default: "\u0007" };
  const question = read({ message: "Stop\n\u001b[31m!", requestedSchema: object({ a }) });
  // eslint-disable-next-line no-control-regex -- what a terminal would act on
  expect(JSON.stringify(question)).not.toMatch(/[\u0000-\u001f\u202e]|\\u00/);
  expect(question.message).toBe("Stop\\n\\u{1B}[31m!");
});

const account = object(
  { account: { type: "integer" }, plan: { type: "string", enum: ["free"] } },
  { required: ["account"] },
);

test.each<[string, InputAnswer, string | undefined]>([
  ["values that fit", { action: "accept", values: { account: 42 } }, undefined],
  ["a refusal", { action: "decline" }, undefined],
  ["another choice", { action: "accept", values: { account: 1, plan: "gold" } }, "plan"],
  ["a missing value", { action: "accept", values: { plan: "free" } }, "account"],
  ["a key that was not asked for", { action: "accept", values: { account: 1, admin: true } }, "admin"],
  [
    "a number that JavaScript rounds",
    { action: "accept", values: { account: 1234567890123456800 } },
    "cannot be sent without losing precision",
  ],
  ["no values", { action: "accept" }, ""],
  // @ts-expect-error: not an action
  ["an unknown action", { action: "yes" }, ""],
  // @ts-expect-error: not an answer
  ["no answer", undefined, ""],
])("an answer with %s is sent or not: %j", (_, answer, why) => {
  const checked = checkAnswer(read({ message: "Which account?", requestedSchema: account }), answer);
  expect("result" in checked).toBe(why === undefined);
  if ("issues" in checked) expect(JSON.stringify(checked.issues)).toContain(why);
});
