import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, isJsonArray, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import { confirmFindings, findWitnesses } from "../../../src/drift/witness/confirm-findings.js";
import {
  type UnconfirmedChange,
  makeChange,
  type WitnessAnswer,
  type WitnessRequest,
} from "../../../src/drift/unconfirmed-change.js";
import { instances, jsonSchemas } from "../json-schemas.js";
import { compilePair, removals, type TestedDialect } from "./check-witness.js";
import { runs } from "../../sample.js";

type Case = readonly [
  what: string,
  accepts: JsonValue,
  rejects: JsonValue,
  at: string,
  witness: JsonValue,
  dialect?: TestedDialect,
];

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...rest,
});
const list = (items: JsonValue, rest: JsonObject = {}): JsonObject => ({ type: "array", items, ...rest });
const tree = (value: JsonObject): JsonObject => ({
  $defs: { Node: object({ value, next: { $ref: "#/$defs/Node" } }, { required: ["value"] }) },
  ...object({ root: { $ref: "#/$defs/Node" } }),
});
const shapes = (least: JsonObject): JsonObject => ({
  oneOf: [
    object({ kind: { const: "circle" }, name: { type: "string" } }, { required: ["kind", "name"] }),
    object({ kind: { const: "square" }, side: { type: "number", ...least } }, { required: ["kind", "side"] }),
  ],
});

const INTEGER: JsonValue = { type: "integer" };
const NUMBER: JsonValue = { type: "number" };
const branch = (kind: string, v: JsonValue): JsonObject =>
  object({ t: { const: kind }, v }, { required: ["t"] });
/** `count` branches, one of them narrower. */
const branches = (count: number, narrow?: number): readonly JsonObject[] =>
  Array.from({ length: count }, (_, index) => branch(`k${index}`, index === narrow ? INTEGER : NUMBER));
const named = (narrow?: number): JsonObject => {
  const all = branches(60, narrow).map((schema, index): [string, JsonValue] => [`D${index}`, schema]);
  const items = { oneOf: all.map(([name]) => ({ $ref: `#/$defs/${name}` })) };
  return { $defs: Object.fromEntries(all), ...object({ ops: list(items) }) };
};
const nested = (inner?: number, outer?: number): JsonObject => ({
  anyOf: Array.from({ length: 20 }, (_, one) => ({
    oneOf: Array.from({ length: 20 }, (_each, two) =>
      branch(`k${one}-${two}`, one === outer && two === inner ? INTEGER : NUMBER),
    ),
  })),
});
const deep = (levels: number, leaf: JsonValue): JsonValue =>
  levels === 0 ? leaf : object({ a: deep(levels - 1, leaf) });

const CASES: readonly Case[] = [
  ["a property that became required", object({ a: { type: "string" } }), object({ a: { type: "string" } }, { required: ["a"] }), "/properties/a", {}],
  ["a removed property of a closed object", object({ a: { type: "null" }, b: {} }, { additionalProperties: false }), object({ b: {} }, { additionalProperties: false }), "/properties/a", { a: null }],
  ["an object that became closed", object({ a: {} }), object({ a: {} }, { additionalProperties: false }), "/additionalProperties", { extra: "" }],
  ["an upper limit", object({ n: { type: "integer", maximum: 100 } }), object({ n: { type: "integer", maximum: 50 } }), "/properties/n/maximum", { n: 51 }],
  ["a lower limit of fractions", { type: "number", minimum: 0 }, { type: "number", exclusiveMinimum: 0 }, "/exclusiveMinimum", 0],
  ["a divisor", { type: "integer" }, { type: "integer", multipleOf: 5 }, "/multipleOf", 6],
  ["a shorter text", object({ s: { type: "string", maxLength: 5 } }), object({ s: { type: "string", maxLength: 3 } }), "/properties/s/maxLength", { s: "aaaa" }],
  ["a longer text", { type: "string" }, { type: "string", minLength: 1 }, "/minLength", ""],
  ["a class of a pattern", { type: "string", pattern: "^[a-z]+$" }, { type: "string", pattern: "^[a-y]+$" }, "/pattern", "z"],
  ["a count of a pattern", { type: "string", pattern: "^\\d{1,5}$" }, { type: "string", pattern: "^\\d{1,3}$" }, "/pattern", "0000"],
  ["a branch of a pattern", { type: "string", pattern: "^(?:cat|dog)s?$" }, { type: "string", pattern: "^cats?$" }, "/pattern", "dog"],
  ["null", tree({ type: ["string", "null"] }), tree({ type: "string" }), "/$defs/Node/properties/value/type", { root: { value: null } }],
  ["a branch of a union", { anyOf: [{ type: "string" }, { type: "boolean" }] }, { anyOf: [{ type: "string" }] }, "/anyOf/1", true],
  ["a property in one branch", object({ x: shapes({}) }), object({ x: shapes({ minimum: 3 }) }), "/properties/x/oneOf/1/properties/side/minimum", { x: { kind: "square", side: 2 } }],
  ["branches that overlap", { oneOf: [{ type: "integer" }] }, { oneOf: [{ type: "integer" }, { type: "number", minimum: 5 }] }, "/oneOf/1", 5],
  ["items", object({ a: list({ type: "string" }) }), object({ a: list({ type: "string", minLength: 1 }) }), "/properties/a/items/minLength", { a: [""] }],
  ["a longer list", list({ type: "null" }), list({ type: "null" }, { minItems: 2 }), "/minItems", []],
  ["a shorter list", list({ type: "null" }), list({ type: "null" }, { maxItems: 2 }), "/maxItems", [null, null, null]],
  ["items that differ", list({ type: "null" }), list({ type: "null" }, { uniqueItems: true }), "/uniqueItems", [null, null]],
  ["a tuple", { prefixItems: [{ type: "null" }, {}] }, { prefixItems: [{ type: "null" }, { type: "boolean" }] }, "/prefixItems/1", [null, ""]],
  ["values of a map", object({ m: { type: "object", additionalProperties: { type: "number" } } }), object({ m: { type: "object", additionalProperties: { type: "integer" } } }), "/properties/m/additionalProperties/type", { m: { extra: 1.5 } }],
  ["keys of a pattern", { patternProperties: { "^x-": {} } }, { patternProperties: { "^x-": { type: "null" } } }, "/patternProperties/^x-", { "x-": "" }],
  ["a property that another property requires", object({ a: { type: "null" } }), object({ a: { type: "null" } }, { dependentRequired: { a: ["b"] } }), "/dependentRequired", { a: null }],
  ["a property that requires others by two keywords", object({ a: {} }, { dependencies: { a: ["b"] }, dependentRequired: { a: ["c"] } }), object({ a: { type: "null" } }, { dependencies: { a: ["b"] }, dependentRequired: { a: ["c"] } }), "/properties/a/type", { a: "", b: "", c: "" }],
  ["a property with schemas by two keywords", object({ a: {} }, { dependencies: { a: { required: ["b"] } }, dependentSchemas: { a: { required: ["c"] } } }), object({ a: { type: "null" } }, { dependencies: { a: { required: ["b"] } }, dependentSchemas: { a: { required: ["c"] } } }), "/properties/a/type", { a: "", b: "", c: "" }],
  ["a negation", { type: "string" }, { type: "string", not: { pattern: "^x\\d$" } }, "/not", "x0"],
  ["a condition", object({ a: { enum: [1, 2] } }), object({ a: { enum: [1, 2] } }, { if: { properties: { a: { const: 2 } }, required: ["a"] }, then: { required: ["b"] } }), "/if", { a: 2 }],
  ["names that are not identifiers", object({ "a/b~c": {} }), object({ "a/b~c": { type: "null" } }), "/properties/a~1b~0c/type", { "a/b~c": "" }],
  ["a boolean exclusiveMinimum of draft 4", { minimum: 1 }, { minimum: 1, exclusiveMinimum: true }, "/exclusiveMinimum", 1, "draft-04"],
  ["the schema of a new property, with that property", object({ a: {} }), object({ n: INTEGER }), "/properties/n", { n: "" }],
  ["a change 45 levels down", deep(45, NUMBER), deep(45, INTEGER), `${"/properties/a".repeat(45)}/type`, Array.from({ length: 45 }).reduce<JsonValue>((a) => ({ a }), 1.5)],
  ["a change in a definition that items refer to", named(), named(57), "/$defs/D57/properties/v/type", { ops: [{ t: "k57", v: 1.5 }] }],
  ["a change in a union within a union", object({ op: nested() }), object({ op: nested(18, 17) }), "/properties/op/anyOf/17/oneOf/18/properties/v/type", { op: { t: "k17-18", v: 1.5 } }],
  ["a change in branches that have moved", object({ op: { anyOf: branches(30) } }), object({ op: { anyOf: [branch("new", {}), ...branches(30, 20)] } }), "/properties/op/anyOf/21/properties/v/type", { op: { t: "k20", v: 1.5 } }],
  ["a removed branch of 60", object({ op: { oneOf: branches(60) } }), object({ op: { oneOf: branches(60).filter((_, index) => index !== 41) } }), "/properties/op/oneOf/41", { op: { t: "k41" } }],
  ...[6, 7, 30, 59].flatMap((index) => ["anyOf", "oneOf"].map((keyword): Case => [
    `a change in branch ${index} of 60 of ${keyword}`, object({ op: { [keyword]: branches(60) } }), object({ op: { [keyword]: branches(60, index) } }),
    `/properties/op/${keyword}/${index}/properties/v/type`, { op: { t: `k${index}`, v: 1.5 } },
  ])),
  ["a schema with $schema", { $schema: "http://json-schema.org/draft-07/schema#", items: [{}] }, { $schema: "http://json-schema.org/draft-07/schema#", items: [{}], additionalItems: false }, "/additionalItems", ["", ""]],
]; // prettier-ignore

const request = (accepts: JsonValue, rejects: JsonValue, at: string): WitnessRequest => ({
  ...{ accepts, rejects, at, dialect: "2020-12" },
});

function requestOf([, accepts, rejects, at, , dialect = "2020-12"]: Case): WitnessRequest {
  return { accepts, rejects, at, dialect };
}

/** The answers without the place in the instance. */
function answersTo(
  requests: readonly WitnessRequest[],
): readonly (
  | { readonly kind: "found"; readonly instance: JsonValue }
  | Exclude<WitnessAnswer, { kind: "found" }>
)[] {
  return findWitnesses(requests).map((answer) =>
    answer.kind === "found" ? { kind: answer.kind, instance: answer.instance } : answer,
  );
}

describe("findWitnesses", () => {
  it.each(CASES.map((given) => ({ what: given[0], given })))("shows $what", ({ given }) => {
    const [, accepts, rejects, , witness, dialect] = given;
    const [answer] = answersTo([requestOf(given)]);
    expect(answer).toEqual({ kind: "found", instance: witness });
    const declared = JSON.stringify(accepts).includes("draft-07") ? "draft-07" : dialect;
    const isWitness = compilePair(accepts, rejects, declared);
    expect(isWitness(witness)).toBe(true);
    expect(removals(witness).filter(isWitness)).toEqual([]);
  });

  it("answers many requests in their order", () => {
    expect(answersTo(CASES.map(requestOf))).toEqual(
      CASES.map(([, , , , instance]) => ({ kind: "found", instance })),
    );
  });

  it.each<[string, JsonValue, JsonValue, string]>([
    ["of an open object", object({ a: {} }), object({ n: { type: "integer" } }), "/properties/a"],
    ["beside another pattern", object({ a: { pattern: "^a+$" } }), object({ a: { pattern: "^a*$" }, n: { type: "integer" } }), "/properties/a/pattern"],
    ["of an explicitly open object", object({ a: {} }, { additionalProperties: {} }), object({ n: { type: "integer" } }), "/properties/a"],
    ["of a list's items", list(object({ a: {} })), list(object({ n: { type: "integer" } }), { minItems: 0 }), "/items/properties/a"],
    ["of a branch", { anyOf: [object({ a: {} }), { type: "null" }] }, { anyOf: [object({ n: { type: "integer" } }), { type: "null" }] }, "/anyOf/0/properties/a"],
    ["of a recursive schema", tree({}), { ...tree({}), $defs: { Node: object({ n: { type: "integer" }, next: { $ref: "#/$defs/Node" } }) } }, "/$defs/Node/properties/value"],
  ])("does not confuse an undeclared property with the removal of a property %s", (_what, accepts, rejects, at) => {
    expect(answersTo([request(accepts, rejects, at)])).toEqual([{ kind: "none" }]);
  }); // prettier-ignore

  it("shows each of several changes at its own place", () => {
    const accepts = object({ status: { enum: ["draft", "done"] }, n: { maximum: 9 }, id: {} });
    const rejects = object({ status: { enum: ["done"] }, n: { maximum: 5 }, id: {} }, { required: ["id"] });
    const places = ["/properties/status/enum", "/properties/n/maximum", "/properties/id"];
    const requests = places.map((at) => ({
      ...request(accepts, rejects, at),
      ...(at.includes("status") && { value: "draft" }),
    }));
    expect(answersTo(requests)).toEqual(
      [{ status: "draft" }, { n: 6 }, {}].map((instance) => ({ kind: "found", instance })),
    );
  });

  it("reads PHP's empty lists as the objects they are, and no keyword that only Ajv knows", () => {
    const accepts = { type: "object", properties: { a: [] } };
    const rejects = { type: "object", properties: [], additionalProperties: false };
    const ofPhp = { ...request(accepts, rejects, "/properties/a"), dialect: "wordpress" } as const;
    const ofAjv = request({ type: ["string", "null"] }, { type: "string", nullable: true }, "/type");
    expect(answersTo([ofPhp, ofAjv])).toEqual(
      [{ a: "" }, null].map((instance) => ({ kind: "found", instance })),
    );
  });

  it("shows a change under the name `__proto__`", () => {
    const proto = (type: string): JsonObject => object({ ["__proto__"]: { type } });
    const [answer] = answersTo([request(proto("number"), proto("integer"), "/properties/__proto__/type")]);
    expect(JSON.stringify(answer)).toBe('{"kind":"found","instance":{"__proto__":1.5}}');
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["beside a pattern with a lookahead", { password: { type: "string", pattern: "^(?=.*[A-Z])(?=.*\\d).{8,}$" } }, { required: ["password", "v"] }],
    ["if the only declared property is forbidden", { no: false }, { minProperties: 2 }],
  ])("shows a change %s", (_where, properties, rules) => {
    const of = (v: JsonValue): JsonObject => object({ ...properties, v }, rules);
    const [answer] = answersTo([request(of(NUMBER), of(INTEGER), "/properties/v/type")]);
    expect(answer).toMatchObject({ kind: "found", instance: { v: 1.5 } });
  }); // prettier-ignore
});

/** A mismatch takes JavaScript twice the time for every additional `a`. */
const SLOW = { type: "string", pattern: "^(a+)+$", minLength: 40 };

/** A name that the pattern does not match, at its last character. */
const LONG_NAME = `${"a".repeat(60)}!`;

/** A pattern without a known polynomial algorithm. */
const backReference = (least: number): JsonObject => ({ ...SLOW, pattern: "^(a+)+\\1$", minLength: least });

describe("a pattern on which JavaScript takes exponential time", () => {
  const wider = { ...SLOW, pattern: "^(a+)+b?$" };

  it("is searched like any other", () => {
    const least = { minLength: 2 };
    expect(answersTo([request({ ...wider, ...least }, { ...SLOW, ...least }, "/pattern")])).toEqual([
      { kind: "found", instance: "ab" },
    ]);
    expect(answersTo([request(SLOW, wider, "/pattern")])).toEqual([{ kind: "none" }]);
  });

  it("does not hide other changes", () => {
    const accepts = object({ x: SLOW, n: { type: "number" } });
    const rejects = object({ x: wider, n: { type: "integer" } });
    const places = ["/properties/x/pattern", "/properties/n/type"];
    expect(answersTo(places.map((at) => request(accepts, rejects, at)))).toEqual([
      { kind: "none" },
      { kind: "found", instance: { n: 1.5 } },
    ]);
  });

  it.each<[where: string, schema: (least: number) => JsonObject]>([
    ["the names of properties", (minLength) => object({ [LONG_NAME]: { type: "string", minLength } }, { patternProperties: { "^(a+)+$": {} } })],
    ["names, with a back reference", (minLength) => object({ [LONG_NAME]: { type: "string", minLength } }, { patternProperties: { "^(a+)+\\1$": {} } })],
    ["long names, in the square of their length", (minLength) => object({ ["a".repeat(200_000)]: { type: "string", minLength } }, { patternProperties: { "a*b": {} } })],
    ["the texts of another pattern", (minLength) => object({ a: { minLength, pattern: "^(a+)+$", allOf: [{ pattern: "^a{60}b$" }] } })],
  ])("does not run over %s", (_where, schema) => {
    const [answer] = answersTo([request(schema(0), schema(1), "/properties")]);
    expect(answer?.kind).toMatch(/found|none|exhausted/);
  }); // prettier-ignore

  it("ends the search only if it has a back reference", () => {
    const [n, m] = [object({ n: { type: "number" } }), object({ n: { type: "integer" } })];
    const endless = request(backReference(3), backReference(4), "/minLength");
    expect(answersTo([endless, request(n, m, "/properties/n/type")])).toEqual(EXHAUSTED);
  });
});

const EXHAUSTED = [{ kind: "exhausted" }, { kind: "found", instance: { n: 1.5 } }];

it("ends the search of a schema that validates one value exponentially often, and does not hide other changes", () => {
  // Each validation of a level validates the next level ten times.
  const fan = (leaf: JsonValue): JsonObject => {
    const next = { allOf: Array.from({ length: 10 }, () => ({ $ref: "#/$defs/Node" })) };
    return { $defs: { Node: object({ leaf, next }, { required: ["next"] }) }, $ref: "#/$defs/Node" };
  };
  const hang = request(fan(NUMBER), fan(INTEGER), "/$defs/Node/properties/leaf/type");
  const other = request(object({ n: NUMBER }), object({ n: INTEGER }), "/properties/n/type");
  expect(answersTo([hang, other])).toEqual(EXHAUSTED);
});

describe("confirmFindings", () => {
  const place = { server: "shop", tool: "get", path: "/inputSchema/maximum" };
  const breaking = makeChange("input-bound-tightened", place);
  const { reason, ...open } = { ...makeChange("input-schema-changed", place), reason: "It is complicated." };
  const unknown = { ...open, reason };
  const shown = request({ maximum: 2 }, { maximum: 1 }, "/maximum");
  const none = request({ maximum: 1 }, { maximum: 2 }, "/maximum");
  const endless = request(backReference(3), backReference(4), "/maximum");
  const found = { class: "breaking", witness: 2, witnessAt: "" };

  it.each<[string, UnconfirmedChange, object]>([
    ["keeps a breaking change with a witness", { change: breaking, request: shown }, { ...breaking, ...found }],
    ["makes a breaking change without a witness unknown", { change: breaking, request: none },
      { ...breaking, class: "unknown", reason: expect.any(String) as string }],
    ["makes an unknown change with a witness breaking, and removes its reason", { change: unknown, request: shown }, { ...open, ...found }],
    ["leaves a change unknown without a witness", { change: unknown, request: none }, unknown],
    ["makes a change unknown after too many steps", { change: breaking, request: endless },
      { ...breaking, class: "unknown", reason: "The search for a counterexample took more than 2,000,000 steps." }],
    ["passes on findings without a request", { change: unknown }, unknown],
  ])("%s", (_what, finding, confirmed) => {
    expect(confirmFindings([finding])).toEqual([confirmed]);
  }); // prettier-ignore
});

/** The texts of the values of all enumerations in a schema. */
function listedIn(schema: JsonValue): ReadonlySet<string> {
  const listed = new Set<string>();
  JSON.stringify(schema, (keyword, value: JsonValue) => {
    if (keyword === "enum" && isJsonArray(value)) for (const each of value) listed.add(canonicalJson(each));
    return value;
  });
  return listed;
}

describe("random schemas", () => {
  it("every witness is valid and minimal", () => {
    let found = 0;
    let missed = 0;
    fc.assert(
      fc.property(
        jsonSchemas,
        jsonSchemas,
        fc.array(instances, { minLength: 10, maxLength: 20 }),
        (accepts, rejects, samples) => {
          const isWitness = compilePair(accepts, rejects);
          const [answer] = answersTo([{ accepts, rejects, at: "", dialect: "2020-12" }]);
          if (answer?.kind === "found") {
            found += 1;
            expect([isWitness(answer.instance), answer.instance]).toEqual([true, answer.instance]);
            expect(removals(answer.instance, listedIn(accepts)).filter(isWitness)).toEqual([]);
          } else if (samples.some(isWitness)) missed += 1;
        },
      ),
      { numRuns: runs(400, 4) },
    );
    // If a random instance shows a difference, the search should find one too.
    expect(found).toBeGreaterThan(runs(100, 4));
    expect(missed / (found + missed)).toBeLessThan(0.02);
  });
});
