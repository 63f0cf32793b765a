import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { compile } from "../../../benchmarks/oracle/judge.js";
import { sample } from "../../sample.js";
import { diffSide } from "./keyword-cases.js";
import { KEYWORD_ROWS } from "./keyword-rows.js";

/** A pair of schemas whose property `v` changes from a row's wide schema to its narrow schema. */
interface WrittenPair {
  readonly wide: JsonObject;
  readonly narrow: JsonObject;
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const to = (name: string, keyword = "$defs"): JsonObject => ({ $ref: `#/${keyword}/${name}` });
const document = (v: JsonObject, $defs?: JsonObject): JsonObject => ({
  ...object({ v }),
  ...($defs !== undefined && { $defs }),
});
const DRAFT_7 = "http://json-schema.org/draft-07/schema#";
const NOTES = { type: "object", properties: { n: { type: "string" } } };

/** How a definition can move while its rules change. Each takes the wide and the narrow schema. */
const FORMS: Readonly<Record<string, (wide: JsonObject, narrow: JsonObject) => WrittenPair>> = {
  "a new definition": (wide, narrow) => ({ wide: document(wide), narrow: document(to("B"), { B: narrow }) }),
  "a new definition behind another": (wide, narrow) => ({ wide: document(wide), narrow: document(to("B"), { B: to("C"), C: narrow }) }),
  "a new definition in `allOf`": (wide, narrow) => ({ wide: document(wide), narrow: document({ allOf: [to("B")] }, { B: narrow }) }),
  "a new definition beside others": (wide, narrow) => ({
    wide: document(wide, { A: NOTES }),
    narrow: document({ ...to("B"), description: "" }, { A: NOTES, B: narrow }),
  }),
  "an inlined definition": (wide, narrow) => ({ wide: document(to("B"), { B: wide }), narrow: document(narrow) }),
  "an inlined definition behind another": (wide, narrow) => ({ wide: document(to("B"), { B: to("C"), C: wide }), narrow: document(narrow) }),
  "a renamed definition": (wide, narrow) => ({ wide: document(to("A"), { A: wide }), narrow: document(to("B"), { B: narrow }) }),
  "a renamed definition whose old name has another meaning": (wide, narrow) => ({
    wide: document(to("A"), { A: wide, B: NOTES }),
    narrow: document(to("B"), { A: NOTES, B: narrow }),
  }),
  "a definition that became a model": (wide, narrow) => ({
    wide: object({ o: object({ v: wide }) }),
    narrow: { ...object({ o: to("O") }), $defs: { O: object({ v: narrow }) } },
  }),
  "a recursive definition": (wide, narrow) => ({
    wide: { ...object({ o: to("O") }), $defs: { O: object({ v: wide, next: to("O") }) } },
    narrow: { ...object({ o: to("O") }), $defs: { O: object({ v: narrow, next: to("O") }) } },
  }),
  "a renamed recursive definition": (wide, narrow) => ({
    wide: { ...object({ o: to("O") }), $defs: { O: object({ v: wide, next: to("O") }) } },
    narrow: { ...object({ o: to("P") }), $defs: { P: object({ v: narrow, next: to("P") }) } },
  }),
  "a definition under another keyword": (wide, narrow) => ({
    wide: { ...object({ v: to("B", "definitions") }), definitions: { B: wide } },
    narrow: document(to("B"), { B: narrow }),
  }),
  "another dialect": (wide, narrow) => ({
    wide: { $schema: DRAFT_7, ...object({ v: to("B", "definitions") }), definitions: { B: wide } },
    narrow: document(to("B"), { B: narrow }),
  }),
  "an address of the document": (wide, narrow) => {
    const of = (B: JsonObject): JsonObject => ({
      $id: "https://example.com/tool",
      ...object({ v: { $ref: "https://example.com/tool#/$defs/B" } }),
      $defs: { B },
    });
    return { wide: of(wide), narrow: of(narrow) };
  },
}; // prettier-ignore

/** Puts another change beside the pair. */
function withOther({ wide, narrow }: WrittenPair): WrittenPair {
  const add = (schema: JsonObject, w: JsonObject): JsonObject => ({
    ...schema,
    properties: { ...(schema["properties"] as JsonObject), w },
  });
  return { wide: add(wide, { type: "number" }), narrow: add(narrow, { type: "number", maximum: 5 }) };
}

/** The rows of breaking changes without definitions of their own, in every form, alone and beside another change. */
const CASES = Object.entries(KEYWORD_ROWS).flatMap(([keyword, rows]) =>
  (typeof rows === "string" ? [] : rows).flatMap((row, index) =>
    [row.definitions, row.classes, row.only, row.dialect].some((rule) => rule !== undefined)
      ? []
      : Object.entries(FORMS).flatMap(([form, write]) => {
          const pair = write(row.wide, row.narrow);
          const what = `${keyword} ${index + 1}, ${form}`;
          return [
            { what, ...pair },
            { what: `${what}, beside another change`, ...withOther(pair) },
          ];
        }),
  ),
);

describe("a definition that moves while its rules change", () => {
  it.each(sample(CASES, 13))("has a counterexample: $what", ({ wide, narrow }) => {
    const [accepts, rejects] = [compile(wide), compile(narrow)];
    for (const side of ["input", "output"] as const) {
      const [before, after] = side === "input" ? [wide, narrow] : [narrow, wide];
      const changes = diffSide(before, after, side).filter(({ path }) => !path.includes("/properties/w/"));
      const witnesses = changes.flatMap(({ witness }) => (witness === undefined ? [] : [witness]));
      expect(witnesses).not.toEqual([]);
      for (const witness of witnesses)
        expect([accepts?.(witness).length, rejects?.(witness).length], JSON.stringify(witness)).toEqual([
          0,
          expect.not.closeTo(0),
        ]);
    }
  });
});
