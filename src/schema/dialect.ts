import { getOwn, isJsonObject, type JsonValue } from "../contract/json.js";
import type { Dialect } from "../contract/schema-ir.js";

// What `$schema` says, without its scheme and its empty fragment.
const DIALECTS: { readonly [schema: string]: Dialect } = {
  "json-schema.org/draft-04/schema": "draft-04",
  "json-schema.org/draft-06/schema": "draft-06",
  "json-schema.org/draft-07/schema": "draft-07",
  "json-schema.org/draft/2019-09/schema": "2019-09",
  "json-schema.org/draft/2020-12/schema": "2020-12",
};

/** The dialect that a document declares; 2020-12, as MCP says, when it declares none or one that nobody knows. */
export function dialectOf(schema: JsonValue): Dialect {
  const declared = isJsonObject(schema) ? getOwn(schema, "$schema") : undefined;
  if (typeof declared !== "string") return "2020-12";
  return getOwn(DIALECTS, declared.replace(/^https?:\/\//, "").replace(/#$/, "")) ?? "2020-12";
}

const ORDER = {
  wordpress: 4,
  "draft-04": 4,
  "draft-06": 6,
  "draft-07": 7,
  "2019-09": 8,
  "2020-12": 9,
} as const;

/** Whether a dialect is, or is later than, another. */
export function isSince(dialect: Dialect, first: Dialect): boolean {
  return ORDER[dialect] >= ORDER[first];
}

// The first and the last dialect that know a keyword; one that is not here is known to all.
const KNOWN: { readonly [keyword: string]: readonly [first: Dialect, last: Dialect] } = {
  const: ["draft-06", "2020-12"],
  contains: ["draft-06", "2020-12"],
  propertyNames: ["draft-06", "2020-12"],
  if: ["draft-07", "2020-12"],
  dependencies: ["draft-04", "draft-07"],
  dependentRequired: ["2019-09", "2020-12"],
  dependentSchemas: ["2019-09", "2020-12"],
  minContains: ["2019-09", "2020-12"],
  maxContains: ["2019-09", "2020-12"],
  unevaluatedProperties: ["2019-09", "2020-12"],
  unevaluatedItems: ["2019-09", "2020-12"],
  $anchor: ["2019-09", "2020-12"],
  $recursiveRef: ["2019-09", "2019-09"],
  $dynamicRef: ["2020-12", "2020-12"],
  $dynamicAnchor: ["2020-12", "2020-12"],
  prefixItems: ["2020-12", "2020-12"],
};

/** Whether a keyword means something in a dialect. */
export function isKnown(keyword: string, dialect: Dialect): boolean {
  const range = getOwn(KNOWN, keyword);
  return range === undefined || (isSince(dialect, range[0]) && ORDER[dialect] <= ORDER[range[1]]);
}
