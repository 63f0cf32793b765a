/**
 * What is known of the values at one place, without the values: the kinds that were seen, and the shapes inside them.
 * Shapes form a join semilattice: {@link joinShapes} is associative, commutative and idempotent, and the join of two
 * shapes fits every value that one of them fits.
 */
export interface Shape {
  readonly scalars: ReadonlySet<Scalar>;
  /** Present if strings were seen. */
  readonly text?: TextShape;
  /** Present if arrays were seen. */
  readonly array?: ArrayShape;
  /** Present if objects were seen. */
  readonly object?: ObjectShape;
}

/** The kinds without further shape. Every integer is a number. */
export type Scalar = "null" | "boolean" | "integer" | "number";

export interface TextShape {
  /** A format of JSON Schema that all strings have. */
  readonly format?: string;
  /** All strings that were seen, where there are so few of them that they look like an enumeration. */
  readonly values?: ReadonlySet<string>;
}

export interface ArrayShape {
  /** Absent if all arrays were empty. */
  readonly items?: Shape;
}

export type ObjectShape = RecordShape | MapShape | UnionShape;

/** Objects with keys of their own. Further keys are allowed. */
export interface RecordShape {
  readonly kind: "record";
  readonly properties: ReadonlyMap<string, Property>;
}

export interface Property {
  readonly shape: Shape;
  /** Whether every object had the key. */
  readonly isRequired: boolean;
}

/** Objects whose keys are data, such as IDs. */
export interface MapShape {
  readonly kind: "map";
  /** Absent if all objects were empty. */
  readonly values?: Shape;
}

/** Objects of several records, told apart by the value of one key. */
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
  return { scalars, ...(text && { text }), ...(array && { array }), ...(object && { object }) };
}

/** The shape that no value fits. */
export const NOTHING: Shape = { scalars: new Set() };

function joinOptional<T>(a: T | undefined, b: T | undefined, join: (a: T, b: T) => T): T | undefined {
  return a === undefined ? b : b === undefined ? a : join(a, b);
}

function joinTexts(a: TextShape, b: TextShape): TextShape {
  const values = a.values && b.values && new Set([...a.values, ...b.values]);
  return {
    ...(a.format !== undefined && a.format === b.format && { format: a.format }),
    ...(values !== undefined && values.size <= MOST_VALUES && { values }),
  };
}

function joinArrays(a: ArrayShape, b: ArrayShape): ArrayShape {
  const items = joinOptional(a.items, b.items, joinShapes);
  return items === undefined ? {} : { items };
}

function joinObjects(a: ObjectShape, b: ObjectShape): ObjectShape {
  if (a.kind === "map" || b.kind === "map") return joinMaps(toMap(a), toMap(b));
  if (a.kind === "union" && b.kind === "union" && a.tag === b.tag) return joinUnions(a, b);
  return joinRecords(toRecord(a), toRecord(b));
}

function joinMaps(a: MapShape, b: MapShape): MapShape {
  const values = joinOptional(a.values, b.values, joinShapes);
  return { kind: "map", ...(values && { values }) };
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
  const properties = new Map<string, Property>();
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
  return { kind: "map", ...(shapes.length > 0 && { values: shapes.reduce(joinShapes) }) };
}
