import type { JsonValue } from "../../core/json.js";
import type { Definitions, Dialect, SchemaIR } from "../../core/schema-ir.js";
import { parseSchema } from "../ir/parse-schema.js";
import { isApproximate } from "../ir/subschemas.js";
import { printJsonSchema } from "../print/print-json-schema.js";
import { type Check, findCheckIssues } from "../validation/checks.js";
import { fitsJsonSchema } from "../validation/fits-json-schema.js";
import type { JsonSchema } from "../validation/json-schema.js";
import { compileDefaults } from "./fill-defaults.js";
import type { Schema } from "../../core/schema.js";
import type { SchemaSettings } from "../../core/tool.js";

interface LiveSchema {
  readonly dialect: Dialect;
  /** Returns the check of values; undefined if every value is accepted. */
  readonly check: () => Check | undefined;
  /** Fills in defaults, if the settings say so. */
  readonly fill: ((value: unknown) => unknown) | undefined;
}

/**
 * Reads a live server's schema as the generator does, to interpret it instead of printing it. A schema with a pattern that could
 * take forever accepts every value, so that the server decides.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be read
 */
export function openLiveSchema(raw: JsonValue, { dialect, formats, defaults }: SchemaSettings): LiveSchema {
  const schema = parseSchema(raw, { defaultDialect: dialect, formats });
  const { ir, definitions } = schema;
  let compiled: Check | undefined | "unknown" = "unknown";
  let fill: ((value: unknown) => unknown) | undefined;
  return {
    dialect: schema.dialect,
    // Most tools are offered and never called.
    check: () => {
      if (compiled === "unknown") compiled = compileCheck(ir, definitions);
      return compiled;
    },
    fill: defaults === undefined ? undefined : (value) => (fill ??= compileDefaults(ir, definitions))(value),
  };
}

/** Undefined if the result depends on a pattern that is not executed. */
function compileCheck(node: SchemaIR, definitions: Definitions): Check | undefined {
  if (isApproximate(node, { definitions })) return undefined;
  // `printJsonSchema` prints only the keywords of `JsonSchema`.
  return fitsJsonSchema(printJsonSchema(node, definitions) as JsonSchema);
}

/**
 * Returns the schema of {@link openLiveSchema} in the form of the runtime.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be read
 */
export function readLiveSchema(raw: JsonValue, settings: SchemaSettings = {}): Schema<unknown> {
  const { check: open, dialect, fill } = openLiveSchema(raw, settings);
  const text = (): JsonValue => raw;
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      // Its readers know no other dialect.
      ...(dialect === "2020-12" && { jsonSchema: { input: text, output: text } }),
      validate(value) {
        const check = open();
        const issues = check === undefined ? [] : findCheckIssues(check, value);
        if (issues.length > 0) return { issues };
        return { value: fill === undefined ? value : fill(value) };
      },
    },
  };
}
