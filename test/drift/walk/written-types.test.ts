/** The values of a change are written at its path: a reader who looks there finds them. */
import { describe, expect, it } from "vitest";
import { findAt } from "../../../src/core/json-pointer.js";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { SIDED_EXAMPLES } from "../../../src/drift/rules/examples.js";
import { CASES, diffSide, makeSchema, POSITIONS } from "../grid/keyword-cases.js";
import { runs, sample } from "../../sample.js";

const TYPES = /^(?:input|output)-(?:type|null)-/;

const pairs: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ...CASES.flatMap(({ what, row, position }): (readonly [string, JsonObject, JsonObject])[] => {
    const [narrow, wide] = [makeSchema(row.narrow, row, position), makeSchema(row.wide, row, position)];
    return [
      [`${what} narrower`, wide, narrow],
      [`${what} wider`, narrow, wide],
    ];
  }),
  ...Object.entries(SIDED_EXAMPLES).flatMap(([rule, { before, after }]) =>
    Object.entries(POSITIONS)
      .filter(([, { at }]) => at !== "")
      .map(([where, position]): readonly [string, JsonObject, JsonObject] => {
        const [narrow, wide] = [before as JsonObject, after as JsonObject];
        const row = { narrow, wide, fits: 1 };
        return [`${rule} in ${where}`, makeSchema(narrow, row, position), makeSchema(wide, row, position)];
      }),
  ),
];

describe.each(["input", "output"] as const)("the types of a change of the %s", (side) => {
  it("are those at its path", () => {
    const found = sample(pairs, 5).flatMap(([what, before, after]) =>
      diffSide(before, after, side)
        .filter(({ rule }) => TYPES.test(rule))
        .map((change) => ({ what, before, after, change })),
    );
    expect(found.length).toBeGreaterThan(runs(300, 6));
    for (const { what, before, after, change } of found) {
      const at = change.path.replace(/^\/(?:in|out)putSchema/, "");
      const [was, is] = [findAt(before, at), findAt(after, at)];
      // A reference that leads to another definition: the types are those of the two definitions.
      if (/^\/\$defs\/[NW]\//.test(at)) continue;
      const isWritten = (shown: JsonValue | undefined, real: JsonValue | undefined): boolean =>
        shown === undefined || JSON.stringify(shown) === JSON.stringify(real);
      expect([what, change.path, change.before, isWritten(change.before, was)]).toEqual([what, change.path, change.before, true]); // prettier-ignore
      expect([what, change.path, change.after, isWritten(change.after, is)]).toEqual([what, change.path, change.after, true]); // prettier-ignore
      expect([what, JSON.stringify(change.before)]).not.toEqual([what, JSON.stringify(change.after)]);
    }
  });
});

it("names the branch that allows another type", () => {
  const of = (p: JsonObject) => ({ name: "t", inputSchema: { type: "object", properties: { p } } });
  const text = { type: "string" };
  const [change] = diffTools([of(text)], [of({ anyOf: [text, { type: "null" }] })]);
  expect(change).toMatchObject({ rule: "input-null-added", path: "/inputSchema/properties/p/anyOf/1/type", after: "null" }); // prettier-ignore
});

const text = { type: "string" };
const integer = { type: "object", allOf: [{ type: "integer" }] };

it.each<[string, JsonValue, JsonValue, readonly (readonly [string, JsonValue?])[]]>([
  ["an empty list", text, { ...text, enum: [] }, [["constraint-added /enum", []]]],
  ["a list that became empty", { enum: ["a"] }, { enum: [] }, [["enum-value-removed /enum"]]],
  ["a list beside no branch", { enum: ["a"] }, { enum: ["a"], anyOf: [false] }, [["enum-value-removed /enum"]]],
  ["no value at all", text, false, [["constraint-added ", false]]],
  ["an empty list of types", text, { type: [] }, [["constraint-added ", { type: [] }]]],
  ["types without a common one, before and after", integer, { ...integer, properties: {} }, []],
])("names the keyword that leaves no value: %s", (_what, before, after, expected) => {
  const of = (p: JsonValue): JsonObject => ({ type: "object", properties: { p } });
  const changes = diffSide(of(before), of(after), "input").map((change) => [
    `${change.rule.slice("input-".length)} ${change.path.slice("/inputSchema/properties/p".length)}`,
    ...(change.after === undefined ? [] : [change.after]),
  ]);
  expect(changes).toEqual(expected);
}); // prettier-ignore

it("reports no other root of an output that no value fits before and after", () => {
  expect(diffSide(integer, { ...integer, properties: {} }, "output")).toEqual([]);
});
