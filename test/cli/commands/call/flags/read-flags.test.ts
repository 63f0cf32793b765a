import { describe, expect, it } from "vitest";
import { ArgumentSchema } from "../../../../../src/cli/commands/call/flags/argument-schema.js";
import { readFlags } from "../../../../../src/cli/commands/call/flags/read-flags.js";
import { codeOf, messageOf } from "../../../../../src/core/errors.js";
import type { JsonObject, JsonValue } from "../../../../../src/core/json.js";
import { readPart } from "../../../../../src/schema/sample/schema-part.js";

function read(schema: JsonValue, words: readonly string[], base?: JsonObject): unknown {
  try {
    return readFlags(words, new ArgumentSchema([readPart(schema)]), base);
  } catch (error) {
    return codeOf(error) === "USAGE" ? messageOf(error) : error;
  }
}

function withProperties(properties: JsonObject, more: JsonObject = {}): JsonValue {
  return { type: "object", properties, ...more };
}

const POSTS = withProperties(
  {
    per_page: { type: "integer" },
    ratio: { type: "number" },
    search: { type: "string" },
    status: { enum: ["publish", "draft", 5, null] },
    tags: { type: "array", items: { type: "string" } },
    ids: { type: "array", items: { type: "integer" } },
    fixed: { type: "array", prefixItems: [{}], items: false },
    embed: { type: "boolean" },
    until: { type: ["string", "null"], format: "date-time" },
    either: { type: ["string", "integer", "boolean"] },
    meta: {
      type: "object",
      properties: { key: { type: "string" }, count: { type: "integer" }, on: { type: "boolean" } },
    },
    items: {
      type: "array",
      items: { type: "object", properties: { name: { type: "string" }, size: { type: "number" } } },
    },
  },
  { required: ["per_page"] },
);

describe("values", () => {
  it.each<[readonly string[], JsonValue]>([
    [[], {}],
    [["--per_page", "10"], { per_page: 10 }],
    [["--per_page=10"], { per_page: 10 }],
    [["--per_page", "-5"], { per_page: -5 }],
    [["--ratio=-1.5e-3"], { ratio: -0.0015 }],
    [["--search", "42"], { search: "42" }],
    [["--search", "true"], { search: "true" }],
    [["--search", '"quoted"'], { search: '"quoted"' }],
    [["--search", "-x"], { search: "-x" }],
    [["--search=--x=y"], { search: "--x=y" }],
    [["--search", ""], { search: "" }],
    [["--search="], { search: "" }],
    [["--search", "12345678901234567890"], { search: "12345678901234567890" }],
    [["--search", "2024-01-01T00:00:00Z"], { search: "2024-01-01T00:00:00Z" }],
    [["--status", "draft"], { status: "draft" }],
    [["--status", "5"], { status: 5 }],
    [["--status", "null"], { status: null }],
    [["--until", "null"], { until: null }],
    [["--until", '"null"'], { until: "null" }],
    [["--until", "2024-01-01"], { until: "2024-01-01" }],
    [["--either", "7"], { either: 7 }],
    [["--either", '"7"'], { either: "7" }],
    [["--either", "false"], { either: false }],
    [["--either", " 7"], { either: " 7" }],
    [["--either"], { either: true }],
    // As a string, no digit is lost.
    [["--either", "12345678901234567890"], { either: "12345678901234567890" }],
    [["--embed"], { embed: true }],
    [["--embed", "--per_page", "1"], { embed: true, per_page: 1 }],
    [["--embed", "false"], { embed: false }],
    [["--embed=false"], { embed: false }],
  ])("%j is %j", (words, args) => {
    expect(read(POSTS, words)).toEqual(args);
  });
});

describe("lists, objects and assignments", () => {
  it.each<[readonly string[], JsonValue]>([
    [["--tags", "a"], { tags: ["a"] }],
    [["--tags", "a", "--tags", "b"], { tags: ["a", "b"] }],
    [["--tags", "[a"], { tags: ["[a"] }],
    [["--tags", "[]"], { tags: [] }],
    [["--tags", "a,b"], { tags: ["a,b"] }],
    [["--ids", "1", "--ids=-2"], { ids: [1, -2] }],
    [["--meta", '{"key":"v","count":3}'], { meta: { key: "v", count: 3 } }],
    [["--items", '{"name":"a"}', "--items", '{"name":"b"}'], { items: [{ name: "a" }, { name: "b" }] }],
    [["per_page=1", "search=a=b"], { per_page: 1, search: "a=b" }],
    [["per_page:=1", 'search:="5"', "tags:=null"], { per_page: 1, search: "5", tags: null }],
    [["ids=1", "ids:=2", "--ids", "3"], { ids: [1, 2, 3] }],
  ])("%j is %j", (words, args) => {
    expect(read(POSTS, words)).toEqual(args);
  });

  it("replaces arguments of --input", () => {
    const base = { per_page: 1, meta: { key: "v" }, tags: ["x"] };
    expect(read(POSTS, ["--tags", "z", "meta:={}"], base)).toEqual({ per_page: 1, meta: {}, tags: ["z"] });
    expect(base.meta.key).toBe("v");
  });
});

describe("words that cannot be read", () => {
  const STRAY = "is not the value of a flag: write each value directly after its flag, or key=value.";
  it.each<[readonly string[], string]>([
    [["--per_pge", "10"], "--per_pge is not a flag of this tool; did you mean --per_page?"],
    [["--perpage", "10"], "--perpage is not a flag of this tool; did you mean --per_page?"],
    [["--zzz", "10"], "--zzz is not a flag of this tool."],
    [["--no-search"], "--no-search is not a flag of this tool; did you mean --search?"],
    [["--meta.key", "v"], "--meta.key is not a flag of this tool; did you mean --meta?"],
    [["10"], `10 ${STRAY}`],
    [["--embed", "maybe"], `maybe ${STRAY}`],
    [["-p", "10"], `-p ${STRAY}`],
    [["=1"], `=1 ${STRAY}`],
    [["--"], `-- ${STRAY}`],
    [["--per_page"], "--per_page needs a value."],
    [["--search", "--embed"], "--search needs a value."],
    [["--per_page", "12345678901234567890"], "--per_page cannot send 12345678901234567890 without losing precision."],
    [["per_page:=x"], '--per_page takes JSON after ":=": expected a value.'],
    [["per_page:=12345678901234567890"], "--per_page cannot send 12345678901234567890 without losing precision."],
    [["meta:=[1e400]"], "--meta cannot send 1e400 without losing precision."],
    [["--ratio", "1e400"], "--ratio cannot send 1e400 without losing precision."],
    [["--meta", '{"count":12345678901234567890}'], "--meta cannot send 12345678901234567890 without losing precision."],
    [["--search", "a", "--search", "b"], "--search is given more than once, but takes one value."],
    [["--search", "a", "--per_page", "1", "--nope"], "--nope is not a flag of this tool."],
  ])("%j: %j", (words, problem) => {
    expect(read(POSTS, words)).toEqual(problem);
  }); // prettier-ignore
});

describe("values that the schema refuses are left to validation", () => {
  it.each<[readonly string[], JsonValue]>([
    [["--per_page", "ten"], { per_page: "ten" }],
    [["--per_page", "0x10"], { per_page: "0x10" }],
    [["--per_page", ""], { per_page: "" }],
    [["--status", "publsh"], { status: "publsh" }],
    [["--ids", "1", "--ids", "b"], { ids: [1, "b"] }],
    [["--meta", "v"], { meta: "v" }],
    [["--tags", '["a"]', "--tags", "b"], { tags: ['["a"]', "b"] }],
    [["--fixed", "1", "--fixed", "2"], { fixed: [1, 2] }],
  ])("%j is %j", (words, args) => {
    expect(read(POSTS, words)).toEqual(args);
  });
});

describe("indirect schemas", () => {
  it.each<[string, JsonValue, readonly string[], JsonValue]>([
    ["in a reference", { $ref: "#/$defs/a", $defs: { a: withProperties({ n: { $ref: "#/$defs/n" } }), n: { type: "integer" } } }, ["--n", "1"], { n: 1 }],
    ["in allOf", { allOf: [withProperties({ n: { type: "integer" } }), withProperties({ n: { minimum: 1 }, s: { type: "string" } })] }, ["--n", "1", "--s", "2"], { n: 1, s: "2" }],
    ["in a branch", { type: "object", anyOf: [withProperties({ n: { type: "integer" } }), withProperties({ s: { type: "string" } })] }, ["--n", "1", "--s", "2"], { n: 1, s: "2" }],
    ["in both branches", { type: "object", oneOf: [withProperties({ v: { type: "integer" } }), withProperties({ v: { const: "all" } })] }, ["--v", "all"], { v: "all" }],
    ["under a condition", { type: "object", if: withProperties({ k: { const: "a" } }), then: withProperties({ n: { type: "integer" } }) }, ["--k", "a", "--n", "1"], { k: "a", n: 1 }],
    ["as nullable", withProperties({ n: { anyOf: [{ type: "integer" }, { type: "null" }] } }), ["--n", "null"], { n: null }],
    ["as a list or one", withProperties({ t: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] } }), ["--t", "a"], { t: "a" }],
    ["as a list or one, several times", withProperties({ t: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] } }), ["--t", "a", "--t", "b"], { t: ["a", "b"] }],
    ["in a tuple", withProperties({ t: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] } }), ["--t", "1", "--t", "2"], { t: ["1", 2] }],
    ["by a pattern", { type: "object", patternProperties: { "^x-": { type: "integer" } }, additionalProperties: false }, ["--x-a", "1"], { "x-a": 1 }],
    ["in additionalProperties", withProperties({}, { additionalProperties: { type: "integer" } }), ["--anything", "1"], { anything: 1 }],
    ["not at all", { type: "object" }, ["--a", "1", "--b", "x", "c:=null", "--e"], { a: 1, b: "x", c: null, e: true }],
    ["in a property without a type", withProperties({ a: {} }), ["--a", "1", "--a", "x"], { a: [1, "x"] }],
    ["as a list of lists", withProperties({ m: { type: "array", items: { type: "array", items: { type: "number" } } } }), ["--m", "[[1,2],[3]]"], { m: [[1, 2], [3]] }],
    ["as draft 4 tuples", { $schema: "http://json-schema.org/draft-04/schema#", ...(withProperties({ t: { type: "array", items: [{ type: "integer" }] } }) as JsonObject) }, ["--t", "1"], { t: [1] }],
  ])("%s", (_where, schema, words, args) => {
    expect(read(schema, words)).toEqual(args);
  }); // prettier-ignore

  it("rejects a list with a number that JavaScript cannot hold, instead of sending it as a text", () => {
    expect(read({ type: "object", properties: { any: {} } }, ["any=[12345678901234567890]"])).toEqual(
      "--any cannot send 12345678901234567890 without losing precision.",
    );
  });

  it("rejects keys that the schema neither declares nor explicitly allows", () => {
    const inner = withProperties({ a: {} }, { additionalProperties: false });
    expect(read(inner, ["--b", "1"])).toEqual("--b is not a flag of this tool; did you mean --a?");
    expect(read({ allOf: [inner, { type: "object" }] }, ["--abcd", "1"])).toEqual(
      "--abcd is not a flag of this tool.",
    );
    expect(read({ type: "object", unevaluatedProperties: false }, ["--b", "1"])).toEqual(
      "--b is not a flag of this tool.",
    );
  });
});

describe("odd names", () => {
  const odd = withProperties({
    "meta.key": { type: "string" },
    "": { type: "string" },
    "no-cache": { type: "boolean" },
    cache: { type: "boolean" },
    "no-store": { type: "string" },
    "with space": { type: "string" },
    constructor: { type: "string" },
    ["__proto__"]: { type: "object" },
  });

  it.each<[readonly string[], readonly (readonly [string, JsonValue])[]]>([
    [["--meta.key", "v"], [["meta.key", "v"]]],
    [["--=v"], [["", "v"]]],
    [["--no-cache"], [["no-cache", true]]],
    [["--no-store", "v"], [["no-store", "v"]]],
    [["--with space", "v"], [["with space", "v"]]],
    [["--constructor", "v"], [["constructor", "v"]]],
    [["--__proto__", '{"polluted":true}'], [["__proto__", { polluted: true }]]],
  ])("%j", (words, entries) => {
    expect(Object.entries(read(odd, words) as JsonObject)).toEqual(entries);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("are not those of Object.prototype", () => {
    expect(read(withProperties({ a: {} }), ["--toString"])).toEqual("--toString is not a flag of this tool.");
  });
});

describe("hostile schemas", () => {
  it("reads flags of ten thousand properties", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`p${index}`, { type: "integer" }]),
    );
    const words = Array.from({ length: 10_000 }, (_, index) => `--p${index}=${index}`);
    expect(Object.keys(read(withProperties(properties), words) as JsonObject)).toHaveLength(10_000);
    expect(read(withProperties(properties), ["--q1", "1"])).toEqual(
      "--q1 is not a flag of this tool; did you mean --p1?",
    );
  });

  it("reads schemas whose parts are reachable by very many paths", () => {
    const level = (next: string): JsonValue => ({
      anyOf: [{ $ref: next }, { allOf: [{ $ref: next }, { $ref: next }] }],
    });
    const $defs = Object.fromEntries(
      Array.from({ length: 6 }, (_, index) => [
        `l${index}`,
        index === 5 ? withProperties({ v: { type: "integer" } }) : level(`#/$defs/l${index + 1}`),
      ]),
    );
    expect(read({ $ref: "#/$defs/l0", $defs }, ["--v", "1"])).toEqual({ v: 1 });
  });
});
