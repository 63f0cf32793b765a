import { expect, it } from "vitest";
import { describeToolSignature } from "../../../src/agent/toolset/describe-tool-data.js";
import { fakeTool } from "../adapters/fake-tool.js";

it("says what a tool takes and answers", async () => {
  const tool = fakeTool("create_post", {
    inputSchema: () => ({ type: "object", properties: { title: { type: "string", required: true } } }),
    outputSchema: () => ({ type: "object", properties: { id: { type: "string" } } }),
    dialect: "wordpress",
  });
  expect(await describeToolSignature(tool)).toBe(
    "type Args = { title: string };\ntype Result = { id?: string };",
  );
});

it("takes anything where the schema cannot be read", async () => {
  const schema = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } };
  expect(await describeToolSignature(fakeTool("a", { inputSchema: () => schema }))).toBe(
    "type Args = { [key: string]: unknown };",
  );
});
