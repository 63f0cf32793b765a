import type { Definitions, Property, ObjectNode, SchemaDiagnostic, SchemaIR } from "../contract/schema-ir.js";
import { quoteLiteral } from "./identifiers.js";
import { readPattern } from "./pattern.js";

/** Whether values go to the server or come from it: an optional key may hold `undefined` on the way in alone. */
export type Side = "input" | "output";

/** What the printers of one declaration share. */
export interface PrintContext {
  readonly side: Side;
  readonly definitions: Definitions;
  /** The same as they were read, for what is interpreted. */
  readonly sources: Definitions;
  /** Definitions that have a name in the module, by pointer. Others are written where they are used. */
  readonly names: ReadonlyMap<string, string>;
  /** Whether a reference to a definition is a check, which Zod does not look into: see `countZodSteps`. */
  readonly checksReferences: boolean;
  /** Whether the module declares types under those names. */
  readonly hasTypes: boolean;
  readonly diagnostics: SchemaDiagnostic[];
  /** The printers of `print-zod.ts`, which the printers of arrays, objects and unions call for the schemas inside. */
  readonly printZod: (node: SchemaIR, context: PrintContext) => string;
  readonly printProperty: (
    property: Pick<Property, "name" | "isRequired">,
    node: SchemaIR,
    context: PrintContext,
  ) => string;
  /** Notes that a run-time check is used, and gives the name it has in the module. */
  useCheck(name: CheckName): string;
}

/** The checks that `mcp-codegen/codegen` exports, and `openSchema`. */
export type CheckName =
  | "contains"
  | "dependentRequired"
  | "dependentSchema"
  | "equals"
  | "fits"
  | "fitsIf"
  | "fitsJsonSchema"
  | "fitsNot"
  | "format"
  | "integer"
  | "isObject"
  | "maxItems"
  | "maxProperties"
  | "minItems"
  | "minProperties"
  | "multipleOf"
  | "openSchema"
  | "otherProperties"
  | "ownProperties"
  | "patternProperties"
  | "propertyNames"
  | "uniqueItems";

/** A schema that is referred to and has no name: what is written in its place. */
export function inlineTarget(target: string, context: PrintContext): SchemaIR {
  const node = context.definitions.get(target);
  if (node === undefined) throw new Error(`No definition at "${target}".`);
  return node;
}

/** What a property's value must be: where `required` alone names it, what is said of all others. */
export function schemaOf(property: Property, node: ObjectNode): SchemaIR {
  if (property.isDeclared || node.patterns.length > 0) return property.schema;
  return node.additional ?? property.schema;
}

/** A pattern as a `RegExp`; undefined, with a diagnostic, for one that JavaScript cannot read or should not run. */
export function printPattern(pattern: string, at: string, context: PrintContext): string | undefined {
  const reading = readPattern(pattern);
  if ("flags" in reading)
    return `new RegExp(${quoteLiteral(pattern)}${reading.flags === "" ? "" : `, "${reading.flags}"`})`;
  // Some patterns are longer than anybody reads.
  const shown = pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern;
  context.diagnostics.push({
    code: "KEYWORD_LOOSENED",
    path: at,
    message: `The pattern ${JSON.stringify(shown)} ${reading.problem}, and is not checked.`,
  });
  return undefined;
}

/** A number as source: as JSON writes it, and `Infinity` for what is beyond. */
export function printNumber(value: number): string {
  return String(value);
}

/** A chain of checks, `.check(a, b)`; nothing when there is none. */
export function printChecks(checks: readonly string[]): string {
  return checks.length === 0 ? "" : `.check(${checks.join(", ")})`;
}
