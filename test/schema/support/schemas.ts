import type { JsonValue } from "../../../src/core/json.js";

const branch = {
  type: "object",
  properties: { label: { type: "string" }, branches: { type: "array", items: { $ref: "#/$defs/branch" } } },
  required: ["label"],
} as const;

const ofProperty = (schema: JsonValue): JsonValue => ({
  type: "object",
  properties: { value: schema },
  required: ["value"],
});
const ofOptional = (schema: JsonValue): JsonValue => ({ type: "object", properties: { value: schema } });

/** Schemas of every kind with a separate type, by the names of their modules. */
export const SCHEMAS: { readonly [name: string]: JsonValue } = {
  empty: {},
  bareObject: { type: "object" },
  noProperties: { type: "object", properties: {} },
  phpNoProperties: { type: "object", properties: [] },
  closedEmpty: { type: "object", additionalProperties: false },
  open: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
  closed: { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a"], additionalProperties: false },
  openInWriting: { type: "object", properties: { a: { type: "string" } }, additionalProperties: true },
  catchAll: { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "number" } },
  catchAllRequired: { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: { type: "string" } },
  record: { type: "object", additionalProperties: { type: "integer" } },
  nestedRecord: ofOptional({ type: "object", additionalProperties: { type: "array", items: { type: "string" } } }),
  patternRecord: { type: "object", patternProperties: { "^x-": { type: "string" } }, additionalProperties: false },
  patterns: {
    type: "object",
    properties: { a: { type: "string" } },
    patternProperties: { "^x-": { type: "string" }, "^y-": true },
    additionalProperties: { type: "null" },
  },
  anything: ofOptional({}),
  anythingRequired: ofProperty(true),
  nothing: ofOptional(false),
  requiredOnly: { type: "object", required: ["ghost"] },
  requiredOnlyRecord: { type: "object", required: ["ghost"], additionalProperties: { type: "number" } },
  nullable: ofOptional({ type: ["string", "null"], description: "or nothing" }),
  nullableEnum: ofOptional({ enum: ["a", "b", null] }),
  nullableAnyOf: ofProperty({ anyOf: [{ type: "array", items: { type: "number" } }, { type: "null" }] }),
  scalars: ofProperty({ type: ["string", "number", "boolean"] }),
  booleans: ofProperty({ enum: [true, false] }),
  mixedEnum: ofProperty({ enum: ["a", 1, true, null, { a: [1, "x"] }, [], {}] }),
  constant: ofProperty({ const: "only" }),
  constantObject: ofOptional({ const: { a: { b: null }, "c-d": [1] } }),
  list: ofOptional({ type: "array", items: { type: "object", properties: { q: { type: "string" } } } }),
  listOfNullables: ofOptional({ type: "array", items: { type: "array", items: { type: ["number", "null"] } } }),
  listOfEnums: ofOptional({ type: "array", items: { allOf: [{ enum: ["a", "b"] }] } }),
  listOfNullableObjects: ofOptional({ type: "array", items: { type: ["object", "null"], properties: { a: {} } } }),
  listOfAnything: ofOptional({ type: "array" }),
  listOfUnions: ofOptional({ type: "array", items: { anyOf: [{ type: "string" }, { type: "object", properties: { a: {} } }] } }),
  tuple: ofOptional({ type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false, minItems: 2 }),
  openTuple: ofOptional({ type: "array", prefixItems: [{ type: "string" }, { type: ["number", "null"] }, {}], minItems: 1 }),
  restTuple: ofProperty({ type: "array", prefixItems: [{ type: "string" }], items: { type: ["boolean", "null"] } }),
  shortTuple: ofProperty({ type: "array", prefixItems: [{ type: "string" }, { type: "string" }], maxItems: 1 }),
  recursive: { type: "object", properties: { root: { $ref: "#/$defs/branch" } }, $defs: { branch } },
  recursiveRoot: { type: "object", properties: { next: { $ref: "#" }, all: { type: "array", items: { $ref: "#" } } } },
  definitionOfUnion: {
    type: "object",
    properties: { a: { $ref: "#/definitions/u" } },
    definitions: { u: { anyOf: [{ type: "string" }, { $ref: "#/definitions/u2" }] }, u2: { enum: [1, 2] } },
  },
  propertyRef: {
    type: "object",
    properties: { a: { type: "object", properties: { x: { type: "string" } } }, b: { $ref: "#/properties/a" }, c: { $ref: "#/properties/a/properties/x" } },
  },
  extended: { allOf: [{ $ref: "#/$defs/branch" }, { type: "object", properties: { extra: { type: "string" } }, required: ["extra"] }], $defs: { branch } },
  eitherRequired: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
  base: {
    type: "object",
    properties: { id: { type: "string" } },
    required: ["id"],
    oneOf: [{ properties: { url: { type: "string" } }, required: ["url"] }, { properties: { path: { type: "string" } }, required: ["path"] }],
  },
  condition: {
    type: "object",
    properties: { a: { type: "string" } },
    if: { required: ["a"] },
    then: { properties: { b: { type: "string" } }, required: ["b"] },
  },
  discriminated: ofOptional({
    oneOf: [
      { type: "object", properties: { k: { const: "a" }, x: { type: "string" } }, required: ["k"] },
      {
        type: "object",
        properties: { k: { enum: ["b", "c"] } },
        required: ["k"],
        additionalProperties: false,
      },
    ],
  }),
  overlapping: ofOptional({ oneOf: [{ type: "number" }, { type: "integer" }, { type: "object", properties: { a: { type: "string" } } }] }),
  negated: ofOptional({ not: { type: "string" } }),
  untyped: ofOptional({ properties: { a: { type: "string" } } }),
  untypedLength: ofProperty({ minLength: 2 }),
  prototypeNames: {
    type: "object",
    properties: { toString: { type: "string" }, constructor: { type: "number" }, ["__proto__"]: { type: "string" }, other: {} },
    required: ["other"],
  },
  prototypeNested: {
    type: "object",
    properties: { value: { type: "object", properties: { hasOwnProperty: { type: "array", items: { $ref: "#/$defs/branch" } } } } },
    $defs: { branch },
  },
  unevaluated: { allOf: [{ properties: { a: { type: "string" } } }], type: "object", properties: { b: { type: "string" } }, unevaluatedProperties: false },
  unevaluatedOverBranches: {
    type: "object",
    properties: { id: { type: "string" } },
    required: ["id"],
    oneOf: [{ properties: { url: { type: "string" } }, required: ["url"] }, { properties: { path: { type: "string" } }, required: ["path"] }],
    unevaluatedProperties: false,
  },
  unevaluatedItemsLeft: ofOptional({ type: "array", items: { type: "string" }, contains: { const: "a" }, anyOf: [{ minItems: 1 }], unevaluatedItems: false }),
  unevaluatedRecursive: {
    type: "object",
    properties: { next: { $ref: "#" } },
    anyOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "number" } } }],
    unevaluatedProperties: false,
  },
  openTupleOfAnything: ofProperty({ type: "array", prefixItems: [{}, { type: "string" }], minItems: 1 }),
  dynamicList: {
    $id: "https://example.com/names",
    $ref: "list",
    $defs: {
      list: {
        $id: "list",
        type: "object",
        properties: { items: { type: "array", items: { $dynamicRef: "#item" } } },
        $defs: { any: { $dynamicAnchor: "item" } },
      },
      name: { $dynamicAnchor: "item", type: "string" },
    },
  },
  oddNames: {
    type: "object",
    properties: {
      "If-Match": { type: "string" },
      "{{user}}": {},
      'a"b\\c\n`${x}`\u2028': { type: "number" },
      "": { type: "string" },
      "1": {},
      default: { type: "string" },
    },
  },
  unionOfLists: ofOptional({
    anyOf: [
      { type: "array", items: { type: "string" } },
      { type: "string" },
      { type: "array", items: { type: "object", properties: { a: {} } } },
    ],
  }),
  bounded: ofOptional({ type: "object", minProperties: 1, maxProperties: 3, propertyNames: { pattern: "^a" } }),
  prototypeRecord: ofOptional({ type: "object", properties: { valueOf: {} }, additionalProperties: { type: "string" } }),
}; // prettier-ignore
