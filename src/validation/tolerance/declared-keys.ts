import { compilePattern, type JsonSchema } from "../json-schema.js";
import { type KeyRules, type SchemaPart, type WithKeyRules, zodPart } from "../key-rules.js";

/**
 * Returns the rules of a Zod schema for keys and items, from its definition (`_zod.def`, which Zod 4 keeps for libraries)
 * and from the checks of generated code. Empty for schemas of other libraries, so that no key is removed for them.
 */
export function keyRulesOfZod(schema: object): KeyRules {
  if (hasKeyRules(schema)) return schema.keyRules;
  const def = definitionOf(schema);
  if (def === undefined) return {};
  const rules = rulesOf(def);
  const checks = checksOf(def);
  return checks.length === 0 ? rules : { also: [{ keyRules: rules }, ...checks].map(zodPart) };
}

type Definition = { readonly [key: string]: unknown };

function rulesOf(def: Definition): KeyRules {
  const at = (key: string): readonly SchemaPart[] => partsOf([def[key]]);
  switch (def["type"]) {
    case "unknown":
    case "any":
      return { accepts: "anything" };
    case "never":
      return { accepts: "nothing" };
    case "object": {
      const [additional] = at("catchall");
      return { properties: propertiesOf(def["shape"]), ...(additional && { additional }) };
    }
    case "record":
      return recordRulesOf(def);
    case "union":
      return { unions: [partsOf(def["options"])] };
    case "intersection":
      return { also: [...at("left"), ...at("right")] };
    case "array": {
      const [items] = at("element");
      return items === undefined ? {} : { items };
    }
    case "tuple": {
      const [items] = at("rest");
      return { prefix: partsOf(def["items"]), ...(items && { items }) };
    }
    case "lazy": {
      const { getter } = def;
      return typeof getter === "function" ? { also: partsOf([Reflect.apply(getter, undefined, [])]) } : {};
    }
    case "literal":
      return Array.isArray(def["values"]) ? { values: def["values"] } : {};
    case "enum":
      return isRecord(def["entries"]) ? { values: Object.values(def["entries"]) } : {};
    case "pipe":
      return { also: at("in"), maybe: at("out") };
    case "nullable":
    case "catch":
      // These accept values that the inner schema rejects.
      return { maybe: at("innerType") };
    default:
      // optional, exactOptional, default, readonly and the like; for all others this is empty
      return { also: at("innerType") };
  }
}

/** Returns the rules of a record, which validates its keys with a schema. */
function recordRulesOf({ keyType, valueType, mode }: Definition): KeyRules {
  const [schema] = partsOf([valueType]);
  const key = definitionOf(keyType);
  if (schema === undefined || key === undefined) return {};
  const isText = key["type"] === "string";
  if (isText && !(Array.isArray(key["checks"]) && key["checks"].length > 0)) return { additional: schema };
  const closed = mode === "loose" ? {} : { additional: zodPart({ keyRules: NOTHING }) };
  return { patterns: [{ matches: (name) => accepts(keyType, name), schema }], ...closed };
}

const NOTHING: KeyRules = { accepts: "nothing" };

function accepts(schema: unknown, value: unknown): boolean {
  const parse = isRecord(schema) ? schema["safeParse"] : undefined;
  const parsed: unknown = typeof parse === "function" ? Reflect.apply(parse, schema, [value]) : undefined;
  return isRecord(parsed) && parsed["success"] === true;
}

function checksOf(def: Definition): readonly WithKeyRules[] {
  const checks: unknown = def["checks"];
  if (!Array.isArray(checks)) return [];
  return checks.flatMap((check: unknown) => {
    const internals = isRecord(check) ? check["_zod"] : undefined;
    const run = isRecord(internals) ? internals["check"] : undefined;
    return typeof run === "function" && hasKeyRules(run) ? [run] : [];
  });
}

function definitionOf(schema: unknown): Definition | undefined {
  const internals = isRecord(schema) ? schema["_zod"] : undefined;
  const def = isRecord(internals) ? internals["def"] : undefined;
  return isRecord(def) ? def : undefined;
}

function partsOf(schemas: unknown): readonly SchemaPart[] {
  return Array.isArray(schemas) ? schemas.filter(isRecord).map(zodPart) : [];
}

function propertiesOf(shape: unknown): ReadonlyMap<string, SchemaPart | undefined> {
  if (!isRecord(shape)) return new Map();
  return new Map(Object.entries(shape).map(([name, schema]) => [name, partsOf([schema])[0]]));
}

function hasKeyRules(value: object): value is WithKeyRules {
  return "keyRules" in value && isRecord(value.keyRules);
}

function isRecord(value: unknown): value is Definition {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** Returns the rules of a JSON Schema for keys and items. */
export function keyRulesOfJsonSchema(
  schema: JsonSchema,
  definitions: { readonly [name: string]: JsonSchema },
): KeyRules {
  if (typeof schema === "boolean") return { accepts: schema ? "anything" : "nothing" };
  const part = (one: JsonSchema): SchemaPart => ({ kind: "json", schema: one, definitions });
  const parts = (...all: readonly (JsonSchema | undefined)[]): readonly SchemaPart[] =>
    all.filter((one) => one !== undefined).map(part);
  const { $ref, allOf = [], properties = {}, patternProperties = {}, dependentSchemas = {} } = schema;
  const [additional] = parts(schema.additionalProperties ?? schema.unevaluatedProperties);
  const [items] = parts(schema.items);
  return {
    also: parts($ref === undefined ? undefined : definitions[$ref.slice("#/$defs/".length)], ...allOf),
    maybe: parts(schema.not, schema.if, schema.then, schema.else, ...Object.values(dependentSchemas)),
    unions: [schema.anyOf, schema.oneOf].flatMap((members) =>
      members === undefined ? [] : [members.map(part)],
    ),
    properties: new Map<string, SchemaPart | undefined>([
      ...namesIn(schema).map((name) => [name, undefined] as const),
      ...Object.entries(properties).map(([name, one]) => [name, part(one)] as const),
    ]),
    patterns: Object.entries(patternProperties).map(([pattern, one]) => {
      const regex = compilePattern(pattern);
      return { matches: (key) => regex.test(key), schema: part(one) };
    }),
    ...(additional && { additional }),
    constrainsAllKeys: schema.maxProperties !== undefined || schema.propertyNames !== undefined,
    prefix: parts(...(schema.prefixItems ?? [])),
    ...(items && { items }),
    anyItem: parts(schema.contains, schema.unevaluatedItems),
    ...(schema.enum && { values: schema.enum }),
  };
}

/** Returns the keys that a schema names outside `properties`. */
function namesIn({
  required = [],
  dependentRequired = {},
  dependentSchemas = {},
}: Exclude<JsonSchema, boolean>): readonly string[] {
  const dependents = Object.entries(dependentRequired).flatMap(([name, names]) => [name, ...names]);
  return [...required, ...dependents, ...Object.keys(dependentSchemas)];
}
