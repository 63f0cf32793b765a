import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { throughAbility } from "../../src/runtime/abilities.js";
import { connectTools, defineTool } from "../../src/codegen.js";
import { defineServer } from "../../src/runtime/tool.js";
import { readLiveSchema } from "../../src/schema/interpret/live-schema.js";
import { readEmptyObjects } from "../../src/runtime/validate-call.js";
import { toZod } from "../schema/support/evaluate-module.js";
import { openFixture } from "./open-fixture.js";

const META = { type: "object", additionalProperties: { type: "string" } };
const POST = {
  type: "object",
  properties: { title: { type: "string" }, meta: META, tags: { type: "array" } },
};
const schemaOf = (value: JsonObject): JsonObject => ({ type: "object", properties: { value } });

describe("an empty list of PHP", () => {
  const ROWS: [string, JsonObject, JsonValue, JsonValue][] = [
    ["for an object", META, [], {}],
    ["for an object or null", { type: ["object", "null"], properties: {} }, [], {}],
    ["for objects in a list", { type: "array", items: POST }, [{ meta: [], tags: [] }], [{ meta: {}, tags: [] }]],
    ["in a union's branch", { anyOf: [POST, { type: "null" }] }, { meta: [] }, { meta: {} }],
    ["inside an object that was one", { type: "object", additionalProperties: POST }, { a: { meta: [] } }, { a: { meta: {} } }],
    ["for a list", { type: "array" }, [], []],
    ["for a list or an object", { type: ["array", "object"] }, [], []],
    ["for a list with too few items", { type: "array", minItems: 1 }, [], []],
    ["for an object that needs a property", { ...POST, required: ["title"] }, [], {}],
    ["for text", { type: "string" }, [], []],
    ["beside another misfit", POST, { title: 1, meta: [] }, { title: 1, meta: {} }],
  ]; // prettier-ignore

  test.each(ROWS)("%s", async (_title, schema, value, expected) => {
    const root = schemaOf(schema);
    for (const read of [toZod(root), readLiveSchema(root, { dialect: "wordpress" })])
      expect(await readEmptyObjects(read, { value })).toEqual({ value: expected });
  });
});

describe("a tool of WordPress whose schema has an object", () => {
  const output = toZod({ type: "object", properties: { posts: { type: "array", items: POST } } });
  test.each([
    ["default", { through: () => throughAbility("bulk/ability-0000") }],
    ["custom", { dialect: "wordpress" as const }],
  ])("takes and answers [] for it, through the %s server", async (kind, route) => {
    const { url } = await openFixture("wordpress", { args: ["--abilities", "1", "--server", kind] });
    const server = defineServer({ name: "wordpress", url: url.replace("/mcp", "/wp-json/mcp/server") });
    const common = { server, name: "bulk-ability-0000", output, inputSchema: () => ({}), ...route };
    // The ability answers its input; the answer has a list for an object as well.
    const echo = defineTool({ ...common, input: output });
    const open = defineTool({ ...common, input: toZod({}) });
    const tools = connectTools(server, { echo, open }, {});
    const input = { posts: [{ title: "a", meta: [], tags: [] }] };
    const expected = { posts: [{ title: "a", meta: {}, tags: [] }] };
    expect([await tools.open(input), await tools.echo(input)]).toEqual([expected, expected]);
  });
});
