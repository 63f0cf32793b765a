/** Schemas with texts of a hostile server: four times the length may take four times as long, but not sixteen times. */
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { diffTools } from "../../src/drift/diff-tools.js";

const LENGTH = 5_000;
const COUNT = 4;
/** The limit of growth: the quadratic search took 16 times as long. */
const MOST_GROWTH = 10;
/** The least processor time in seconds that counts for the shorter texts: shorter times are mostly noise. */
const LEAST_SECONDS = 0.3;

/** Makes a schema of texts, which differ between versions 0 and 1. */
type MakeSchema = (texts: readonly string[], version: number) => JsonObject;

const record = (texts: readonly string[], make: (text: string) => JsonValue): JsonObject =>
  Object.fromEntries(texts.map((text, at) => [`p${at}`, make(text)]));
const each =
  (make: (text: string, version: number) => JsonObject): MakeSchema =>
  (texts, version) => ({ type: "object", properties: record(texts, (text) => make(text, version)) });
const strings = (make: (text: string) => JsonObject): MakeSchema =>
  each((text) => ({ type: "string", ...make(text) }));
const named = (texts: readonly string[], schema: JsonValue): JsonObject =>
  Object.fromEntries(texts.map((text) => [text, schema]));
const one = (schema: JsonObject): JsonObject => ({ type: "object", properties: { value: schema } });

const KINDS: Readonly<Record<string, MakeSchema>> = {
  "values of one enum": (texts) => one({ enum: texts }),
  "an enum with a rule": (texts, version) => one({ enum: texts, pattern: version === 0 ? "^" : "^~" }),
  constants: strings((text) => ({ const: text })),
  "constants of a union": (texts) => one({ anyOf: texts.map((text) => ({ const: text })) }),
  "objects as constants": strings((text) => ({ type: "object", const: { a: text, b: [text] } })),
  "constants beside a rule": (texts, version) => ({
    type: "object",
    properties: { ...record(texts, (text) => ({ const: text })), rule: { maximum: 9 - version } },
    required: ["rule", ...texts.map((_, at) => `p${at}`)],
  }),
  "constants of conditions": (texts) => ({
    type: "object",
    allOf: texts.map((text) => ({ if: { properties: { p: { const: text } } }, then: { required: ["q"] } })),
  }),
  defaults: strings((text) => ({ default: text })),
  "defaults that are too long": each((text, version) => ({ default: text, maxLength: text.length - version })),
  "defaults beside a least length": each((text, version) => ({ default: text, minLength: text.length - 1 + version })),
  "examples beside a rule": (texts, version) => one({ examples: texts, minLength: 5 + version }),
  descriptions: strings((text) => ({ description: text })),
  titles: strings((text) => ({ title: text })),
  comments: strings((text) => ({ $comment: text })),
  formats: strings((text) => ({ format: text })),
  "unknown keywords": strings((text) => ({ [text]: text })),
  "names of properties": (texts, version) => ({ type: "object", properties: named(texts, { maxLength: 9 - version }) }),
  "names of a closed object": (texts) => ({ type: "object", properties: named(texts, {}), additionalProperties: false }),
  "names in each other": (texts, version) => ({ type: "object", properties: named(texts, one({ properties: named(texts, { maxLength: 9 - version }) })) }),
  "required names": (texts) => ({ type: "object", required: texts }),
  "dependent names": (texts) => ({ type: "object", dependentRequired: named(texts, ["value"]) }),
  "patterns for names": (texts) => ({ type: "object", patternProperties: named(texts, { maxLength: 9 }) }),
  "literal patterns": strings((text) => ({ pattern: `^${text}$` })),
  "patterns of classes": strings((text) => ({ pattern: `^${"[a-z]-".repeat(text.length / 6)}${text.slice(-9)}` })),
  "patterns of branches": strings((text) => ({ pattern: `^(?:${text.replaceAll("e", "|")})$` })),
  "invalid patterns": strings((text) => ({ pattern: `(${text}` })),
  "names of definitions": (texts, version) => ({
    type: "object",
    properties: record(texts, (text) => ({ $ref: `#/$defs/${text}` })),
    $defs: named(texts, { type: "string", maxLength: 9 - version }),
  }),
  references: strings((text) => ({ $ref: `#/$defs/${text}` })),
  "least lengths": each((text, version) => ({ type: "string", minLength: text.length - 1 + version })),
  "most items": each((text, version) => ({ type: "array", maxItems: text.length - version })),
}; // prettier-ignore

/** Different words, since equal neighbours are removed in one step. */
function textOf(length: number, at: number, version: number): string {
  let text = "";
  for (let seed = at + 1; text.length < length - 8; seed = (seed * 48_271) % 2_147_483_647)
    text += `${["send", "words", "mail", "list", "order"][seed % 5] ?? ""}${seed % 97}`;
  return `${text.slice(0, length - 8)}${version}-${at}`;
}

/** Returns the processor time in seconds to compare two versions, and the changes. */
function measure(make: MakeSchema, length: number, side: "inputSchema" | "outputSchema") {
  const [before = {}, after = {}] = [0, 1].map((version): JsonObject => {
    const texts = Array.from({ length: COUNT }, (_, at) => textOf(length, at, version));
    return make(texts, version);
  });
  const tool = { name: "grow", inputSchema: {} };
  const start = process.cpuUsage();
  const changes = diffTools([{ ...tool, [side]: before }], [{ ...tool, [side]: after }]);
  const { user, system } = process.cpuUsage(start);
  return { seconds: (user + system) / 1e6, changes };
}

describe.each(["inputSchema", "outputSchema"] as const)("long texts in an %s", (side) => {
  it.each(Object.entries(KINDS))("%s are compared in linear time", (_, make) => {
    const short = measure(make, LENGTH, side);
    const long = measure(make, 4 * LENGTH, side);
    expect(short.changes).not.toEqual([]);
    expect(long.changes).not.toEqual([]);
    expect(long.seconds).toBeLessThan(MOST_GROWTH * Math.max(short.seconds, LEAST_SECONDS));
  });
});

it("finds a counterexample for each of 30 long values, in the steps of short ones", () => {
  const [before, after] = [0, 1].map((version) => ({
    name: "grow",
    inputSchema: one({ enum: Array.from({ length: 30 }, (_, at) => textOf(20_000, at, version)) }),
  }));
  if (before === undefined || after === undefined) throw new Error("No tools.");
  const breaks = diffTools([before], [after]).filter(({ rule }) => rule === "input-enum-value-removed");
  expect(breaks.map((change) => change.class)).toEqual(Array.from({ length: 30 }, () => "breaking"));
});
