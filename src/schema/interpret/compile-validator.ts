import type { Definitions, SchemaIR } from "../../core/schema-ir.js";
import { isApproximate } from "../ir/subschemas.js";
import { printJsonSchema } from "../print/print-json-schema.js";
import type { Check } from "../validation/checks.js";
import { createValidator, fitsJsonSchema } from "../validation/fits-json-schema.js";
import type { JsonSchema } from "../validation/json-schema.js";

/** Returns whether a value fits a schema; undefined if that depends on a pattern that is not executed. */
export type SchemaValidator = (value: unknown) => boolean | undefined;

/** Compiles a parsed schema to a validator. */
export function compileValidator(node: SchemaIR, definitions: Definitions): SchemaValidator {
  if (isApproximate(node, { definitions })) return () => undefined;
  return createValidator(printJsonSchema(node, definitions) as JsonSchema);
}

/** Compiles a parsed schema to a check; undefined if the result depends on a pattern that is not executed. */
export function compileCheck(node: SchemaIR, definitions: Definitions): Check | undefined {
  if (isApproximate(node, { definitions })) return undefined;
  // `printJsonSchema` prints only the keywords of `JsonSchema`.
  return fitsJsonSchema(printJsonSchema(node, definitions) as JsonSchema);
}
