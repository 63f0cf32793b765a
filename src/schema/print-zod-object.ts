import type { ObjectNode, SchemaIR } from "../contract/schema-ir.js";
import { quoteKey, quoteLiteral } from "./identifiers.js";
import { joinPointer } from "./json-pointer.js";
import { narrowTypes, saysTypesAlone } from "./narrow-types.js";
import { bitOf } from "./node-types.js";
import { printNumber, printPattern, type PrintContext, schemaOf } from "./print-context.js";
import { printTypeText } from "./print-type-text.js";
import { printChecks, printProperty, printZod } from "./print-zod.js";

/** An object schema: open unless written otherwise. */
export function printObject(node: ObjectNode, context: PrintContext): string {
  const record = findPatternRecord(node, context);
  const checks = [
    ...(record === undefined ? printPatternChecks(node, context) : []),
    ...printNamesCheck(node.names, context),
    ...(node.minProperties === undefined
      ? []
      : [`${context.useCheck("minProperties")}(${printNumber(node.minProperties)})`]),
    ...(node.maxProperties === undefined
      ? []
      : [`${context.useCheck("maxProperties")}(${printNumber(node.maxProperties)})`]),
    ...printDependents(node, context),
  ];
  return (record ?? printShape(node, context)) + printChecks(checks);
}

function printShape(node: ObjectNode, context: PrintContext): string {
  if (hidesPrototype(node)) return printOwn(node, context);
  const entries = node.properties.map((property) => {
    const schema = schemaOf(property, node);
    return `${quoteKey(property.name)}: ${printProperty(property, schema, context)}`;
  });
  const shape = entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
  const additional = node.patterns.length > 0 ? undefined : node.additional;
  if (additional?.kind === "never") return `z.strictObject(${shape})`;
  const isOpen = additional === undefined || additional.kind === "any";
  if (entries.length === 0)
    return `z.record(z.string(), ${isOpen ? "z.unknown()" : printZod(additional, context)})`;
  return isOpen ? `z.looseObject(${shape})` : `z.object(${shape}).catchall(${printZod(additional, context)})`;
}

/** `patternProperties` alone, and nothing else allowed, is a record whose keys match. */
function findPatternRecord(node: ObjectNode, context: PrintContext): string | undefined {
  const [pattern] = node.patterns;
  if (pattern === undefined || !isPatternRecord(node)) return undefined;
  const regex = printPattern(
    pattern.pattern,
    joinPointer(node.at, "patternProperties", pattern.pattern),
    context,
  );
  return regex === undefined
    ? undefined
    : `z.record(z.string().regex(${regex}), ${printZod(pattern.schema, context)})`;
}

/** Whether every property must match the one pattern there is. */
function isPatternRecord(node: ObjectNode): boolean {
  return node.patterns.length === 1 && node.properties.length === 0 && node.additional?.kind === "never";
}

function printPatternChecks(node: ObjectNode, context: PrintContext): readonly string[] {
  if (node.patterns.length === 0) return [];
  const patterns = node.patterns.map(({ pattern, schema }) => ({
    regex: printPattern(pattern, joinPointer(node.at, "patternProperties", pattern), context),
    schema,
  }));
  const readable = patterns.flatMap(({ regex, schema }) => (regex === undefined ? [] : [{ regex, schema }]));
  const checks = readable.map(
    ({ regex, schema }) => `${context.useCheck("patternProperties")}(${regex}, ${printZod(schema, context)})`,
  );
  const { additional } = node;
  // With a pattern that cannot be read, nobody knows which properties are the others.
  if (additional === undefined || additional.kind === "any" || readable.length < patterns.length)
    return checks;
  const names = node.properties.filter(({ isDeclared }) => isDeclared).map(({ name }) => name);
  const known = [quoteLiteral(names), ...readable.map(({ regex }) => regex)].join(", ");
  return [...checks, `${context.useCheck("otherProperties")}(${printZod(additional, context)}, ${known})`];
}

// Names are strings, so a schema for them says something only where it says something of strings.
function printNamesCheck(names: SchemaIR | undefined, context: PrintContext): readonly string[] {
  if (names === undefined) return [];
  const narrowed = narrowTypes(names, bitOf("string"), context.definitions);
  if (narrowed.kind === "any" || saysTypesAlone(narrowed)) return [];
  return [`${context.useCheck("propertyNames")}(${printZod(narrowed, context)})`];
}

function printDependents(node: ObjectNode, context: PrintContext): readonly string[] {
  return node.dependents.flatMap(({ name, required, schema }) => [
    ...(required.length === 0
      ? []
      : [`${context.useCheck("dependentRequired")}(${quoteLiteral(name)}, ${quoteLiteral(required)})`]),
    ...(schema
      ? [`${context.useCheck("dependentSchema")}(${quoteLiteral(name)}, ${printZod(schema, context)})`]
      : []),
  ]);
}

/**
 * Whether a property has the name of something that every object inherits. Zod reads `toString` from the prototype
 * when it is absent and does not see an own `__proto__`, so such objects are checked as they came.
 */
export function hidesPrototype(node: ObjectNode): boolean {
  return node.properties.some(({ name }) => name in Object.prototype);
}

function printOwn(node: ObjectNode, context: PrintContext): string {
  const entries = node.properties.map((property) => {
    const rule = property.isRequired ? "required" : "optional";
    const schema = printZod(schemaOf(property, node), context);
    return `[${quoteLiteral(property.name)}, ${quoteLiteral(rule)}, ${schema}]`;
  });
  const text = `z.custom<${printTypeText(node, context)}>(${context.useCheck("isObject")})`;
  const checks = [`${context.useCheck("ownProperties")}(${entries.join(", ")})`];
  const { additional } = node;
  if (additional !== undefined && additional.kind !== "any" && node.patterns.length === 0) {
    const names = quoteLiteral(
      node.properties.filter(({ isDeclared }) => isDeclared).map(({ name }) => name),
    );
    checks.push(`${context.useCheck("otherProperties")}(${printZod(additional, context)}, ${names})`);
  }
  return text + printChecks(checks);
}
