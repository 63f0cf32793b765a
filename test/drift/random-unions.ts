import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/core/json.js";

/** Two versions of a schema with a union, and values that may tell them apart. */
export interface UnionPair {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly values: readonly JsonValue[];
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
  .tuple(
    fc.constantFrom("", "circle", "square"),
    leaves,
    fc.option(leaves),
    fc.subarray(["a", "b"]),
  )
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
  Array.isArray(branch["enum"]) ? (branch["enum"] as readonly JsonValue[]) : "const" in branch ? [branch["const"] ?? null] : [];

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
  at.map((index): Edit => (list) => (list.length > 1 ? list.filter((_, each) => each !== index % list.length) : list)),
  fc.tuple(at, branches).map(([index, branch]): Edit => (list) => list.with(index % list.length, branch)),
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

/** A union and a later version of it, alone or as one property among others. */
export const unionPairs: fc.Arbitrary<UnionPair> = fc
  .tuple(
    fc.array(branches, { minLength: 1, maxLength: 4 }),
    fc.array(edits, { minLength: 1, maxLength: 3 }),
    keywords,
    fc.option(keywords),
  )
  .map(([list, changes, before, after]) => ({
    before: union(before, list),
    after: union(after ?? before, changes.reduce((branchesNow, edit) => edit(branchesNow), list as readonly JsonObject[])),
    values: VALUES,
  }));
