/**
 * Tools of a hostile server that are large in one way each, as JSON text with a version. Most cannot be written as a value:
 * their numbers are too long, or they are nested too deeply.
 */
import type { JsonValue } from "../../src/core/json.js";

export interface HostileTool {
  /** The definition, which differs between versions 0 and 1. */
  readonly definition: (version: number) => string;
  /** What `pull` says about it; undefined if it is usable. */
  readonly note?: RegExp;
  /** Whether it is left out of the lock. */
  readonly isLeftOut?: boolean;
}

const times = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const withInput = (input: string, more = ""): string => `{"name":"hostile","inputSchema":${input}${more}}`;
const withValue = (schema: string): string => withInput(`{"type":"object","properties":{"value":${schema}}}`);
const json = (schema: JsonValue): string => withInput(JSON.stringify(schema));
const around = (count: number, open: string, inside: string, close: string): string =>
  open.repeat(count) + inside + close.repeat(count);
/** A union of unions of … of leaves, eight in each. */
const unions = (depth: number, leaf: (at: number) => string, at = 0): string =>
  depth === 0
    ? leaf(at)
    : `{"anyOf":[${times(8, (branch) => unions(depth - 1, leaf, 8 * at + branch)).join(",")}]}`;
const conditions = (depth: number, inside: JsonValue): JsonValue => {
  let schema = inside;
  for (let level = 0; level < depth; level += 1)
    schema = { if: { properties: { [`a${level}`]: { const: 1 } } }, then: schema, else: schema };
  return schema;
};

const MILLION = 1_000_000;
const MANY_VALUES = /The schema has more than 50000 values/;
const TOO_LARGE = /too large to be locked: it would take over 16 MiB in the lock/;

export const HOSTILE_TOOLS: Readonly<Record<string, HostileTool>> = {
  "a bound of a million digits": { definition: (v) => withValue(`{"type":"number","maximum":${"1234567890".repeat(MILLION / 10)}${v}}`) },
  "a default with a million digits after the point": { definition: (v) => withValue(`{"type":"number","default":0.${"1234567890".repeat(MILLION / 10)}${v}}`) },
  "51,000 numbers that JavaScript cannot hold": {
    definition: (v) => withValue(`{"enum":[${times(51_000, (at) => `9007199254740993${at}${v}`).join(",")}]}`),
    note: /cannot hold|50000 values/,
  },
  "conditions on 30 properties": {
    definition: (v) =>
      json({
        type: "object",
        allOf: times(30, (at) => ({
          if: { properties: { [`p${at}`]: { const: `k${v}` } }, required: [`p${at}`] },
          then: { required: [`p${(at + 1) % 30}`] },
          else: { required: [`p${(at + 7 + v) % 30}`] },
        })),
      }),
  },
  "a pattern of 180 parts": {
    definition: (v) =>
      json({
        type: "object",
        properties: {
          text: {
            type: "string",
            pattern: `^(${times(180, (at) => `[a-z]{${at % 5},${(at % 7) + 5 + v}}-x${at}`).join("|")})$`,
          },
        },
      }),
  },
  "10 MB of chains of unions": {
    definition: (v) => {
      const chain = around(100, '{"anyOf":[{"type":"null"},', `{"type":"string","maxLength":${5 + v}}`, "]}");
      return withValue(`{"anyOf":[${times(3_700, () => chain).join(",")}]}`);
    },
    note: TOO_LARGE,
    isLeftOut: true,
  },
  "10 MB of unions of unions": { definition: (v) => withValue(unions(6, (at) => `{"type":"string","const":"c${at}${v}"}`)), note: TOO_LARGE, isLeftOut: true },
  "20,000 properties": {
    definition: (v) => json({ type: "object", properties: Object.fromEntries(times(20_000, (at) => [`p${at}`, { type: "string", maxLength: 9 + v }])) }),
    note: MANY_VALUES,
  },
  "14 levels of repeated conditions": { definition: (v) => json({ type: "object", allOf: [conditions(14, { required: [`end${v}`] })] }), note: MANY_VALUES },
  "a description of a megabyte": {
    definition: (v) => withInput('{"type":"object"}', `,"description":${JSON.stringify("Send the words to the address. ".repeat(MILLION / 31) + String(v))}`),
  },
  "an enum of 51,000 texts": { definition: (v) => withValue(JSON.stringify({ enum: times(51_000, (at) => `value-${at}-${v}`) })), note: MANY_VALUES },
  "an enum of 10,000 texts": { definition: (v) => withValue(JSON.stringify({ enum: times(10_000, (at) => `value-${at}-${v}`) })) },
  "51,000 required names": { definition: (v) => json({ type: "object", required: times(51_000, (at) => `p${at}${v}`) }), note: MANY_VALUES },
  "10,000 dependent requirements": {
    definition: (v) => json({ type: "object", dependentRequired: Object.fromEntries(times(10_000, (at) => [`p${at}`, [`p${at + 1}${v}`]])) }),
  },
  "2,000 patterns for names": {
    definition: (v) => json({ type: "object", patternProperties: Object.fromEntries(times(2_000, (at) => [`^x${at}[a-z]*-${v}`, { type: "string" }])) }),
  },
  "10,000 nested arrays": {
    definition: (v) => withValue(`{"default":${around(10_000, "[", String(v), "]")}}`),
    note: /nested too deeply \(over 1000 levels\) to be locked/,
    isLeftOut: true,
  },
  "names of a megabyte": { definition: (v) => json({ type: "object", properties: { ["p".repeat(MILLION) + String(v)]: { type: "string" } } }) },
  "a pattern of a megabyte": { definition: (v) => json({ type: "object", properties: { text: { pattern: `${"ab1".repeat(MILLION / 3)}${v}` } } }) },
}; // prettier-ignore
