import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import { compilePair } from "../witness/check-witness.js";
import { diffSide, type Side } from "./keyword-cases.js";
import { KEYWORD_ROWS, type KeywordRow } from "./keyword-rows.js";
import { sample } from "../../sample.js";

/** Rows of breaking changes in the newest dialect, without definitions. */
const ROWS = Object.entries(KEYWORD_ROWS).flatMap(([keyword, rows]) =>
  typeof rows === "string"
    ? []
    : rows.flatMap((row, index) =>
        row.dialect === undefined && row.definitions === undefined && row.classes === undefined
          ? [{ name: `${keyword} ${index + 1}`, row }]
          : [],
      ),
);

interface Combined {
  readonly wide: JsonObject;
  /** Only the first change, only the second change, and both. */
  readonly first: JsonObject;
  readonly second: JsonObject;
  readonly both: JsonObject;
}

type Combine = (one: JsonObject, other: JsonObject) => JsonObject;

function combineAll(one: KeywordRow, other: KeywordRow, combine: Combine): Combined {
  return {
    wide: combine(one.wide, other.wide),
    first: combine(one.narrow, other.wide),
    second: combine(one.wide, other.narrow),
    both: combine(one.narrow, other.narrow),
  };
}

/** The pairs whose rows are a number of places apart. */
function pairsApart(distance: number): readonly { what: string; one: KeywordRow; other: KeywordRow }[] {
  return ROWS.flatMap(({ name, row }, index) => {
    const other = ROWS[(index + distance) % ROWS.length];
    return other === undefined ? [] : [{ what: `${name} and ${other.name}`, one: row, other: other.row }];
  });
}

/** The witnesses of a combined change, each with the path of its change. */
function witnessesOf(
  { wide, both }: Combined,
  side: Side,
): readonly { readonly path: string; readonly witness: JsonValue }[] {
  const [before, after] = side === "input" ? [wide, both] : [both, wide];
  return diffSide(before, after, side)
    .filter((change) => change.class !== "safe")
    .map(({ path, witness, class: judged, reason }) => {
      expect([judged, path, reason]).toEqual(["breaking", path, undefined]);
      return { path: path.replace(`/${side}Schema`, ""), witness: witness ?? "no witness" };
    });
}

describe("witnesses of two changes", () => {
  it.each(sample([5, 17].flatMap(pairsApart), 5))(
    "show one change each if the other rejects required values: $what",
    ({ one, other }) => {
      const combined = combineAll(one, other, (v, w) => ({
        type: "object",
        properties: { v, w },
        required: ["v", "w"],
      }));
      for (const side of ["input", "output"] as const) {
        const witnesses = witnessesOf(combined, side);
        expect(witnesses).toHaveLength(2);
        for (const { path, witness } of witnesses) {
          const undone = path.startsWith("/properties/v") ? combined.second : combined.first;
          expect(compilePair(undone, combined.both)(witness), `${path} ${JSON.stringify(witness)}`).toBe(
            true,
          );
          expect(compilePair(combined.wide, combined.both)(witness)).toBe(true);
        }
      }
    },
  );

  const objects = ROWS.filter(({ row }) => isJsonObject(row.fits));
  const firsts = objects.map(({ name, row }, index) => ({ name, row, index }));
  it.each(sample(firsts, 4))("show one change each in the same object: $name", ({ row, index }) => {
    for (const { row: other } of objects.slice(index + 1)) {
      // Two rows may have the same keyword; each is then a part of an `allOf`.
      const combined = combineAll(row, other, (a, b) => ({ type: "object", allOf: [a, b] }));
      const isShown = compilePair(combined.wide, combined.both);
      const path = "/allOf/0";
      for (const change of witnessesOf(combined, "input")) {
        const isFirst = change.path.startsWith(path);
        const [undone, alone] = isFirst
          ? [combined.second, combined.first]
          : [combined.first, combined.second];
        const about = `${change.path} ${JSON.stringify(change.witness)}`;
        expect(isShown(change.witness), about).toBe(true);
        const isUndone = compilePair(undone, combined.both)(change.witness);
        expect(isUndone || compilePair(combined.wide, alone)(change.witness), about).toBe(true);
      }
    }
  });
});
