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
export const NOTHING: Shape = { scalars: new Set() };

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

/** Returns a record that fits all objects of a union. */
export function toRecord(shape: RecordShape | UnionShape): RecordShape {
  if (shape.kind === "record") return shape;
  return [...shape.branches.values()].reduce(joinRecords);
}

/** Returns a map that fits all objects of a record or union. */
function toMap(shape: ObjectShape): MapShape {
  if (shape.kind === "map") return shape;
  const shapes = [...toRecord(shape).properties.values()].map((property) => property.shape);
  return { kind: "map", values: shapes.length > 0 ? shapes.reduce(joinShapes) : undefined };
}
