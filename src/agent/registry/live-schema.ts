import type { JsonValue } from "../../contract/json.js";
import type { Dialect, FormatRule } from "../../contract/schema-ir.js";
import { parseSchema } from "../../schema/parse-schema.js";
import type { WithKeyRules } from "../../validation/key-rules.js";
import { compileCheck, findCheckIssues, type CompiledCheck } from "../../validation/compile-validator.js";
import type { Schema } from "../../validation/schema.js";

/** A schema that is interpreted, and says which keys it knows. */
export type LiveSchema = Schema<unknown> & WithKeyRules;

/**
 * A schema of a live server's, read as the generator reads it and interpreted instead of printed. One with a pattern that
 * is not run, because it could take for ever, leaves the verdict to the server.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be read.
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
