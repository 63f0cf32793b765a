import { isJsonArray, isJsonObject, type JsonValue } from "../../core/json.js";
import type { Definitions, ObjectNode, Property, SchemaIR } from "../../core/schema-ir.js";
import { Simplifier } from "../ir/simplify.js";
import { findDefault, isApproximate } from "../ir/subschemas.js";
import { printJsonSchema } from "../print/print-json-schema.js";
import { createValidator } from "../validation/fits-json-schema.js";
import type { JsonSchema } from "../validation/json-schema.js";

/** Deeper parts of a value are returned unchanged. */
const MAX_DEPTH = 500;

/**
 * Returns the default that an absent property gets. Undefined if the property is required or has no default, if its own
 * schema refuses the default, or if other rules of the object depend on which properties it has.
 */
export function defaultOfProperty(
  { isRequired, schema }: Property,
  node: ObjectNode,
  definitions: Definitions,
): JsonValue | undefined {
  if (isRequired || hasRulesForKeys(node)) return undefined;
  const value = findDefault(schema, definitions);
  return value !== undefined && compileValidator(schema, definitions)(value) !== false ? value : undefined;
}

/** Whether rules of an object depend on its keys or on more than a property's own schema: nothing is filled in below it. */
export function hasRulesForKeys({ additional, patterns, names, dependents, ...node }: ObjectNode): boolean {
  const isOther = additional !== undefined && additional.kind !== "any" && additional.kind !== "never";
  const isCounted = node.minProperties !== undefined || node.maxProperties !== undefined;
  const isInherited = node.properties.some(({ name }) => name in Object.prototype);
  return (
    isOther || isCounted || isInherited || patterns.length + dependents.length > 0 || names !== undefined
  );
}

/**
 * Returns a function that fills in what generated code does, for values that fit the schema: the defaults of absent properties,
 * at every depth. Where rules depend on which of several schemas fit, or on other items, nothing is filled in.
 */
export function compileDefaults(ir: SchemaIR, definitions: Definitions): (value: unknown) => unknown {
  const simplifier = new Simplifier(definitions);
  const root = simplifier.simplify(ir);
  const validators = new Map<SchemaIR, SchemaValidator>();
  const defaults = new Map<Property, JsonValue | undefined>();
  const fits = (item: unknown, schema: SchemaIR): boolean => {
    const validator = validators.get(schema) ?? compileValidator(schema, definitions);
    validators.set(schema, validator);
    return validator(item) !== false;
  };
  const defaultOf = (property: Property, node: ObjectNode): JsonValue | undefined => {
    if (!defaults.has(property)) defaults.set(property, defaultOfProperty(property, node, definitions));
    return defaults.get(property);
  };
  const fill = (item: unknown, schema: SchemaIR, depth: number): unknown => {
    if (depth > MAX_DEPTH) return item;
    const node = schema.kind === "ref" ? (simplifier.definition(schema.target) ?? schema) : schema;
    if (node.kind === "object" && isJsonObject(item)) return fillObject(item, node, depth);
    if (node.kind === "array" && isJsonArray(item) && !node.uniqueItems && node.contains === undefined)
      return item.map((inner, index) => {
        const place = node.prefix[index] ?? node.items;
        return place === undefined ? inner : fill(inner, place, depth + 1);
      });
    if (node.kind !== "types" && node.kind !== "anyOf") return item;
    const fitting = node.members.find((member) => fits(item, member));
    return fitting === undefined ? item : fill(item, fitting, depth + 1);
  };
  const fillObject = (item: object, node: ObjectNode, depth: number): unknown => {
    if (hasRulesForKeys(node)) return item;
    const filled = new Map<string, unknown>(Object.entries(item));
    for (const property of node.properties) {
      const present = filled.get(property.name);
      const next =
        present === undefined ? defaultOf(property, node) : fill(present, property.schema, depth + 1);
      if (next !== undefined) filled.set(property.name, next);
    }
    return Object.fromEntries(filled);
  };
  return (value) => fill(value, root, 0);
}

/** Returns whether a value fits a schema; undefined if that depends on a pattern that is not executed. */
type SchemaValidator = (value: unknown) => boolean | undefined;

function compileValidator(node: SchemaIR, definitions: Definitions): SchemaValidator {
  if (isApproximate(node, { definitions })) return () => undefined;
  // `printJsonSchema` prints only the keywords of `JsonSchema`.
  return createValidator(printJsonSchema(node, definitions) as JsonSchema);
}
