import { describe, expect, it } from "vitest";
import type { ChangeClass } from "../../../src/core/change.js";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { parseSchema } from "../../../src/schema/ir/parse-schema.js";
import { areAllDisjoint } from "../../../src/schema/ir/node-types.js";
import { diffSide } from "../grid/keyword-cases.js";
import { compilePair } from "../witness/check-witness.js";

/** The spellings of a tag with the value "a", "b" or "c". */
const TAGS: Readonly<Record<string, (kind: string) => JsonObject>> = {
  "a const": (kind) => ({ const: kind }),
  "an enum": (kind) => ({ enum: [kind] }),
  "a typed const": (kind) => ({ type: "string", const: kind }),
  "a typed enum": (kind) => ({ type: "string", enum: [kind, `${kind}2`] }),
  "an enum with a default and a limit": (kind) => ({ enum: [kind], default: kind, minLength: 1 }),
  "a nullable enum": (kind) => ({ type: kind === "a" ? ["string", "null"] : "string", enum: [kind, ...(kind === "a" ? [null] : [])] }),
  "a reference": (kind) => ({ $ref: `#/$defs/${kind}` }),
  "a conjunction": (kind) => ({ allOf: [{ type: "string" }, { const: kind }] }),
}; // prettier-ignore

const DEFINITIONS: JsonObject = Object.fromEntries(
  ["a", "b", "c"].map((kind) => [kind, { type: "string", const: kind }]),
);

interface Grid {
  readonly union: "anyOf" | "oneOf";
  readonly tag: (kind: string) => JsonObject;
  readonly isOpen: boolean;
}

/** A branch of the union with a tag and an optional or required property. */
interface Branch {
  readonly kind: string;
  readonly properties?: JsonObject;
  readonly required?: readonly string[];
}

function makeSchema(branches: readonly Branch[], { union, tag, isOpen }: Grid): JsonObject {
  const members = branches.map(({ kind, properties = {}, required = [] }) => ({
    type: "object",
    properties: { kind: tag(kind), ...properties },
    required: ["kind", ...required],
    ...(!isOpen && { additionalProperties: false }),
  }));
  return { type: "object", properties: { l: { [union]: members } }, $defs: DEFINITIONS };
}

const text = { type: "string" };
const A: Branch = { kind: "a" };
const C: Branch = { kind: "c", properties: { n: { type: "number" } } };

/** The branch with the property `d`. */
const b = (d: JsonObject, more: Partial<Branch> = {}): readonly Branch[] => [
  A,
  { kind: "b", properties: { d }, ...more },
];
const required = ["d"];

interface Edit {
  readonly before: readonly Branch[];
  readonly after: readonly Branch[];
  /** The classes of the changes in the input and in the output. */
  readonly classes: readonly [input: ChangeClass, output: ChangeClass];
  /** An instance that only one of the schemas accepts, if the change breaks callers on the wire. */
  readonly shows?: JsonValue;
}

const NARROWS = ["breaking", "safe"] as const;
const WIDENS = ["safe", "breaking"] as const;
const EDITS: Readonly<Record<string, Edit>> = {
  "a property that becomes required": { before: b(text), after: b(text, { required }), classes: NARROWS, shows: { l: { kind: "b" } } },
  "a property that becomes optional": { before: b(text, { required }), after: b(text), classes: WIDENS, shows: { l: { kind: "b" } } },
  "a lower limit": { before: b({ ...text, maxLength: 3 }), after: b({ ...text, maxLength: 2 }), classes: NARROWS, shows: { l: { kind: "b", d: "aaa" } } },
  "a type that is wider": { before: b(text), after: b({ type: ["string", "null"] }), classes: WIDENS, shows: { l: { kind: "b", d: null } } },
  "a new required property": { before: [A, { kind: "b" }], after: b(text, { required }), classes: NARROWS, shows: { l: { kind: "b" } } },
  "a new branch": { before: b(text), after: [...b(text), C], classes: WIDENS, shows: { l: { kind: "c" } } },
  "a removed branch": { before: [...b(text), C], after: b(text), classes: NARROWS, shows: { l: { kind: "c" } } },
  "a new optional property": { before: b(text), after: b(text, { properties: { d: text, e: { type: "number" } } }), classes: ["safe", "safe"] },
}; // prettier-ignore

const CASES = Object.entries(EDITS).flatMap(([edit, given]) =>
  Object.entries(TAGS).flatMap(([tag, makeTag]) =>
    (["anyOf", "oneOf"] as const).flatMap((union) =>
      [true, false].map((isOpen) => ({
        what: `${edit}, ${union} with ${tag}, ${isOpen ? "open" : "closed"}`,
        edit,
        given,
        grid: { union, tag: makeTag, isOpen },
      })),
    ),
  ),
);

describe("a change in one branch of a tagged union", () => {
  it.each(CASES)("is one change: $what", ({ edit, given, grid }) => {
    const [before, after] = [makeSchema(given.before, grid), makeSchema(given.after, grid)];
    const closedGains = !grid.isOpen && edit.startsWith("a new ") && edit.endsWith("property");
    for (const side of ["input", "output"] as const) {
      const changes = diffSide(before, after, side);
      // The default client keeps the keys that a closed output did not declare.
      const expected =
        side === "output" && closedGains ? "dangerous" : given.classes[side === "input" ? 0 : 1];
      expect(changes.map((change) => change.class)).toEqual([expected]);
      const [change] = changes;
      if (expected !== "breaking" || given.shows === undefined) continue;
      const isWitness = side === "input" ? compilePair(before, after) : compilePair(after, before);
      expect(isWitness(given.shows)).toBe(true);
      expect(isWitness(change?.witness ?? null), JSON.stringify(change?.witness)).toBe(true);
    }
  });

  it("is not a change of the union that becomes exclusive", () => {
    for (const tag of Object.values(TAGS)) {
      const branches = [A, { kind: "b", properties: { d: text } }];
      const make = (union: Grid["union"]): JsonObject => makeSchema(branches, { union, tag, isOpen: true });
      expect(diffSide(make("anyOf"), make("oneOf"), "input")).toEqual([]);
    }
  });
});

describe("areAllDisjoint", () => {
  const object = (properties: JsonObject, required: readonly string[]): JsonObject => ({
    type: "object",
    properties,
    required,
  });
  const a = { const: "a" };
  it.each<[string, boolean, readonly JsonValue[]]>([
    ["typed constants", true, [{ type: "string", const: "a" }, { type: "string", const: "b" }]],
    ["an enum whose shared value has another type", true, [{ enum: ["a", 1] }, { type: "string", enum: ["b", 1] }]],
    ["a tag that another part of the branch requires", true, [{ allOf: [object({ k: a }, []), { required: ["k"] }] }, object({ k: { const: "b" } }, ["k"])]],
    ["a tag in a base", true, [{ allOf: [object({ k: a }, ["k"]), object({ x: {} }, ["x"])] }, object({ k: { const: "b" } }, ["k"])]],
    ["a tag that a list of types allows", true, [object({ k: { anyOf: [a, { type: "null" }] } }, ["k"]), object({ k: { const: "b" } }, ["k"])]],
    ["two tags that may both be null", false, [object({ k: { enum: ["a", null] } }, ["k"]), object({ k: { enum: ["b", null] } }, ["k"])]],
    ["a tag that is optional", false, [object({ k: a }, []), object({ k: { const: "b" } }, ["k"])]],
    ["the same typed constant", false, [{ type: "string", const: "a" }, { type: "string", enum: ["b", "a"] }]],
    ["a constant and its type", false, [{ type: "string", const: "a" }, { type: "string" }]],
    ["tags of values that need not be objects", false, [{ properties: { k: a }, required: ["k"] }, { properties: { k: { const: "b" } }, required: ["k"] }]],
    ["constants that are objects", false, [{ const: { a: 1 } }, { const: { a: 1 } }]],
  ])("%s: %s", (_what, isDisjoint, branches) => {
    const { ir, definitions } = parseSchema({ oneOf: branches });
    expect(ir.kind === "oneOf" && areAllDisjoint(ir.members, definitions)).toBe(isDisjoint);
  }); // prettier-ignore
});
