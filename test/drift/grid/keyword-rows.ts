import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import type { TestedDialect } from "../witness/check-witness.js";

/** A keyword in a schema that accepts less, and in a schema that accepts more. */
export interface KeywordRow {
  readonly narrow: JsonObject;
  readonly wide: JsonObject;
  /** A value that only the wide schema accepts. Absent if validators do not check the keyword. */
  readonly shows?: JsonValue;
  /** A value that both schemas accept. */
  readonly fits: JsonValue;
  /** The dialect of the schemas; 2020-12 by default. */
  readonly dialect?: TestedDialect;
  /** Definitions of the document, in both schemas. */
  readonly definitions?: JsonObject;
  /** The positions at which validators support the keyword; all by default. */
  readonly only?: readonly string[];
  /** The classes of a narrowed input and of a widened output, if they differ from `breaking`. */
  readonly classes?: readonly [input: "breaking" | "dangerous", output: "breaking" | "dangerous"];
}

const object = (more: JsonObject): JsonObject => ({ type: "object", properties: { a: {}, b: {} }, ...more });
const list = (more: JsonObject): JsonObject => ({ type: "array", ...more });
const number = (more: JsonObject): JsonObject => ({ type: "number", ...more });
const text = (more: JsonObject): JsonObject => ({ type: "string", ...more });
const integer = { type: "integer" };
const scalar = { type: ["integer", "string"] };
/** Each keyword with its rows, or the reason why it cannot have one. */
export const KEYWORD_ROWS: Readonly<Record<string, readonly KeywordRow[] | string>> = {
  $ref: [{ narrow: { $ref: "#/$defs/N" }, wide: { $ref: "#/$defs/W" }, definitions: { N: integer, W: scalar }, shows: "", fits: 0 }],
  $anchor: [
    { narrow: { $ref: "#n" }, wide: { $ref: "#w" }, definitions: { N: { $anchor: "n", ...integer }, W: { $anchor: "w", ...scalar } }, shows: "", fits: 0 },
  ],
  $dynamicRef: [
    { narrow: { $dynamicRef: "#n" }, wide: {}, definitions: { N: { $dynamicAnchor: "n", ...integer } }, shows: "", fits: 0, only: ["a property of a property", "items of a list"] },
  ],
  $dynamicAnchor: "It names the target of `$dynamicRef`, which has a row.",
  $recursiveRef: [
    { narrow: object({ properties: { a: { $recursiveRef: "#" } } }), wide: object({ properties: { a: { anyOf: [{ $recursiveRef: "#" }, { type: "string" }] } } }), shows: { a: "" }, fits: { a: {} }, dialect: "2019-09", only: ["the root"] },
  ],
  $recursiveAnchor: "It only changes the target of `$recursiveRef` between documents.",
  format: [{ narrow: text({ format: "email" }), wide: text({}), fits: "a@example.com", classes: ["dangerous", "dangerous"] }],
  type: [
    { narrow: text({}), wide: { type: ["string", "null"] }, shows: null, fits: "" },
    { narrow: text({}), wide: {}, shows: 0, fits: "" },
    { narrow: integer, wide: number({}), shows: 1.5, fits: 1 },
  ],
  enum: [
    { narrow: { enum: ["x"] }, wide: { enum: ["x", "y"] }, shows: "y", fits: "x" },
    { narrow: text({ enum: ["x"] }), wide: text({}), shows: "", fits: "x" },
  ],
  const: [
    { narrow: text({ const: "x" }), wide: text({}), shows: "", fits: "x" },
    { narrow: text({ const: "x" }), wide: text({ enum: ["x", "y"] }), shows: "y", fits: "x" },
  ],
  minimum: [
    { narrow: number({ minimum: 2 }), wide: number({ minimum: 1 }), shows: 1, fits: 2 },
    { narrow: number({ minimum: 2 }), wide: number({}), shows: 1, fits: 2 },
  ],
  maximum: [
    { narrow: number({ maximum: 1 }), wide: number({ maximum: 2 }), shows: 2, fits: 1 },
    { narrow: number({ maximum: 1 }), wide: number({}), shows: 2, fits: 1 },
  ],
  exclusiveMinimum: [
    { narrow: number({ exclusiveMinimum: 1 }), wide: number({ minimum: 1 }), shows: 1, fits: 2 },
    { narrow: number({ exclusiveMinimum: 1 }), wide: number({}), shows: 1, fits: 2 },
    { narrow: number({ minimum: 1, exclusiveMinimum: true }), wide: number({ minimum: 1 }), shows: 1, fits: 2, dialect: "draft-04" },
  ],
  exclusiveMaximum: [
    { narrow: number({ exclusiveMaximum: 1 }), wide: number({ maximum: 1 }), shows: 1, fits: 0 },
    { narrow: number({ maximum: 1, exclusiveMaximum: true }), wide: number({ maximum: 1 }), shows: 1, fits: 0, dialect: "draft-04" },
  ],
  multipleOf: [
    { narrow: number({ multipleOf: 4 }), wide: number({ multipleOf: 2 }), shows: 2, fits: 4 },
    { narrow: number({ multipleOf: 4 }), wide: number({}), shows: 2, fits: 4 },
  ],
  minLength: [{ narrow: text({ minLength: 2 }), wide: text({ minLength: 1 }), shows: "a", fits: "aa" }],
  maxLength: [{ narrow: text({ maxLength: 1 }), wide: text({ maxLength: 2 }), shows: "aa", fits: "a" }],
  pattern: [
    { narrow: text({ pattern: "^a" }), wide: text({}), shows: "b", fits: "a" },
    { narrow: text({ pattern: "^a$" }), wide: text({ pattern: "^[ab]$" }), shows: "b", fits: "a" },
  ],
  minItems: [{ narrow: list({ minItems: 1 }), wide: list({}), shows: [], fits: [1] }],
  maxItems: [{ narrow: list({ maxItems: 1 }), wide: list({ maxItems: 2 }), shows: [1, 1], fits: [1] }],
  uniqueItems: [{ narrow: list({ uniqueItems: true }), wide: list({}), shows: [1, 1], fits: [1] }],
  items: [
    { narrow: list({ items: integer }), wide: list({ items: scalar }), shows: [""], fits: [1] },
    { narrow: list({ items: integer }), wide: list({}), shows: [""], fits: [1] },
    { narrow: list({ items: false }), wide: list({}), shows: [1], fits: [] },
    { narrow: list({ items: [integer] }), wide: list({ items: [scalar] }), shows: [""], fits: [1], dialect: "draft-07" },
  ],
  prefixItems: [
    { narrow: list({ prefixItems: [{}, integer] }), wide: list({ prefixItems: [{}, scalar] }), shows: [1, ""], fits: [1, 1] },
    { narrow: list({ prefixItems: [integer] }), wide: list({}), shows: [""], fits: [1] },
  ],
  additionalItems: [
    { narrow: list({ items: [{}], additionalItems: integer }), wide: list({ items: [{}], additionalItems: scalar }), shows: [1, ""], fits: [1], dialect: "draft-07" },
    { narrow: list({ items: [{}], additionalItems: false }), wide: list({ items: [{}] }), shows: [1, 1], fits: [1], dialect: "2019-09" },
  ],
  contains: [
    { narrow: list({ contains: { const: 1 } }), wide: list({}), shows: [], fits: [1] },
    { narrow: list({ contains: integer }), wide: list({ contains: scalar }), shows: [""], fits: [1] },
  ],
  minContains: [
    { narrow: list({ contains: { const: 1 }, minContains: 2 }), wide: list({ contains: { const: 1 } }), shows: [1], fits: [1, 1] },
    { narrow: list({ contains: { const: 1 }, minContains: 2 }), wide: list({ contains: { const: 1 }, minContains: 0 }), shows: [], fits: [1, 1] },
    { narrow: list({ contains: { const: 1 } }), wide: list({ contains: { const: 1 }, minContains: 0 }), shows: [], fits: [1], dialect: "2019-09" },
  ],
  maxContains: [
    { narrow: list({ contains: { const: 1 }, maxContains: 1 }), wide: list({ contains: { const: 1 } }), shows: [1, 1], fits: [1] },
    { narrow: list({ contains: { const: 1 }, maxContains: 1 }), wide: list({ contains: { const: 1 }, maxContains: 2 }), shows: [1, 1], fits: [1] },
  ],
  unevaluatedItems: [
    { narrow: list({ prefixItems: [{}], unevaluatedItems: false }), wide: list({ prefixItems: [{}] }), shows: [1, 1], fits: [1] },
    { narrow: list({ prefixItems: [{}], unevaluatedItems: integer }), wide: list({ prefixItems: [{}], unevaluatedItems: scalar }), shows: [1, ""], fits: [1] },
  ],
  properties: [{ narrow: object({ properties: { a: integer } }), wide: object({ properties: { a: scalar } }), shows: { a: "" }, fits: { a: 1 } }],
  required: [
    { narrow: object({ required: ["a"] }), wide: object({}), shows: {}, fits: { a: 1 } },
    { narrow: object({ required: ["a", "b"] }), wide: object({ required: ["b"] }), shows: { b: 1 }, fits: { a: 1, b: 1 } },
    { narrow: object({ required: ["other"] }), wide: object({}), shows: {}, fits: { other: 1 } },
  ],
  patternProperties: [
    { narrow: object({ patternProperties: { "^x": integer } }), wide: object({ patternProperties: { "^x": scalar } }), shows: { x: "" }, fits: { x: 1 } },
    { narrow: object({ patternProperties: { "^x": integer } }), wide: object({}), shows: { x: "" }, fits: { x: 1 } },
  ],
  additionalProperties: [
    { narrow: object({ additionalProperties: integer }), wide: object({ additionalProperties: scalar }), shows: { x: "" }, fits: { x: 1 } },
    { narrow: object({ additionalProperties: integer }), wide: object({}), shows: { x: "" }, fits: { x: 1 } },
    { narrow: object({ additionalProperties: false }), wide: object({ additionalProperties: true }), shows: { x: 1 }, fits: { a: 1 }, classes: ["breaking", "dangerous"] },
    { narrow: object({ additionalProperties: false }), wide: object({}), shows: { x: 1 }, fits: { a: 1 }, classes: ["dangerous", "dangerous"] },
  ],
  unevaluatedProperties: [
    { narrow: object({ unevaluatedProperties: integer }), wide: object({ unevaluatedProperties: scalar }), shows: { x: "" }, fits: { x: 1 } },
    { narrow: object({ unevaluatedProperties: false }), wide: object({}), shows: { x: 1 }, fits: { a: 1 }, classes: ["dangerous", "dangerous"] },
  ],
  propertyNames: [
    { narrow: object({ propertyNames: { maxLength: 1 } }), wide: object({}), shows: { aa: 1 }, fits: { a: 1 } },
    { narrow: object({ propertyNames: { maxLength: 1 } }), wide: object({ propertyNames: { maxLength: 2 } }), shows: { aa: 1 }, fits: { a: 1 } },
  ],
  minProperties: [
    { narrow: object({ minProperties: 1 }), wide: object({}), shows: {}, fits: { a: 1 } },
    { narrow: object({ minProperties: 2 }), wide: object({ minProperties: 1 }), shows: { a: 1 }, fits: { a: 1, b: 1 } },
  ],
  maxProperties: [{ narrow: object({ maxProperties: 1 }), wide: object({}), shows: { a: 1, b: 1 }, fits: { a: 1 } }],
  dependentRequired: [
    { narrow: object({ dependentRequired: { a: ["b"] } }), wide: object({}), shows: { a: 1 }, fits: { a: 1, b: 1 } },
    { narrow: object({ dependentRequired: { a: ["b", "c"] } }), wide: object({ dependentRequired: { a: ["b"] } }), shows: { a: 1, b: 1 }, fits: { a: 1, b: 1, c: 1 } },
  ],
  dependentSchemas: [
    { narrow: object({ dependentSchemas: { a: { required: ["b"] } } }), wide: object({}), shows: { a: 1 }, fits: { a: 1, b: 1 } },
    { narrow: object({ dependentSchemas: { a: { required: ["b", "c"] } } }), wide: object({ dependentSchemas: { a: { required: ["b"] } } }), shows: { a: 1, b: 1 }, fits: { a: 1, b: 1, c: 1 } },
    { narrow: object({ dependentSchemas: { a: { properties: { b: integer } } } }), wide: object({ dependentSchemas: { a: { properties: { b: scalar } } } }), shows: { a: 1, b: "" }, fits: { a: 1, b: 1 } },
  ],
  dependencies: [
    { narrow: object({ dependencies: { a: ["b"] } }), wide: object({}), shows: { a: 1 }, fits: { a: 1, b: 1 }, dialect: "draft-07" },
    { narrow: object({ dependencies: { a: ["b", "c"] } }), wide: object({ dependencies: { a: ["b"] } }), shows: { a: 1, b: 1 }, fits: { a: 1, b: 1, c: 1 }, dialect: "draft-04" },
    { narrow: object({ dependencies: { a: { required: ["b"] } } }), wide: object({ dependencies: { a: {} } }), shows: { a: 1 }, fits: { a: 1, b: 1 }, dialect: "draft-07" },
  ],
  allOf: [
    { narrow: number({ allOf: [{ minimum: 1 }] }), wide: number({}), shows: 0, fits: 1 },
    { narrow: number({ allOf: [{ minimum: 1 }, { maximum: 5 }] }), wide: number({ allOf: [{ minimum: 1 }] }), shows: 6, fits: 1 },
    { narrow: number({ allOf: [{ minimum: 2 }] }), wide: number({ allOf: [{ minimum: 1 }] }), shows: 1, fits: 2 },
  ],
  anyOf: [
    { narrow: { anyOf: [text({}), { type: "null" }] }, wide: { anyOf: [text({}), { type: "null" }, { type: "boolean" }] }, shows: true, fits: "" },
    { narrow: object({ anyOf: [{ required: ["a"] }, { required: ["b"] }] }), wide: object({}), shows: {}, fits: { a: 1 } },
    { narrow: object({ anyOf: [{ required: ["a"] }] }), wide: object({ anyOf: [{ required: ["a"] }, { required: ["b"] }] }), shows: { b: 1 }, fits: { a: 1 } },
  ],
  oneOf: [
    { narrow: { oneOf: [text({}), { type: "null" }] }, wide: { oneOf: [text({}), { type: "null" }, { type: "boolean" }] }, shows: true, fits: "" },
    { narrow: object({ oneOf: [{ required: ["a"] }, { required: ["b"] }] }), wide: object({ anyOf: [{ required: ["a"] }, { required: ["b"] }] }), shows: { a: 1, b: 1 }, fits: { a: 1 } },
    { narrow: object({ oneOf: [{ required: ["a"] }, { required: ["b"] }] }), wide: object({}), shows: {}, fits: { a: 1 } },
  ],
  not: [
    { narrow: text({ not: { const: "x" } }), wide: text({}), shows: "x", fits: "" },
    { narrow: text({ not: { enum: ["x", "y"] } }), wide: text({ not: { enum: ["x"] } }), shows: "y", fits: "" },
    { narrow: text({ not: { minLength: 2 } }), wide: text({ not: { minLength: 3 } }), shows: "aa", fits: "" },
  ],
  if: [
    { narrow: object({ if: { required: ["a"] }, then: { required: ["b"] } }), wide: object({}), shows: { a: 1 }, fits: { a: 1, b: 1 } },
    { narrow: text({ if: { minLength: 2 }, then: { pattern: "^x" } }), wide: text({ if: { minLength: 3 }, then: { pattern: "^x" } }), shows: "aa", fits: "" },
  ],
  then: [
    { narrow: object({ if: { required: ["a"] }, then: { required: ["b"] } }), wide: object({ if: { required: ["a"] }, then: {} }), shows: { a: 1 }, fits: { a: 1, b: 1 } },
    { narrow: text({ if: { minLength: 2 }, then: { maxLength: 3 } }), wide: text({ if: { minLength: 2 }, then: { maxLength: 4 } }), shows: "aaaa", fits: "" },
  ],
  else: [
    { narrow: object({ if: { required: ["a"] }, else: { required: ["b"] } }), wide: object({}), shows: {}, fits: { a: 1 } },
    { narrow: text({ if: { const: "x" }, else: { maxLength: 3 } }), wide: text({ if: { const: "x" }, else: { maxLength: 4 } }), shows: "aaaa", fits: "" },
  ],
}; // prettier-ignore
