import { describe, expect, it } from "vitest";
import { ALL_RULES } from "../../src/drift/rules.js";
import { explainRule, listRules } from "../../src/report/list-rules.js";
import { printRule, printRules } from "../../src/report/print-rules.js";
import { plain } from "./fixtures.js";

const layout = { paint: plain, width: 120 };

function print(name: string): string {
  const rule = explainRule(name);
  return rule === undefined ? "" : printRule(rule, layout).join("\n");
}

describe("the table of rules", () => {
  it("has every rule that judges", () => {
    expect(listRules().map(({ rule }) => rule)).toEqual([...ALL_RULES.keys()]);
    expect(printRules(listRules(), layout)).toHaveLength(ALL_RULES.size + 1);
  });
});

describe("a rule explained", () => {
  it("says what it finds, why, what it touches, how the other side judges, and what to do", () => {
    expect(print("input-bound-tightened").split("\n")).toEqual([
      "input-bound-tightened  breaking           ",
      "",
      "A limit in the input is tighter: what lies beyond is rejected.",
      "",
      "Impacts:",
      "  wire       calls that are rejected, or answers that no longer fit",
      "",
      "On the other side, output-bound-tightened is safe: callers are ready for it.",
      "",
      "To accept what was found: npx mcp-codegen pull <server>",
      'To class it otherwise: check: { rules: { "input-bound-tightened": "safe" } }',
    ]);
  });

  it("offers no class for what could not be proved, and no way around security", () => {
    expect(print("input-pattern-changed")).toContain("no configuration makes it safe");
    expect(print("annotation-readonly-lost")).toContain("fails at every --fail-on but never");
    expect(print("server-version-changed")).toContain("never fails");
  });

  it("is not found under a name that no rule has", () => {
    expect(explainRule("toString")).toBeUndefined();
  });
});
