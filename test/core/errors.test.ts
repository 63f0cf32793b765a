import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { codeOf, McpCodegenError } from "../../src/core/errors.js";

it.each([
  [Object.assign(new Error("x"), { code: "ENOENT" }), "ENOENT"],
  // As under Jest: an error of another realm.
  [runInNewContext(`Object.assign(new Error("x"), { code: "ENOENT" })`) as unknown, "ENOENT"],
  [Object.assign(new Error("x"), { code: 7 }), undefined],
  [new Error("x"), undefined],
  ["ENOENT", undefined],
  [null, undefined],
])("reads the code of %s", (error, code) => {
  expect(codeOf(error)).toBe(code);
});

it("shows a list of values whole", () => {
  const values = Array.from({ length: 40 }, (_, index) => `"value-${index}"`).join("|");
  expect(new McpCodegenError("USAGE", `Expected one of ${values}.`).message).toContain(values);
});

it.each([
  // A path.
  [120, "x".repeat(120)],
  [3_000, `${"x".repeat(80)}…${"x".repeat(20)}`],
])("shows an unknown name of %i characters", (length, shown) => {
  const { message } = new McpCodegenError("USAGE", `There is no tool ${"x".repeat(length)} here.`);
  expect(message).toBe(`There is no tool ${shown} here.`);
});
