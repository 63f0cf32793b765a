import { getOwn, type JsonObject } from "../contract/json.js";
import { mapSubschemas } from "../contract/subschemas.js";

const DRAFTS: { readonly [schema: string]: number } = {
  "json-schema.org/draft-03/schema": 3,
  "json-schema.org/draft-04/schema": 4,
  "json-schema.org/draft-06/schema": 6,
  "json-schema.org/draft-07/schema": 7,
  "json-schema.org/draft/2019-09/schema": 8,
};

/** The last draft that treats a keyword differently from 2020-12, the default dialect of MCP. */
const DIFFERENT_UNTIL: { readonly [keyword: string]: number } = {
  id: 4, const: 4, contains: 4, propertyNames: 4, if: 6,
  dependencies: 7, dependentRequired: 7, dependentSchemas: 7, minContains: 7, maxContains: 7,
  unevaluatedItems: 7, unevaluatedProperties: 7, $anchor: 7,
  additionalItems: 8, prefixItems: 8, $recursiveRef: 8, $recursiveAnchor: 8, $dynamicRef: 8, $dynamicAnchor: 8,
}; // prettier-ignore

/** Keywords that check nothing: beside `$ref` they may be ignored. */
const UNCHECKED = ["$ref", "$schema", "$id", "$comment", "title", "description", "default", "examples", "$defs", "definitions"]; // prettier-ignore
const DEEPEST = 200;

/**
 * The `$schema` of a schema that means something else without it: it declares a draft before 2020-12, and has a keyword that
 * this draft treats differently. Undefined otherwise.
 */
export function findOlderDialect(schema: JsonObject): string | undefined {
  const declared = getOwn(schema, "$schema");
  if (typeof declared !== "string") return undefined;
  const draft = getOwn(DRAFTS, declared.replace(/^https?:\/\//, "").replace(/#$/, ""));
  return draft !== undefined && isDifferent(schema, draft, 0) ? declared : undefined;
}

function isDifferent(schema: JsonObject, draft: number, depth: number): boolean {
  if (depth > DEEPEST) return true;
  let found = Object.entries(schema).some(
    ([key, value]) =>
      draft <= (getOwn(DIFFERENT_UNTIL, key) ?? 0) ||
      (key === "items" && Array.isArray(value)) ||
      (typeof value === "boolean" && (key === "exclusiveMinimum" || key === "exclusiveMaximum")) ||
      // Up to draft-07, keywords beside "$ref" have no effect.
      (draft <= 7 && Object.hasOwn(schema, "$ref") && !UNCHECKED.includes(key)),
  );
  mapSubschemas(schema, (subschema) => {
    found ||= isDifferent(subschema, draft, depth + 1);
    return subschema;
  });
  return found;
}
