import { describe, expect, test } from "vitest";
import type { InputAnswer } from "../../../src/core/input-question.js";
import type { JsonObject } from "../../../src/core/json.js";
import { checkAnswer, InvalidQuestionError, readQuestion } from "../../../src/runtime/client/questions.js";

const read = (params: JsonObject) => readQuestion(params, { server: "shop" }, (text) => text);
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

const text = { type: "string" };
const many = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const fields = (count: number): JsonObject =>
  object(Object.fromEntries(many(count).map((index) => [`f${index}`, text])));
const choices = (count: number): JsonObject => object({ a: { ...text, enum: many(count).map(String) } });

describe("a question is refused", () => {
  const REFUSED: readonly (readonly [string, JsonObject, string])[] = [
    ["a nested object", object({ a: { type: "object" } }), 'property "a" is of type "object"'],
    ["no type", object({ a: {} }), 'property "a" is of type null'],
    ["a property of no schema", object({ a: true }), 'property "a" has no schema'],
    ["a list of texts", object({ a: { type: "array", items: text } }), 'property "a" is a list without choices'],
    ["a list", object({ a: { type: "array" } }), 'property "a" is a list without choices'],
    ["no object", text, "it is not an object"],
    ["other properties", { type: "object", properties: [] }, "its properties are not an object"],
    ["one required key", object({}, { required: "a" }), '"required" is not a list'],
    ["too many properties", fields(51), "it has more than 50 properties"],
    ["a control character", object({ "a\u001b[2J": text }), 'it has a property with the name "a\\u001b[2J"'],
    ["the longest name", object({ ["n".repeat(201)]: text }), `it has a property with the name "${"n".repeat(98)}…`],
    ["a name that sets prototypes", JSON.parse('{"type":"object","properties":{"__proto__":{}}}') as JsonObject, 'it has a property with the name "__proto__"'],
    ["a property without a name", object({ "": text }), 'it has a property with the name ""'],
    ["a required key without a property", object({}, { required: ["a"] }), 'it requires "a", which is not a property'],
    ["no choices", choices(0), 'property "a" has no choices or more than 1000'],
    ["too many choices", choices(1_001), 'property "a" has no choices or more than 1000'],
    ["a choice of a number", object({ a: { ...text, enum: [1] } }), 'property "a" has a choice that is not a text'],
  ]; // prettier-ignore

  test.each(REFUSED)("for a schema with %s", (_, requestedSchema, why) => {
    const error = new InvalidQuestionError(`its schema is not a flat form: ${why}`);
    expect(() => read({ message: "What?", requestedSchema })).toThrow(error);
  });

  test.each([
    [{}, "it has no message"],
    [{ message: "" }, "it has no message"],
    [{ message: "What?", mode: "voice" }, 'its mode is "voice"'],
  ])("for the parameters %j", (params, why) => {
    expect(() => read(params)).toThrow(new InvalidQuestionError(why));
  });

  test.each([
    ["javascript:alert(1)", 'its address begins with "javascript:"'],
    ["file:///etc/passwd", 'its address begins with "file:"'],
    ["https://bank.example@evil.example/", "its address contains credentials"],
    ["https://:secret@evil.example/", "its address contains credentials"],
    ["no address", "its address is not a URL"],
    [`https://a.example/${"a".repeat(3_983)}`, "its address is not a URL"],
    [7, "its address is not a URL"],
  ])("for the address %s", (url, why) => {
    expect(() => read({ mode: "url", message: "Open this.", url })).toThrow(new InvalidQuestionError(why));
  });
});

test("a question has at most 50 properties, 1,000 choices and a long address", () => {
  const ask = (requestedSchema: JsonObject) => read({ message: "What?", requestedSchema });
  expect(ask(fields(50))).toHaveProperty("fields.length", 50);
  expect(ask(choices(1_000))).toHaveProperty("fields.0.choices.length", 1_000);
  expect(ask(object({ ["n".repeat(200)]: text }))).toHaveProperty("fields.length", 1);
  const url = `https://a.example/${"a".repeat(3_982)}`;
  expect(read({ mode: "url", message: "Open this.", url })).toEqual({
    ...{ kind: "url", server: "shop", message: "Open this.", url, host: "a.example" },
  });
});

test("cuts long texts", () => {
  const property = { ...text, title: "t".repeat(301) };
  const question = read({ message: "m".repeat(2_001), requestedSchema: object({ a: property }) });
  expect(question).toMatchObject({
    message: `${"m".repeat(1_999)}…`,
    fields: [{ title: `${"t".repeat(299)}…` }],
  });
});

const PROPERTIES: [property: JsonObject, field: JsonObject, schema?: JsonObject][] = [
  [{ ...text, format: "email", minLength: 1, maxLength: 9, default: "a" }, { format: "email", minLength: 1, maxLength: 9, default: "a" }],
  [{ ...text, title: "", description: "D", format: "regex", maxLength: "9", default: 1 }, { description: "D" }],
  [{ type: "number", minimum: 0, maximum: 9, default: 1.5 }, { minimum: 0, maximum: 9, default: 1.5 }],
  [{ type: "integer", default: "1", minLength: 1 }, {}],
  [{ type: "boolean", default: false }, { default: false }],
  [{ type: "boolean", default: "no" }, {}],
  [{ ...text, enum: ["a", "b"], default: "b" }, { type: "choice", choices: [{ value: "a", title: "a" }, { value: "b", title: "b" }], default: "b" }, { ...text, enum: ["a", "b"], default: "b" }],
  [{ ...text, enum: ["a", "b"], enumNames: ["A"], default: "c" }, { type: "choice", choices: [{ value: "a", title: "A" }, { value: "b", title: "b" }] }, { ...text, oneOf: [{ const: "a", title: "A" }, { const: "b", title: "b" }] }],
  [{ ...text, anyOf: [{ const: "a", title: "A" }] }, { type: "choice", choices: [{ value: "a", title: "A" }] }, { ...text, oneOf: [{ const: "a", title: "A" }] }],
  [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, minItems: 0, maxItems: 1, default: ["a"] }, { type: "choices", choices: [{ value: "a", title: "A" }], minItems: 0, maxItems: 1, default: ["a"] }, { type: "array", minItems: 0, maxItems: 1, default: ["a"], items: { anyOf: [{ const: "a", title: "A" }] } }],
  [{ type: "array", items: { enum: ["a"] }, default: ["b"] }, { type: "choices", choices: [{ value: "a", title: "a" }] }, { type: "array", items: { ...text, enum: ["a"] } }],
]; // prettier-ignore

test.each(PROPERTIES)("reads a property %j", (property, field, schema) => {
  const { type = null } = property;
  const requestedSchema = object({ a: property }, { required: ["a"] });
  expect(read({ message: "What?", mode: "form", requestedSchema })).toEqual({
    ...{ kind: "form", server: "shop", message: "What?" },
    fields: [{ name: "a", isRequired: true, type, ...field }],
    schema: object({ a: schema ?? { type, ...field } }, { required: ["a"] }),
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
  {
    account: { type: "integer" },
    plan: { ...text, enum: ["free"] },
    days: { type: "array", items: { enum: ["mon", "tue"] }, minItems: 1 },
  },
  { required: ["account"] },
);

const contentOf = (answer: InputAnswer) => ("values" in answer ? answer.values : undefined);

test.each<[string, InputAnswer, string | undefined]>([
  ["values that fit", { action: "accept", values: { account: 42 } }, undefined],
  ["a refusal", { action: "decline" }, undefined],
  ["a cancellation", { action: "cancel" }, undefined],
  ["another choice", { action: "accept", values: { account: 1, plan: "gold" } }, "plan"],
  ["a missing value", { action: "accept", values: { plan: "free" } }, "account"],
  ["a key that was not asked for", { action: "accept", values: { account: 1, admin: true } }, "admin"],
  ["one choice twice", { action: "accept", values: { account: 1, days: ["mon", "mon"] } }, "days"],
  ["too few choices", { action: "accept", values: { account: 1, days: [] } }, "days"],
  [
    "a number that JavaScript rounds",
    { action: "accept", values: { account: 1234567890123456800 } },
    "cannot be sent without losing precision",
  ],
  ["no values", { action: "accept" }, ""],
  // @ts-expect-error: not an action
  ["an unknown action", { action: "yes" }, "expected { action: "],
  // @ts-expect-error: not an answer
  ["no answer", undefined, ""],
])("an answer with %s is sent or not: %j", (_, answer, why) => {
  const checked = checkAnswer(read({ message: "Which account?", requestedSchema: account }), answer);
  if ("issues" in checked) expect(JSON.stringify(checked.issues)).toContain(why);
  else expect(checked.result).toEqual(why ?? { ...answer, values: undefined, content: contentOf(answer) });
});

test("a visit to an address is accepted without values", () => {
  const question = read({ mode: "url", message: "Open this.", url: "https://a.example/" });
  expect(checkAnswer(question, { action: "accept", values: {} })).toEqual({ result: { action: "accept" } });
});
