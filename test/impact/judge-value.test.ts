import { expect, it } from "vitest";
import { judgeValue } from "../../src/impact/judge-value.js";

const SCHEMA = {
  type: "object",
  properties: {
    state: { $ref: "#/$defs/state" },
    code: { type: "string", pattern: "^(a+)+$" },
    bad: { type: "nothing" },
  },
  required: ["state"],
  $defs: { state: { enum: ["open", "paid"] } },
};

it.each([
  [[], { state: "open" }, true],
  [[], {}, false],
  [["properties", "state"], "paid", true],
  [["properties", "state"], "PAID", false],
  [["properties", "other"], 1, undefined],
])("at %s, judges %j as %s", (segments, value, expected) => {
  expect(judgeValue(SCHEMA, segments, value)).toBe(expected);
});

it("is undefined without a schema, and where validation takes too long", () => {
  expect(judgeValue(undefined, [], 1)).toBeUndefined();
  expect(judgeValue(SCHEMA, ["properties", "code"], `${"a".repeat(40)}!`)).toBeUndefined();
});
