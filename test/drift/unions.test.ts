import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/change.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { runs } from "../sample.js";
import { diffSide, type Side } from "./grid/keyword-cases.js";
import { compilePair } from "./witness/check-witness.js";

/** Two versions of a schema with a union. */
interface UnionPair {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

const TEXTS = ["", "pd", "pw", "pm", "2024", "abc", "a~b", "x".repeat(12)];
const NUMBERS = [-1, 0, 0.5, 1, 3, 5, 6, 100];

const text = fc.constantFrom(...TEXTS.slice(1, 6));
const texts = fc.uniqueArray(text, { minLength: 1, maxLength: 3 });

/** Schemas of texts, from wide to narrow. */
const textSchemas: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constant({ type: "string" }),
  fc.constantFrom<JsonObject>(
    { type: "string", minLength: 1 },
    { type: "string", maxLength: 3 },
    { type: "string", pattern: "^\\d{4}$" },
    { type: "string", pattern: "^p" },
    { pattern: "^[^~]+$", type: "string" },
  ),
  text.map((value) => ({ const: value })),
  texts.map((values) => ({ enum: values })),
  texts.map((values) => ({ type: "string", enum: values })),
);

const numberSchemas: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
  { type: "number" },
  { type: "integer" },
  { type: "number", minimum: 1 },
  { type: "number", exclusiveMaximum: 5 },
  { type: "integer", maximum: 5 },
  { const: 3 },
);

const leaves: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 3, arbitrary: textSchemas },
  { weight: 2, arbitrary: numberSchemas },
  fc.constantFrom<JsonObject>({ type: "boolean" }, { type: "null" }),
);

/** Open objects: whether a caller passes undeclared properties is not a question here. */
const objects: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.constantFrom("", "circle", "square"), leaves, fc.option(leaves), fc.subarray(["a", "b"]))
  .map(([kind, a, b, required]) => ({
    type: "object",
    properties: { ...(kind !== "" && { kind: { const: kind } }), a, b: b ?? {} },
    required: [...(kind === "" ? [] : ["kind"]), ...required],
  }));

const branches: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 5, arbitrary: leaves },
  { weight: 2, arbitrary: objects },
  leaves.map((items): JsonObject => ({ type: "array", items })),
);

/** What a new version does to the list of branches. */
type Edit = (list: readonly JsonObject[]) => readonly JsonObject[];

const literalsOf = (branch: JsonObject): readonly JsonValue[] =>
  Array.isArray(branch["enum"])
    ? (branch["enum"] as readonly JsonValue[])
    : "const" in branch
      ? [branch["const"] ?? null]
      : [];

const mergeLiterals: Edit = (list) => {
  const values = [...new Set(list.flatMap(literalsOf))];
  const others = list.filter((branch) => literalsOf(branch).length === 0);
  return values.length === 0 ? list : [{ enum: values }, ...others];
};
const splitLiterals: Edit = (list) =>
  list.flatMap((branch) =>
    literalsOf(branch).length === 0 ? [branch] : literalsOf(branch).map((value) => ({ const: value })),
  );
const nest: Edit = ([first, second, ...others]) =>
  first === undefined || second === undefined ? [first ?? {}] : [...others, { anyOf: [first, second] }];

const at = fc.nat(3);
const edits: fc.Arbitrary<Edit> = fc.oneof(
  at.map(
    (index): Edit =>
      (list) =>
        list.length > 1 ? list.filter((_, each) => each !== index % list.length) : list,
  ),
  fc.tuple(at, branches).map(
    ([index, branch]): Edit =>
      (list) =>
        list.with(index % list.length, branch),
  ),
  branches.map((branch): Edit => (list) => [...list, branch]),
  fc.constantFrom<Edit>(mergeLiterals, splitLiterals, nest, (list) => list.toReversed()),
);

const keywords = fc.constantFrom("anyOf", "anyOf", "oneOf");

const union = (keyword: string, list: readonly JsonObject[]): JsonObject =>
  list.length === 1 ? (list[0] ?? {}) : { [keyword]: list };

/** Values of the pool for each place that a branch may have. */
const LEAVES: readonly JsonValue[] = [...TEXTS, ...NUMBERS, true, false, null];
const VALUES: readonly JsonValue[] = [
  ...LEAVES,
  [],
  ...LEAVES.map((value): JsonValue => [value]),
  {},
  ...["circle", "square", undefined].flatMap((kind): readonly JsonValue[] => {
    const tag = kind === undefined ? {} : { kind };
    return [
      tag,
      ...LEAVES.flatMap((a): readonly JsonValue[] => [
        { ...tag, a },
        { ...tag, b: a },
        ...["", "pd", "2024", 0, 3, 6, true, null].map((b): JsonValue => ({ ...tag, a, b })),
      ]),
    ];
  }),
];

/** A union and a later version of it. */
const unionPairs: fc.Arbitrary<UnionPair> = fc
  .tuple(
    fc.array(branches, { minLength: 1, maxLength: 4 }),
    fc.array(edits, { minLength: 1, maxLength: 3 }),
    keywords,
    fc.option(keywords),
  )
  .map(([list, changes, before, after]) => ({
    before: union(before, list),
    after: union(
      after ?? before,
      changes.reduce((branchesNow, edit) => edit(branchesNow), list as readonly JsonObject[]),
    ),
  }));

/** Where the union is: how a document writes it, and how an instance holds a value of it. */
const PLACES: Readonly<
  Record<
    string,
    { readonly write: (v: JsonObject) => JsonObject; readonly put: (value: JsonValue) => JsonObject }
  >
> = {
  "a property": { write: (v) => ({ properties: { v } }), put: (v) => ({ v }) },
  items: { write: (items) => ({ properties: { v: { type: "array", items } } }), put: (value) => ({ v: [value] }) },
  "a definition": { write: (V) => ({ properties: { v: { $ref: "#/$defs/V" } }, $defs: { V } }), put: (v) => ({ v }) },
}; // prettier-ignore

interface Judged {
  /** Whether a value of the pool shows a break. */
  readonly isBroken: boolean;
  /** The changes of the union that are breaking or unknown. */
  readonly open: readonly Change[];
}

/** Compares two versions of a document, alone or beside a limit of another property that breaks callers too. */
function judge({ before, after }: UnionPair, place: string, side: Side, isBeside: boolean): Judged {
  const { write, put } = PLACES[place] ?? {};
  if (write === undefined || put === undefined) throw new TypeError(`There is no place "${place}".`);
  const document = (v: JsonObject, w: JsonObject): JsonObject => {
    const whole = write(v);
    return {
      type: "object",
      ...whole,
      properties: { ...(whole["properties"] as JsonObject), ...(isBeside && { w }) },
    };
  };
  const limits = [{ type: "number" }, { type: "number", maximum: 5 }];
  const [first = {}, second = {}] = side === "input" ? limits : limits.toReversed();
  const [old, now] = [document(before, first), document(after, second)];
  const isWitness = side === "input" ? compilePair(old, now) : compilePair(now, old);
  const changes = diffSide(old, now, side).filter(({ path }) => !path.includes("/properties/w"));
  for (const { witness, rule } of changes)
    if (witness !== undefined) expect(isWitness(witness), `${rule} ${JSON.stringify(witness)}`).toBe(true);
  return {
    isBroken: VALUES.some((value) => isWitness(put(value))),
    open: changes.filter((change) => change.class === "breaking" || change.class === "unknown"),
  };
}

describe("a union that changes", () => {
  it("is never reported as safe if a value shows a break, alone or after a break beside it is waived", () => {
    let breaks = 0;
    let unwitnessed = 0;
    fc.assert(
      fc.property(
        unionPairs,
        fc.constantFrom(...Object.keys(PLACES)),
        fc.constantFrom<Side>("input", "output"),
        fc.boolean(),
        (pair, place, side, isBeside) => {
          const { isBroken, open } = judge(pair, place, side, isBeside);
          if (!isBroken) return;
          breaks += 1;
          expect(open).not.toEqual([]);
          if (!open.some(({ witness }) => witness !== undefined)) unwitnessed += 1;
        },
      ),
      { numRuns: runs(1200, 6) },
    );
    expect(breaks).toBeGreaterThan(runs(600, 6));
    expect(unwitnessed / breaks).toBeLessThan(0.01);
  });
});
