import { omitUndefined } from "../../core/collections.js";
import {
  byCodeUnit,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../core/json.js";

/**
 * The kinds of values that were seen in one place, and the shapes inside them, without the values.
 * Shapes form a join semilattice: {@link joinShapes} is associative, commutative and idempotent, and the join of two
 * shapes fits every value that one of them fits.
 */
export interface Shape {
  readonly scalars: ReadonlySet<Scalar>;
  /** Present if strings were seen. */
  readonly text?: TextShape | undefined;
  /** Present if arrays were seen. */
  readonly array?: ArrayShape | undefined;
  /** Present if objects were seen. */
  readonly object?: ObjectShape | undefined;
}

/** The kinds without further shape. Every integer is a number. */
export type Scalar = "null" | "boolean" | "integer" | "number";

export interface TextShape {
  /** A format of JSON Schema that all strings have. */
  readonly format?: string | undefined;
  /** All strings that were seen, if they are few enough for an enumeration. */
  readonly values?: ReadonlySet<string> | undefined;
}

export interface ArrayShape {
  /** Absent if all arrays were empty. */
  readonly items?: Shape | undefined;
}

export type ObjectShape = RecordShape | MapShape | UnionShape;

/** Objects with keys of their own. Further keys are allowed. */
export interface RecordShape {
  readonly kind: "record";
  readonly properties: ReadonlyMap<string, ShapeProperty>;
}

interface ShapeProperty {
  readonly shape: Shape;
  /** Whether every object had the key. */
  readonly isRequired: boolean;
}

/** Objects whose keys are data, such as IDs. */
export interface MapShape {
  readonly kind: "map";
  /** Absent if all objects were empty. */
  readonly values?: Shape | undefined;
}

/** Objects of several records, which the value of one key distinguishes. */
export interface UnionShape {
  readonly kind: "union";
  readonly tag: string;
  /** By the value of the tag. */
  readonly branches: ReadonlyMap<string, RecordShape>;
}

/** More values than these are not an enumeration, and more records not a union. */
export const MOST_VALUES = 12;

/** Returns the narrowest shape that fits every value which one of two shapes fits. */
export function joinShapes(a: Shape, b: Shape): Shape {
  const scalars = new Set([...a.scalars, ...b.scalars]);
  if (scalars.has("number")) scalars.delete("integer");
  const text = joinOptional(a.text, b.text, joinTexts);
  const array = joinOptional(a.array, b.array, joinArrays);
  const object = joinOptional(a.object, b.object, joinObjects);
  return { scalars, text, array, object };
}

/** The shape that no value fits. */
const NOTHING: Shape = { scalars: new Set() };

function joinOptional<T>(a: T | undefined, b: T | undefined, join: (a: T, b: T) => T): T | undefined {
  return a === undefined ? b : b === undefined ? a : join(a, b);
}

function joinTexts(a: TextShape, b: TextShape): TextShape {
  const values = a.values && b.values && new Set([...a.values, ...b.values]);
  return {
    format: a.format === b.format ? a.format : undefined,
    values: values !== undefined && values.size <= MOST_VALUES ? values : undefined,
  };
}

function joinArrays(a: ArrayShape, b: ArrayShape): ArrayShape {
  return { items: joinOptional(a.items, b.items, joinShapes) };
}

function joinObjects(a: ObjectShape, b: ObjectShape): ObjectShape {
  if (a.kind === "map" || b.kind === "map") return joinMaps(toMap(a), toMap(b));
  if (a.kind === "union" && b.kind === "union" && a.tag === b.tag) return joinUnions(a, b);
  return joinRecords(toRecord(a), toRecord(b));
}

function joinMaps(a: MapShape, b: MapShape): MapShape {
  return { kind: "map", values: joinOptional(a.values, b.values, joinShapes) };
}

function joinUnions(a: UnionShape, b: UnionShape): UnionShape | RecordShape {
  const branches = new Map(a.branches);
  for (const [value, record] of b.branches) {
    const known = branches.get(value);
    branches.set(value, known === undefined ? record : joinRecords(known, record));
  }
  const union: UnionShape = { kind: "union", tag: a.tag, branches };
  return branches.size <= MOST_VALUES ? union : toRecord(union);
}

function joinRecords(a: RecordShape, b: RecordShape): RecordShape {
  const properties = new Map<string, ShapeProperty>();
  for (const key of new Set([...a.properties.keys(), ...b.properties.keys()])) {
    const [one, other] = [a.properties.get(key), b.properties.get(key)];
    const shape = joinOptional(one?.shape, other?.shape, joinShapes) ?? NOTHING;
    properties.set(key, { shape, isRequired: one?.isRequired === true && other?.isRequired === true });
  }
  return { kind: "record", properties };
}

function toRecord(shape: RecordShape | UnionShape): RecordShape {
  if (shape.kind === "record") return shape;
  return [...shape.branches.values()].reduce(joinRecords);
}

function toMap(shape: ObjectShape): MapShape {
  if (shape.kind === "map") return shape;
  const shapes = [...toRecord(shape).properties.values()].map((property) => property.shape);
  return { kind: "map", values: shapes.length > 0 ? shapes.reduce(joinShapes) : undefined };
}

const SCALARS = ["null", "boolean", "integer", "number"] as const satisfies readonly Scalar[];

/** Returns the JSON Schema (2020-12) of a shape: equal shapes give equal text. {@link readShape} is its inverse. */
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

/** Returns the shape of a schema that {@link schemaOfShape} made. Throws `RangeError` for another one. */
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
