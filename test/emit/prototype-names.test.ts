/** Code for names that every object inherits: compiled by tsc. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import type { Emission } from "../../src/emit/emit.js";
import { emissionFolder } from "./emission-folder.js";
import { lockOf } from "./golden-cases.js";

const generated = emissionFolder("mcp-codegen-prototype-names");

const NAMES = [
  ...Object.getOwnPropertyNames(Object.prototype),
  "prototype",
  "then",
  "toJSON",
  "length",
  "name",
];

/** Returns an object whose keys are all own keys, also `__proto__`. */
function keyed(value: (name: string) => JsonValue): JsonObject {
  return JSON.parse(
    `{${NAMES.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value(name))}`).join(",")}}`,
  ) as JsonObject;
}

const text: JsonObject = { type: "string" };
const object = (more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: keyed(() => text),
  ...more,
});

/** Where the names may be in a schema. */
const SCHEMAS: { readonly [place: string]: JsonObject } = {
  properties: object(),
  required: object({ required: NAMES }),
  nested: { type: "object", properties: keyed(() => object()) },
  definitions: { type: "object", properties: keyed((name) => ({ $ref: `#/$defs/${name}` })), $defs: keyed(() => object()) },
  allOf: { allOf: [object(), object({ required: NAMES })] },
  anyOf: { anyOf: [object({ required: NAMES }), object({ additionalProperties: false })] },
  oneOf: { oneOf: [object({ required: NAMES.slice(0, 3) }), object({ required: NAMES.slice(3) })] },
  not: object({ not: object({ required: NAMES }) }),
  if: object({ if: object({ required: ["constructor"] }), then: object(), else: object({ required: NAMES }) }),
  dependentRequired: object({ dependentRequired: keyed((name) => [name]) }),
  dependentSchemas: object({ dependentSchemas: keyed(() => object()) }),
  patternProperties: object({ patternProperties: keyed(() => text) }),
  propertyNames: object({ propertyNames: { enum: NAMES } }),
  unevaluated: object({ allOf: [object()], unevaluatedProperties: false }),
  // The rest is interpreted: which properties are unevaluated depends on the branch.
  interpreted: {
    anyOf: [object({ required: NAMES }), { properties: keyed(() => text), patternProperties: keyed(() => text) }],
    dependentRequired: keyed((name) => [name]),
    dependentSchemas: keyed(() => object()),
    unevaluatedProperties: false,
  },
  "interpreted definitions": {
    anyOf: NAMES.map((name) => ({ $ref: `#/$defs/${name}` })),
    unevaluatedProperties: false,
    $defs: keyed(() => object({ required: NAMES })),
  },
  "interpreted values": {
    anyOf: [object({ enum: [keyed((name) => name)] }), object({ required: ["then"] })],
    unevaluatedProperties: { const: keyed((name) => name) },
  },
  contains: { type: "object", properties: { list: { type: "array", contains: object({ required: NAMES }) } } },
  const: { type: "object", properties: { value: { const: keyed((name) => name) } } },
  enum: { type: "object", properties: { value: { enum: [keyed((name) => [name]), "x"] } } },
  default: object({ default: keyed((name) => name), examples: [keyed((name) => name)] }),
}; // prettier-ignore

describe("code for names that every object inherits", () => {
  let emission: Emission;

  beforeAll(async () => {
    const tools = Object.entries(SCHEMAS).map(([name, schema]): ToolSnapshot => {
      const inputSchema = { type: "object", ...schema };
      return { name, description: name, inputSchema, outputSchema: inputSchema };
    });
    emission = await generated.emit(lockOf({ servers: {} }, { places: tools }));
  });

  afterAll(() => {
    generated.remove();
  });

  it("has a module for each place", () => {
    expect(emission.diagnostics.filter(({ code }) => code === "TOOL_UNUSABLE")).toEqual([]);
  });

  it("compiles", () => {
    expect(generated.compile(["places"])).toBe("");
  });
});
