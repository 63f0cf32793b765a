import type { Dialect, JsonType } from "./schema-ir.js";

/** What the program knows of a keyword of JSON Schema by its name alone. */
export interface Keyword {
  /** How it holds schemas. A list may also be one schema before 2020-12, and an entry of `dependencies` a list of names. */
  readonly holds?: "one" | "list" | "map";
  /** The form of its value, if that holds no schemas. */
  readonly form?: "list" | "map";
  /** The type that it restricts, so that it alone makes a schema of all types. */
  readonly of?: JsonType;
  /** The first and the last dialect that have it; all without. */
  readonly since?: Dialect;
  readonly until?: Dialect;
  /** The vocabulary (2020-12, section 8.1.2), if the keyword affects what is accepted. */
  readonly vocabulary?: "applicator" | "unevaluated" | "validation";
  /** It holds schemas that do not apply to the value. */
  readonly isApart?: true;
}

const KEYWORDS = {
  $anchor: { since: "2019-09" },
  $defs: { holds: "map", isApart: true },
  $dynamicAnchor: { since: "2020-12" },
  $dynamicRef: { since: "2020-12" },
  $recursiveAnchor: { since: "2019-09", until: "2019-09" },
  $recursiveRef: { since: "2019-09", until: "2019-09" },
  $ref: {},
  additionalItems: { holds: "one", of: "array", vocabulary: "applicator" },
  additionalProperties: { holds: "one", of: "object", vocabulary: "applicator" },
  allOf: { holds: "list", vocabulary: "applicator" },
  anyOf: { holds: "list", vocabulary: "applicator" },
  const: { since: "draft-06", vocabulary: "validation" },
  contains: { holds: "one", of: "array", since: "draft-06", vocabulary: "applicator" },
  contentSchema: { holds: "one", isApart: true },
  definitions: { holds: "map", isApart: true },
  // Later drafts replace it with two keywords but allow it, and a schema without `$schema` may be older.
  dependencies: { holds: "map", of: "object" },
  dependentRequired: { form: "map", of: "object", since: "2019-09", vocabulary: "validation" },
  dependentSchemas: { holds: "map", of: "object", since: "2019-09", vocabulary: "applicator" },
  else: { holds: "one", vocabulary: "applicator" },
  enum: { form: "list", vocabulary: "validation" },
  exclusiveMaximum: { of: "number", vocabulary: "validation" },
  exclusiveMinimum: { of: "number", vocabulary: "validation" },
  format: {},
  if: { holds: "one", since: "draft-07", vocabulary: "applicator" },
  items: { holds: "one", of: "array", vocabulary: "applicator" },
  maxContains: { since: "2019-09", vocabulary: "validation" },
  maxItems: { of: "array", vocabulary: "validation" },
  maxLength: { of: "string", vocabulary: "validation" },
  maxProperties: { of: "object", vocabulary: "validation" },
  maximum: { of: "number", vocabulary: "validation" },
  minContains: { since: "2019-09", vocabulary: "validation" },
  minItems: { of: "array", vocabulary: "validation" },
  minLength: { of: "string", vocabulary: "validation" },
  minProperties: { of: "object", vocabulary: "validation" },
  minimum: { of: "number", vocabulary: "validation" },
  multipleOf: { of: "number", vocabulary: "validation" },
  not: { holds: "one", vocabulary: "applicator" },
  oneOf: { holds: "list", vocabulary: "applicator" },
  pattern: { of: "string", vocabulary: "validation" },
  patternProperties: { holds: "map", of: "object", vocabulary: "applicator" },
  prefixItems: { holds: "list", of: "array", since: "2020-12", vocabulary: "applicator" },
  properties: { holds: "map", of: "object", vocabulary: "applicator" },
  propertyNames: { holds: "one", of: "object", since: "draft-06", vocabulary: "applicator" },
  required: { form: "list", of: "object", vocabulary: "validation" },
  then: { holds: "one", vocabulary: "applicator" },
  type: { form: "list", vocabulary: "validation" },
  unevaluatedItems: { holds: "one", since: "2019-09", vocabulary: "unevaluated" },
  unevaluatedProperties: { holds: "one", since: "2019-09", vocabulary: "unevaluated" },
  uniqueItems: { of: "array", vocabulary: "validation" },
} satisfies Readonly<Record<string, Keyword>>;

const ENTRIES: readonly (readonly [name: string, keyword: Keyword])[] = Object.entries(KEYWORDS);

/** Returns the keyword of a name; undefined for a name that is not a keyword. */
export function findKeyword(name: string): Keyword | undefined {
  return BY_NAME.get(name);
}

const BY_NAME: ReadonlyMap<string, Keyword> = new Map(ENTRIES);

/** Returns the names of the keywords with a property, in one order. */
export function keywordsWith(has: (keyword: Keyword) => boolean): readonly string[] {
  return ENTRIES.filter(([, keyword]) => has(keyword)).map(([name]) => name);
}
