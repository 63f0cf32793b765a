import { expect, test } from "vitest";
import { McpCodegenError } from "../../src/core/errors.js";
import { reasonOfRefusal } from "../../src/emit/tool-schemas.js";

const BUG = "The tool could not be rendered, which is a bug in mcp-codegen:";

test.each<[string, Error, string]>([
  ["its own message", new McpCodegenError("SCHEMA_INVALID", "No type."), "No type."],
  ["a bug for another code", new McpCodegenError("CONFIG_INVALID", "No key."), `${BUG} No key.`],
  ["a bug for an error of JavaScript", new RangeError("No\nstack"), `${BUG} No stack`],
  ["at most 300 characters of a bug", new TypeError("x".repeat(400)), `${BUG} ${"x".repeat(299)}…`],
])("the reason of a refused tool is %s", (_what, error, reason) => {
  expect(reasonOfRefusal(error)).toBe(reason);
});

test.each([Object.assign(new Error("No package"), { code: "ERR_MODULE_NOT_FOUND" }), "no error"])(
  "an error that does not concern a tool is thrown: %s",
  (error) => {
    let thrown: unknown;
    try {
      reasonOfRefusal(error);
    } catch (caught) {
      thrown = caught;
    }
    expect(thrown).toBe(error);
  },
);
