import { groupBy, omitUndefined } from "../../core/collections.js";
import type { JsonObject, JsonValue } from "../../core/json.js";
import type {
  ArrayNode,
  Definitions,
  NumberNode,
  ObjectNode,
  SchemaIR,
  StringNode,
} from "../../core/schema-ir.js";
import { toCamelCase } from "./identifiers.js";
import { splitPointer } from "../../core/json-pointer.js";
import { judgingPartsOf, reachTargets } from "../ir/subschemas.js";

/** Prints a parsed schema for `fitsJsonSchema`: as 2020-12 without annotations, with all targets under `$defs`. */
export function printJsonSchema(node: SchemaIR, definitions: Definitions): JsonValue {
  const names = nameTargets(node, definitions);
  const printing: Printing = { nameOf: (target) => names.get(target) ?? "", printed: new WeakMap() };
  const whole = print(node, printing);
  if (names.size === 0) return whole;
  const entries = [...names].map(
    ([target, name]) => [name, print(definitions.get(target), printing)] as const,
  );
  return { ...asObject(whole), $defs: Object.fromEntries(entries) };
}

/** The schemas that are printed for a judge. */
export type PrintedNodes = WeakMap<SchemaIR, JsonValue>;

/** As {@link printJsonSchema}, with the keys of definitions as their names, so that schemas that share nodes share their text. */
export function printForJudge(node: SchemaIR, definitions: Definitions, printed: PrintedNodes): JsonValue {
  const printing: Printing = { nameOf: (target) => target, printed };
  const whole = print(node, printing);
  if (definitions.size === 0) return whole;
  const entries = [...definitions].map(
    ([target, definition]) => [target, print(definition, printing)] as const,
  );
  return { ...asObject(whole), $defs: Object.fromEntries(entries) };
}

interface Printing {
  readonly nameOf: (target: string) => string;
  readonly printed: PrintedNodes;
}

function nameTargets(node: SchemaIR, definitions: Definitions): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const usedNames = new Set<string>();
  for (const target of reachTargets(node, definitions, judgingPartsOf)) {
    const wanted = toCamelCase(splitPointer(target).at(-1) ?? "") || "schema";
    let name = wanted;
    for (let count = 2; usedNames.has(name); count += 1) name = `${wanted}${count}`;
    usedNames.add(name);
    names.set(target, name);
  }
  return names;
}

function print(node: SchemaIR | undefined, printing: Printing): JsonValue {
  if (node === undefined) return true;
  const printed = printing.printed.get(node) ?? printNode(node, printing);
  printing.printed.set(node, printed);
  return printed;
}

function printNode(node: SchemaIR, printing: Printing): JsonValue {
  switch (node.kind) {
    case "any":
      return true;
    case "never":
      return false;
    case "null":
    case "boolean":
      return { type: node.kind };
    case "number":
      return printNumber(node);
    case "string":
      return printString(node);
    case "array":
      return printArray(node, printing);
    case "object":
      return printObject(node, printing);
    case "literal":
      return { enum: node.values };
    case "types": {
      const members = node.members.map((member) => asObject(print(member, printing)));
      return {
        ...Object.assign({}, ...members),
        type: members.map((member) => member["type"] ?? null),
      } as JsonObject;
    }
    case "anyOf":
    case "oneOf":
      return { [node.kind]: node.members.map((member) => print(member, printing)) };
    case "allOf":
      return printAllOf(node.members.map((member) => asObject(print(member, printing))));
    case "not":
      return { not: print(node.schema, printing) };
    case "if":
      return omitUndefined({
        if: print(node.if, printing),
        then: node.then && print(node.then, printing),
        else: node.else && print(node.else, printing),
      });
    case "ref":
      return { $ref: `#/$defs/${printing.nameOf(node.target)}` };
    case "unevaluated":
      return omitUndefined({
        ...printAllOf([asObject(print(node.schema, printing))]),
        unevaluatedProperties: node.properties && print(node.properties, printing),
        unevaluatedItems: node.items && print(node.items, printing),
      });
    case "interpreted":
      return print(node.rule, printing);
    default:
      return node satisfies never;
  }
}

function printString({ minLength, maxLength, pattern, assertedFormat }: StringNode): JsonObject {
  return omitUndefined({ type: "string", minLength, maxLength, pattern, format: assertedFormat });
}

function printNumber(node: NumberNode): JsonObject {
  const { isInteger, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  const type = isInteger ? "integer" : "number";
  return omitUndefined({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf });
}

function printArray(node: ArrayNode, printing: Printing): JsonObject {
  const { prefix, items, contains, uniqueItems, minItems, maxItems } = node;
  const defined =
    contains &&
    omitUndefined({
      contains: print(contains.schema, printing),
      minContains: contains.min === 1 ? undefined : contains.min,
      maxContains: contains.max,
    });
  return omitUndefined({
    type: "array",
    minItems,
    maxItems,
    uniqueItems: uniqueItems || undefined,
    prefixItems: prefix.length > 0 ? prefix.map((item) => print(item, printing)) : undefined,
    items: items && print(items, printing),
    // Items that a negated schema visits do not count as evaluated.
    ...(contains?.isEvaluated === true ? defined : { not: defined && { not: defined } }),
  });
}

function printObject(node: ObjectNode, printing: Printing): JsonObject {
  const { properties, patterns, additional, dependents } = node;
  const map = (entries: readonly (readonly [string, JsonValue])[]): JsonObject | undefined =>
    entries.length === 0 ? undefined : Object.fromEntries(entries);
  const declared = properties.filter(({ isDeclared }) => isDeclared);
  const required = properties.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  // One name may have several rules: those of "dependencies" and of its successors.
  const rules = [...groupBy(dependents, ({ name }) => name)].map(([name, all]) => ({
    name,
    required: [...new Set(all.flatMap((rule) => rule.required))],
    schemas: all.flatMap(({ schema }) => (schema === undefined ? [] : [print(schema, printing)])),
  }));
  return omitUndefined({
    type: "object",
    properties: map(declared.map(({ name, schema }) => [name, print(schema, printing)])),
    required: required.length > 0 ? required : undefined,
    patternProperties: map(patterns.map(({ pattern, schema }) => [pattern, print(schema, printing)])),
    additionalProperties: additional && print(additional, printing),
    propertyNames: node.names && print(node.names, printing),
    minProperties: node.minProperties,
    maxProperties: node.maxProperties,
    dependentRequired: map(rules.flatMap(({ name, required }) => (required.length === 0 ? [] : [[name, required]]))),
    dependentSchemas: map(rules.flatMap(({ name, schemas: [first, ...more] }) => first === undefined ? [] : [[name, more.length === 0 ? first : { allOf: [first, ...more] }]])),
  }); // prettier-ignore
}

// Merges the members of an `allOf` into one schema as far as the meaning stays the same.
function printAllOf(members: readonly JsonObject[]): JsonObject {
  let whole: JsonObject = {};
  const apart: JsonObject[] = [];
  for (const member of members) {
    if (canMerge(whole, member)) whole = { ...whole, ...member };
    else apart.push(member);
  }
  return apart.length === 0 ? whole : { ...whole, allOf: apart };
}

// Keywords that do not affect the keywords next to them.
const INDEPENDENT: ReadonlySet<string> = new Set(["$ref", "anyOf", "enum", "oneOf"]);

function canMerge(a: JsonObject, b: JsonObject): boolean {
  const isFree = Object.keys(a).length === 0 && !Object.hasOwn(b, "allOf") && !isUnevaluated(b);
  return isFree || Object.keys(b).every((key) => INDEPENDENT.has(key) && !Object.hasOwn(a, key));
}

function isUnevaluated(schema: JsonObject): boolean {
  return Object.hasOwn(schema, "unevaluatedProperties") || Object.hasOwn(schema, "unevaluatedItems");
}

function asObject(schema: JsonValue): JsonObject {
  if (schema === true) return {};
  return typeof schema === "object" && schema !== null && !Array.isArray(schema)
    ? (schema as JsonObject)
    : { not: {} };
}
