import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";

/** The keys and indexes from the arguments to a part of them. */
export type ArgumentPath = readonly (string | number)[];

/** A mutable object or array. A map holds the items, so no key has a special meaning. */
interface Container {
  readonly isList: boolean;
  readonly items: Map<string | number, Container | Leaf>;
}

interface Leaf {
  readonly value: JsonValue;
}

/** Why a value cannot be set: its parent is not an object or a list, or a list has a gap. */
export interface Obstacle {
  readonly path: ArgumentPath;
  readonly message: string;
}

/** Sets values in the arguments, each at its path. Sets shallow paths first, so that `meta.key` changes a given `meta`. */
export function layValues(
  base: JsonObject,
  values: readonly { readonly path: ArgumentPath; readonly value: JsonValue }[],
): { readonly args: JsonObject } | { readonly obstacles: readonly Obstacle[] } {
  const root = openObject(base);
  const ordered = [...values].sort((a, b) => a.path.length - b.path.length);
  const obstacles = ordered.flatMap(({ path, value }) => lay(root, path, value) ?? []);
  const gaps = findGaps(root, []);
  if (obstacles.length > 0 || gaps.length > 0) return { obstacles: [...obstacles, ...gaps] };
  return { args: closeObject(root) };
}

function lay(root: Container, path: ArgumentPath, value: JsonValue): Obstacle | undefined {
  let holder = root;
  for (const [depth, key] of path.slice(0, -1).entries()) {
    const isList = typeof path[depth + 1] === "number";
    const inner = holder.items.get(key) ?? { isList, items: new Map() };
    const opened = "items" in inner ? inner : open(inner.value);
    if (opened?.isList !== isList) {
      const wanted = isList ? "a list" : "an object";
      return { path: path.slice(0, depth + 1), message: `is not ${wanted}, so its parts cannot be set` };
    }
    holder.items.set(key, opened);
    holder = opened;
  }
  const last = path.at(-1);
  if (last !== undefined) holder.items.set(last, { value });
  return undefined;
}

function open(value: JsonValue): Container | undefined {
  if (isJsonObject(value)) return openObject(value);
  return isList(value)
    ? { isList: true, items: new Map(value.map((item, at) => [at, { value: item }])) }
    : undefined;
}

function openObject(value: JsonObject): Container {
  return {
    isList: false,
    items: new Map(Object.entries(value).map(([key, item]) => [key, { value: item }])),
  };
}

function findGaps({ isList, items }: Container, path: ArgumentPath): readonly Obstacle[] {
  const within = [...items].flatMap(([key, item]) => ("items" in item ? findGaps(item, [...path, key]) : []));
  if (!isList) return within;
  for (let index = 0; index < items.size; index += 1)
    if (!items.has(index))
      return [...within, { path: [...path, index], message: "is missing: a list cannot have gaps" }];
  return within;
}

function closeObject({ items }: Container): JsonObject {
  return Object.fromEntries([...items].map(([key, item]) => [String(key), close(item)]));
}

function close(item: Container | Leaf): JsonValue {
  if ("value" in item) return item.value;
  if (!item.isList) return closeObject(item);
  return Array.from({ length: item.items.size }, (_, index) => {
    const inner = item.items.get(index);
    return inner === undefined ? null : close(inner);
  });
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
