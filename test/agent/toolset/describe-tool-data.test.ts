import { expect, it } from "vitest";
import { describeToolData, describeToolSignature } from "../../../src/agent/toolset/describe-tool-data.js";
import { fakeTool } from "../adapters/fake-tool.js";

it("describes a tool as data", () => {
  const tool = fakeTool("blog__create_post", {
    server: "blog",
    title: "Create",
    description: "Creates a post.",
    category: "content",
    annotations: { destructiveHint: false },
    inputSchema: () => ({ type: "object", required: ["title"] }),
    outputSchema: () => ({ type: "object" }),
  });
  expect(describeToolData(tool, "create_post")).toEqual({
    name: "create_post",
    description: "Creates a post.",
    category: "content",
    inputSchema: { type: "object", required: ["title"] },
    outputSchema: { type: "object" },
    annotations: { destructiveHint: false },
  });
});

it("shows schemas without what says nothing to a model", () => {
  const raw = () => ({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      id: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    },
    $defs: { Unused: {} },
  });
  const shown = { type: "object", properties: { id: { type: "integer" } } };
  const described = describeToolData(fakeTool("a", { inputSchema: raw, outputSchema: raw }));
  expect(described).toMatchObject({ inputSchema: shown, outputSchema: shown });
});

it("says what it can of a tool that says little", () => {
  const throws = (): never => {
    throw new Error("no schema");
  };
  const bare = { name: "a", description: "", category: "uncategorized", inputSchema: { type: "object" }, annotations: {} }; // prettier-ignore
  expect(describeToolData(fakeTool("a", { inputSchema: throws }))).toEqual(bare);
  expect(describeToolData(fakeTool("a", { inputSchema: () => undefined, outputSchema: () => [] }))).toEqual(bare); // prettier-ignore
  expect(describeToolData(fakeTool("a", { title: "A" })).description).toBe("A");
});

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
