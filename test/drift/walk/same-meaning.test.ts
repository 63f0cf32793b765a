import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { jsonSchemas } from "../json-schemas.js";

/** Schemas with two definitions, one of which refers to the other and to itself. */
const documents: fc.Arbitrary<JsonObject> = fc
  .tuple(jsonSchemas, jsonSchemas, jsonSchemas)
  // The unevaluated keywords depend on the spelling of a schema.
  .filter((schemas) => !JSON.stringify(schemas).includes("unevaluated"))
  .map(([one, two, three]) => ({
    type: "object",
    properties: { a: { $ref: "#/$defs/One" }, b: { $ref: "#/$defs/Two", description: "B." }, c: three },
    $defs: {
      One: one,
      Two: {
        type: "object",
        properties: { next: { $ref: "#/$defs/Two" }, one: { $ref: "#/$defs/One" }, two },
        additionalProperties: false,
      },
    },
  }));

type Rewrite = (schema: JsonObject) => JsonObject;

/** Rewrites every schema in a value, innermost first; `enum`, `const` and `default` hold values instead of schemas. */
function everywhere(value: JsonValue, rewrite: Rewrite, isSchema = true): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => everywhere(item, rewrite, isSchema));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => {
    if (isSchema && ["enum", "const", "default"].includes(key)) return [key, item];
    const isMap = isSchema && ["properties", "patternProperties", "$defs", "definitions"].includes(key);
    return [key, everywhere(item, rewrite, isSchema ? !isMap : true)];
  });
  const copy: JsonObject = Object.fromEntries(entries);
  return isSchema ? rewrite(copy) : copy;
}

const root = (schema: JsonObject, rewrite: Rewrite): JsonObject => {
  const rewritten = everywhere(schema, rewrite);
  return isJsonObject(rewritten) ? rewritten : schema;
};

const DEFAULTS: JsonObject = {
  ...{ required: [], minLength: 0, minItems: 0, minProperties: 0, uniqueItems: false },
  ...{ patternProperties: {}, dependentRequired: {} },
  ...{ deprecated: false, readOnly: false, writeOnly: false, description: " ", title: "" },
};

const REWRITES: Readonly<Record<string, Rewrite>> = {
  "keys in another order": (schema) => root(schema, (part) => Object.fromEntries(Object.entries(part).reverse())),
  "sets in another order": (schema) =>
    root(schema, (part) => ({
      ...part,
      ...Object.fromEntries(
        ["required", "enum", "type", "anyOf", "oneOf"].flatMap((key) => {
          const list = part[key];
          return Array.isArray(list) ? [[key, [...(list as readonly JsonValue[])].reverse()]] : [];
        }),
      ),
    })),
  "definitions under other names": ({ $defs, ...schema }) => {
    const text = JSON.stringify({ ...schema, definitions: $defs ?? {} });
    const renamed = text
      .replaceAll("#/$defs/One", "#/definitions/A~1b")
      .replaceAll("#/$defs/Two", "#/definitions/Zwei")
      .replace('"One":', '"A/b":')
      .replace('"Two":', '"Zwei":');
    return JSON.parse(renamed) as JsonObject;
  },
  "an inlined definition": (schema) => {
    const one = isJsonObject(schema["$defs"]) ? schema["$defs"]["One"] : undefined;
    return root(schema, (part) => (part["$ref"] === "#/$defs/One" && isJsonObject(one) ? one : part));
  },
  "an unused definition": (schema) => {
    const defs = schema["$defs"];
    return { ...schema, $defs: { ...(isJsonObject(defs) ? defs : {}), Unused: { type: "null" } } };
  },
  "a recursive definition unrolled once": (schema) => {
    const defs = schema["$defs"];
    const [two, properties] = [isJsonObject(defs) ? defs["Two"] : undefined, schema["properties"]];
    if (!isJsonObject(two) || !isJsonObject(properties)) return schema;
    return { ...schema, properties: { ...properties, b: { ...two, description: "B." } } };
  },
  "unions and conjunctions of one": (schema) => ({ ...root(schema, (part) => (Object.hasOwn(part, "$defs") ? part : { allOf: [{ anyOf: [part] }] })) }),
  "lists of one type, enumerations of one value": (schema) =>
    root(schema, ({ type, const: value, ...part }) => ({
      ...part,
      ...(type !== undefined && { type: typeof type === "string" ? [type] : type }),
      ...(value !== undefined && (Object.hasOwn(part, "enum") ? { const: value } : { enum: [value] })),
    })),
  "keywords with their default values": (schema) => ({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...root(schema, (part) => ({ ...DEFAULTS, ...part })),
  }),
}; // prettier-ignore

describe("a schema in another spelling", () => {
  it.each(Object.entries(REWRITES))("has no change: %s", (_what, rewrite) => {
    fc.assert(
      fc.property(documents, (schema) => {
        const [one, other] = [schema, rewrite(schema)].map((inputSchema): ToolSnapshot => ({
          name: "t",
          inputSchema,
          outputSchema: inputSchema,
        }));
        if (one === undefined || other === undefined) throw new Error("There are two.");
        expect(diffTools([one], [other])).toEqual([]);
        expect(diffTools([other], [one])).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it("has no change if PHP writes an empty list for an empty object as default", () => {
    const toolOf = (type: JsonValue, value: JsonValue): ToolSnapshot => ({
      name: "t",
      inputSchema: { type: "object", properties: { a: { type, default: value } } },
    });
    expect(diffTools([toolOf("object", [])], [toolOf(["object"], [])])).toEqual([]);
    expect(diffTools([toolOf(["object", "null"], {})], [toolOf(["object", "null"], [])])).toEqual([]);
    expect(diffTools([toolOf(["object", "array"], {})], [toolOf(["object", "array"], [])])).toHaveLength(1);
  });

  it("has no change if a separate branch also has keywords with default values", () => {
    const schemaOf = (more: JsonObject): JsonObject => ({
      oneOf: [{ default: null, anyOf: [{ type: "string" }], ...more }, { type: "null" }],
    });
    const [one, other] = [{}, { required: [], minLength: 0, uniqueItems: false }].map(
      (more): ToolSnapshot => ({ name: "t", inputSchema: schemaOf(more), outputSchema: schemaOf(more) }),
    );
    if (one === undefined || other === undefined) throw new Error("There are two.");
    expect(diffTools([one], [other])).toEqual([]);
    expect(diffTools([other], [one])).toEqual([]);
  });
});
