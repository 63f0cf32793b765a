import { describe, expect, it } from "vitest";
import type { Change } from "../../src/contract/change.js";
import type { JsonValue } from "../../src/contract/json.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { getRule } from "../../src/drift/rules.js";
import { SIDED_RULES, SIDES, type Side } from "../../src/drift/sided-rules.js";
import { CONTEXTS, SIDED_FIXTURES } from "./rule-fixtures.js";

const found = (side: Side, before: JsonValue, after: JsonValue): readonly Change[] =>
  diffTools([{ name: "t", [`${side}Schema`]: before }], [{ name: "t", [`${side}Schema`]: after }]);

const said = (changes: readonly Change[]): readonly string[] =>
  changes.map(({ rule, class: kind }) => `${rule} ${kind}`);

const fixtures = Object.entries(SIDED_FIXTURES) as [
  keyof typeof SIDED_FIXTURES,
  (typeof SIDED_FIXTURES)[keyof typeof SIDED_FIXTURES],
][];

describe.each(SIDES)("of the %s", (side) => {
  describe.each(CONTEXTS)("in %s", (_where, wrap) => {
    it.each(fixtures)("%s is found, and judged", (name, fixture) => {
      const changes = found(side, wrap(fixture.before), wrap(fixture.after));
      const expected = fixture[side] ?? getRule(`${side}-${name}`).class;
      expect(said(changes)).toEqual([`${side}-${name} ${expected}`]);
      const [change] = changes;
      // What is breaking on the wire alone is shown by an instance.
      if (change?.class === "breaking" && SIDED_RULES[name].isOfTypes !== true)
        expect(change).toHaveProperty("witness");
      // What is not known says why.
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
