/** The words for single changes: none needs the definition to be understood. */
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { Change } from "../../src/core/change.js";
import type { EntryList } from "../../src/core/entries.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { diffEntries } from "../../src/drift/diff-entries.js";
import { diffServer } from "../../src/drift/diff-server.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { SIDED_EXAMPLES, TOOL_EXAMPLES } from "../../src/drift/rules/examples.js";
import { SIDES } from "../../src/drift/rules/named-rules.js";
import { describeChanges, joinWords } from "../../src/report/describe-change.js";
import { joinNote } from "../../src/report/describe-findings.js";
import { findingsOf } from "../../src/report/page/html.js";
import { CONTEXTS } from "../drift/rule-contexts.js";
import { KEYWORD_ROWS } from "../drift/grid/keyword-rows.js";
import { runs, sample } from "../sample.js";

/** The sign, the words and the notes without counterexamples. */
function wordsOf(change: Change): string {
  const { sign, notes, ...words } = describeChanges([change], { value: 80, line: 160 });
  const texts = notes.filter(({ text }) => !/rejected$|now is$/.test(text)).map(joinNote);
  return [`${sign} ${joinWords({ sign, notes, ...words })}`, ...texts].join(" | ");
}

const schemas = (before: JsonValue, after: JsonValue, more: JsonObject = {}): readonly string[] => {
  const of = (p: JsonValue): ToolSnapshot => ({ name: "t", inputSchema: { type: "object", properties: { p }, ...more } }); // prettier-ignore
  return diffTools([of(before)], [of(after)]).map(wordsOf);
};

const object = (...required: readonly string[]): JsonObject => ({
  type: "object",
  properties: { d: { type: "string" } },
  ...(required.length > 0 && { required }),
});
const contains = (more: JsonObject): JsonObject => ({ type: "array", contains: { const: 1 }, ...more });

describe("a change of a schema", () => {
  it.each<[string, JsonValue, JsonValue, readonly string[]]>([
    ["a required property", object(), object("d"), ["~ input.p.d: optional → required"]],
    ["an optional property", object("d"), object(), ["~ input.p.d: required → optional"]],
    ["a required name without a schema", object(), object("x y"), ['~ input.p."x y": optional → required']],
    ["a required property of another part", { allOf: [object()] }, { allOf: [object(), { required: ["d"] }] }, ["~ input.p allOf[1].d: optional → required"]],
    [
      "a required property of a branch",
      { oneOf: [{ type: "string" }, object()] },
      { oneOf: [{ type: "string" }, object("d")] },
      ["~ input.p oneOf[1].d: optional → required"],
    ],
    ["a required property below `not`", { ...object(), not: object() }, { ...object(), not: object("d") }, ["~ input.p not.d: optional → required"]],
    [
      "a property required by another",
      { ...object(), dependentSchemas: { d: {} } },
      { ...object(), dependentSchemas: { d: { required: ["e"] } } },
      ["~ input.p dependentSchemas d.e: optional → required"],
    ],
    [
      "a higher minContains",
      contains({ minContains: 1 }),
      contains({ minContains: 2 }),
      ["~ input.p minContains: 1 → 2 | Before, at least 1 of the items had to match `contains`; now at least 2 of the items have to."],
    ],
    [
      "the first minContains",
      contains({}),
      contains({ minContains: 0 }),
      ["+ input.p minContains: 0 | Before, at least 1 of the items had to match `contains`; now no item has to."],
    ],
    [
      "a maxContains",
      contains({}),
      contains({ maxContains: 3 }),
      ["+ input.p maxContains: 3 | Before, any number of items could match `contains`; now at most 3 of the items may."],
    ],
    ["an exclusive limit", { minimum: 1 }, { exclusiveMinimum: 1 }, ["~ input.p: at least 1 → more than 1"]],
    ["an inclusive limit", { exclusiveMaximum: 1 }, { maximum: 1 }, ["~ input.p: less than 1 → at most 1"]],
    [
      "exclusive branches",
      { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      ['~ input.p oneOf: [{"required":["a"]},{"required":["b"]}] | Before, a value could fit several branches; now it must fit exactly one.'],
    ],
    ["a constant that was removed", { type: "string", const: "x" }, { type: "string" }, ['- input.p const: "x"']],
  ])("names %s", (_what, before, after, expected) => {
    expect(schemas(before, after)).toEqual(expected);
  }); // prettier-ignore
});

describe("a change of a tool", () => {
  it.each<[JsonObject, JsonObject, string]>([
    [{ readOnlyHint: true }, {}, "~ annotations readOnlyHint: true → false by default"],
    [{}, { readOnlyHint: true }, "~ annotations readOnlyHint: false by default → true"],
    [{ destructiveHint: false }, {}, "~ annotations destructiveHint: false → true by default"],
    [{ openWorldHint: false }, { openWorldHint: true }, "~ annotations openWorldHint: false → true"],
  ])("names the default of a hint: %j → %j", (before, after, expected) => {
    const [old, now] = [before, after].map((annotations) => ({ name: "t", annotations }));
    expect(diffTools(old ? [old] : [], now ? [now] : []).map(wordsOf)).toEqual([expected]);
  });

  it.each([
    ["tool-name-invalid", "MCP does not allow the name `get posts`"],
    ["tool-name-duplicate", "the server lists several tools of this name"],
    ["tool-name-collision", "generates the same identifier as `get-post`"],
  ])("says for %s: %s", (rule, expected) => {
    const { before = [], after = [] } = TOOL_EXAMPLES[rule] ?? {};
    const changes = diffTools(before as readonly ToolSnapshot[], after as readonly ToolSnapshot[]);
    expect(changes.filter((change) => change.rule === rule).map(wordsOf)).toEqual([
      expect.stringContaining(expected),
    ]);
  });
});

const lang = { name: "lang", description: "The language." };
const tone = { name: "tone", title: "Tone", required: true };
const prompt = (...args: readonly JsonObject[]): JsonObject => ({ name: "x", arguments: args });
const file = (uri: string, digest: string, size = 1): JsonObject => ({
  uri,
  digest: `sha256:${digest}`,
  size,
});
const skill = (...resources: readonly JsonObject[]): JsonObject => ({ uri: "x", resources });

describe("a change of an entry", () => {
  it.each<[string, EntryList, JsonObject, JsonObject, readonly string[]]>([
    ["a required argument", "prompts", prompt(lang), prompt(lang, tone), ['+ argument tone: required, "Tone"']],
    ["an optional argument", "prompts", prompt(), prompt(lang), ['+ argument lang: optional, "The language."']],
    ["a removed argument", "prompts", prompt(lang, tone), prompt(tone), ['- argument lang: optional, "The language."']],
    ["a renamed argument", "prompts", prompt(tone), prompt({ ...tone, name: "a b" }), ['- argument tone: required, "Tone"', '+ argument "a b": required, "Tone"']],
    ["a now required argument", "prompts", prompt(tone, lang), prompt(tone, { ...lang, required: true }), ["~ argument lang: optional → required"]],
    ["a now optional argument", "prompts", prompt(tone), prompt({ ...tone, required: false }), ["~ argument tone: required → optional"]],
    ["a text of an argument", "prompts", prompt(tone, lang), prompt(tone, { ...lang, description: "A." }), ['~ argument lang description: "The language." → "A."']],
    ["a detail of an argument", "prompts", prompt(lang), prompt({ ...lang, "x-a": 1 }), ["+ argument lang x-a: 1"]],
    ["one of the annotations", "resources", { annotations: { audience: ["user"], priority: 0.5 } }, { annotations: { audience: ["user"], priority: 1 } }, ["~ annotations priority: 0.5 → 1"]],
    ["a media type", "resourceTemplates", { mimeType: "a/b" }, { mimeType: "c/d" }, ['~ mimeType: "a/b" → "c/d"']],
    ["a file", "skills", skill(file("s/A.md", "a")), skill(file("s/A.md", "b", 2)), ['~ file "s/A.md": 1 byte, sha256:a → 2 bytes, sha256:b']],
    ["another file", "skills", skill(file("s/A.md", "a")), skill(file("B.md", "a")), ['- file "s/A.md": 1 byte, sha256:a', '+ file "B.md": 1 byte, sha256:a']],
    ["metadata of a skill", "skills", { frontmatter: { metadata: { v: 1, w: 1 } } }, { frontmatter: { metadata: { v: 2, w: 1 } } }, ["~ frontmatter metadata v: 1 → 2"]],
  ])("names %s", (_what, list, before, after, expected) => {
    expect(diffEntries("shop", { [list]: { x: before } }, { [list]: { x: after } }).map(wordsOf)).toEqual(expected);
  }); // prettier-ignore

  it("names the argument in JSON, beside the path", () => {
    const [change] = diffEntries(
      "shop",
      { prompts: { x: prompt(tone) } },
      { prompts: { x: prompt(tone, lang) } },
    );
    expect(change).toMatchObject({ path: "/prompts/x/arguments/1", item: "lang", after: lang });
  });

  it("names completions that a server no longer offers", () => {
    const server = (capabilities: JsonObject) =>
      ({
        server: "shop",
        identity: { serverInfo: { name: "shop", version: "1" }, protocolVersion: "2025-11-25", capabilities },
        listing: { clientCapabilities: {}, pages: 1 },
        tools: [],
        unusable: {},
        diagnostics: [],
      }) as const;
    expect(diffServer("shop", server({ completions: {} }), server({})).map(wordsOf)).toEqual([
      "- capabilities completions",
    ]);
  });
});

/** Keywords with a boolean as their value, and keywords that hold a schema, which may be a boolean. */
const BOOLEANS = /(?:uniqueItems|additionalProperties|unevaluatedProperties|unevaluatedItems|additionalItems|deprecated|default|const|enum|Hint|not|\]|\.\*|listChanged)$/; // prettier-ignore

const CHANGES: readonly Change[] = [
  ...Object.values(TOOL_EXAMPLES).flatMap(({ before, after }) =>
    diffTools(before as readonly ToolSnapshot[], after as readonly ToolSnapshot[]),
  ),
  ...SIDES.flatMap((side) => {
    const diff = (before: JsonValue, after: JsonValue): readonly Change[] =>
      diffTools([{ name: "t", [`${side}Schema`]: before }], [{ name: "t", [`${side}Schema`]: after }]);
    const examples = sample(CONTEXTS, 3).flatMap(([, wrap]) =>
      Object.values(SIDED_EXAMPLES).flatMap(({ before, after }) => diff(wrap(before), wrap(after))),
    );
    const rows = Object.values(KEYWORD_ROWS).flatMap((list) => (typeof list === "string" ? [] : list));
    const keywords = sample(rows, 3).flatMap(({ narrow, wide, definitions = {} }) => {
      const wraps: readonly ((schema: JsonObject) => JsonObject)[] = [
        (schema) => ({ type: "object", properties: { p: schema }, $defs: definitions }),
        (schema) => ({ type: "object", properties: { p: { not: schema } }, $defs: definitions }),
        (schema) => ({ type: "object", properties: { p: { oneOf: [{ type: "null" }, schema, { minLength: 9 }] } }, $defs: definitions }), // prettier-ignore
        (schema) => ({ type: "object", if: { properties: { p: schema } }, then: { required: ["q"] }, $defs: definitions }), // prettier-ignore
      ];
      return wraps.flatMap((wrap) => [...diff(wrap(wide), wrap(narrow)), ...diff(wrap(narrow), wrap(wide))]);
    });
    return [...examples, ...keywords];
  }),
];

describe("the words for every rule and keyword", () => {
  it("come from many changes", () => {
    expect(CHANGES.length).toBeGreaterThan(runs(1000, 3));
  });

  it("have no flag without the word for it, and no list that names a required property", () => {
    for (const change of CHANGES) {
      const [words = ""] = wordsOf(change).split(" | ");
      const [, place = ""] = /^. (.*?): (?:true|false) → (?:true|false)$/.exec(words) ?? [];
      expect([change.rule, words, place === "" || BOOLEANS.test(place)]).toEqual([change.rule, words, true]);
      expect(words).not.toMatch(/ required: "|contains: \[?\d/);
    }
  });

  it("never show two equal values", () => {
    for (const change of CHANGES) {
      const { before, after } = describeChanges([change], { value: 10_000, line: 160 });
      if (before !== undefined)
        expect([change.rule, change.path, after]).not.toEqual([change.rule, change.path, before]);
    }
  });

  it("are the words of the page, too", () => {
    const page = JSON.stringify(
      findingsOf(CHANGES.filter(({ rule }) => /-property-became-|-bound-/.test(rule))),
    );
    expect(page).toContain('"before":"optional","after":"required"');
    expect(page).toContain('"before":"at least 1","after":"more than 1"');
    expect(page).toContain("had to match `contains`");
    expect(page).not.toContain('"before":"false"');
  });
});
