import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/change.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { adviseOnRule, ALL_RULES, getRule, SIDED_RULES } from "../../src/drift/rules.js";
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
