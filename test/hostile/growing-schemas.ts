/**
 * Input schemas from a hostile server that are expensive for a naive program. Each is a function of a size: a correct program
 * needs n log n, or rejects the schema with the name of a limit.
 */
import type { JsonObject, JsonValue } from "../../src/core/json.js";

export type GrowingSchema = (size: number) => JsonObject;

const times = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const record = (count: number, make: (at: number) => readonly [string, JsonValue]): JsonObject =>
  Object.fromEntries(times(count, make));
const properties = (count: number, make: (at: number) => JsonValue): JsonObject => ({
  type: "object",
  properties: record(count, (at) => [`p${at}`, make(at)]),
});
const argument = (schema: JsonValue, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { value: schema },
  ...more,
});
const nest = (depth: number, inside: JsonValue, around: (inner: JsonValue) => JsonValue): JsonValue => {
  let schema = inside;
  for (let level = 0; level < depth; level += 1) schema = around(schema);
  return schema;
};
const variant = (at: number): JsonObject => ({
  type: "object",
  properties: { kind: { const: `k${at}` }, [`v${at}`]: { type: "string" } },
  required: ["kind"],
});
const text: JsonObject = { type: "string" };

/** An argument with `n` definitions. */
const defined = (schema: JsonObject, n: number, make: (at: number) => JsonValue): JsonObject =>
  argument(schema, { $defs: record(n, (at) => [`d${at}`, make(at)]) });
/** An argument with definitions of which each refers to the next one, and the last is a text. */
const chain = (n: number, make: (next: JsonObject) => JsonObject): JsonObject =>
  defined({ $ref: "#/$defs/d0" }, n, (at) => (at === n - 1 ? text : make({ $ref: `#/$defs/d${at + 1}` })));

export const GROWING_SCHEMAS: Readonly<Record<string, GrowingSchema>> = {
  "enum strings over many properties": (n) => properties(n, (at) => ({ enum: times(20, (value) => `value ${at} ${value}`) })),
  "one enum of many strings": (n) => argument({ enum: times(n * 20, (at) => `value ${at}`) }),
  "many properties": (n) => properties(n, () => ({ type: "string", description: "A text." })),
  "patterns of many properties": (n) => properties(n, (at) => ({ type: "string", pattern: `^[a-z]{1,8}-k${at}[0-9]+$` })),
  "many pattern properties": (n) => ({ type: "object", patternProperties: record(n, (at) => [`^x${at}-[a-z]+$`, text]) }),
  "properties and pattern properties": (n) => ({
    ...properties(n, () => text),
    patternProperties: record(n, (at) => [`^x${at}-`, text]),
    additionalProperties: false,
  }),
  "references that double": (n) => chain(n, (next) => ({ anyOf: [next, next] })),
  "references that double in properties": (n) => chain(n, (next) => properties(2, () => next)),
  "a chain of references": (n) => chain(n, (next) => next),
  "definitions that refer to each other": (n) => defined({ $ref: "#/$defs/d0" }, n, (at) => properties(5, (step) => ({ $ref: `#/$defs/d${(at * 5 + step + 1) % n}` }))),
  "definitions that are not used": (n) => argument(text, { $defs: record(n, (at) => [`d${at}`, variant(at)]) }),
  "one definition used often": (n) => ({ ...properties(n, () => ({ $ref: "#/$defs/d" })), $defs: { d: variant(0) } }),
  "nested properties": (n) => argument(nest(n, text, (inner) => ({ type: "object", properties: { a: inner } }))),
  "nested lists": (n) => argument(nest(n, text, (inner) => ({ type: "array", items: inner }))),
  "nested unions": (n) => argument(nest(n, text, (inner) => ({ anyOf: [inner, { type: "null" }] }))),
  "nested exclusive unions": (n) => argument(nest(n, text, (inner) => ({ oneOf: [inner, { type: "integer" }] }))),
  "nested conjunctions": (n) => argument(nest(n, text, (inner) => ({ allOf: [inner, { minLength: 1 }] }))),
  "nested negations": (n) => argument(nest(n, text, (inner) => ({ not: inner }))),
  "a union of kinds": (n) => argument({ anyOf: times(n, variant) }),
  "an exclusive union of kinds": (n) => argument({ oneOf: times(n, variant) }),
  "an exclusive union without kinds": (n) => argument({ oneOf: times(n, (at) => ({ type: "object", properties: { [`v${at}`]: text } })) }),
  "an exclusive union of constants": (n) => argument({ oneOf: times(n, (at) => ({ const: `c${at}`, title: `Choice ${at}` })) }),
  "an exclusive union of patterns": (n) => argument({ oneOf: times(n, (at) => ({ type: "string", pattern: `^a${at}` })) }),
  "an exclusive union of references": (n) => defined({ oneOf: times(n, (at) => ({ $ref: `#/$defs/d${at}` })) }, n, variant),
  "a conjunction of objects": (n) => argument({ allOf: times(n, (at) => ({ type: "object", properties: { [`v${at}`]: text } })) }),
  "a conjunction of references": (n) => defined({ allOf: times(n, (at) => ({ $ref: `#/$defs/d${at}` })) }, n, (at) => ({ type: "object", properties: { [`v${at}`]: text } })),
  "a conjunction of unions": (n) => argument({ allOf: times(n, (at) => ({ anyOf: [{ required: [`a${at}`] }, { required: [`b${at}`] }] })) }),
  "a conjunction of unions of objects": (n) => argument({ allOf: times(n, (at) => ({ oneOf: [variant(2 * at), variant(2 * at + 1)] })) }),
  "a conjunction of conditions": (n) => ({
    ...properties(3, () => text),
    allOf: times(n, (at) => ({
      if: { properties: { p0: { const: `k${at}` } } },
      then: { required: [`v${at}`] },
    })),
  }),
  "a conjunction of patterns": (n) => argument({ type: "string", allOf: times(n, (at) => ({ pattern: `a${at}` })) }),
  "a conjunction of negations": (n) => argument({ allOf: times(n, (at) => ({ not: { const: `v${at}` } })) }),
  "many required properties": (n) => ({ ...properties(n, () => text), required: times(n, (at) => `p${at}`) }),
  "many required names": (n) => ({ type: "object", required: times(n, (at) => `p${at}`) }),
  "dependent schemas": (n) => ({ ...properties(n, () => text), dependentSchemas: record(n, (at) => [`p${at}`, { properties: { [`q${at}`]: text } }]) }),
  "dependent requirements": (n) => ({ ...properties(n, () => text), dependentRequired: record(n, (at) => [`p${at}`, [`p${(at + 1) % n}`]]) }),
  "unevaluated properties of a union": (n) => argument({ type: "object", anyOf: times(n, variant), unevaluatedProperties: false }),
  "a long description": (n) => ({
    ...argument({ type: "string", description: "Some words about this. ".repeat(n * 10) }),
    description: "words ".repeat(n * 10),
  }),
  "a long text without spaces": (n) => argument({ type: "string", description: "a".repeat(n * 100) }),
  "a long pattern": (n) => argument({ type: "string", pattern: `^(${times(n, (at) => `a${at}`).join("|")})$` }),
  "a pattern of optional characters": (n) => argument({ type: "string", pattern: `^${"[a-z0-9]?".repeat(n)}${n}$` }),
  "a pattern of many parts": (n) => argument({ type: "string", pattern: `^${times(n, (at) => `(a${at}|b${at}[0-9]{1,${n % 7}2})?`).join("")}$` }),
  "conditions on different properties": (n) => ({
    type: "object",
    allOf: times(n, (at) => ({
      if: { required: [`p${at}`] },
      then: { required: [`${Math.floor(n / 2) % 2 === 0 ? "q" : "r"}${at}`] },
      else: { required: [`${Math.floor(n / 2) % 2 === 0 ? "r" : "q"}${at}`] },
    })),
  }),
  "lists of lists of long texts": (n) => {
    const size = 10_000 + n;
    const inner = { type: "array", minItems: size, items: { type: "string", minLength: size } };
    return argument({ type: "array", minItems: size, items: inner });
  },
  "a large default": (n) => argument({ type: "array", default: times(n * 10, (at) => ({ id: at })) }),
  "a large constant": (n) => argument({ const: times(n * 10, (at) => `v${at}`) }),
  "a list of many kinds": (n) => argument({ type: "array", prefixItems: times(n, () => text), items: false }),
  "many resources": (n) =>
    defined({ $ref: "https://example.com/d0" }, n, (at) => ({
      ...{ $id: `https://example.com/d${at}`, type: "object", properties: { next: { $ref: `d${(at + 1) % n}` } } },
    })),
  "many titles of one name": (n) => properties(n, (at) => ({ title: "Item", type: "object", properties: { [`v${at}`]: text } })),
}; // prettier-ignore
