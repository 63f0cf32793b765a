import { omitUndefined } from "../../core/collections.js";
import { isJsonObject, type JsonValue } from "../../core/json.js";
import type { ArrayNode, Definitions, ObjectNode, SchemaDiagnostic, SchemaIR } from "../../core/schema-ir.js";
import { schemaOfProperty } from "../ir/subschemas.js";
import { isChecked, readPattern } from "../pattern/pattern.js";
import { quoteKey, quoteLiteral, toCamelCase } from "./identifiers.js";

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
  /** `fill`: absent properties get their defaults; `report`: they would, but other rules of this part depend on them. */
  readonly defaults: "fill" | "report" | undefined;
  readonly diagnostics: SchemaDiagnostic[];
  /** The printers of `print-zod.ts`, which the printers of arrays, objects and unions call for their subschemas. */
  readonly printZod: (node: SchemaIR, context: PrintContext) => string;
  readonly printProperty: (
    property: PropertyName,
    node: SchemaIR,
    context: PrintContext,
    value?: JsonValue,
  ) => string;
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
  | "maxItems"
  | "maxProperties"
  | "minItems"
  | "minProperties"
  | "multipleOf"
  | "object"
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

/** Returns the context for parts whose properties get no defaults. */
export function withoutDefaults(context: PrintContext): PrintContext {
  return context.defaults === undefined ? context : { ...context, defaults: "report" };
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

type WithOwnType = Exclude<SchemaIR, { readonly kind: "allOf" | "unevaluated" | "interpreted" }>;

/** Returns the schema with the type of a schema: the base of an `allOf`, or a schema without rules that are only checked. */
export function ownTypeOf(node: SchemaIR): WithOwnType {
  if (node.kind === "allOf")
    return node.members[0] === undefined ? { kind: "any", at: node.at } : ownTypeOf(node.members[0]);
  return node.kind === "unevaluated" || node.kind === "interpreted" ? ownTypeOf(node.schema) : node;
}

interface PropertyType {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: SchemaIR;
  readonly takesUndefined: boolean;
}

export function propertyTypesOf(node: ObjectNode, { side }: PrintContext): readonly PropertyType[] {
  return node.properties.map((property) => ({
    name: property.name,
    isRequired: property.isRequired,
    schema: schemaOfProperty(property, node),
    takesUndefined: !property.isRequired && side === "input",
  }));
}

/** Prints a simplified schema as a TypeScript type on one line, without comments. Never narrower than the schema. */
export function printTypeText(schema: SchemaIR, context: PrintContext): string {
  const node = ownTypeOf(schema);
  switch (node.kind) {
    case "any":
    case "not":
    case "if":
      return "unknown";
    case "never":
    case "null":
    case "boolean":
    case "number":
    case "string":
      return node.kind;
    case "array":
      return printArrayType(node, context);
    case "object":
      return printObjectType(node, context);
    case "literal":
      return printUnionType(node.values.map(printLiteralType));
    case "types":
    case "anyOf":
    case "oneOf":
      return printUnionType(node.members.map((member) => printTypeText(member, context)));
    case "ref":
      return printRefType(node.target, context);
    default:
      return node satisfies never;
  }
}

/** Prints a union without duplicates; `never` without members, `unknown` if a member is `unknown`. */
export function printUnionType(members: readonly string[]): string {
  const distinct = [...new Set(members)].filter((member) => member !== "never");
  if (distinct.includes("unknown")) return "unknown";
  return distinct.length === 0 ? "never" : distinct.join(" | ");
}

/** Prints the type of one JSON value. JSON is TypeScript syntax except for keys and separators. */
export function printLiteralType(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(printLiteralType).join(", ")}]`;
  if (!isJsonObject(value)) return quoteLiteral(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${quoteTypeKey(key)}: ${printLiteralType(item)}`,
  );
  return entries.length === 0 ? "{ [key: string]: never }" : `{ ${entries.join("; ")} }`;
}

/** Prints `A[]`, or a tuple if items have separate schemas; its last items may be optional. */
function printArrayType(node: ArrayNode, context: PrintContext): string {
  const item = node.items ? printTypeText(node.items, context) : "unknown";
  if (node.prefix.length === 0) return `${parenthesize(item)}[]`;
  const { minItems = 0, maxItems = Infinity } = node;
  const places = node.prefix.map((place, index) => {
    const text = printTypeText(place, context);
    return index < minItems ? text : `${parenthesize(text)}?`;
  });
  const isClosed = node.items?.kind === "never" || maxItems <= node.prefix.length;
  return `[${[...places, ...(isClosed ? [] : [`...${parenthesize(item)}[]`])].join(", ")}]`;
}

function printObjectType(node: ObjectNode, context: PrintContext): string {
  const members = propertyTypesOf(node, context).map(({ name, isRequired, schema, takesUndefined }) => {
    const type = printTypeText(schema, context);
    const whole = takesUndefined ? printUnionType([type, "undefined"]) : type;
    return `${quoteTypeKey(name)}${isRequired ? "" : "?"}: ${whole}`;
  });
  const index = printIndexType(node, context);
  const all = [
    ...members,
    ...(index === undefined ? [] : [`[key: string]: ${widenIndex(node, index, context)}`]),
  ];
  return all.length === 0 ? "{ [key: string]: never }" : `{ ${all.join("; ")} }`;
}

/** Prints the type of further properties if the schema states one; undefined makes a misspelt name a type error. */
export function printIndexType(node: ObjectNode, context: PrintContext): string | undefined {
  const [pattern] = node.patterns;
  if (pattern !== undefined) {
    const isRecord =
      node.patterns.length === 1 && node.properties.length === 0 && node.additional?.kind === "never";
    return isRecord && isChecked(pattern.pattern) ? printTypeText(pattern.schema, context) : "unknown";
  }
  if (node.additional === undefined) return node.properties.length === 0 ? "unknown" : undefined;
  if (node.additional.kind === "never") return node.properties.length === 0 ? "never" : undefined;
  return printTypeText(node.additional, context);
}

// In TypeScript, an index signature must also match the named properties.
export function widenIndex(node: ObjectNode, index: string, context: PrintContext): string {
  // Most open objects: the types of the properties, printed again at each level, would change nothing.
  if (index === "unknown") return index;
  const named = propertyTypesOf(node, context).map(({ schema }) => printTypeText(schema, context));
  return printUnionType([
    index,
    ...named,
    ...(node.properties.some(({ isRequired }) => !isRequired) ? ["undefined"] : []),
  ]);
}

function printRefType(target: string, context: PrintContext): string {
  const name = context.names.get(target);
  if (name !== undefined) return context.hasTypes ? name : "unknown";
  return printTypeText(inlineTarget(target, context), context);
}

export function parenthesize(type: string): string {
  return type.includes("|") ? `(${type})` : type;
}

/** Prints a property name in a type, where `__proto__` is an ordinary name. */
export function quoteTypeKey(name: string): string {
  return name === "__proto__" ? '"__proto__"' : quoteKey(name);
}
