import { describe, expect, it } from "vitest";
import { ASSERTING_KEYWORDS } from "../../../src/schema/raw/dialect.js";
import { compilePair } from "../witness/check-witness.js";
import { CASES, diffSide, makeSchema, type Side } from "./keyword-cases.js";
import { KEYWORD_ROWS } from "./keyword-rows.js";
import { sample } from "../../sample.js";

function asPrefix(path: string): RegExp {
  return new RegExp(`^${path.replaceAll("$", "\\$")}`);
}

describe("a change of one keyword", () => {
  it("has a row for each keyword", () => {
    expect(Object.keys(KEYWORD_ROWS).sort()).toEqual([...ASSERTING_KEYWORDS].sort());
  });

  it.each(sample(CASES, 5))("has the class that a validator confirms: $what", ({ row, position }) => {
    const [narrow, wide] = [row.narrow, row.wide].map((part) => makeSchema(part, row, position));
    if (narrow === undefined || wide === undefined) throw new TypeError("No schemas.");
    const { dialect = "2020-12", shows, classes = ["breaking", "breaking"] } = row;
    const isBroken = compilePair(wide, narrow, dialect);
    if (shows !== undefined) expect(isBroken(position.put(shows))).toBe(true);
    for (const instance of [shows, row.fits])
      if (instance !== undefined)
        expect(compilePair(narrow, wide, dialect)(position.put(instance))).toBe(false);
    // The definition shows more than the reference that leads to it.
    const isReferred = row.definitions !== undefined;
    const path = (side: Side): string => `/${side}Schema${position.at}`;
    for (const [index, side] of (["input", "output"] as const).entries()) {
      const [before, after] = side === "input" ? [wide, narrow] : [narrow, wide];
      const [open, safe] = [diffSide(before, after, side), diffSide(after, before, side)];
      expect(
        safe.map(({ rule, class: judged, reason, witness }) => ({ rule, judged, reason, witness })),
      ).toEqual(safe.map(({ rule }) => ({ rule, judged: "safe" })));
      const worst = open.filter((change) => change.class !== "safe");
      expect(worst.map((change) => [change.class, change.path])).toEqual([
        [classes[index], expect.stringMatching(isReferred ? /\/\$defs\// : asPrefix(path(side)))],
      ]);
      if (classes[index] !== "breaking") continue;
      expect(isBroken(worst[0]?.witness ?? null), JSON.stringify(worst[0]?.witness)).toBe(true);
    }
  });
});
