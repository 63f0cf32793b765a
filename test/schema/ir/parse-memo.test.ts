import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { ParseMemo, parseSchema } from "../../../src/schema/ir/parse-schema.js";

const text: JsonObject = { type: "string" };
const node: JsonObject = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
const list: JsonObject = { type: "array", items: { anyOf: [text, { $ref: "#/$defs/node" }] } };
const before: JsonObject = {
  type: "object",
  properties: { list, title: { type: "string", maxLength: 9 } },
  $defs: { node },
};

describe("a schema that shares objects with one that was read", () => {
  it.each<[string, JsonObject, number]>([
    ["has another property", { ...before, properties: { list, title: { type: "string", maxLength: 5 } } }, 2],
    ["has an object at another place", { ...before, properties: { items: list } }, 5],
    ["has another definition", { ...before, $defs: { node: { type: "object" } } }, 2],
    ["has no definition", { type: "object", properties: { list } }, 4],
    ["is of another dialect", { ...before, $schema: "http://json-schema.org/draft-07/schema#" }, 8],
  ])("is read as without a memo: it %s", (_what, schema, count) => {
    const memo = new ParseMemo();
    parseSchema(before, { memo });
    const read = memo.count;
    const { ir, definitions } = parseSchema(schema, { memo });
    const plain = parseSchema(schema);
    expect(ir).toEqual(plain.ir);
    expect(definitions).toEqual(plain.definitions);
    expect(memo.count - read).toBe(count);
  });
});
