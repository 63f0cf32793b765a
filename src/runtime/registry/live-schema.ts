import type { JsonValue } from "../../contract/json.js";
import type { Dialect, FormatRule } from "../../contract/schema-ir.js";
import { parseSchema } from "../../schema/parse-schema.js";
import type { Check } from "../checks/check.js";
import { compileCheck, findMisfits } from "../compile-verdict.js";
import type { Schema } from "../schema.js";

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
): Schema<unknown> {
  const { ir, definitions } = parseSchema(raw, { defaultDialect, formats });
  let check: Check | undefined | "unknown" = "unknown";
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate(value) {
        // Most tools are offered and never called.
        if (check === "unknown") check = compileCheck(ir, definitions);
        const issues = check === undefined ? [] : findMisfits(check, value);
        return issues.length === 0 ? { value } : { issues };
      },
    },
  };
}
