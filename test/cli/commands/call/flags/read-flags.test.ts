import { describe, expect, it } from "vitest";
import { ArgumentSchema } from "../../../../../src/cli/commands/call/flags/argument-schema.js";
import { readFlags } from "../../../../../src/cli/commands/call/flags/read-flags.js";
import type { JsonObject, JsonValue } from "../../../../../src/core/json.js";
import { parseSchema } from "../../../../../src/schema/ir/parse-schema.js";

function read(schema: JsonValue, words: readonly string[], base?: JsonObject): unknown {
  const read = readFlags(words, new ArgumentSchema(parseSchema(schema)), base);
  return "args" in read ? read.args : read.problems.map(({ flag, message }) => `${flag} ${message}`);
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
    [["--no-embed"], { embed: false }],
  ])("%j is %j", (words, args) => {
    expect(read(POSTS, words)).toEqual(args);
  });
});

describe("lists and nested values", () => {
  it.each<[readonly string[], JsonValue]>([
    [["--tags", "a"], { tags: ["a"] }],
    [["--tags", "a", "--tags", "b"], { tags: ["a", "b"] }],
    [["--tags", '["a","b"]'], { tags: ["a", "b"] }],
    [["--tags", '["a"]', "--tags", "b"], { tags: ["a", "b"] }],
    [["--tags", "[a"], { tags: ["[a"] }],
    [['--tags.0=["a"]'], { tags: ['["a"]'] }],
    [["--tags", "[]"], { tags: [] }],
    [["--tags", "a,b"], { tags: ["a,b"] }],
    [["--ids", "1", "--ids=-2"], { ids: [1, -2] }],
    [["--meta.key", "v"], { meta: { key: "v" } }],
    [["--meta.key", "v", "--meta.count", "3"], { meta: { key: "v", count: 3 } }],
    [["--meta.on"], { meta: { on: true } }],
    [["--no-meta.on"], { meta: { on: false } }],
    [["--meta", '{"key":"v","count":3}'], { meta: { key: "v", count: 3 } }],
    [["--meta.count", "4", "--meta", '{"key":"v","count":3}'], { meta: { key: "v", count: 4 } }],
    [["--items.0.name", "a", "--items.1.size", "2"], { items: [{ name: "a" }, { size: 2 }] }],
    [["--items.1.name", "b", "--items.0.name", "a"], { items: [{ name: "a" }, { name: "b" }] }],
    [["--items", '[{"name":"a"}]', "--items.0.size", "1"], { items: [{ name: "a", size: 1 }] }],
    [["--items", '{"name":"a"}', "--items", '{"name":"b"}'], { items: [{ name: "a" }, { name: "b" }] }],
  ])("%j is %j", (words, args) => {
    expect(read(POSTS, words)).toEqual(args);
  });

  it("sets flags in the arguments of --input", () => {
    const base = { per_page: 1, meta: { key: "v", on: true }, tags: ["x", "y"], items: [{ name: "a" }, 5] };
    expect(read(POSTS, ["--meta.key", "w"], base)).toEqual({ ...base, meta: { key: "w", on: true } });
    expect(read(POSTS, ["--tags", "z"], base)).toEqual({ ...base, tags: ["z"] });
    expect(read(POSTS, ["--tags.1", "z"], base)).toEqual({ ...base, tags: ["x", "z"] });
    expect(read(POSTS, ["--items.0.size", "2"], base)).toEqual({
      ...base,
      items: [{ name: "a", size: 2 }, 5],
    });
    expect(read(POSTS, ["--items.1.size", "2"], base)).toEqual([
      "--items.1 is not an object, so its parts cannot be set",
    ]);
    expect(base.meta.key).toBe("v");
  });
});

describe("problems", () => {
  it.each<[readonly string[], readonly string[]]>([
    [["--per_pge", "10"], ["--per_pge is not a flag of this tool; did you mean --per_page?"]],
    [["--perpage", "10"], ["--perpage is not a flag of this tool; did you mean --per_page?"]],
    [["--zzz", "10"], ["--zzz is not a flag of this tool"]],
    [["--meta.kye", "v"], ["--meta.kye is not a flag of this tool; did you mean --meta.key?"]],
    [["--search.key", "v"], ["--search.key names a part of --search, which takes a string"]],
    [["--no-search"], ["--no-search is not a flag of this tool; did you mean --search?"]],
    [["--no-embed=true"], ["--no-embed is not a flag of this tool"]],
    [["10"], ["10 is not the value of a flag: write each value directly after its flag, or key=value"]],
    [["--embed", "maybe"], ["maybe is not the value of a flag: write each value directly after its flag, or key=value"]],
    [["-p", "10"], ["-p is not the value of a flag: write each value directly after its flag, or key=value", "10 is not the value of a flag: write each value directly after its flag, or key=value"]],
    [["--per_page"], ["--per_page needs a value: an integer"]],
    [["--search", "--embed"], ["--search needs a value: a string"]],
    [["--per_page", "ten"], ['--per_page takes an integer, not "ten"']],
    [["--per_page", "0x10"], ['--per_page takes an integer, not "0x10"']],
    [["--per_page", ""], ['--per_page takes an integer, not ""']],
    [["--per_page", "12345678901234567890"], ["--per_page cannot send 12345678901234567890 without losing precision"]],
    [["per_page:=12345678901234567890"], ["--per_page cannot send 12345678901234567890 without losing precision"]],
    [["meta:=[1e400]"], ["--meta cannot send 1e400 without losing precision"]],
    [["--ratio", "1e400"], ["--ratio cannot send 1e400 without losing precision"]],
    [["--status", "publsh"], ['--status takes "publish", "draft", 5 or null, not "publsh"']],
    [["--ids", "1", "--ids", "b"], ['--ids takes an integer, not "b"']],
    [["--meta", "v"], ['--meta takes an object as JSON, not "v"']],
    [["--meta", '{"count":12345678901234567890}'], ["--meta cannot send 12345678901234567890 without losing precision"]],
    [["--search", "a", "--search", "b"], ["--search is given more than once, but takes one value"]],
    [["--items.1.name", "b"], ["--items.0 is missing: a list cannot have gaps"]],
    [["--items.00.name", "b"], ["--items.00.name names a part of --items, which takes a list"]],
    [["--items.9999999.name", "b"], ["--items.0 is missing: a list cannot have gaps"]],
    [["--search", "a", "--per_page", "x", "--nope"], ["--nope is not a flag of this tool", '--per_page takes an integer, not "x"']],
  ])("%j: %j", (words, problems) => {
    expect(read(POSTS, words)).toEqual(problems);
  }); // prettier-ignore
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
    ["not at all", { type: "object" }, ["--a", "1", "--b", "x", "--c.d", "null", "--e"], { a: 1, b: "x", c: { d: null }, e: true }],
    ["in a property without a type", withProperties({ a: {} }), ["--a", "[1]", "--a", "x"], { a: [1, "x"] }],
    ["as a list of lists", withProperties({ m: { type: "array", items: { type: "array", items: { type: "number" } } } }), ["--m.0", "1", "--m.0", "2", "--m.1", "[3]"], { m: [[1, 2], [3]] }],
    ["as numbers for keys", withProperties({ o: withProperties({ 0: { type: "string" } }) }), ["--o.0", "1"], { o: { 0: "1" } }],
    ["as draft 4 tuples", { $schema: "http://json-schema.org/draft-04/schema#", ...(withProperties({ t: { type: "array", items: [{ type: "integer" }] } }) as JsonObject) }, ["--t", "1"], { t: [1] }],
  ])("%s", (_where, schema, words, args) => {
    expect(read(schema, words)).toEqual(args);
  }); // prettier-ignore

  it("rejects a list with a number that JavaScript cannot hold, instead of sending it as a text", () => {
    expect(read({ type: "object", properties: { any: {} } }, ["any=[12345678901234567890]"])).toEqual([
      "--any cannot send 12345678901234567890 without losing precision",
    ]);
  });

  it("rejects keys that the schema neither declares nor explicitly allows", () => {
    const inner = withProperties({ a: {} }, { additionalProperties: false });
    expect(read(inner, ["--b", "1"])).toEqual(["--b is not a flag of this tool; did you mean --a?"]);
    expect(read({ allOf: [inner, { type: "object" }] }, ["--abcd", "1"])).toEqual([
      "--abcd is not a flag of this tool",
    ]);
    expect(read({ type: "object", unevaluatedProperties: false }, ["--b", "1"])).toEqual([
      "--b is not a flag of this tool",
    ]);
    expect(read(withProperties({ t: { type: "array", prefixItems: [{}], items: false } }), ["--t", "1", "--t", "2"])).toEqual(
      ["--t takes at most 1 values"],
    ); // prettier-ignore
  });
});

describe("names that need escapes", () => {
  const odd = withProperties({
    "meta.key": { type: "string" },
    "a=b": { type: "string" },
    "back\\slash": { type: "string" },
    "": { type: "string" },
    "no-cache": { type: "boolean" },
    cache: { type: "boolean" },
    "no-store": { type: "string" },
    "with space": { type: "string" },
    constructor: { type: "string" },
    ["__proto__"]: withProperties({ polluted: { type: "boolean" } }),
  });

  it.each<[readonly string[], readonly (readonly [string, JsonValue])[]]>([
    [["--meta\\.key", "v"], [["meta.key", "v"]]],
    [["--a\\=b", "v"], [["a=b", "v"]]],
    [["--a\\=b=v=w"], [["a=b", "v=w"]]],
    [["--back\\\\slash", "v"], [["back\\slash", "v"]]],
    [["--=v"], [["", "v"]]],
    [["--no-cache"], [["no-cache", true]]],
    [["--no-no-cache"], [["no-cache", false]]],
    [["--no-store", "v"], [["no-store", "v"]]],
    [["--with space", "v"], [["with space", "v"]]],
    [["--constructor", "v"], [["constructor", "v"]]],
    [["--__proto__.polluted"], [["__proto__", { polluted: true }]]],
  ])("%j", (words, entries) => {
    const args = read(odd, words);
    expect(Object.entries(args as JsonObject)).toEqual(entries);
  });

  it("does not change or read Object.prototype", () => {
    expect(read({ type: "object" }, ["--__proto__.polluted", "--constructor.prototype.polluted"])).toEqual(
      Object.fromEntries([
        ["__proto__", { polluted: true }],
        ["constructor", { prototype: { polluted: true } }],
      ]),
    );
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(read(withProperties({ a: {} }), ["--toString"])).toEqual([
      "--toString is not a flag of this tool",
    ]);
  });

  it("suggests the escape of a dot in a name", () => {
    expect(read(odd, ["--meta.key", "v"])).toEqual([
      "--meta.key is not a flag of this tool; did you mean --meta\\.key?",
    ]);
  });
});

describe("hostile schemas", () => {
  it.each<[readonly string[], JsonValue]>([
    [["n=1", "s=a=b"], { n: 1, s: "a=b" }],
    [["n:=1", 's:="5"', "list:=[1,2]"], { n: 1, s: "5", list: [1, 2] }],
    [["list=1", "list=2", "--n", "3"], { list: [1, 2], n: 3 }],
    [["o.deep=x", "o.flag:=false"], { o: { deep: "x", flag: false } }],
    [["n=x"], ["--n takes an integer"]],
    [["n:=x"], ["n:= takes JSON: "]],
    [["q=1"], ["--q is not a flag of this tool"]],
    [["=1"], ["=1 is not the value of a flag"]],
  ])("reads assignments: %j", (words, expected) => {
    const schema = withProperties({
      ...{ n: { type: "integer" }, s: { type: "string" } },
      list: { type: "array", items: { type: "integer" } },
      o: withProperties({ deep: { type: "string" }, flag: { type: "boolean" } }),
    });
    const found = read(schema, [...words]);
    if (!Array.isArray(expected)) expect(found).toEqual(expected);
    else expect(found).toEqual(expected.map((text) => expect.stringContaining(String(text)) as unknown));
  });

  it("reads flags of ten thousand properties", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`p${index}`, { type: "integer" }]),
    );
    const words = Array.from({ length: 10_000 }, (_, index) => `--p${index}=${index}`);
    expect(Object.keys(read(withProperties(properties), words) as JsonObject)).toHaveLength(10_000);
    expect(read(withProperties(properties), ["--q1", "1"])).toEqual([
      "--q1 is not a flag of this tool; did you mean --p1?",
    ]);
  });

  it("follows a recursive schema to the depth of the flag", () => {
    const schema = {
      $ref: "#/$defs/n",
      $defs: { n: withProperties({ next: { $ref: "#/$defs/n" }, all: { type: "array", items: { $ref: "#/$defs/n" } }, v: { type: "integer" } }) },
    }; // prettier-ignore
    const depth = 200;
    const words = [`--${"next.".repeat(depth)}v`, "1"];
    let args = read(schema, words) as JsonObject;
    for (let level = 0; level < depth; level += 1) args = args["next"] as JsonObject;
    expect(args).toEqual({ v: 1 });
    expect(read(schema, ["--all.0.all.0.v", "1"])).toEqual({ all: [{ all: [{ v: 1 }] }] });
    expect(read(schema, [`--${"next.".repeat(100_000)}v`, "1"])).toEqual([
      "--… is nested more than 256 levels deep",
    ]);
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
