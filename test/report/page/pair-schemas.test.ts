import { expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import {
  type PairedLine,
  pairSchemas,
  type SchemaEdit,
} from "../../../src/report/page/browser/side-by-side.js";

/** Changed lines as `before → after`, those below in parentheses. */
function changedLines(line: PairedLine<SchemaEdit>): readonly string[] {
  if (!line.isChanged) return [];
  const below = line.below.flatMap(changedLines).join(", ");
  const marks = line.edits.map(({ pointer }) => ` ${pointer}`).join("");
  const names = [line.before, line.after].map((side) => (side === undefined ? "∅" : side.member.name));
  return [`${names.join(" → ")}${marks}${below === "" ? "" : ` (${below})`}`];
}

function linesOf(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  edits: readonly SchemaEdit[] = [],
): readonly string[] {
  const root = pairSchemas({ before, after }, edits);
  return [...root.below.flatMap(changedLines), ...root.edits.map(({ pointer }) => `root: ${pointer}`)];
}

const text: JsonObject = { type: "string" };

function object(properties: JsonObject, rest: JsonObject = {}): JsonObject {
  return { type: "object", properties, ...rest };
}

it("pairs properties by name, keeps removed ones in place, and leaves out equal ones", () => {
  const before = object({ a: text, gone: text, b: { type: "integer", maximum: 5 }, last: text });
  const after = object({ first: text, a: text, b: { type: "integer", maximum: 4 } });
  expect(linesOf(before, after)).toEqual(["∅ → first", "gone → ∅", "b → b", "last → ∅"]);
});

it("pairs a renamed property with its old name", () => {
  const edit = { pointer: "/properties/query", renamedFrom: "q" };
  expect(linesOf(object({ q: text }), object({ query: text }), [edit])).toEqual([
    "q → query /properties/query",
  ]);
});

it("marks the innermost line that an edit is in, and the schema itself for one that no line has", () => {
  const nested = (pattern: string): JsonObject =>
    object({ list: { type: "array", items: object({ sku: { ...text, not: { pattern } } }) } });
  const edits = ["/properties/list/items/properties/sku/not/pattern", "/dependentRequired"];
  expect(
    linesOf(
      nested("a"),
      nested("b"),
      edits.map((pointer) => ({ pointer })),
    ),
  ).toEqual([
    "list → list (sku → sku /properties/list/items/properties/sku/not/pattern)",
    "root: /dependentRequired",
  ]);
});

it("shows a shared type once, marks its edits, and ends at a recursive one", () => {
  const shared = (limit: number): JsonObject =>
    object(
      { buyer: { $ref: "#/$defs/person" }, payer: { $ref: "#/$defs/person" } },
      {
        $defs: {
          person: object({ name: { ...text, maxLength: limit }, parent: { $ref: "#/$defs/person" } }),
        },
      },
    );
  const edit = { pointer: "/$defs/person/properties/name/maxLength" };
  expect(linesOf(shared(9), shared(8), [edit])).toEqual([
    "buyer → buyer (name → name /$defs/person/properties/name/maxLength)",
    "payer → payer",
  ]);
  const required = { pointer: "/$defs/person/properties/parent" };
  expect(linesOf(shared(9), shared(9), [required])).toEqual([
    "buyer → buyer (parent → parent /$defs/person/properties/parent)",
    "payer → payer",
  ]);
});

it("pairs equal alternatives wherever they are", () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => object({ [name]: text }));
  expect(linesOf({ anyOf: [a ?? {}, b ?? {}] }, { anyOf: [c ?? {}, a ?? {}, b ?? {}] })).toEqual([
    "∅ → [1 of 3]",
  ]);
});

it("compares a schema with an absent one", () => {
  const root = pairSchemas({ before: undefined, after: object({ a: text }) }, [{ pointer: "" }]);
  expect([root.before, root.below, root.edits.length, root.isChanged]).toEqual([undefined, [], 1, true]);
});

it("compares large and deep schemas in linear time", () => {
  const wide = object(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, text])));
  const chain = (limit: number): JsonObject => ({
    $ref: "#/$defs/d0",
    $defs: Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `d${at}`,
        at === 59
          ? { ...text, maxLength: limit }
          : object({ a: { $ref: `#/$defs/d${at + 1}` }, b: { $ref: `#/$defs/d${at + 1}` } }),
      ]),
    ),
  });
  expect(linesOf(wide, { ...wide, properties: { ...object({}), ...{ p0: text } } }).length).toBeGreaterThan(
    4_000,
  );
  expect(pairSchemas({ before: chain(1), after: chain(2) }, []).isChanged).toBe(true);
});
