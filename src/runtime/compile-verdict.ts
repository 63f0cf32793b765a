import type { Definitions, SchemaIR } from "../contract/schema-ir.js";
import { isLoose } from "../schema/is-loose.js";
import { printJsonSchema } from "../schema/print-json-schema.js";
import type { CheckIssue } from "./checks/check.js";
import { fitsJsonSchema } from "./checks/fits-json-schema.js";
import type { JsonSchema } from "./checks/json-schema.js";

/** Whether a value fits a schema; undefined where it cannot be told, because of a pattern that is not run. */
export type Verdict = (value: unknown) => boolean | undefined;

/** A schema as it was read, as a question to ask of values. */
export function compileVerdict(node: SchemaIR, definitions: Definitions): Verdict {
  if (isLoose(node, { definitions })) return () => undefined;
  // What the one writes the other reads.
  const check = fitsJsonSchema(printJsonSchema(node, definitions) as JsonSchema);
  return (value) => {
    const issues: CheckIssue[] = [];
    check({ value, issues });
    return issues.length === 0;
  };
}
