import { joinPointer } from "../../core/json-pointer.js";
import { findOwn, getOwn, isJsonObject, type JsonValue } from "../../core/json.js";
import type { ArrayNode, Contains, Dependent, ObjectNode, Property, SchemaIR } from "../../core/schema-ir.js";
import { isSchema, isSince } from "../raw/dialect.js";
import type { Keywords } from "./parse-context.js";

export const OBJECT_KEYWORDS = [
  "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
  "maxProperties", "dependencies", "dependentRequired", "dependentSchemas",
] as const; // prettier-ignore

/** `type: object`: JSON Schema core, section 10.3.2, and validation, section 6.5. */
export function parseObject(keywords: Keywords): ObjectNode {
  const additional = keywords.schema("additionalProperties");
  const names = keywords.schema("propertyNames");
  const minProperties = keywords.number("minProperties");
  const maxProperties = keywords.number("maxProperties");
  return {
    kind: "object",
    at: keywords.at,
    properties: parseProperties(keywords),
    patterns: keywords.schemaEntries("patternProperties").map(([pattern, schema]) => {
      keywords.context.countPattern(pattern);
      return { pattern, schema };
    }),
    additional,
    names,
    minProperties: minProperties !== undefined && minProperties > 0 ? minProperties : undefined,
    maxProperties,
    dependents: parseDependents(keywords),
  };
}

function parseProperties(keywords: Keywords): readonly Property[] {
  const required = new Set(parseRequired(keywords));
  const properties = keywords.schemaEntries("properties").map(([name, schema]): Property => {
    const isRequired = required.delete(name) || hasBooleanRequired(keywords, name);
    return { name, isRequired, isDeclared: true, schema };
  });
  const at = joinPointer(keywords.at, "required");
  const others = [...required].map((name): Property => ({
    name,
    isRequired: true,
    isDeclared: false,
    schema: { kind: "any", at },
  }));
  return [...properties, ...others];
}

function parseRequired(keywords: Keywords): readonly string[] {
  const value = keywords.get("required");
  // A boolean `required` is handled where the parent's properties are parsed.
  if (value === undefined || typeof value === "boolean") return [];
  if (isNames(value)) return value;
  keywords.ignore("required", "a list of names");
  return [];
}

// `properties: { title: { type: string, required: true } }`, as in WordPress and draft 3.
function hasBooleanRequired(keywords: Keywords, name: string): boolean {
  const properties = keywords.get("properties");
  const property = findOwn(properties, name);
  if (!isJsonObject(property) || getOwn(property, "required") !== true) return false;
  const { dialect, diagnostics } = keywords.context;
  if (!isSince(dialect, "draft-06")) return true;
  diagnostics.push({
    code: "KEYWORD_LOOSENED",
    path: joinPointer(keywords.at, "properties", name, "required"),
    message: `"required" is not a list of names, and is ignored: ${dialect} has no boolean "required", as WordPress uses it.`,
  });
  return false;
}

function parseDependents(keywords: Keywords): readonly Dependent[] {
  const dependents: Dependent[] = [];
  for (const [name, value] of keywords.entries("dependentRequired")) {
    if (isNames(value)) dependents.push({ name, required: value });
    else keywords.ignore("dependentRequired", "a map of lists of names");
  }
  for (const [name, schema] of keywords.schemaEntries("dependentSchemas"))
    dependents.push({ name, required: [], schema });
  // Up to draft 7, one keyword had both meanings. Later drafts still allow it.
  for (const [name, value] of keywords.entries("dependencies")) {
    const schema = isNames(value) ? undefined : parseDependency(keywords, name, value);
    if (isNames(value)) dependents.push({ name, required: value });
    else if (schema) dependents.push({ name, required: [], schema });
    else keywords.ignore("dependencies", "a map of schemas and lists of names");
  }
  return dependents;
}

function parseDependency(keywords: Keywords, name: string, value: JsonValue): SchemaIR | undefined {
  return isSchema(value)
    ? keywords.context.parse(value, joinPointer(keywords.at, "dependencies", name))
    : undefined;
}

function isNames(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

export const ARRAY_KEYWORDS = ["prefixItems", "items", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains"] as const; // prettier-ignore

/** `type: array`: JSON Schema core, section 10.3.1, and validation, section 6.4. */
export function parseArray(keywords: Keywords): ArrayNode {
  const { prefix, items } = parseItems(keywords);
  const minItems = keywords.number("minItems");
  const maxItems = keywords.number("maxItems");
  const contains = parseContains(keywords);
  return {
    kind: "array",
    at: keywords.at,
    prefix,
    items,
    minItems: minItems !== undefined && minItems > 0 ? minItems : undefined,
    maxItems,
    uniqueItems: keywords.get("uniqueItems") === true,
    contains,
  };
}

// Before 2020-12, a tuple is a list under `items`, with `additionalItems` for the rest. In 2020-12 such a list has no
// meaning, so a schema that has one is an older schema without `$schema`.
function parseItems(keywords: Keywords): {
  readonly prefix: readonly SchemaIR[];
  readonly items?: SchemaIR | undefined;
} {
  const value = keywords.get("items");
  if (Array.isArray(value) && value.length > 0) {
    return { prefix: keywords.schemas("items") ?? [], items: keywords.schema("additionalItems") };
  }
  return { prefix: keywords.schemas("prefixItems") ?? [], items: keywords.schema("items") };
}

function parseContains(keywords: Keywords): Contains | undefined {
  const schema = keywords.schema("contains");
  if (schema === undefined) return undefined;
  const min = keywords.number("minContains") ?? 1;
  const max = keywords.number("maxContains");
  // Before 2020-12, `contains` does not count as evaluating items.
  const isEvaluated = isSince(keywords.context.dialect, "2020-12");
  return { schema, min, max, isEvaluated };
}
