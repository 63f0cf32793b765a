import type { JsonValue } from "../../core/json.js";
import { parseSchema } from "../ir/parse-schema.js";
import { type Check, findCheckIssues } from "../validation/checks.js";
import { compileCheck } from "./compile-validator.js";
import { compileDefaults } from "./fill-defaults.js";
import type { Schema } from "../../core/schema.js";
import type { SchemaSettings } from "../../core/tool.js";

/**
 * Reads a live server's schema as the generator does, and interprets it instead of printing it. A schema with a pattern that could
 * take forever accepts every value, so that the server decides.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be read
 */
export function readLiveSchema(
  raw: JsonValue,
  { dialect, formats, defaults }: SchemaSettings = {},
): Schema<unknown> {
  const { ir, definitions } = parseSchema(raw, { defaultDialect: dialect, formats });
  let compiled: Check | undefined | "unknown" = "unknown";
  // Most tools are offered and never called.
  const getCheck = (): Check | undefined => {
    if (compiled === "unknown") compiled = compileCheck(ir, definitions);
    return compiled;
  };
  let fill: ((value: unknown) => unknown) | undefined;
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate(value) {
        const check = getCheck();
        const issues = check === undefined ? [] : findCheckIssues(check, value);
        if (issues.length > 0) return { issues };
        if (defaults === undefined) return { value };
        return { value: (fill ??= compileDefaults(ir, definitions))(value) };
      },
    },
  };
}
