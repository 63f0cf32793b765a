/** Code for odd names and texts, as whole files compiled by tsc: characters of every kind, and names that all objects inherit. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import type { Emission } from "../../src/emit/emit.js";
import { emissionFolder } from "./emission-folder.js";
import { lockOf } from "./golden-cases.js";
import { sample } from "../sample.js";

const generated = emissionFolder("mcp-codegen-odd-names");

/** What an editor does not show, shows elsewhere, or takes for the end of a line. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/u;
/** Joiners and the selector of emoji are part of words and emoji that people write. */
const ALLOWED = /\t|(?<=[^\p{ASCII}\p{C}\p{Z}])(?:\u200c|\u200d|\ufe0f)/gu;
/** The general categories of Unicode, without what is not assigned or private. */
const CATEGORIES =
  "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn".split(" ");

/** Every invisible character, and of each category the first, the last and some between. */
function sampleCharacters(): readonly string[] {
  const all = Array.from({ length: 0x110000 }, (_, codePoint) => String.fromCodePoint(codePoint));
  const ofCategories = CATEGORIES.flatMap((category) => {
    const pattern = new RegExp(`\\p{${category}}`, "u");
    const found = all.filter((character) => pattern.test(character));
    return [0, 1, 2, 3, 4, 5].flatMap((part) => found[Math.floor(((found.length - 1) * part) / 5)] ?? []);
  });
  // Hundreds of surrogates and variation selectors are one kind.
  const invisible = all.filter(
    (character, at) => INVISIBLE.test(character) && (at < 0xd800 || at % 0x80 === 0),
  );
  return [...new Set([...ofCategories, ...invisible])];
}

const characters = sample(sampleCharacters(), 3);
const REPORTED = ["area_in_m²", "⚙️_settings", "1️⃣ step", "❤️_like", "M²", "²", "\u{1d7d8}x", "ǆ", "ŉ", "ﬁ"];
const names = [...REPORTED, ...characters.flatMap((one) => [`${one}a`, `b${one}c`])];

/** Schemas with the names as properties, definitions, enum values, defaults and texts. */
function toolsWith(parts: readonly string[]): readonly ToolSnapshot[] {
  const object = (properties: JsonObject): JsonObject => ({
    type: "object",
    properties,
    required: parts.slice(0, 3),
  });
  const input = object(
    Object.fromEntries(
      parts.map((name) => [name, { type: "string", description: `a ${name}`, enum: [name, "x"] }]),
    ),
  );
  const definitions = Object.fromEntries(
    parts.map((name) => [name, object({ [name]: { $ref: `#/$defs/${encodePointer(name)}` } })]),
  );
  const output = object(
    Object.fromEntries(parts.map((name) => [name, { $ref: `#/$defs/${encodePointer(name)}` }])),
  );
  return [
    { name: "properties", description: parts.join(" "), inputSchema: input },
    { name: "definitions", inputSchema: input, outputSchema: { ...output, $defs: definitions } },
    { name: "checks", inputSchema: { ...input, not: { enum: parts.map((name) => ({ [name]: name })) } } },
  ];
}

function encodePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

const INHERITED = [
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
    `{${INHERITED.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value(name))}`).join(",")}}`,
  ) as JsonObject;
}

const text: JsonObject = { type: "string" };
const inheriting = (more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: keyed(() => text),
  ...more,
});

/** Where the names may be in a schema. */
const SCHEMAS: { readonly [place: string]: JsonObject } = {
  properties: inheriting(),
  required: inheriting({ required: INHERITED }),
  nested: { type: "object", properties: keyed(() => inheriting()) },
  definitions: { type: "object", properties: keyed((name) => ({ $ref: `#/$defs/${name}` })), $defs: keyed(() => inheriting()) },
  allOf: { allOf: [inheriting(), inheriting({ required: INHERITED })] },
  anyOf: { anyOf: [inheriting({ required: INHERITED }), inheriting({ additionalProperties: false })] },
  oneOf: { oneOf: [inheriting({ required: INHERITED.slice(0, 3) }), inheriting({ required: INHERITED.slice(3) })] },
  not: inheriting({ not: inheriting({ required: INHERITED }) }),
  if: inheriting({ if: inheriting({ required: ["constructor"] }), then: inheriting(), else: inheriting({ required: INHERITED }) }),
  dependentRequired: inheriting({ dependentRequired: keyed((name) => [name]) }),
  dependentSchemas: inheriting({ dependentSchemas: keyed(() => inheriting()) }),
  patternProperties: inheriting({ patternProperties: keyed(() => text) }),
  propertyNames: inheriting({ propertyNames: { enum: INHERITED } }),
  unevaluated: inheriting({ allOf: [inheriting()], unevaluatedProperties: false }),
  // The rest is interpreted: which properties are unevaluated depends on the branch.
  interpreted: {
    anyOf: [inheriting({ required: INHERITED }), { properties: keyed(() => text), patternProperties: keyed(() => text) }],
    dependentRequired: keyed((name) => [name]),
    dependentSchemas: keyed(() => inheriting()),
    unevaluatedProperties: false,
  },
  "interpreted definitions": {
    anyOf: INHERITED.map((name) => ({ $ref: `#/$defs/${name}` })),
    unevaluatedProperties: false,
    $defs: keyed(() => inheriting({ required: INHERITED })),
  },
  "interpreted values": {
    anyOf: [inheriting({ enum: [keyed((name) => name)] }), inheriting({ required: ["then"] })],
    unevaluatedProperties: { const: keyed((name) => name) },
  },
  contains: { type: "object", properties: { list: { type: "array", contains: inheriting({ required: INHERITED }) } } },
  const: { type: "object", properties: { value: { const: keyed((name) => name) } } },
  enum: { type: "object", properties: { value: { enum: [keyed((name) => [name]), "x"] } } },
  default: inheriting({ default: keyed((name) => name), examples: [keyed((name) => name)] }),
}; // prettier-ignore

describe("code for odd names", () => {
  let emission: Emission;

  beforeAll(async () => {
    // With a number, since names that differ in one such character share an identifier, which is an error of its own.
    const numbered = names.map((name, at) => `${name} ${at}x`);
    const inputSchema = { type: "object" };
    const named = numbered
      .filter((_, at) => at < REPORTED.length || at % 4 === 0)
      .map((name) => ({ name, inputSchema }));
    const prompts = numbered.map((name) => ({ name, description: name, arguments: [{ name }] }));
    const places = Object.entries(SCHEMAS).map(([name, part]): ToolSnapshot => {
      const schema = { ...inputSchema, ...part };
      return { name, description: name, inputSchema: schema, outputSchema: schema };
    });
    const tools = { texts: toolsWith(names), names: named, places };
    emission = await generated.emit(lockOf({ servers: {} }, tools, { texts: { prompts } }));
  });

  afterAll(() => {
    generated.remove();
  });

  it("refuses no tool", () => {
    expect(emission.diagnostics.filter(({ code }) => code === "TOOL_UNUSABLE")).toEqual([]);
  });

  it("has no invisible character in any file", () => {
    const found = emission.files.flatMap(({ path, text: content }) =>
      content
        .split("\n")
        .filter((line) => INVISIBLE.test(line.replace(ALLOWED, "")))
        .map((line) => `${path}: ${JSON.stringify(line.slice(0, 80))}`),
    );
    expect(found.slice(0, 10)).toEqual([]);
  });

  it("compiles", () => {
    expect(generated.compile(["texts", "names", "places"])).toBe("");
  });
});
