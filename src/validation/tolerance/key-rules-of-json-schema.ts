import { compilePattern, type JsonSchema } from "../json-schema.js";
import type { KeyRules, SchemaPart } from "../key-rules.js";

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
