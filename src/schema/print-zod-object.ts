import type { ObjectNode, SchemaIR } from "../contract/schema-ir.js";
import { quoteKey, quoteLiteral } from "./identifiers.js";
import { joinPointer } from "../contract/json-pointer.js";
import { judgesAllKeys } from "./judges-all-keys.js";
import { narrowTypes, saysTypesAlone } from "./narrow-types.js";
import { bitOf } from "./node-types.js";
import { isChecked } from "./pattern.js";
import { printNumber, printPattern, type PrintContext, schemaOf, printChecks } from "./print-context.js";
import { printTypeText } from "./print-type-text.js";

/** An object schema: open unless written otherwise. */
export function printObject(node: ObjectNode, context: PrintContext): string {
  if (isCheckedAsItCame(node, context)) return printWholeObject(node, context);
  return printShape(node, context) + printChecks(printKeyChecks(node, context));
}

/** The same with a base that keeps the object as it came, `__proto__` too, for the checks that follow. */
export function printWholeObject(node: ObjectNode, context: PrintContext): string {
  const base = `z.custom<${printTypeText(node, context)}>(${context.useCheck("isObject")})`;
  return base + printChecks([...printOwnChecks(node, context), ...printKeyChecks(node, context)]);
}

/**
 * Whether the schema is printed as a Zod object without checks of the object as a whole: Zod refuses to pick from or to
 * extend an object that has such checks.
 */
export function isPlainObject(node: ObjectNode, context: PrintContext): boolean {
  if (isCheckedAsItCame(node, context) || printKeyChecks(node, context).length > 0) return false;
  return node.properties.length > 0 || node.additional?.kind === "never";
}

function printKeyChecks(node: ObjectNode, context: PrintContext): readonly string[] {
  return [
    ...printPatternChecks(node, context),
    ...printNamesCheck(node.names, context),
    ...(node.minProperties === undefined
      ? []
      : [`${context.useCheck("minProperties")}(${printNumber(node.minProperties)})`]),
    ...(node.maxProperties === undefined
      ? []
      : [`${context.useCheck("maxProperties")}(${printNumber(node.maxProperties)})`]),
    ...printDependents(node, context),
  ];
}

/** An object that Zod judges by its named properties alone. */
function printShape(node: ObjectNode, context: PrintContext): string {
  const entries = node.properties.map((property) => {
    const schema = schemaOf(property, node);
    return `${quoteKey(property.name)}: ${context.printProperty(property, schema, context)}`;
  });
  const shape = entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
  if (isStrict(node)) return `z.strictObject(${shape})`;
  return entries.length === 0 ? "z.record(z.string(), z.unknown())" : `z.looseObject(${shape})`;
}

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
  // With an unreadable pattern, it is unknown which properties are the others.
  if (additional === undefined || additional.kind === "any" || readable.length < patterns.length)
    return checks;
  const names = node.properties.filter(({ isDeclared }) => isDeclared).map(({ name }) => name);
  const known = [quoteLiteral(names), ...readable.map(({ regex }) => regex)].join(", ");
  return [
    ...checks,
    `${context.useCheck("otherProperties")}(${context.printZod(additional, context)}, ${known})`,
  ];
}

// Names are strings, so a schema for them says something only where it says something of strings.
function printNamesCheck(names: SchemaIR | undefined, context: PrintContext): readonly string[] {
  const narrowed = narrowNames(names, context);
  return narrowed === undefined
    ? []
    : [`${context.useCheck("propertyNames")}(${context.printZod(narrowed, context)})`];
}

function narrowNames(
  names: SchemaIR | undefined,
  { definitions }: Pick<PrintContext, "definitions">,
): SchemaIR | undefined {
  if (names === undefined) return undefined;
  const narrowed = narrowTypes(names, bitOf("string"), definitions);
  return narrowed.kind === "any" || saysTypesAlone(narrowed) ? undefined : narrowed;
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
 * Whether Zod's own object or record would not see all that the schema judges. It reads `toString` from the prototype when it
 * is absent. It passes over an own `__proto__` and drops it before checks run, which matters where the schema says something
 * about keys that it does not name.
 */
export function isCheckedAsItCame(node: ObjectNode, context: Pick<PrintContext, "definitions">): boolean {
  const { properties, additional, patterns, names, minProperties, maxProperties, dependents } = node;
  if (properties.some(({ name }) => name in Object.prototype)) return true;
  if (patterns.some(({ pattern }) => isChecked(pattern))) return true;
  if (additional !== undefined && additional.kind !== "any" && additional.kind !== "never") return true;
  if (dependents.some(({ schema }) => schema !== undefined && seesAllKeys(schema, context))) return true;
  if (dependents.some(({ name, required }) => [name, ...required].includes("__proto__"))) return true;
  const counts = minProperties !== undefined || maxProperties !== undefined;
  return narrowNames(names, context) !== undefined || (counts && properties.length === 0);
}

/** Whether a check on an object has to see all of its keys, an own `__proto__` too. */
export function seesAllKeys(node: SchemaIR, context: Pick<PrintContext, "definitions">): boolean {
  return judgesAllKeys(node, (object) => isCheckedAsItCame(object, context), context.definitions);
}

/** Checks of what `properties` and `additionalProperties` say; what patterns leave over is a check of theirs. */
function printOwnChecks(node: ObjectNode, context: PrintContext): readonly string[] {
  const { properties, additional, patterns } = node;
  const entries = properties.flatMap((property) => {
    const schema = schemaOf(property, node);
    if (!property.isRequired && schema.kind === "any") return [];
    const rule = property.isRequired ? "required" : "optional";
    return [`[${quoteLiteral(property.name)}, ${quoteLiteral(rule)}, ${context.printZod(schema, context)}]`];
  });
  const own = entries.length === 0 ? [] : [`${context.useCheck("ownProperties")}(${entries.join(", ")})`];
  if (additional === undefined || additional.kind === "any" || patterns.length > 0) return own;
  const names = properties.filter(({ isDeclared }) => isDeclared).map(({ name }) => name);
  const known = names.length === 0 ? "" : `, ${quoteLiteral(names)}`;
  return [...own, `${context.useCheck("otherProperties")}(${context.printZod(additional, context)}${known})`];
}
