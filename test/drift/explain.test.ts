import { describe, expect, it } from "vitest";
import type { Change, ChangeClass } from "../../src/core/change.js";
import type { JsonObject } from "../../src/core/json.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { explain } from "../../src/drift/rules.js";

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
