import { expect, it } from "vitest";
import { judgeValue } from "../../src/impact/find-rejected.js";

const SCHEMA = {
  type: "object",
  properties: { state: { $ref: "#/$defs/state" }, code: { type: "string", pattern: "^(a+)+$" }, bad: { type: "nothing" } }, // prettier-ignore
  required: ["state"],
  $defs: { state: { enum: ["open", "paid"] } },
};

it.each([
  [[], { state: "open" }, true],
  [[], {}, false],
  [["properties", "state"], "paid", true],
  [["properties", "state"], "PAID", false],
  [["properties", "other"], 1, undefined],
  // JavaScript's engine would take hours for it.
  [["properties", "code"], `${"a".repeat(40)}!`, false],
])("at %s, judges %j as %s", (segments, value, expected) => {
  expect(judgeValue(SCHEMA, segments, value)).toBe(expected);
});

it("is undefined without a schema, and where judging takes too many steps", () => {
  expect(judgeValue(undefined, [], 1)).toBeUndefined();
  expect(judgeValue(SCHEMA, ["properties", "code"], `${"a".repeat(40_000)}!`)).toBeUndefined();
});
