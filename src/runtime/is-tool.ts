import type { AnyTool } from "./tool.js";

/**
 * Whether a value is a tool: generated, static, or made by another copy of this package. Looks only at its shape and runs
 * no code of it, so any export of a module can be tested.
 */
export function isTool(value: unknown): value is AnyTool {
  try {
    if (!isObject(value) || !("safe" in value) || !("definition" in value)) return false;
    const { safe, definition } = value;
    return (
      typeof safe === "function" &&
      isObject(definition) &&
      "name" in definition &&
      typeof definition.name === "string" &&
      "input" in definition &&
      isObject(definition.input) &&
      "~standard" in definition.input &&
      "inputSchema" in definition &&
      typeof definition.inputSchema === "function"
    );
  } catch {
    // A getter or a proxy that throws.
    return false;
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
