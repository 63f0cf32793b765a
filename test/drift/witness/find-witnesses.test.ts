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
  ["a schema with $schema", { $schema: "http://json-schema.org/draft-07/schema#", items: [{}] }, { $schema: "http://json-schema.org/draft-07/schema#", items: [{}], additionalItems: false }, "/additionalItems", ["", ""]],
]; // prettier-ignore

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

  it("finds nothing if no value is rejected", () => {
    const [wide, narrow] = [object({ a: { maximum: 2 } }), object({ a: { maximum: 1 } })];
    const at = "/properties/a/maximum";
    expect(answersTo([{ accepts: narrow, rejects: wide, at, dialect: "2020-12" }])).toEqual([
      { kind: "none" },
    ]);
  });

  it.each<[string, JsonValue, JsonValue, string]>([
    ["of an open object", object({ a: {} }), object({ n: { type: "integer" } }), "/properties/a"],
    ["beside another pattern", object({ a: { pattern: "^a+$" } }), object({ a: { pattern: "^a*$" }, n: { type: "integer" } }), "/properties/a/pattern"],
    ["of an explicitly open object", object({ a: {} }, { additionalProperties: {} }), object({ n: { type: "integer" } }), "/properties/a"],
    ["of a list's items", list(object({ a: {} })), list(object({ n: { type: "integer" } }), { minItems: 0 }), "/items/properties/a"],
    ["of a branch", { anyOf: [object({ a: {} }), { type: "null" }] }, { anyOf: [object({ n: { type: "integer" } }), { type: "null" }] }, "/anyOf/0/properties/a"],
    ["of a recursive schema", tree({}), { ...tree({}), $defs: { Node: object({ n: { type: "integer" }, next: { $ref: "#/$defs/Node" } }) } }, "/$defs/Node/properties/value"],
  ])("does not confuse an undeclared property with the removal of a property %s", (_what, accepts, rejects, at) => {
    expect(answersTo([{ accepts, rejects, at, dialect: "2020-12" }])).toEqual([{ kind: "none" }]);
  }); // prettier-ignore

  it("shows the schema of a new property with that property", () => {
    const [accepts, rejects] = [object({ a: {} }), object({ n: { type: "integer" } })];
    expect(answersTo([{ accepts, rejects, at: "/properties/n", dialect: "2020-12" }])).toEqual([
      { kind: "found", instance: { n: "" } },
    ]);
  });

  it("shows each of several changes at its own place", () => {
    const accepts = object({ status: { enum: ["draft", "done"] }, n: { maximum: 9 }, id: {} });
    const rejects = object({ status: { enum: ["done"] }, n: { maximum: 5 }, id: {} }, { required: ["id"] });
    const ask = (at: string): WitnessRequest => ({ accepts, rejects, at, dialect: "2020-12" });
    expect(
      answersTo([
        { ...ask("/properties/status/enum"), value: "draft" },
        ask("/properties/n/maximum"),
        ask("/properties/id"),
      ]),
    ).toEqual([
      { kind: "found", instance: { status: "draft" } },
      { kind: "found", instance: { n: 6 } },
      { kind: "found", instance: {} },
    ]);
  });

  it("reads PHP's empty lists as the objects they are", () => {
    const accepts = { type: "object", properties: { a: [] } };
    const rejects = { type: "object", properties: [], additionalProperties: false };
    expect(answersTo([{ accepts, rejects, at: "/properties/a", dialect: "wordpress" }])).toEqual([
      { kind: "found", instance: { a: "" } },
    ]);
  });

  it("ignores keywords that only Ajv knows", () => {
    const accepts = { type: ["string", "null"] };
    const rejects = { type: "string", nullable: true };
    expect(answersTo([{ accepts, rejects, at: "/type", dialect: "2020-12" }])).toEqual([
      { kind: "found", instance: null },
    ]);
  });
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
const AT = "/properties/op";

const deep = (levels: number, leaf: JsonValue): JsonValue =>
  levels === 0 ? leaf : object({ a: deep(levels - 1, leaf) });

describe("a change at a place that is hard to reach", () => {
  it("is shown 45 levels down", () => {
    const at = `${"/properties/a".repeat(45)}/type`;
    const [answer] = answersTo([
      { accepts: deep(45, NUMBER), rejects: deep(45, INTEGER), at, dialect: "2020-12" },
    ]);
    const witness = Array.from({ length: 45 }).reduce<JsonValue>((a) => ({ a }), 1.5);
    expect(answer).toEqual({ kind: "found", instance: witness });
  });

  it("is shown under the name `__proto__`", () => {
    const proto = (type: string): JsonObject => object({ ["__proto__"]: { type } });
    const [answer] = answersTo([
      {
        accepts: proto("number"),
        rejects: proto("integer"),
        at: "/properties/__proto__/type",
        dialect: "2020-12",
      },
    ]);
    expect(JSON.stringify(answer)).toBe('{"kind":"found","instance":{"__proto__":1.5}}');
  });

  it("is shown beside a pattern with a lookahead", () => {
    const password = { type: "string", pattern: "^(?=.*[A-Z])(?=.*\\d).{8,}$" };
    const of = (v: JsonValue): JsonObject => object({ password, v }, { required: ["password", "v"] });
    const [answer] = answersTo([
      { accepts: of(NUMBER), rejects: of(INTEGER), at: "/properties/v/type", dialect: "2020-12" },
    ]);
    expect(answer).toMatchObject({ kind: "found", instance: { v: 1.5 } });
  });

  it("is shown if the only declared property is forbidden", () => {
    const of = (v: JsonValue): JsonObject => object({ no: false, v }, { minProperties: 2 });
    const [answer] = answersTo([
      { accepts: of(NUMBER), rejects: of(INTEGER), at: "/properties/v/type", dialect: "2020-12" },
    ]);
    expect(answer).toMatchObject({ kind: "found", instance: { v: 1.5 } });
  });
});

describe("a union of many branches", () => {
  it.each([6, 7, 30, 59])("shows what changed in branch %i", (index) => {
    const expected = { kind: "found", instance: { op: { t: `k${index}`, v: 1.5 } } };
    for (const keyword of ["anyOf", "oneOf"]) {
      const at = `${AT}/${keyword}/${index}/properties/v/type`;
      const accepts = object({ op: { [keyword]: branches(60) } });
      const rejects = object({ op: { [keyword]: branches(60, index) } });
      expect(answersTo([{ accepts, rejects, at, dialect: "2020-12" }])).toEqual([expected]);
    }
  });

  it("shows a change through references in items", () => {
    const ask = { accepts: named(), rejects: named(57), dialect: "2020-12" } as const;
    expect(answersTo([{ ...ask, at: "/$defs/D57/properties/v/type" }])).toEqual([
      { kind: "found", instance: { ops: [{ t: "k57", v: 1.5 }] } },
    ]);
  });

  it("shows a change in a union within a union", () => {
    const [accepts, rejects] = [object({ op: nested() }), object({ op: nested(18, 17) })];
    const at = `${AT}/anyOf/17/oneOf/18/properties/v/type`;
    expect(answersTo([{ accepts, rejects, at, dialect: "2020-12" }])).toEqual([
      { kind: "found", instance: { op: { t: "k17-18", v: 1.5 } } },
    ]);
  });

  it("shows a change if the branches have moved", () => {
    const accepts = object({ op: { anyOf: branches(30) } });
    const rejects = object({ op: { anyOf: [branch("new", {}), ...branches(30, 20)] } });
    const at = `${AT}/anyOf/21/properties/v/type`;
    expect(answersTo([{ accepts, rejects, at, dialect: "2020-12" }])).toEqual([
      { kind: "found", instance: { op: { t: "k20", v: 1.5 } } },
    ]);
  });

  it("shows a removed branch", () => {
    const accepts = object({ op: { oneOf: branches(60) } });
    const rejects = object({ op: { oneOf: branches(60).filter((_, index) => index !== 41) } });
    expect(answersTo([{ accepts, rejects, at: `${AT}/oneOf/41`, dialect: "2020-12" }])).toEqual([
      { kind: "found", instance: { op: { t: "k41" } } },
    ]);
  });
});

/** A mismatch takes JavaScript twice the time for every additional `a`. */
const SLOW = { type: "string", pattern: "^(a+)+$", minLength: 40 };
const request = (accepts: JsonValue, rejects: JsonValue, at: string): WitnessRequest => ({
  accepts,
  rejects,
  at,
  dialect: "2020-12",
});

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
    expect(
      answersTo([
        request(backReference(3), backReference(4), "/minLength"),
        request(n, m, "/properties/n/type"),
      ]),
    ).toEqual([{ kind: "exhausted" }, { kind: "found", instance: { n: 1.5 } }]);
  });
});

describe("a schema that validates one value exponentially often", () => {
  // Each validation of a level validates the next level ten times.
  const fan = (leaf: JsonValue): JsonObject => ({
    $defs: {
      Node: object(
        { leaf, next: { allOf: Array.from({ length: 10 }, () => ({ $ref: "#/$defs/Node" })) } },
        { required: ["next"] },
      ),
    },
    $ref: "#/$defs/Node",
  });

  it("ends its search after the same number of steps, and does not hide other changes", () => {
    const [n, m] = [object({ n: { type: "number" } }), object({ n: { type: "integer" } })];
    const hang = request(
      fan({ type: "number" }),
      fan({ type: "integer" }),
      "/$defs/Node/properties/leaf/type",
    );
    const expected = [{ kind: "exhausted" }, { kind: "found", instance: { n: 1.5 } }];
    expect(answersTo([hang, request(n, m, "/properties/n/type")])).toEqual(expected);
  });
});

describe("confirmFindings", () => {
  const place = { server: "shop", tool: "get", path: "/inputSchema/maximum" };
  const request = (accepts: JsonValue, rejects: JsonValue): WitnessRequest => ({
    accepts,
    rejects,
    at: "/maximum",
    dialect: "2020-12",
  });
  const breaking = makeChange("input-bound-tightened", place);
  const unknown = { ...makeChange("input-schema-changed", place), reason: "It is complicated." };

  it("keeps a breaking change with a witness", () => {
    const findings: readonly UnconfirmedChange[] = [
      { change: breaking, request: request({ maximum: 2 }, { maximum: 1 }) },
    ];
    expect(confirmFindings(findings)).toEqual([{ ...breaking, witness: 2, witnessAt: "" }]);
  });

  it("makes a breaking change without a witness unknown", () => {
    const planted: UnconfirmedChange = { change: breaking, request: request({ maximum: 1 }, { maximum: 2 }) };
    expect(confirmFindings([planted])).toMatchObject([
      { class: "unknown", reason: expect.any(String) as string },
    ]);
  });

  it("makes an unknown change with a witness breaking, and removes its reason", () => {
    const findings: readonly UnconfirmedChange[] = [
      { change: unknown, request: request({ maximum: 2 }, { maximum: 1 }) },
    ];
    const { reason, ...known } = unknown;
    expect(reason).toBeDefined();
    expect(confirmFindings(findings)).toEqual([{ ...known, class: "breaking", witness: 2, witnessAt: "" }]);
  });

  it("leaves a change unknown without a witness, and after too many steps", () => {
    expect(confirmFindings([{ change: unknown, request: request({ maximum: 1 }, { maximum: 2 }) }])).toEqual([
      unknown,
    ]);
    const endless = request(backReference(3), backReference(4));
    expect(confirmFindings([{ change: breaking, request: endless }])).toMatchObject([
      { class: "unknown", reason: "The search for a counterexample took more than 2,000,000 steps." },
    ]);
  });

  it("passes on findings without a request", () => {
    expect(confirmFindings([{ change: unknown }])).toEqual([unknown]);
  });
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
  }, 60_000);
});
