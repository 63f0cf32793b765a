import { describe, expect, it } from "vitest";
import { dropUnusedDefinitions } from "../../src/core/show-schema.js";
import { isJsonObject, type JsonObject } from "../../src/core/json.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";
import { expected } from "../data/files.js";
import { readToolLists } from "../schema/support/data.js";

const TEXT = { type: "string" };

interface Row {
  readonly title: string;
  readonly schema: JsonObject;
  /** The kept definitions, as `container/name`. */
  readonly kept: readonly string[];
}

const ROWS: readonly Row[] = [
  { title: "no reference", schema: { type: "object", $defs: { A: TEXT } }, kept: [] },
  { title: "a reference from a property", schema: { properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: TEXT, B: TEXT } }, kept: ["$defs/A"] },
  { title: "a reference at the root", schema: { $ref: "#/definitions/A", definitions: { A: TEXT, B: TEXT } }, kept: ["definitions/A"] },
  {
    title: "references through other definitions, in circles",
    schema: {
      items: { $ref: "#/$defs/A" },
      $defs: { A: { $ref: "#/definitions/B" }, C: { $ref: "#/$defs/C" } },
      definitions: { B: { items: { $ref: "#/$defs/A" } } },
    },
    kept: ["$defs/A", "definitions/B"],
  },
  { title: "a reference into a definition", schema: { items: { $ref: "#/$defs/A/items" }, $defs: { A: { items: TEXT }, B: TEXT } }, kept: ["$defs/A"] },
  { title: "a reference to the whole schema", schema: { items: { $ref: "#" }, $defs: { A: TEXT } }, kept: [] },
  { title: "names that are escaped", schema: { items: { $ref: "#/$defs/a~1b%20c" }, $defs: { "a/b c": TEXT, B: TEXT } }, kept: ["$defs/a/b c"] },
  {
    title: "a name such as __proto__",
    schema: JSON.parse('{"items":{"$ref":"#/$defs/__proto__"},"$defs":{"__proto__":{"type":"string"},"B":{}}}') as JsonObject,
    kept: ["$defs/__proto__"],
  },
  ...[
    { title: "a reference to an anchor", inside: { $ref: "#a" } },
    { title: "a reference to another document", inside: { $ref: "https://example.com/a#/$defs/A" } },
    { title: "a dynamic reference", inside: { $dynamicRef: "#/$defs/A" } },
    { title: "a schema with its own $id", inside: { $id: "https://example.com/a", $ref: "#/$defs/A" } },
    { title: "a reference to all definitions", inside: { $ref: "#/$defs" } },
    { title: "a reference that cannot be decoded", inside: { $ref: "#/$defs/%E0%A4%A" } },
  ].map(({ title, inside }) => ({
    title: `${title}: keeps all`,
    schema: { items: inside, $defs: { A: TEXT, B: TEXT } },
    kept: ["$defs/A", "$defs/B"],
  })),
  {
    title: "a property called $ref, id or $defs",
    schema: { properties: { $ref: TEXT, id: TEXT, $defs: { properties: { A: TEXT } } }, $defs: { A: TEXT } },
    kept: [],
  },
]; // prettier-ignore

describe("dropUnusedDefinitions", () => {
  it.each(ROWS)("keeps used definitions: $title", ({ schema, kept }) => {
    const left = dropUnusedDefinitions(schema);
    expect(definitionsOf(left)).toEqual(kept);
    expect(withoutDefinitions(left)).toEqual(withoutDefinitions(schema));
  });

  it("reads schemas of any depth", () => {
    let schema: JsonObject = { $ref: "#/$defs/A" };
    for (let depth = 0; depth < 50_000; depth += 1) schema = { items: schema };
    expect(definitionsOf(dropUnusedDefinitions({ ...schema, $defs: { A: TEXT, B: TEXT } }))).toEqual([
      "$defs/A",
    ]);
  });

  it("does not change which values the schemas of real servers accept", () => {
    const withDefinitions = readToolLists()
      .map(({ input }) => input)
      .filter(isJsonObject)
      .filter((schema) => definitionsOf(schema).length > 0);
    expect(withDefinitions.length).toBeGreaterThan(expected(2, 10));
    for (const schema of withDefinitions)
      expect(printZodModule(dropUnusedDefinitions(schema), { name: "Input" })).toEqual(
        printZodModule(schema, { name: "Input" }),
      );
  });
});

function withoutDefinitions(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => key !== "$defs" && key !== "definitions"),
  );
}

function definitionsOf(schema: JsonObject): readonly string[] {
  return ["$defs", "definitions"].flatMap((container) => {
    const map = schema[container];
    return isJsonObject(map) ? Object.keys(map).map((name) => `${container}/${name}`) : [];
  });
}
