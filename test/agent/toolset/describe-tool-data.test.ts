import { expect, it, test } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import {
  describeToolData,
  describeToolSignature,
  relevantSubschema,
  explainArguments,
} from "../../../src/agent/toolset/describe-tool-data.js";
import { fakeTool } from "../adapters/fake-tool.js";
import { checkArguments } from "../../../src/agent/toolset/meta-tool.js";

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

it("shows schemas without what says nothing to a model, and what it can of a tool that says little", () => {
  const id = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  const raw = () => ({ $schema, type: "object", properties: { id }, $defs: { Unused: {} } });
  const shown = { type: "object", properties: { id: { type: "integer" } } };
  const described = describeToolData(fakeTool("a", { inputSchema: raw, outputSchema: raw }));
  expect(described).toMatchObject({ inputSchema: shown, outputSchema: shown });
  const throws = (): never => {
    throw new Error("no schema");
  };
  const bare = { name: "a", description: "", category: "uncategorized", inputSchema: { type: "object" }, annotations: {} }; // prettier-ignore
  expect(describeToolData(fakeTool("a", { inputSchema: throws }))).toEqual(bare);
  expect(describeToolData(fakeTool("a", { inputSchema: () => undefined, outputSchema: () => [] }))).toEqual(bare); // prettier-ignore
  expect(describeToolData(fakeTool("a", { title: "A" })).description).toBe("A");
});

it("says what a tool takes and answers, or that it takes anything", async () => {
  const tool = fakeTool("create_post", {
    inputSchema: () => ({ type: "object", properties: { title: { type: "string", required: true } } }),
    outputSchema: () => ({ type: "object", properties: { id: { type: "string" } } }),
    dialect: "wordpress",
  });
  const signature = "type Args = { title: string };\ntype Result = { id?: string };";
  expect(await describeToolSignature(tool)).toBe(signature);
  const unreadable = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } };
  const anything = await describeToolSignature(fakeTool("a", { inputSchema: () => unreadable }));
  expect(anything).toBe("type Args = { [key: string]: unknown };");
});

/** A text that makes a schema with this description as long. */
const fill = (schema: JsonObject, length: number): JsonObject => ({
  ...schema,
  description: "x".repeat(length - JSON.stringify({ ...schema, description: "" }).length),
});
const post = {
  type: "object",
  properties: {
    title: { type: "string" },
    by: { $ref: "#/$defs/User" },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["title", "tags"],
};
const user = { type: "object", properties: { name: { type: "string" } } };
const whole = { ...post, $defs: { User: user, Unused: {} } };
/** What the limit of 6,000 characters leaves for a definition. */
const LEFT = 6_001 - JSON.stringify({ ...post, $defs: { User: 0 } }).length;
const outline = {
  type: "object",
  properties: { title: { type: "string" }, by: {}, tags: { type: "array" } },
  required: ["title", "tags"],
};

const ROWS: [string, JsonObject, readonly (readonly string[])[], JsonObject][] = [
  ["the whole without a path", whole, [], { ...post, $defs: { User: user } }],
  ["the whole for a path to it", whole, [[]], { ...post, $defs: { User: user } }],
  ["a property", whole, [["title"]], { type: "object", properties: { title: { type: "string" } }, required: ["title"] }],
  ["a property behind a reference", whole, [["by", "name"]], { type: "object", properties: { by: user } }],
  ["an item", whole, [["tags", "0"]], { type: "object", properties: { tags: post.properties.tags }, required: ["tags"] }],
  ["the whole for an unknown property", whole, [["title"], ["other"]], { ...post, $defs: { User: user } }],
  ["2,000 characters", fill(post, 2_000), [], fill(post, 2_000)],
  ["an outline of more", fill(post, 2_001), [], outline],
  ["the type alone of very many names", { properties: { ["x".repeat(4_000)]: {} } }, [], { type: "object" }],
  ["definitions of up to 6,000 characters", { ...post, $defs: { User: fill(user, LEFT) } }, [], { ...post, $defs: { User: fill(user, LEFT) } }],
  ["no longer definitions", { ...post, $defs: { User: fill(user, LEFT + 1) } }, [], post],
]; // prettier-ignore

test.each(ROWS)("shows of a schema %s", (_what, schema, paths, shown) => {
  expect(relevantSubschema(schema, paths)).toEqual(shown);
});

test("shows an outline of at most 50 properties", () => {
  const names = Array.from({ length: 51 }, (_, index) => `p${index}`);
  const shown = relevantSubschema(
    fill({ properties: Object.fromEntries(names.map((name) => [name, true])), required: names }, 3_000),
    [],
  );
  const first = names.slice(0, 50);
  expect(shown).toEqual({
    type: "object",
    properties: Object.fromEntries(first.map((name) => [name, {}])),
    required: first,
  });
});

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
