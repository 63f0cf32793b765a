/** Every rule about a host finds its small example, and nothing in the corrected one. */
import { describe, expect, test } from "vitest";
import { findHostFindings } from "../../../src/core/hosts/find-host-findings.js";
import { HOST_IDS, type HostId, HOSTS } from "../../../src/core/hosts/host.js";
import { HOST_RULES, type HostRuleName } from "../../../src/core/hosts/host-rules.js";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";

type Example = readonly [hit: readonly JsonObject[], pass: readonly JsonObject[]];

const OBJECT = { type: "object", properties: {} };
const tool = (more: JsonObject): JsonObject => ({
  ...{ name: "get", annotations: { readOnlyHint: true }, inputSchema: OBJECT },
  ...more,
});
const named = (name: string): JsonObject => tool({ name });
const described = (description: string): JsonObject => tool({ description });
const input = (inputSchema: JsonValue): JsonObject => tool({ inputSchema });
const output = (outputSchema: JsonValue): JsonObject => tool({ outputSchema });
/** A closed object with one required property. */
const property = (value: JsonValue, more: JsonObject = {}): JsonObject =>
  input({ type: "object", properties: { value }, required: ["value"], additionalProperties: false, ...more });
const of = (hit: JsonObject, pass: JsonObject): Example => [[hit], [pass]];
const many = (count: number): readonly JsonObject[] =>
  Array.from({ length: count }, (_, index) => named(`t${index}`));
const limit = (most: number): Example => [many(most + 1), many(most)];

const ANY_ARRAY = of(property({ type: "array" }), property({ type: "array", items: {} }));
const TYPE = of(input({ properties: {} }), input(OBJECT));
const UNION = of(input({ ...OBJECT, anyOf: [{ required: ["a"] }] }), property({ anyOf: [{}] }));
const KEY = of(
  input({ type: "object", properties: { "page[size]": {} } }),
  input({ type: "object", properties: { "page.size": { type: "object", properties: { "a[b]": {} } } } }),
);
const INVALID = of(property({ type: "string", required: true }), property({ type: "string" }));
const UNDECLARED = of(property({}, { required: ["value", "ghost"] }), property({}));
const SHAPE = of(input({ type: "object", properties: [] }), input(OBJECT));
const LONG = "x".repeat(64);
const SAME: Example = [
  [named("a"), named("a")],
  [named("a"), named("b")],
];

const EXAMPLES: Readonly<Record<HostRuleName, Example>> = {
  "openai-name": of(named("get.post"), named("get-post")),
  "openai-root-type": TYPE,
  "openai-root-combinator": UNION,
  "openai-properties-missing": of(input({ type: "object" }), input(OBJECT)),
  "openai-array-items": of(property({ type: ["array", "null"] }), property({ type: "array", items: {} })),
  "openai-invalid-schema": INVALID,
  "openai-lookaround": of(property({ type: "string", pattern: "^(?!a)" }), property({ type: "string", pattern: String.raw`^\(?=[(?=]$` })),
  "openai-description": of(described("x".repeat(1_025)), described("x".repeat(1_024))),
  "openai-tools": limit(128),
  "openai-strict-optional": of(property({}, { required: [] }), property({})),
  "openai-strict-null": of(property({ type: ["string", "null"] }, { required: [] }), property({ type: ["string", "null"] })),
  "openai-strict-type": of(property({ enum: ["a"] }), property({ anyOf: [{ type: "string" }] })),
  "openai-strict-open": of(property({ type: "object", properties: {} }), property({ type: "string" })),
  "openai-strict-map": of(property({ type: "object" }), property({ type: "object", properties: {} })),
  "openai-strict-keyword": of(property({ oneOf: [{}] }), property({ anyOf: [{}] })),
  "openai-strict-format": of(property({ format: "uri" }), property({ format: "email" })),
  "openai-strict-ref": of(property({ $ref: "#", title: "a" }), property({ $ref: "#" })),
  "anthropic-name": of(named("x".repeat(129)), named("x".repeat(128))),
  "anthropic-deferred-name": of(named(`${LONG}x`), named(LONG)),
  "anthropic-property-key": KEY,
  "anthropic-root-type": TYPE,
  "anthropic-root-combinator": UNION,
  "anthropic-invalid-schema": of(property({ type: "array", items: [{}] }), property({ type: "array", prefixItems: [{}] })),
  "anthropic-duplicate-names": SAME,
  "anthropic-many-tools": limit(50),
  "gemini-name": of(named("3d_render"), named("_3d:render.now")),
  "gemini-duplicate-names": SAME,
  "gemini-tools": limit(512),
  "gemini-keyword": of(property({ pattern: "a" }), property({ minimum: 1 })),
  "gemini-recursion": of(property({ $ref: "#" }), property({ $ref: "#/$defs/a" }, { $defs: { a: {} } })),
  "gemini-parameters-keyword": of(property({ type: "string" }), input(OBJECT)),
  "gemini-parameters-type-list": of(property({ type: ["string", "null"] }), property({ type: "string" })),
  "gemini-parameters-type-missing": of(property({}), property({ type: "string" })),
  "gemini-parameters-enum": of(property({ enum: [1] }), property({ enum: ["1"] })),
  "gemini-parameters-array-items": ANY_ARRAY,
  "gemini-parameters-required": UNDECLARED,
  "claude-code-list": SHAPE,
  "claude-code-root-combinator": UNION,
  "claude-code-property-key": KEY,
  "claude-code-name": of(named("x".repeat(54)), named("x".repeat(53))),
  "claude-code-name-characters": of(named("a.b"), named("a-b")),
  "claude-code-same-name": [[named("a.b"), named("a_b")], [named("a.b"), named("a_c")]],
  "claude-code-tokens": of(tool({ description: "x".repeat(100_000) }), tool({ description: "x".repeat(99_000) })),
  "claude-code-description": of(tool({ description: "x".repeat(2049) }), tool({ description: "x".repeat(2048) })),
  "claude-desktop-name": of(named("get.post"), named("get-post")),
  "claude-desktop-output-dialect": of(
    output({ ...OBJECT, $schema: "http://json-schema.org/draft-07/schema#" }),
    output({ ...OBJECT, $schema: "https://json-schema.org/draft/2020-12/schema" }),
  ),
  "cursor-name": of(named("x".repeat(56)), named("x".repeat(55))),
  "cursor-tools": limit(80),
  "vscode-array-items": ANY_ARRAY,
  "vscode-invalid-schema": INVALID,
  "vscode-root-combinator": UNION,
  "vscode-required": UNDECLARED,
  "vscode-items-list": of(property({ items: [{}] }), property({ items: {} })),
  "vscode-tools": limit(128),
  "vscode-name": of(named("a b"), named("a-b")),
  "vscode-same-name": [[named(`${LONG}a`), named(`${LONG}b`)], [named(`${LONG.slice(20)}a`), named(`${LONG.slice(20)}b`)]],
  "windsurf-tools": limit(100),
  "chatgpt-annotations": of(tool({ annotations: {} }), named("get")),
  "codex-keyword": of(property({ minimum: 1 }), property({ type: "integer" })),
  "codex-schema-size": of(property({ description: "x".repeat(5000) }), property({ description: "x" })),
  "codex-name": of(named("x".repeat(54)), named("x".repeat(53))),
  "gemini-cli-name": of(named("x".repeat(55)), named("x".repeat(54))),
  "gemini-cli-same-name": [[named(`${LONG}a${LONG}`), named(`${LONG}b${LONG}`)], [named(`${LONG}a`), named(`${LONG}b`)]],
  "ai-sdk-closed": of(input({ ...OBJECT, additionalProperties: {} }), property({})),
  "ai-sdk-google-keyword": of(property({ default: 1 }), property({ minLength: 1 })),
  "ai-sdk-google-enum": of(property({ enum: ["a", 1] }), property({ enum: ["a", null], type: ["string", "null"] })),
  "ai-sdk-google-ref": of(property({ $ref: "#/properties/value" }), property({ $ref: "#/$defs/a" })),
  "langchain-union": of(property({ anyOf: [{}] }), property({ type: ["string", "null"] })),
  "mastra-dialect": of(
    input({ ...OBJECT, $schema: "https://json-schema.org/draft/2019-09/schema#" }),
    input({ ...OBJECT, $schema: "https://json-schema.org/draft/2020-12/schema" }),
  ),
  "openai-agents-strict": of(property({ type: "object" }), property({ type: "string" }, { required: [] })),
  "mcp-sdk-list": SHAPE,
  "mcp-sdk-boolean-property": of(property(true), property({})),
  "mcp-sdk-output": of(output({ ...OBJECT, items: { $ref: "#/a" } }), output({ ...OBJECT, items: { $ref: "#" } })),
  "mcp-sdk-output-dialect": of(
    output({ ...OBJECT, $schema: "http://json-schema.org/draft-04/schema#" }),
    output({ ...OBJECT, $schema: "http://json-schema.org/draft-07/schema#" }),
  ),
}; // prettier-ignore

describe.each(Object.entries(EXAMPLES))("%s", (name, [hit, pass]) => {
  const rulesOf = (tools: readonly JsonObject[]): readonly string[] =>
    findHostFindings(
      tools.map((definition) => ({ server: "shop", definition })),
      HOST_IDS,
    ).map(({ rule }) => rule);

  test("finds its example", () => {
    expect(rulesOf(hit)).toContain(name);
  });

  test("finds nothing in the corrected example", () => {
    expect(rulesOf(pass)).not.toContain(name);
  });
});

test("every host has a rule, and every rule has a source and a month", () => {
  const rules = Object.values(HOST_RULES);
  expect(new Set(rules.map(({ host }) => host))).toEqual(new Set(Object.keys(HOSTS)));
  for (const { source, date } of rules) {
    expect(source).not.toBe("");
    expect(date).toMatch(/^202[56]-(?:0[1-9]|1[0-2])$/);
  }
});

test("only these fixes change what a tool accepts, or may do so", () => {
  const rules = Object.entries(HOST_RULES);
  const namesOf = (isLossless: boolean | undefined): readonly string[] =>
    rules.filter(([, rule]) => rule.isLossless === isLossless).map(([name]) => name);
  expect(namesOf(false)).toEqual([
    "openai-root-combinator", "openai-lookaround", "openai-strict-null", "openai-strict-map", "openai-strict-keyword",
    "openai-strict-format", "anthropic-root-combinator", "gemini-parameters-type-missing", "gemini-parameters-array-items",
    "claude-code-root-combinator", "claude-code-description", "vscode-root-combinator", "vscode-items-list", "codex-schema-size",
    "ai-sdk-closed", "langchain-union",
  ]); // prettier-ignore
  expect(namesOf(undefined)).toEqual([
    "openai-invalid-schema", "openai-strict-type", "openai-strict-open", "anthropic-invalid-schema", "gemini-keyword", "gemini-recursion",
    "vscode-invalid-schema", "codex-keyword", "ai-sdk-google-keyword",
  ]); // prettier-ignore
});

test.each([
  [{ inputSchema: { type: "object", properties: [] } }, "/inputSchema/properties"],
  [{ inputSchema: { type: "object", required: null } }, "/inputSchema/required"],
  [{ inputSchema: { properties: {} } }, "/inputSchema"],
  [{ title: null }, "/title"],
])("a malformed definition makes clients lose the list: %j", (more, path) => {
  const tools = [{ server: "shop", definition: tool(more) }];
  const facts = { effect: "list", paths: [path] };
  expect(findHostFindings(tools, ["mcp-sdk"])).toMatchObject([{ rule: "mcp-sdk-list", facts }]);
});

test("names of tools have the name of the server where the host adds it", () => {
  const tools = ["shop", "blog"].map((server) => ({ server, definition: named("get") }));
  expect(findHostFindings(tools, ["anthropic", "gemini"])).toEqual([]);
  const long = [{ server: "s".repeat(20), definition: named("x".repeat(45)) }];
  expect(findHostFindings(long, ["claude-code", "claude-desktop"]).map(({ rule }) => rule)).toEqual([
    "claude-code-name",
  ]);
});

test("a finding names the host, the effect, the places and the part that does not fit", () => {
  const definition = input({ type: "object", properties: { "b c": {}, "a[b]": {} } });
  const paths = ["/inputSchema/properties/a[b]", "/inputSchema/properties/b c"];
  expect(findHostFindings([{ server: "shop", definition }], ["anthropic"])).toEqual([
    {
      ...{ rule: "anthropic-property-key", server: "shop", tool: "get" },
      facts: { host: "anthropic", effect: "request", paths },
      message:
        "Anthropic refuses the whole request: a property of the input schema has a name that does not match `[a-zA-Z0-9_.-]{1,64}` (a[b], b c).",
      hint: "Rename the property for the model, and map it back.",
    },
  ]);
});

const rulesFor = (definition: JsonObject, ...hosts: readonly HostId[]): readonly string[] =>
  findHostFindings([{ server: "shop", definition }], hosts).map(({ rule }) => rule);

test("a form of a host has the rules of the host, unless they are about another form", () => {
  expect(rulesFor(property({ type: "array" }), "openai-strict")).toEqual(["openai-array-items"]);
  expect(rulesFor(named("1.get"), "gemini-parameters")).toContain("gemini-name");
  expect(rulesFor(property({ type: "string", not: {} }), "gemini")).toEqual(["gemini-keyword"]);
  expect(rulesFor(property({ type: "string", not: {} }), "gemini-parameters")).not.toContain(
    "gemini-keyword",
  );
  const same = ["shop", "blog"].map((server) => ({ server, definition: named("x".repeat(65)) }));
  const [finding] = findHostFindings(same, ["gemini-parameters"]);
  expect(finding).toMatchObject({ rule: "gemini-name", facts: { host: "gemini-parameters" } });
  expect(finding?.message).toMatch(/^Gemini \(parameters\) refuses/);
});

test("a finding of a host and of its form is reported once", () => {
  for (const hosts of [
    ["openai", "openai-strict"],
    ["openai-strict", "openai"],
  ] as const)
    expect(rulesFor(property({ type: "array" }), ...hosts)).toEqual(["openai-array-items"]);
});

test.each<[JsonValue, boolean]>([
  [{ type: "string" }, false],
  [{ type: ["string", "null"] }, true],
  [{ description: "Anything." }, true],
  [{ properties: { a: { type: "string" } } }, false],
  [{ type: ["object", "null"], properties: {} }, true],
  [{ enum: ["a", null] }, true],
  [{ enum: ["a"] }, false],
  [{ const: null }, true],
  [{ const: 1 }, false],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, true],
  [{ anyOf: [{ type: "string" }, { type: "number" }] }, false],
  [{ $ref: "#/$defs/text" }, false],
  [{ $ref: "#/$defs/any" }, true],
  [{ $ref: "#/properties/value" }, false],
  [true, true],
  [false, false],
])("an optional property %j may be null in strict mode: %s", (value, mayBeNull) => {
  const $defs = { text: { type: "string" }, any: {} };
  const rules = rulesFor(property(value, { required: [], $defs }), "openai-strict");
  expect(rules.includes("openai-strict-null")).toBe(mayBeNull);
});

test("every optional property is named, with its place", () => {
  const nested = { type: "object", properties: { c: { type: "string" } }, additionalProperties: false };
  const definition = property(nested, { properties: { a: {}, value: nested, "b/d": {} } });
  const [finding] = findHostFindings([{ server: "shop", definition }], ["openai-strict"]);
  const paths = ["a", "b~1d", "value/properties/c"].map((path) => `/inputSchema/properties/${path}`);
  expect(finding).toMatchObject({ rule: "openai-strict-optional", facts: { paths } });
  expect(finding?.message).toContain("(a, b/d, c)");
});

test.each<[string, JsonObject, string]>([
  ["no details if there are none", input({ type: "object" }), "OpenAI refuses the whole request: the input schema is an object without `properties`."],
  ["at most 120 characters of details", named(`a.${"x".repeat(130)}`),
    `OpenAI refuses the whole request: the name does not match \`[a-zA-Z0-9_-]{1,64}\` (a.${"x".repeat(118)}).`],
])(
  "the message of a rule names the host, the effect and the reason, and %s",
  (_what, definition, message) => {
    const [finding] = findHostFindings([{ server: "shop", definition }], ["openai"]);
    expect(finding?.message).toBe(message);
  },
); // prettier-ignore
