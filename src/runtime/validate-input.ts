import { findIssues, type Issue, type Schema } from "../validation/schema.js";
import { hasPhpArrays, readEmptyObjects } from "./read-empty-objects.js";
import type { ToolDefinition, ToolDescription } from "./tool.js";

/**
 * What is sent, and what the input schema has against it. Some schemas refuse their own defaults: an input that fits
 * without them is sent without them.
 */
export async function validateInput(
  definition: ToolDefinition<unknown, unknown>,
  value: unknown,
): Promise<JudgedInput> {
  const judged = await judgeWithDefaults(definition, value);
  if (judged.issues.length === 0 || !hasPhpArrays(definition)) return judged;
  const read = await readEmptyObjects(definition.input, value);
  return read === value ? judged : judgeWithDefaults(definition, read);
}

interface JudgedInput {
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

async function judgeWithDefaults(
  { input, defaults, inputSchema, dialect, formats }: ToolDefinition<unknown, unknown>,
  value: unknown,
): Promise<JudgedInput> {
  if (defaults !== "send") return { value, issues: await findIssues(input, value) };
  // It reads schemas as the generator does, which is much to load for those who leave defaults to the server.
  const { fillDefaults } = await import("../validation/fill-defaults.js");
  const filled = fillDefaults(value, inputSchema(), { dialect, formats });
  const issues = await findIssues(input, filled);
  if (issues.length === 0 || filled === value) return { value: filled, issues };
  const without = await findIssues(input, value);
  return without.length === 0 ? { value, issues: [] } : { value: filled, issues };
}

/**
 * What a call judges an input by: where absent keys are sent with their defaults, one that fits with them fits; in WordPress,
 * an empty list fits an object.
 */
export function callSchema(definition: ToolDescription<unknown, unknown>): Schema<unknown> {
  if (!isOfServer(definition) || (definition.defaults !== "send" && !hasPhpArrays(definition)))
    return definition.input;
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate: async (value) => {
        const { issues } = await validateInput(definition, value);
        return issues.length === 0 ? { value } : { issues };
      },
    },
  };
}

function isOfServer(
  definition: ToolDescription<unknown, unknown>,
): definition is ToolDefinition<unknown, unknown> {
  return definition.server !== undefined;
}
