import { defineCommand } from "../../command-spec.js";
import type { OptionTable } from "../../options.js";

export const RULES_FLAGS = {} as const satisfies OptionTable;

export const rulesCommand = defineCommand({
  summary: "list the drift rules",
  description: ["Prints every drift rule with its class, as check uses them. Offline."],
  options: RULES_FLAGS,
  examples: [
    { line: "mcp-codegen rules", does: "print every rule" },
    { line: "mcp-codegen rules --json", does: "print every rule as JSON" },
  ],
  load: async () => (await import("./run.js")).runRules,
});

export const EXPLAIN_FLAGS = {} as const satisfies OptionTable;

export const explainCommand = defineCommand({
  summary: "explain a drift rule and its class",
  description: [
    "Prints what a drift rule finds, its class for inputs and outputs, what it affects, and how to accept a finding",
    "or change its class.",
  ],
  arguments: [{ name: "<rule>", help: "name of a rule, as printed in reports" }],
  options: EXPLAIN_FLAGS,
  examples: [
    {
      line: "mcp-codegen explain input-bound-tightened",
      does: "show why a tighter limit is a breaking change",
    },
  ],
  load: async () => (await import("./run.js")).runExplain,
});
