import type { Definitions, SchemaIR } from "../../core/schema-ir.js";
import { isApproximate } from "../ir/subschemas.js";
import { printJsonSchema } from "../print/print-json-schema.js";
import type { Check, CheckIssue } from "./checks.js";
import { createValidator, fitsJsonSchema } from "./fits-json-schema.js";
import type { JsonSchema, WithKeyRules } from "./json-schema.js";

/** Returns whether a value fits a schema; undefined if that depends on a pattern that is not executed. */
export type SchemaValidator = (value: unknown) => boolean | undefined;

/** Compiles a parsed schema to a validator. */
export function compileValidator(node: SchemaIR, definitions: Definitions): SchemaValidator {
  if (isApproximate(node, { definitions })) return () => undefined;
  return createValidator(printJsonSchema(node, definitions) as JsonSchema);
}

/** A check for a schema, with the keys that the schema declares. */
export type CompiledCheck = Check & WithKeyRules;

/** Compiles a parsed schema to a check; undefined if the result depends on a pattern that is not executed. */
export function compileCheck(node: SchemaIR, definitions: Definitions): CompiledCheck | undefined {
  if (isApproximate(node, { definitions })) return undefined;
  // `printJsonSchema` prints only the keywords of `JsonSchema`.
  return fitsJsonSchema(printJsonSchema(node, definitions) as JsonSchema);
}

/** Returns the issues that a check reports for a value. */
export function findCheckIssues(check: Check, value: unknown): readonly CheckIssue[] {
  const issues: CheckIssue[] = [];
  check({ value, issues });
  return issues;
}
