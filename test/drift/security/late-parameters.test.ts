import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { diffTools } from "../../../src/drift/diff-tools.js";

/** Returns the secret parameters that are reported when a tool's input schema changes. */
function findLate(before: JsonObject, after: JsonObject): readonly JsonValue[] {
  const [old, now] = [before, after].map((inputSchema) => ({ name: "t", inputSchema }));
  if (old === undefined || now === undefined) return [];
  return diffTools([old], [now])
    .filter(({ rule }) => rule === "poison-secret-parameter")
    .map(({ path, after: name }) => [path, name ?? null]);
}

const string = { type: "string" };
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...rest,
});
const login = object({ password: string });
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const holding = (v: JsonObject, rest: JsonObject = {}): JsonObject => object({ v }, rest);
const defining = { $defs: { A: login } };

describe("a secret parameter that the tool already had is not reported", () => {
  it.each<[string, JsonObject, JsonObject]>([
    ["a definition is renamed", holding(ref("A"), defining), holding(ref("B"), { $defs: { B: login } })],
    ["a reference is inlined", holding(ref("A"), defining), holding(login)],
    ["a reference is introduced", holding(login), holding(ref("A"), defining)],
    [
      "definitions become $defs",
      holding({ $ref: "#/definitions/A" }, { definitions: { A: login } }),
      holding(ref("A"), defining),
    ],
    [
      "a pointer stands for an anchor",
      holding({ $ref: "#login" }, { $defs: { A: { ...login, $anchor: "login" } } }),
      holding(ref("B"), { $defs: { B: login } }),
    ],
    [
      "a pointer stands for an address",
      holding({ $ref: "login.json" }, { $defs: { A: { ...login, $id: "login.json" } } }),
      holding(ref("B"), { $defs: { B: login } }),
    ],
    ["a schema is wrapped in allOf", holding(login), holding({ allOf: [login] })],
    ["allOf is taken away", holding({ allOf: [login] }), holding(login)],
    ["a part with an address loses it", holding({ $id: "x.json", ...ref("A"), ...defining }), holding(login)],
    ["the root is a reference", login, { type: "object", $ref: "#/$defs/A", ...defining }],
    [
      "branches change places",
      holding({ anyOf: [login, string] }),
      holding({ anyOf: [{ type: "null" }, string, login] }),
    ],
    ["anyOf becomes oneOf", holding({ anyOf: [login, string] }), holding({ oneOf: [login, string] })],
    ["null is let in", holding(login), holding({ anyOf: [login, { type: "null" }] })],
    ["the holder is renamed", holding(login), object({ w: login })],
    ["items become a tuple", holding({ items: login }), holding({ prefixItems: [login] })],
    ["another part asks for the same", holding(ref("A"), defining), object({ v: ref("A"), w: login })],
    ["it goes deeper", login, object({ w: object({ v: login }) })],
    [
      "a schema that refers to itself is unrolled",
      object({ password: string, next: { $ref: "#" } }),
      object({ password: string, next: object({ password: string, next: { $ref: "#" } }) }),
    ],
    [
      "a definition that nothing leads to is renamed",
      object({}, { $defs: { A: login } }),
      object({}, { $defs: { B: login } }),
    ],
    [
      "a reference leads nowhere",
      holding({ $ref: "https://a.example/b.json" }, defining),
      holding({ $ref: "https://a.example/b.json" }, { $defs: { B: login } }),
    ],
    [
      "no tool needs it, and it was there",
      object({ system_prompt: string }),
      { type: "object", allOf: [object({ system_prompt: string })] },
    ],
  ])("when %s", (_, before, after) => {
    expect(findLate(before, after)).toEqual([]);
  });
});

describe("a secret parameter that the tool did not have is reported", () => {
  const deep = object({ a: object({ b: login }) });

  it.each<[string, JsonObject, JsonObject, string]>([
    ["at the top", object({}), login, "/properties/password"],
    ["deep down", holding(object({})), holding(login), "/properties/v/properties/password"],
    ["in a definition", holding(string), holding(ref("A"), defining), "/$defs/A/properties/password"],
    ["in a new branch", object({}), { ...object({}), anyOf: [login] }, "/anyOf/0/properties/password"],
    [
      "in a definition that nothing leads to",
      object({}),
      object({}, defining),
      "/$defs/A/properties/password",
    ],
    [
      "at the top, where it was asked for deep down alone",
      deep,
      object({ a: object({ b: login }), password: string }, { required: ["password"] }),
      "/properties/password",
    ],
    [
      "nearer to the top by a reference",
      object({ a: object({ b: ref("A") }) }, defining),
      object({ a: object({ b: ref("A") }) }, { ...defining, allOf: [ref("A")] }),
      "/$defs/A/properties/password",
    ],
    [
      "nearer to the top by an anchor",
      object({ a: object({ b: ref("A") }) }, defining),
      object({ a: { $dynamicRef: "#x" } }, { $defs: { A: { ...login, $dynamicAnchor: "x" } } }),
      "/$defs/A/properties/password",
    ],
    [
      "where a definition that nothing led to comes into use",
      object({}, defining),
      holding(ref("A"), defining),
      "/$defs/A/properties/password",
    ],
    [
      "beside another credential",
      object({ api_key: string }),
      object({ api_key: string, password: string }),
      "/properties/password",
    ],
  ])("%s", (_, before, after, path) => {
    expect(findLate(before, after)).toEqual([[`/inputSchema${path}`, "password"]]);
  });

  it("if no tool needs it and it moves to a smaller depth", () => {
    const before = holding(object({ system_prompt: string }));
    const after = object({ v: object({ system_prompt: string }), system_prompt: string });
    expect(findLate(before, after)).toEqual([["/inputSchema/properties/system_prompt", "system_prompt"]]);
  });
});

describe("recursive schemas", () => {
  it.each<[string, JsonObject]>([
    ["at once", { $ref: "#" }],
    [
      "in two ways at every step",
      { allOf: [{ $ref: "#" }, { $ref: "#" }], properties: { a: { $ref: "#" } } },
    ],
    [
      "through each other",
      { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } },
    ],
  ])("%s are looked into once", (_, schema) => {
    const added = { ...schema, anyOf: [login] };
    expect(findLate(schema, added)).toEqual([["/inputSchema/anyOf/0/properties/password", "password"]]);
    expect(findLate(added, { ...schema, oneOf: [login] })).toEqual([]);
  });
});
