import {
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../contract/json.js";

/** The form of several answers of a tool: which types and keys they have where. */
export interface AnswerShape {
  readonly types: Set<string>;
  /** How many objects there were. */
  objects: number;
  readonly keys: Map<string, { readonly shape: AnswerShape; count: number }>;
  /** The form of all items of arrays. */
  items?: AnswerShape;
}

/** A shape without answers. */
export function createShape(): AnswerShape {
  return { types: new Set(), objects: 0, keys: new Map() };
}

/** Returns what a tool answers: structured content, or else the text, parsed if it is JSON. */
export function answerOf(result: JsonObject): JsonValue {
  const structured = findOwn(result, "structuredContent");
  if (structured !== undefined && structured !== null) return structured;
  const content = getOwn(result, "content");
  const texts = (isJsonArray(content) ? content : []).flatMap((block) => {
    const part = findOwn(block, "text");
    return typeof part === "string" ? [part] : [];
  });
  const text = texts.join("\n");
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** Adds an answer to a shape. */
export function addToShape(shape: AnswerShape, value: JsonValue): void {
  shape.types.add(typeOf(value));
  if (isJsonArray(value)) {
    const items = (shape.items ??= createShape());
    for (const item of value) addToShape(items, item);
  } else if (isJsonObject(value)) {
    shape.objects += 1;
    for (const [name, inside] of membersOf(value)) {
      const known = shape.keys.get(name) ?? { shape: createShape(), count: 0 };
      known.count += 1;
      shape.keys.set(name, known);
      for (const item of inside) addToShape(known.shape, item);
    }
  }
}

/** Returns what an answer has that no answer of the shape had, and what it lacks that all had; one line for each place. */
export function differencesFrom(shape: AnswerShape, value: JsonValue, path = ""): readonly string[] {
  // Arrays that were always empty have items of any form.
  if (shape.types.size === 0) return [];
  const type = typeOf(value);
  const place = path === "" ? "the answer" : path;
  if (!shape.types.has(type))
    return [`${place} is ${type}, recorded was ${[...shape.types].sort().join(" or ")}`];
  const at = (step: string): string => (path === "" ? step : `${path}.${step}`);
  if (isJsonArray(value))
    return [
      ...new Set(value.flatMap((item) => differencesFrom(shape.items ?? createShape(), item, at("*")))),
    ];
  if (!isJsonObject(value)) return [];
  const members = membersOf(value);
  const missing = [...shape.keys].filter(
    ([name, { count }]) => count === shape.objects && !members.has(name),
  );
  return [
    ...missing.map(([name]) => `${at(name)} is missing`),
    ...[...members].flatMap(([name, inside]) => {
      const known = shape.keys.get(name);
      if (known === undefined) return [`${at(name)} is new`];
      return inside.flatMap((item) => differencesFrom(known.shape, item, at(name)));
    }),
  ];
}

/** Keys that are data: numbers, UUIDs and other hexadecimal ids, dates. */
const ID = /^(?:\d+|[0-9a-f-]{16,}|\d{4}-\d\d-\d\d.*)$/i;

/** The values of an object by key; those of ids together, as `*`. */
function membersOf(object: JsonObject): ReadonlyMap<string, readonly JsonValue[]> {
  const members = new Map<string, JsonValue[]>();
  for (const [key, value] of Object.entries(object)) {
    const name = ID.test(key) ? "*" : key;
    const values = members.get(name);
    if (values === undefined) members.set(name, [value]);
    else values.push(value);
  }
  return members;
}

function typeOf(value: JsonValue): string {
  return value === null ? "null" : isJsonArray(value) ? "array" : typeof value;
}
