import { groupBy, omitUndefined } from "../../core/collections.js";
import {
  byCodeUnit,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  mapEntries,
} from "../../core/json.js";
import type { JsonTypeName } from "../validation/json-schema.js";

/** The kinds of values, in the order in which learned schemas list them. Every integer is a number. */
export const KINDS: readonly JsonTypeName[] = [
  ...(["object", "array", "string", "null", "boolean", "integer", "number"] as const),
];

/**
 * The values that were seen in one place, as JSON Schema (2020-12); empty if none was seen. Equal knowledge gives equal text.
 * These schemas form a join semilattice: {@link joinSchemas} is associative, commutative and idempotent, and the join of two
 * schemas accepts every value that one of them accepts.
 */
export type LearnedSchema = {
  readonly type?: JsonTypeName | readonly JsonTypeName[];
  /** The keys of objects. Further keys are allowed. */
  readonly properties?: { readonly [key: string]: LearnedSchema };
  readonly required?: readonly string[];
  /** The values of objects whose keys are data, such as IDs. */
  readonly additionalProperties?: LearnedSchema;
  /** Absent if all arrays were empty. */
  readonly items?: LearnedSchema;
  /** A format that all strings have. */
  readonly format?: string;
  /** All strings that were seen, if they are few. Stated only where strings are alone, or beside null. */
  readonly enum?: readonly (string | null)[];
  /** Instead of all others: a record for each constant that one key, the tag, has; and the schema of other values. */
  readonly anyOf?: readonly LearnedSchema[];
  readonly const?: string;
};

/** The parts of a schema, in any order. */
export type Knowledge = { readonly [Keyword in keyof LearnedSchema]?: LearnedSchema[Keyword] | undefined };

/** More values than these are not an enumeration, and more records not a union. */
export const MOST_VALUES = 12;

/** Returns the schema of values of these kinds. */
export function schemaOf(kinds: ReadonlySet<JsonTypeName>, earlier: Knowledge): LearnedSchema {
  const types = KINDS.filter((kind) => kinds.has(kind) && !(kind === "integer" && kinds.has("number")));
  const { properties, required = [], additionalProperties, items, format } = earlier;
  const texts = earlier.enum?.filter((value) => value !== null).sort(byCodeUnit);
  const hasOnlyTexts = types.every((kind) => kind === "string" || kind === "null");
  return omitUndefined({
    type: types.length > 1 ? types : types[0],
    properties:
      properties && Object.fromEntries(Object.entries(properties).sort(([a], [b]) => byCodeUnit(a, b))),
    required: required.length > 0 ? [...required].sort(byCodeUnit) : undefined,
    additionalProperties,
    items,
    format,
    enum:
      texts !== undefined && texts.length <= MOST_VALUES && hasOnlyTexts
        ? [...texts, ...(kinds.has("null") ? [null] : [])]
        : undefined,
  });
}

/** Returns the schema of a union: the records by the value of their tag, and the schema of other values. */
export function unionOf(
  tag: string,
  records: readonly (readonly [value: string, record: LearnedSchema])[],
  others: LearnedSchema,
): LearnedSchema {
  const branches = [...records]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([value, record]) => {
      return { ...record, properties: { ...record.properties, [tag]: { const: value } } };
    });
  return { anyOf: Object.keys(others).length > 0 ? [...branches, others] : branches };
}

/** Returns the narrowest schema that accepts every value which one of two schemas accepts. */
export function joinSchemas(a: LearnedSchema, b: LearnedSchema): LearnedSchema {
  return joinAsUnion(a, b) ?? joinPlain(withoutUnion(a), withoutUnion(b));
}

/** Undefined if the objects of both do not have a tag in common, or too many values of it. */
function joinAsUnion(a: LearnedSchema, b: LearnedSchema): LearnedSchema | undefined {
  const parts = [a, b].flatMap((schema) => schema.anyOf ?? [schema]);
  const [tag, ...more] = new Set(parts.filter((part) => has(part, "object")).map(findTag));
  if (tag === undefined || more.length > 0) return undefined;
  const byValue = groupBy(parts, ({ properties }) => properties?.[tag]?.const);
  const join = (some: readonly LearnedSchema[] = []): LearnedSchema => some.reduce(joinPlain, {});
  const others = join(byValue.get(undefined));
  const records = [...byValue].flatMap(([value, some]) =>
    value === undefined ? [] : [[value, join(some)] as const],
  );
  return records.length > MOST_VALUES ? undefined : unionOf(tag, records, others);
}

/** The key with a constant. */
function findTag({ properties = {} }: LearnedSchema): string | undefined {
  return Object.keys(properties).find((key) => properties[key]?.const !== undefined);
}

function withoutUnion(schema: LearnedSchema): LearnedSchema {
  const withoutConstant = (property: LearnedSchema): LearnedSchema =>
    property.const === undefined ? property : { type: "string" };
  const parts = schema.anyOf?.map((part) =>
    part.properties ? { ...part, properties: mapEntries(part.properties, withoutConstant) } : part,
  );
  return parts?.reduce(joinPlain, {}) ?? schema;
}

function joinPlain(a: LearnedSchema, b: LearnedSchema): LearnedSchema {
  return schemaOf(new Set([a.type ?? [], b.type ?? []].flat()), {
    ...joinObjects(a, b),
    items: a.items && b.items ? joinSchemas(a.items, b.items) : (a.items ?? b.items),
    ...joinTexts(a, b),
  });
}

function joinObjects(a: LearnedSchema, b: LearnedSchema): Knowledge {
  if (a.additionalProperties ?? b.additionalProperties)
    return { additionalProperties: joinSchemas(valuesOf(a), valuesOf(b)) };
  const left = a.properties;
  const other = b.properties;
  if (left === undefined || other === undefined) {
    return { properties: left ?? other, required: a.required ?? b.required };
  }
  const keys = [...new Set([...Object.keys(left), ...Object.keys(other)])];
  const properties = keys.map(
    (key) => [key, joinSchemas(getOwn(left, key) ?? {}, getOwn(other, key) ?? {})] as const,
  );
  return {
    properties: Object.fromEntries(properties),
    required: a.required?.filter((key) => b.required?.includes(key)),
  };
}

function valuesOf({ properties = {}, additionalProperties }: LearnedSchema): LearnedSchema {
  return additionalProperties ?? Object.values(properties).reduce(joinSchemas, {});
}

function joinTexts(a: LearnedSchema, b: LearnedSchema): Knowledge {
  if (!has(a, "string")) return { format: b.format, enum: b.enum };
  if (!has(b, "string")) return { format: a.format, enum: a.enum };
  return {
    format: a.format === b.format ? a.format : undefined,
    enum: a.enum && b.enum && [...new Set([...a.enum, ...b.enum])],
  };
}

function has({ type }: LearnedSchema, kind: JsonTypeName): boolean {
  return [type].flat().includes(kind);
}

/** @throws RangeError for a schema that was not learned, such as an edited one */
export function assertLearned(schema: JsonValue | undefined): asserts schema is LearnedSchema {
  if (!isJsonObject(schema)) throw new RangeError("expected a schema");
  for (const [keyword, value] of Object.entries(schema)) {
    const hasForm = getOwn(FORMS, keyword);
    if (hasForm === undefined) throw new RangeError(`"${keyword}" is not a keyword of a learned schema`);
    if (!hasForm(value)) throw new RangeError(`"${keyword}" does not have the form that is learned`);
  }
  const { anyOf = [] }: LearnedSchema = schema;
  const tags = new Set(anyOf.filter((part) => has(part, "object")).map(findTag));
  if (tags.has(undefined) || tags.size > 1) throw new RangeError('"anyOf" has no branches with one tag');
}

const FORMS: { readonly [keyword: string]: (value: JsonValue) => boolean } = {
  type: (value) => [value].flat().every((kind) => KINDS.some((name) => name === kind)),
  properties: (value) => isJsonObject(value) && Object.values(value).every(isLearned),
  required: (value) => isJsonArray(value) && value.every((key) => typeof key === "string"),
  additionalProperties: isLearned,
  items: isLearned,
  format: (value) => typeof value === "string",
  enum: (value) => isJsonArray(value) && value.every((item) => item === null || typeof item === "string"),
  anyOf: (value) => isJsonArray(value) && value.every(isLearned),
  const: (value) => typeof value === "string",
};

function isLearned(value: JsonValue): boolean {
  assertLearned(value);
  return true;
}
