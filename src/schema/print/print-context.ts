import { omitUndefined } from "../../core/collections.js";
import type { JsonValue } from "../../core/json.js";
import type { Definitions, ObjectNode, Property, SchemaDiagnostic, SchemaIR } from "../../core/schema-ir.js";
import { quoteLiteral, toCamelCase } from "./identifiers.js";
import { readPattern } from "../pattern/pattern.js";

/** The direction of values. Only in input may an optional key hold `undefined`. */
export type Side = "input" | "output";

/** A property without its schema. */
export interface PropertyName {
  readonly name: string;
  readonly isRequired: boolean;
}

/** The context that the printers of one declaration share. */
export interface PrintContext {
  readonly side: Side;
  readonly definitions: Definitions;
  /** The definitions before simplification, for schemas that are interpreted. */
  readonly sources: Definitions;
  /** The names of declared definitions, by pointer. Others are printed where they are used. */
  readonly names: ReadonlyMap<string, string>;
  /** Whether references are printed as checks, which Zod does not search for cycles: see `countZodSteps`. */
  readonly checksReferences: boolean;
  /** Whether the module declares types under those names. */
  readonly hasTypes: boolean;
  /** Whether to print the annotations of schemas. */
  readonly hasMetadata: boolean;
  readonly diagnostics: SchemaDiagnostic[];
  /** The printers of `print-zod.ts`, which the printers of arrays, objects and unions call for their subschemas. */
  readonly printZod: (node: SchemaIR, context: PrintContext) => string;
  readonly printProperty: (property: PropertyName, node: SchemaIR, context: PrintContext) => string;
  /** Records the use of a run-time check and returns its local name. */
  useCheck(name: CheckName): string;
}

/** The names that `mcp-codegen/codegen` exports for generated code. */
export type CheckName =
  | "Schema"
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
  | "schema"
  | "uniqueItems";

/** Returns the target of a reference without a name, to be printed in place. */
export function inlineTarget(target: string, context: PrintContext): SchemaIR {
  const node = context.definitions.get(target);
  if (node === undefined) throw new Error(`No definition at "${target}".`);
  return node;
}

/** Returns the schema of a property. A property that only `required` names has the schema of additional properties. */
export function schemaOfProperty(property: Property, node: ObjectNode): SchemaIR {
  if (property.isDeclared || node.patterns.length > 0) return property.schema;
  return node.additional ?? property.schema;
}

/** Prints a pattern as a `RegExp`; undefined, with a diagnostic, for a pattern that is invalid or must not be executed. */
export function printPattern(pattern: string, at: string, context: PrintContext): string | undefined {
  const reading = readPattern(pattern);
  if ("flags" in reading)
    return `new RegExp(${quoteLiteral(pattern)}${reading.flags === "" ? "" : `, "${reading.flags}"`})`;
  // Patterns may be very long.
  const shown = pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern;
  context.diagnostics.push({
    code: "KEYWORD_LOOSENED",
    path: at,
    message: `The pattern ${JSON.stringify(shown)} ${reading.problem}, and is not checked.`,
  });
  return undefined;
}

/** Prints checks as `.check(a, b)`; empty without checks. */
export function printChecks(checks: readonly string[]): string {
  return checks.length === 0 ? "" : `.check(${checks.join(", ")})`;
}

/** The longest default or example to print, as JSON. The raw schema has the longer ones. */
const MAX_VALUE = 200;

/**
 * Prints the annotations of a schema as the end of an expression: `.describe()` for a description alone, otherwise
 * `.meta()`; empty where the context has none. They do not change what is accepted.
 *
 * @param name of the property: a title that repeats it is omitted, as is a title next to a description
 */
export function printMetadata(node: SchemaIR, { hasMetadata }: PrintContext, name?: string): string {
  if (!hasMetadata) return "";
  const { description, title, examples, deprecated, ...annotations } = node.annotations ?? {};
  const isDescribed = description !== undefined && description !== "";
  const hasTitle = title !== undefined && name !== undefined && !isDescribed && !isSameName(title, name);
  const format = node.kind === "string" && node.assertedFormat === undefined ? node.format : undefined;
  const others = omitUndefined({
    title: hasTitle ? title : undefined,
    format,
    default: isShort(annotations.default) ? annotations.default : undefined,
    examples: isShort(examples) ? examples : undefined,
    deprecated: deprecated === true || undefined,
  });
  if (Object.keys(others).length > 0)
    return `.meta(${quoteLiteral(isDescribed ? { description, ...others } : others)})`;
  return isDescribed ? `.describe(${quoteLiteral(description)})` : "";
}

/** Whether a value is present and short enough to print. */
export function isShort(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && JSON.stringify(value).length <= MAX_VALUE;
}

function isSameName(title: string, name: string): boolean {
  return toCamelCase(title).toLowerCase() === toCamelCase(name).toLowerCase();
}
