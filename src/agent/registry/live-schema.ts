import type { JsonValue } from "../../core/json.js";
import type { Dialect, FormatRule } from "../../core/schema-ir.js";
import { parseSchema } from "../../schema/ir/parse-schema.js";
import type { WithKeyRules } from "../../schema/validation/json-schema.js";
import {
  compileCheck,
  findCheckIssues,
  type CompiledCheck,
} from "../../schema/validation/compile-validator.js";
import type { Schema } from "../../schema/validation/schema.js";

/** An interpreted schema with the rules for its keys. */
export type LiveSchema = Schema<unknown> & WithKeyRules;

/**
 * Reads a live server's schema as the generator does, and interprets it instead of printing it. A schema with a pattern that could
 * take forever accepts every value, so that the server decides.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be read
 */
export function readLiveSchema(
  raw: JsonValue,
  defaultDialect: Dialect | undefined,
  formats?: FormatRule,
): LiveSchema {
  const { ir, definitions } = parseSchema(raw, { defaultDialect, formats });
  let compiled: CompiledCheck | undefined | "unknown" = "unknown";
  // Most tools are offered and never called.
  const getCheck = (): CompiledCheck | undefined => {
    if (compiled === "unknown") compiled = compileCheck(ir, definitions);
    return compiled;
  };
  return {
    get keyRules() {
      return getCheck()?.keyRules ?? {};
    },
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate(value) {
        const check = getCheck();
        const issues = check === undefined ? [] : findCheckIssues(check, value);
        return issues.length === 0 ? { value } : { issues };
      },
    },
  };
}
