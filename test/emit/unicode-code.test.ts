/** Code for names and texts with characters of every kind that Unicode has: as whole files, compiled by tsc. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import type { Emission } from "../../src/emit/emit.js";
import { emissionFolder } from "./emission-folder.js";
import { lockOf } from "./golden-cases.js";
import { sample } from "../sample.js";

const generated = emissionFolder("mcp-codegen-unicode");

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

describe("code for characters of every kind", () => {
  let emission: Emission;

  beforeAll(async () => {
    // With a number, since names that differ in one such character share an identifier, which is an error of its own.
    const numbered = names.map((name, at) => `${name} ${at}x`);
    const named = numbered
      .filter((_, at) => at < REPORTED.length || at % 4 === 0)
      .map((name) => ({ name, inputSchema: { type: "object" } }));
    const prompts = numbered.map((name) => ({ name, description: name, arguments: [{ name }] }));
    emission = await generated.emit(
      lockOf({ servers: {} }, { texts: toolsWith(names), names: named }, { texts: { prompts } }),
    );
  });

  afterAll(() => {
    generated.remove();
  });

  it("refuses no tool", () => {
    expect(emission.diagnostics.filter(({ code }) => code === "TOOL_UNUSABLE")).toEqual([]);
  });

  it("has no invisible character in any file", () => {
    const found = emission.files.flatMap(({ path, text }) =>
      text
        .split("\n")
        .filter((line) => INVISIBLE.test(line.replace(ALLOWED, "")))
        .map((line) => `${path}: ${JSON.stringify(line.slice(0, 80))}`),
    );
    expect(found.slice(0, 10)).toEqual([]);
  });

  it("compiles", () => {
    expect(generated.compile(["texts", "names"])).toBe("");
  });
});
