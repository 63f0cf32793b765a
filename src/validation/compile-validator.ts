import type { Definitions, SchemaIR } from "../contract/schema-ir.js";
import { isApproximate } from "../schema/is-approximate.js";
import { printJsonSchema } from "../schema/print-json-schema.js";
import type { Check, CheckIssue } from "./check.js";
import { createValidator, fitsJsonSchema } from "./fits-json-schema.js";
import type { JsonSchema } from "./json-schema.js";
import type { WithKeyRules } from "./key-rules.js";

/** Whether a value fits a schema; undefined where a pattern that is not run would decide. */
export type Validator = (value: unknown) => boolean | undefined;

/** A schema as it was read, as a question to ask of values. */
export function compileValidator(node: SchemaIR, definitions: Definitions): Validator {
  if (isApproximate(node, { definitions })) return () => undefined;
  return createValidator(printJsonSchema(node, definitions) as JsonSchema);
}

/** A schema as a check that also says which keys the schema knows. */
export type CompiledCheck = Check & WithKeyRules;

/** The same as a check that reports issues; undefined where a pattern that is not run would decide. */
export function compileCheck(node: SchemaIR, definitions: Definitions): CompiledCheck | undefined {
  if (isApproximate(node, { definitions })) return undefined;
  // What the one writes the other reads.
  return fitsJsonSchema(printJsonSchema(node, definitions) as JsonSchema);
}

/** What a check has against a value. */
export function findMisfits(check: Check, value: unknown): readonly CheckIssue[] {
  const issues: CheckIssue[] = [];
  check({ value, issues });
  return issues;
}
