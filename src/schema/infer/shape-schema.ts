import { omitUndefined } from "../../core/collections.js";
import {
  byCodeUnit,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../core/json.js";
import {
  joinShapes,
  NOTHING,
  type ArrayShape,
  type MapShape,
  type ObjectShape,
  type RecordShape,
  type Scalar,
  type Shape,
  type TextShape,
} from "./shape.js";

const SCALARS = ["null", "boolean", "integer", "number"] as const satisfies readonly Scalar[];

/**
 * Returns the JSON Schema (2020-12) of the values that a shape fits. Equal shapes give equal text. {@link readShape}
 * is its inverse.
 */
export function schemaOfShape(shape: Shape): JsonObject {
  const { text, array, object, scalars } = shape;
  if (object?.kind === "union") {
    const rest: Shape = { scalars, text, array };
    const branches = [...object.branches]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([value, record]) => schemaOfBranch(object.tag, value, record));
    return { anyOf: [...branches, ...(isNothing(rest) ? [] : [schemaOfShape(rest)])] };
  }
  const types = [
    ...(object ? ["object"] : []),
    ...(array ? ["array"] : []),
    ...(text ? ["string"] : []),
    ...SCALARS.filter((scalar) => scalars.has(scalar)),
  ];
  const [type, ...more] = types;
  return omitUndefined({
    type: more.length === 0 ? type : types,
    ...(object && schemaOfObject(object)),
    items: array?.items && schemaOfShape(array.items),
    ...(text && schemaOfText(text, shape)),
  });
}

function isNothing({ scalars, text, array, object }: Shape): boolean {
  return scalars.size === 0 && text === undefined && array === undefined && object === undefined;
}

/** An enumeration holds for all kinds, so it is only stated where strings are alone, or beside null. */
function schemaOfText({ format, values }: TextShape, { scalars, array, object }: Shape): JsonObject {
  const isNullable = scalars.size === 1 && scalars.has("null");
  const canHaveEnum = array === undefined && object === undefined && (scalars.size === 0 || isNullable);
  const all =
    values && canHaveEnum ? [...[...values].sort(byCodeUnit), ...(isNullable ? [null] : [])] : undefined;
  return omitUndefined({ format, enum: all });
}

function schemaOfObject(object: RecordShape | MapShape): JsonObject {
  if (object.kind === "map")
    return { additionalProperties: object.values ? schemaOfShape(object.values) : {} };
  const entries = [...object.properties].sort(([a], [b]) => byCodeUnit(a, b));
  const required = entries.flatMap(([key, { isRequired }]) => (isRequired ? [key] : []));
  return omitUndefined({
    properties: Object.fromEntries(entries.map(([key, { shape }]) => [key, schemaOfShape(shape)])),
    required: required.length > 0 ? required : undefined,
  });
}

function schemaOfBranch(tag: string, value: string, record: RecordShape): JsonObject {
  const { properties, ...rest } = schemaOfObject(record);
  const others = isJsonObject(properties) ? properties : {};
  return { type: "object", properties: { ...others, [tag]: { const: value } }, ...rest };
}

/**
 * Returns the shape of a schema that {@link schemaOfShape} made.
 *
 * @throws RangeError for a schema in another form, with the keyword
 */
export function readShape(schema: JsonValue): Shape {
  if (!isJsonObject(schema)) throw new RangeError("expected a schema");
  const anyOf = getOwn(schema, "anyOf");
  if (isJsonArray(anyOf)) return readUnion(anyOf);
  const unknown = Object.keys(schema).find((key) => !KEYWORDS.has(key));
  if (unknown !== undefined) throw new RangeError(`"${unknown}" is not a keyword of a learned schema`);
  const type = getOwn(schema, "type");
  const types = new Set<JsonValue | undefined>(isJsonArray(type) ? type : type === undefined ? [] : [type]);
  return {
    scalars: new Set(SCALARS.filter((scalar) => types.has(scalar))),
    text: types.has("string") ? readText(schema) : undefined,
    array: types.has("array") ? readArray(schema) : undefined,
    object: types.has("object") ? readObject(schema) : undefined,
  };
}

const KEYWORDS: ReadonlySet<string> = new Set([
  ...["type", "properties", "required", "additionalProperties", "items", "format", "enum"],
]);

function readText(schema: JsonObject): TextShape {
  const [format, values] = [getOwn(schema, "format"), getOwn(schema, "enum")];
  const strings = isJsonArray(values) ? values.filter((value) => typeof value === "string") : undefined;
  return { format: typeof format === "string" ? format : undefined, values: strings && new Set(strings) };
}

function readArray(schema: JsonObject): ArrayShape {
  const items = getOwn(schema, "items");
  return { items: items === undefined ? undefined : readShape(items) };
}

function readObject(schema: JsonObject): RecordShape | MapShape {
  const values = getOwn(schema, "additionalProperties");
  if (values !== undefined) {
    const isEmpty = isJsonObject(values) && Object.keys(values).length === 0;
    return { kind: "map", values: isEmpty ? undefined : readShape(values) };
  }
  const [properties, required] = [getOwn(schema, "properties"), getOwn(schema, "required")];
  const keys = new Set<JsonValue>(isJsonArray(required) ? required : []);
  const entries = Object.entries(isJsonObject(properties) ? properties : {});
  return {
    kind: "record",
    properties: new Map(
      entries.map(([key, inner]) => [key, { shape: readShape(inner), isRequired: keys.has(key) }]),
    ),
  };
}

function readUnion(parts: readonly JsonValue[]): Shape {
  const tagged = parts.flatMap((part) => readBranch(part) ?? []);
  const [first] = tagged;
  const others = parts.filter((part) => readBranch(part) === undefined);
  if (first === undefined || tagged.some(({ tag }) => tag !== first.tag))
    throw new RangeError('"anyOf" has no branches with one tag');
  const object: ObjectShape = {
    kind: "union",
    tag: first.tag,
    branches: new Map(tagged.map(({ value, record }) => [value, record])),
  };
  return others.map(readShape).reduce(joinShapes, { ...NOTHING, object });
}

function readBranch(
  part: JsonValue,
): { readonly tag: string; readonly value: string; readonly record: RecordShape } | undefined {
  const properties = isJsonObject(part) ? getOwn(part, "properties") : undefined;
  if (!isJsonObject(part) || !isJsonObject(properties)) return undefined;
  for (const [tag, inner] of Object.entries(properties)) {
    const value = isJsonObject(inner) ? getOwn(inner, "const") : undefined;
    if (typeof value !== "string") continue;
    const record = readObject({ ...part, properties: { ...properties, [tag]: { type: "string" } } });
    return record.kind === "record" ? { tag, value, record } : undefined;
  }
  return undefined;
}
