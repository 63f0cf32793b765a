import { getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { NOTHING, toRecord, type ObjectShape, type RecordShape, type Shape } from "./shape.js";

/**
 * Returns what an answer has that no answer of the shape had, and what it lacks that all had; one line for each place. Texts
 * and numbers are compared by type, not by value.
 */
export function differencesFrom(shape: Shape, value: JsonValue, path = ""): readonly string[] {
  const types = typesOf(shape);
  // Arrays that were always empty have items of any shape.
  if (types.length === 0) return [];
  const type = typeOf(value);
  const place = path === "" ? "the answer" : path;
  if (!types.includes(type)) return [`${place} is ${type}, recorded was ${types.join(" or ")}`];
  const { array, object } = shape;
  if (isJsonArray(value)) return differencesOfAll(array?.items, value, path);
  if (isJsonObject(value) && object !== undefined) return differencesOfObject(object, value, path);
  return [];
}

function differencesOfAll(
  shape: Shape | undefined,
  values: readonly JsonValue[],
  path: string,
): readonly string[] {
  const found = values.flatMap((value) => differencesFrom(shape ?? NOTHING, value, join(path, "*")));
  return [...new Set(found)];
}

function differencesOfObject(shape: ObjectShape, value: JsonObject, path: string): readonly string[] {
  if (shape.kind === "map") return differencesOfAll(shape.values, Object.values(value), path);
  const { properties } = recordFor(shape, value);
  const missing = [...properties].filter(
    ([name, { isRequired }]) => isRequired && !Object.hasOwn(value, name),
  );
  return [
    ...missing.map(([name]) => `${join(path, name)} is missing`),
    ...Object.entries(value).flatMap(([name, inside]) => {
      const known = properties.get(name);
      if (known === undefined) return [`${join(path, name)} is new`];
      return differencesFrom(known.shape, inside, join(path, name));
    }),
  ];
}

/** The record of a union that the object is one of; all of them together for an object with another tag. */
function recordFor(shape: Exclude<ObjectShape, { readonly kind: "map" }>, value: JsonObject): RecordShape {
  if (shape.kind === "record") return shape;
  const tag = getOwn(value, shape.tag);
  return (typeof tag === "string" ? shape.branches.get(tag) : undefined) ?? toRecord(shape);
}

function join(path: string, step: string): string {
  return path === "" ? step : `${path}.${step}`;
}

/** The types of a shape, sorted. Integers are numbers: a price may be whole by chance. */
function typesOf({ scalars, text, array, object }: Shape): readonly string[] {
  const types = [...scalars].map((scalar) => (scalar === "integer" ? "number" : scalar));
  return [
    ...types,
    ...(text === undefined ? [] : ["string"]),
    ...(array === undefined ? [] : ["array"]),
    ...(object === undefined ? [] : ["object"]),
  ].sort();
}

function typeOf(value: JsonValue): string {
  return value === null ? "null" : isJsonArray(value) ? "array" : typeof value;
}
