import { describe, expect, it } from "vitest";
import { ALL_RULES } from "../../src/drift/rules.js";
import { FILE_RULES, SIDES, UNVERIFIED_RULES } from "../../src/drift/rules/named-rules.js";
import { explainRule, listRules, printRule, printRules, showExample } from "../../src/report/print-rules.js";
import { SIDED_EXAMPLES, TOOL_EXAMPLES } from "../../src/drift/rules/examples.js";
import { plain } from "./fixtures.js";

const layout = { paint: plain, width: 120 };

function print(name: string): string {
  const rule = explainRule(name);
  return rule === undefined ? "" : printRule({ ...rule, ...showExample(name) }, layout).join("\n");
}

describe("the table of rules", () => {
  it("has every rule", () => {
    const names = listRules().map(({ rule }) => rule);
    expect(names).toEqual([
      ...ALL_RULES.keys(),
      ...Object.keys(UNVERIFIED_RULES),
      ...Object.keys(FILE_RULES),
    ]);
    expect(names).toContain("list-truncated");
    expect(printRules(listRules(), layout)).toHaveLength(names.length + 1);
  });
});

describe("an explained rule", () => {
  it("shows the change, the reason, the impacts, the rule for the other schema, and the remedies", () => {
    expect(print("input-bound-tightened").split("\n")).toEqual([
      "input-bound-tightened  breaking",
      "",
      "A limit of the input was tightened: values beyond it are rejected.",
      "",
      "Impacts:",
      "  wire       calls that are rejected, or results that no longer match",
      "",
      "For example, for a property `value`:",
      '  before  {"minimum":1}',
      '  after   {"exclusiveMinimum":1}',
      '  is breaking: {"value":1} was accepted and is now rejected',
      "",
      "The same change in the output, output-bound-tightened, is safe: callers already handle it.",
      "",
      "The reverse change is input-bound-loosened.",
      "",
      "To accept the change: npx mcp-codegen pull <server>",
      'To change its class: check: { rules: { "input-bound-tightened": "safe" } }',
    ]);
  });

  it("offers no other class for an unproved change, and none for security", () => {
    expect(print("input-pattern-changed")).toContain("no configuration makes it safe");
    expect(print("annotation-readonly-lost")).toContain("fails at every --fail-on except never");
    expect(print("server-version-changed")).toContain("never fails");
    expect(print("poison-instruction")).toContain(
      'npx mcp-codegen pull <server> --accept <finding> --reason "…"',
    );
  });

  it("shows its example", () => {
    const examples = [
      ...Object.keys(TOOL_EXAMPLES),
      ...["tool-deprecated", "tool-undeprecated"],
      ...SIDES.flatMap((side) => Object.keys(SIDED_EXAMPLES).map((name) => `${side}-${name}`)),
    ];
    for (const name of examples) expect([name, showExample(name).example?.change.rule]).toEqual([name, name]);
    expect(print("tool-removed")).toContain('before  [{"name":"t"}]');
    expect(print("tool-deprecated")).toContain(
      'after   {"name":"acme/get-product","label":"Get a product","meta":{"deprecated":{"since":"2.1.0",',
    );
    expect(print("list-truncated")).toMatch(/unverified[^]*exit code 3[^]*nothing to accept/);
  });

  it("is undefined for an unknown name", () => {
    expect(explainRule("toString")).toBeUndefined();
  });
});
