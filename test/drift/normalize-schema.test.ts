import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/contract/json.js";
import { normalizeSchema } from "../../src/drift/normalize-schema.js";
import { instances, jsonSchemas } from "./json-schemas.js";

// Making an Ajv takes longer than compiling with it.
const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false });

it("accepts what the schema accepts", () => {
  fc.assert(
    fc.property(jsonSchemas, fc.array(instances, { minLength: 10, maxLength: 20 }), (schema, candidates) => {
      const { schema: normalized } = normalizeSchema(schema, "");
      const [before, after] = [schema, normalized].map((each) => ajv.compile(each as boolean | JsonObject));
      for (const instance of candidates) {
        expect([after?.(instance), instance]).toEqual([before?.(instance), instance]);
      }
    }),
    { numRuns: 300 },
  );
});

it("is the same when it is done twice", () => {
  fc.assert(
    fc.property(jsonSchemas, (schema) => {
      const once = normalizeSchema(schema, "").schema;
      expect(normalizeSchema(once, "").schema).toEqual(once);
    }),
  );
});

it("knows where each part of the raw schema stands", () => {
  const raw: JsonObject = {
    properties: { "a/b": { allOf: [{ type: "string" }] } },
    anyOf: [{ title: "A" }, {}],
  };
  const { schema, origins } = normalizeSchema(raw, "/inputSchema");
  expect(origins.get(schema)).toEqual({ pointer: "/inputSchema", raw });
  expect([...origins.values()].map(({ pointer }) => pointer)).toEqual([
    "/inputSchema/properties/a~1b/allOf/0",
    "/inputSchema/properties/a~1b",
    "/inputSchema/anyOf/0",
    "/inputSchema/anyOf/1",
    "/inputSchema",
  ]);
});
