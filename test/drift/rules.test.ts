import { describe, expect, it } from "vitest";
import type { Change, ChangeClass } from "../../src/core/change.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { adviseOnRule, ALL_RULES, getRule, SIDED_RULES, explain } from "../../src/drift/rules.js";
import { type ToolSide, SIDES } from "../../src/drift/rules/named-rules.js";
import { SIDED_EXAMPLES, TOOL_EXAMPLES } from "../../src/drift/rules/examples.js";
import { indexToolNames } from "../../src/drift/security/texts.js";
import { CONTEXTS } from "./rule-contexts.js";

const found = (side: ToolSide, before: JsonValue, after: JsonValue): readonly Change[] =>
  diffTools([{ name: "t", [`${side}Schema`]: before }], [{ name: "t", [`${side}Schema`]: after }]);

const summarize = (changes: readonly Change[]): readonly string[] =>
  changes.map(({ rule, class: kind }) => `${rule} ${kind}`);

const fixtures = Object.entries(SIDED_EXAMPLES) as [
  keyof typeof SIDED_EXAMPLES,
  (typeof SIDED_EXAMPLES)[keyof typeof SIDED_EXAMPLES],
][];

describe.each(SIDES)("rules of the %s", (side) => {
  describe.each(CONTEXTS)("in %s", (_where, wrap) => {
    it.each(fixtures)("%s is found with its class", (name, fixture) => {
      const changes = found(side, wrap(fixture.before), wrap(fixture.after));
      const expected = fixture[side] ?? getRule(`${side}-${name}`).class;
      expect(summarize(changes)).toEqual([`${side}-${name} ${expected}`]);
      const [change] = changes;
      // A change that breaks only the wire has a witness.
      if (change?.class === "breaking" && SIDED_RULES[name].isOfTypes !== true)
        expect(change).toHaveProperty("witness");
      // An unknown change has a reason.
      if (change?.class === "unknown") expect(change.reason).toMatch(/\.$/);
    });
  });

  it.each(fixtures)("%s has a mirror", (_name, { before, after, mirror }) => {
    const [wrap] = CONTEXTS.map(([, one]) => one);
    const rules = found(side, wrap?.(after) ?? {}, wrap?.(before) ?? {}).map(({ rule }) => rule);
    if (typeof mirror === "string") expect(rules).toEqual([`${side}-${mirror}`]);
    else expect(mirror.waived).toMatch(/\.$/);
  });
});

describe("rules of a tool as a whole", () => {
  it.each(Object.entries(TOOL_EXAMPLES))(
    "%s is found, and has a mirror",
    (name, { before, after, mirror, others = [] }) => {
      const toolNames = indexToolNames(others);
      const rulesOf = (old: readonly JsonObject[], now: readonly JsonObject[]): readonly string[] =>
        diffTools(old as readonly ToolSnapshot[], now as readonly ToolSnapshot[], {
          server: "s",
          toolNames,
        }).map(({ rule }) => rule);
      expect(rulesOf(before, after)).toContain(name);
      if (typeof mirror === "string") expect(rulesOf(after, before)).toContain(mirror);
      else expect(mirror.waived).toMatch(/\.$/);
    },
  );
});

it("every rule has an example, here or in the test of its kind", () => {
  const tried = new Set([
    ...Object.keys(TOOL_EXAMPLES),
    ...SIDES.flatMap((side) => Object.keys(SIDED_EXAMPLES).map((name) => `${side}-${name}`)),
  ]);
  const elsewhere =
    /^(server-|tool-(?:un)?usable$|poison-|prompt-|resource-|skill-|variant-|tool-renamed$|tool-(un)?deprecated$|(input|output)-property-renamed$)/;
  expect([...ALL_RULES.keys()].filter((name) => !tried.has(name) && !elsewhere.test(name))).toEqual([]);
});

it("the text and the reason of every rule make one sentence", () => {
  for (const { says, why } of ALL_RULES.values()) {
    expect(says).toMatch(/^[A-Z].*[^.]$/);
    expect(why).toMatch(/^[^A-Z].*[^.]$/);
  }
});

it.each([
  ["poison-encoded-blob", "review such texts in the lock's diff"],
  ["parameter-header-changed", "parameters in HTTP headers are not supported"],
])("the rule %s of an earlier version has advice", (rule, advice) => {
  expect(adviseOnRule(rule)).toContain(advice);
  expect(ALL_RULES.has(rule)).toBe(false);
});

it("a rule that never was has no advice", () => {
  expect(adviseOnRule("nothing")).toBe("");
});

const explained = (before: JsonObject, after: JsonObject): readonly string[] =>
  diffTools([{ name: "t", inputSchema: before }], [{ name: "t", inputSchema: after }]).map(
    (change) => `${change.class}: ${explain(change)}`,
  );

const narrowed: Change = {
  rule: "input-optional-property-added",
  class: "safe",
  security: false,
  server: "s",
  tool: "t",
  path: "",
  impacts: [],
};

describe("an explanation fits the class", () => {
  it("is the rule's reason if the change has the rule's class", () => {
    expect(explain(narrowed)).toBe(
      "An optional property was added to the input: callers do not have to pass it.",
    );
  });

  it("explains that a proof found a breaking change safe", () => {
    const branch = (kind: string): JsonObject => ({
      type: "object",
      properties: { kind: { const: kind } },
      required: ["kind"],
    });
    const before = { properties: { a: { anyOf: [branch("x"), branch("y"), branch("y")] } } };
    const after = { properties: { a: { anyOf: [branch("x"), { ...branch("y"), minProperties: 1 }] } } };
    for (const text of explained(before, after)) expect(text).not.toMatch(/^safe: .*rejected/);
  });

  it.each<[ChangeClass, string]>([
    ["breaking", "a value that was accepted is now rejected"],
    ["safe", "the schema as a whole accepts every value that it accepted before"],
  ])("explains why a change of an open rule is %s", (kind, why) => {
    const change = { ...narrowed, rule: "input-pattern-changed", class: kind };
    expect(explain(change)).toBe(`A pattern for strings of the input changed: ${why}.`);
  });

  it("omits the rule's reason if the change has its own", () => {
    const reason = "The schema explicitly allowed undeclared properties.";
    const change = { ...narrowed, class: "breaking", reason } as const;
    expect(explain(change)).toBe("An optional property was added to the input.");
  });

  it("names the configuration if it sets the class", () => {
    expect(explain({ ...narrowed, class: "breaking", foundClass: "safe" })).toBe(
      'An optional property was added to the input: the configuration sets its class to "breaking".',
    );
  });
});
