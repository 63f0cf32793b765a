/** What a model reads about wrong arguments. */
import { expect, it } from "vitest";
import { explainArguments } from "../../../src/agent/toolset/describe-tool-data.js";
import { checkArguments } from "../../../src/agent/toolset/meta-tool.js";

const line = {
  type: "object",
  properties: { product: { type: "string" }, quantity: { type: "integer" } },
  required: ["product"],
  additionalProperties: false,
};
const schema = {
  type: "object",
  properties: {
    title: { type: "string" },
    status: { type: "string" },
    lines: { type: "array", items: { $ref: "#/$defs/Line" } },
  },
  required: ["title"],
  $defs: { Line: line },
};

const explain = (args: unknown, about: typeof schema | typeof line = schema) =>
  explainArguments(about, checkArguments(about, args), args);

it("names the property that was probably meant, and shows its schema alone", () => {
  expect(explain({ titel: "Rolls" })).toEqual({
    issues: [
      { path: "title", message: 'Required property is missing. You sent "titel": did you mean "title"?' },
    ],
    schema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
  });
  expect(explain({ product: "roll", quantiy: 2 }, line)).toEqual({
    issues: [{ path: "", message: 'Unrecognized key: "quantiy". Did you mean "quantity"?' }],
    schema: { type: "object", properties: { quantity: { type: "integer" } } },
  });
  expect(explain({ title: "a", lines: [{ product: "roll", quantiy: 2 }] })).toMatchObject({
    issues: [{ path: "lines.0", message: 'Unrecognized key: "quantiy". Did you mean "quantity"?' }],
    schema: { properties: { lines: { items: { properties: { quantity: { type: "integer" } } } } } },
  });
});

it("suggests nothing that is far from every name", () => {
  expect(explain({ xyzzy: 1 }).issues).toEqual([{ path: "title", message: "Required property is missing" }]);
  expect(explain({ product: "a", wholly_other: 1 }, line).issues).toEqual([
    { path: "", message: 'Unrecognized key: "wholly_other"' },
  ]);
});
