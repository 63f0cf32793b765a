import { joinPointer } from "../../core/json-pointer.js";
import type { JsonValue } from "../../core/json.js";
import { oneLine } from "../../core/printable.js";
import type { ObjectNode, Property, SchemaIR } from "../../core/schema-ir.js";
import { quoteKey, quoteLiteral } from "./identifiers.js";
import { hasOnlyTypes, narrowTypes } from "../ir/simplify-all-of.js";
import { childrenOf, findDefault, schemaOfProperty } from "../ir/subschemas.js";
import { bitOf } from "../ir/node-types.js";
import { isChecked } from "../pattern/pattern.js";
import { defaultOfProperty, hasRulesForKeys } from "../interpret/fill-defaults.js";
import {
  printChecks,
  type PrintContext,
  printPattern,
  printTypeText,
  withoutDefaults,
} from "./print-type-text.js";

/** Prints an object schema, open unless the schema closes it. */
export function printObject(node: ObjectNode, outer: PrintContext): string {
  const context = hasRulesForKeys(node) ? withoutDefaults(outer) : outer;
  if (needsRawObject(node, context)) return printWholeObject(node, context);
  return printShape(node, context) + printChecks(printKeyChecks(node, context));
}

/** Prints an object schema whose checks receive the original object, including an own `__proto__`. */
export function printWholeObject(node: ObjectNode, outer: PrintContext): string {
  const context = withoutDefaults(outer);
  const checks = [
    context.useCheck("object"),
    ...printOwnChecks(node, context),
    ...printKeyChecks(node, context),
  ];
  return `z.custom<${printTypeText(node, context)}>()${printChecks(checks)}`;
}

/** Whether the schema is printed as a Zod object that can be picked from: without checks of the whole object. */
export function isPlainObject(node: ObjectNode, context: PrintContext): boolean {
  if (needsRawObject(node, context) || printKeyChecks(node, context).length > 0) return false;
  return node.properties.length > 0 || node.additional?.kind === "never";
}

function printKeyChecks(node: ObjectNode, context: PrintContext): readonly string[] {
  return [
    ...printPatternChecks(node, context),
    ...printNamesCheck(node.names, context),
    ...(["minProperties", "maxProperties"] as const).flatMap((limit) =>
      node[limit] === undefined ? [] : [`${context.useCheck(limit)}(${node[limit]})`],
    ),
    ...printDependents(node, context),
  ];
}

function printShape(node: ObjectNode, context: PrintContext): string {
  const entries = node.properties.map((property) => {
    const schema = schemaOfProperty(property, node);
    const value = takeDefault(property, node, context);
    return `${quoteKey(property.name)}: ${context.printProperty(property, schema, context, value)}`;
  });
  const shape = entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
  if (isStrict(node)) return `z.strictObject(${shape})`;
  return entries.length === 0 ? "z.record(z.string(), z.unknown())" : `z.looseObject(${shape})`;
}

/** Returns the default that an absent property gets. Adds a diagnostic for a default that is not filled in. */
function takeDefault(property: Property, node: ObjectNode, context: PrintContext): JsonValue | undefined {
  const { defaults, definitions, diagnostics } = context;
  const value = defaults && findDefault(property.schema, definitions);
  if (value === undefined || property.isRequired) return undefined;
  const filled = defaults === "fill" ? defaultOfProperty(property, node, definitions) : undefined;
  if (filled === undefined)
    diagnostics.push({
      code: "DEFAULT_NOT_SENT",
      path: joinPointer(property.schema.at, "default"),
      message: `The default ${oneLine(JSON.stringify(value), LONGEST_DEFAULT)} is not filled in: its own schema refuses it, or other rules depend on which properties the object has.`,
    });
  return filled;
}

/** Characters of a default that a diagnostic shows. */
const LONGEST_DEFAULT = 100;

/** Whether an object has the named properties and no others. */
export function isStrict({ additional, patterns }: ObjectNode): boolean {
  return additional?.kind === "never" && patterns.length === 0;
}

function printPatternChecks(node: ObjectNode, context: PrintContext): readonly string[] {
  if (node.patterns.length === 0) return [];
  const patterns = node.patterns.map(({ pattern, schema }) => ({
    regex: printPattern(pattern, joinPointer(node.at, "patternProperties", pattern), context),
    schema,
  }));
  const readable = patterns.flatMap(({ regex, schema }) => (regex === undefined ? [] : [{ regex, schema }]));
  const checks = readable.map(
    ({ regex, schema }) =>
      `${context.useCheck("patternProperties")}(${regex}, ${context.printZod(schema, context)})`,
  );
  const { additional } = node;
  // If a pattern is not executed, it is unknown which properties are additional.
  if (additional === undefined || additional.kind === "any" || readable.length < patterns.length)
    return checks;
  const names = node.properties.filter(({ isDeclared }) => isDeclared).map(({ name }) => name);
  const declared = [quoteLiteral(names), ...readable.map(({ regex }) => regex)].join(", ");
  return [
    ...checks,
    `${context.useCheck("otherProperties")}(${context.printZod(additional, context)}, ${declared})`,
  ];
}

// Names are strings, so only rules for strings matter.
function printNamesCheck(names: SchemaIR | undefined, context: PrintContext): readonly string[] {
  const narrowed = narrowNames(names, context);
  return narrowed === undefined
    ? []
    : [`${context.useCheck("propertyNames")}(${context.printZod(narrowed, context)})`];
}

function narrowNames(names: SchemaIR | undefined, { definitions }: PrintContext): SchemaIR | undefined {
  if (names === undefined) return undefined;
  const narrowed = narrowTypes(names, bitOf("string"), definitions);
  return narrowed.kind === "any" || hasOnlyTypes(narrowed) ? undefined : narrowed;
}

function printDependents(node: ObjectNode, context: PrintContext): readonly string[] {
  return node.dependents.flatMap(({ name, required, schema }) => [
    ...(required.length === 0
      ? []
      : [`${context.useCheck("dependentRequired")}(${quoteLiteral(name)}, ${quoteLiteral(required)})`]),
    ...(schema
      ? [
          `${context.useCheck("dependentSchema")}(${quoteLiteral(name)}, ${context.printZod(schema, context)})`,
        ]
      : []),
  ]);
}

/**
 * Whether checks need the original object: Zod reads absent properties such as `toString` from the prototype, and drops an own
 * `__proto__`, which matters if the schema has rules for keys that it does not name. Counts beside named properties do not
 * count it, so that objects such as updates of at least one field stay Zod objects.
 */
export function needsRawObject(node: ObjectNode, context: PrintContext): boolean {
  const { properties, additional, patterns, names, minProperties, maxProperties, dependents } = node;
  if (properties.some(({ name }) => name in Object.prototype)) return true;
  if (patterns.some(({ pattern }) => isChecked(pattern))) return true;
  if (additional !== undefined && additional.kind !== "any" && additional.kind !== "never") return true;
  if (dependents.some(({ schema }) => schema !== undefined && needsAllKeys(schema, context))) return true;
  if (dependents.some(({ name, required }) => [name, ...required].includes("__proto__"))) return true;
  const counts = minProperties !== undefined || maxProperties !== undefined;
  return narrowNames(names, context) !== undefined || (counts && properties.length === 0);
}

/** Whether a check needs all keys of an object: Zod's objects drop an own `__proto__` before rules for keys without a name. */
export function needsAllKeys(
  node: SchemaIR,
  context: PrintContext,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  const needs = (inner: SchemaIR): boolean => needsAllKeys(inner, context, seen);
  if (node.kind === "object") return node.additional?.kind === "never" || needsRawObject(node, context);
  if (node.kind === "literal")
    return node.values.some((value) => typeof value === "object" && value !== null);
  if (node.kind === "ref") {
    const target = seen.has(node.target) ? undefined : context.definitions.get(node.target);
    return target !== undefined && needsAllKeys(target, context, new Set([...seen, node.target]));
  }
  if (node.kind === "unevaluated") return node.properties !== undefined || needs(node.schema);
  // The items of an array are other values.
  if (node.kind === "array") return false;
  return node.kind === "interpreted" || childrenOf(node).some(needs);
}

function printOwnChecks(node: ObjectNode, context: PrintContext): readonly string[] {
  const { properties, additional, patterns } = node;
  const entries = properties.flatMap((property) => {
    takeDefault(property, node, context);
    const schema = schemaOfProperty(property, node);
    if (!property.isRequired && schema.kind === "any") return [];
    const rule = property.isRequired ? "required" : "optional";
    return [`[${quoteLiteral(property.name)}, ${quoteLiteral(rule)}, ${context.printZod(schema, context)}]`];
  });
  const ownChecks =
    entries.length === 0 ? [] : [`${context.useCheck("ownProperties")}(${entries.join(", ")})`];
  if (additional === undefined || additional.kind === "any" || patterns.length > 0) return ownChecks;
  const names = properties.filter(({ isDeclared }) => isDeclared).map(({ name }) => name);
  const listed = names.length === 0 ? "" : `, ${quoteLiteral(names)}`;
  return [
    ...ownChecks,
    `${context.useCheck("otherProperties")}(${context.printZod(additional, context)}${listed})`,
  ];
}
