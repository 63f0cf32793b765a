import { findIssues, type Issue, type Schema } from "./schema.js";
import type { ToolDefinition, ToolDescription } from "./tool.js";

/**
 * What is sent, and what the input schema has against it. Some schemas refuse their own defaults: an input that fits
 * without them is sent without them.
 */
export async function judgeInput(
  { input, defaults, inputSchema, dialect, formats }: ToolDefinition<unknown, unknown>,
  value: unknown,
): Promise<{ readonly value: unknown; readonly issues: readonly Issue[] }> {
  if (defaults !== "send") return { value, issues: await findIssues(input, value) };
  // It reads schemas as the generator does, which is much to load for those who leave defaults to the server.
  const { fillDefaults } = await import("./fill-defaults.js");
  const filled = fillDefaults(value, inputSchema(), { dialect, formats });
  const issues = await findIssues(input, filled);
  if (issues.length === 0 || filled === value) return { value: filled, issues };
  const without = await findIssues(input, value);
  return without.length === 0 ? { value, issues: [] } : { value: filled, issues };
}

/** What a call judges an input by: where absent keys are sent with their defaults, one that fits with them fits. */
export function callSchema(definition: ToolDescription<unknown, unknown>): Schema<unknown> {
  if (!sendsDefaults(definition)) return definition.input;
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate: async (value) => {
        const { issues } = await judgeInput(definition, value);
        return issues.length === 0 ? { value } : { issues };
      },
    },
  };
}

function sendsDefaults(
  definition: ToolDescription<unknown, unknown>,
): definition is ToolDefinition<unknown, unknown> {
  return "defaults" in definition && definition.defaults === "send";
}
