import { findOwn, getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./json.js";
import { splitPointer } from "./json-pointer.js";

const CONTAINERS = ["$defs", "definitions"] as const;

/**
 * A schema without those of its own `$defs` and `definitions` that nothing in it refers to. Servers often send all their
 * shared types with every tool. The same schema where nothing is unused, or where it refers to definitions by anything
 * but a JSON Pointer: an anchor or an `$id` of its own needs a whole reader of JSON Schema to resolve.
 */
export function dropUnusedDefinitions(schema: JsonObject): JsonObject {
  if (!CONTAINERS.some((key) => Object.hasOwn(schema, key))) return schema;
  const used = findUsed(schema);
  if (used === undefined) return schema;
  const entries = Object.entries(schema).flatMap(
    ([key, value]): readonly (readonly [string, JsonValue])[] => {
      if (!isContainer(key) || !isJsonObject(value)) return [[key, value]];
      const kept = Object.entries(value).filter(([name]) => used.has(placeOf(key, name)));
      return kept.length === 0 ? [] : [[key, Object.fromEntries(kept)]];
    },
  );
  return Object.fromEntries(entries);
}

/** The definitions that the schema needs, as {@link placeOf} names them; undefined when that cannot be known. */
function findUsed(schema: JsonObject): ReadonlySet<string> | undefined {
  const used = new Set<string>();
  const open: JsonValue[] = Object.entries(schema).flatMap(([key, value]) =>
    isContainer(key) ? [] : [value],
  );
  const use = (place: readonly string[]): boolean => {
    const [container = "", name] = place;
    if (!isContainer(container)) return true;
    // A reference to the container itself, and so to none of its definitions.
    if (name === undefined) return false;
    const key = placeOf(container, name);
    if (used.has(key)) return true;
    used.add(key);
    const definition = findOwn(getOwn(schema, container), name);
    if (definition !== undefined) open.push(definition);
    return true;
  };
  const reference = getOwn(schema, "$ref");
  if (reference !== undefined && !useReference(reference, use)) return undefined;
  if (Object.hasOwn(schema, "$dynamicRef") || Object.hasOwn(schema, "$recursiveRef")) return undefined;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (isJsonArray(value)) {
      for (const item of value) open.push(item);
      continue;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (MOVES_REFERENCES.has(key) && typeof inner === "string") return undefined;
      if (key === "$ref" && !useReference(inner, use)) return undefined;
      open.push(inner);
    }
  }
  return used;
}

/** Keywords by which a reference means another place than its JSON Pointer says. `id` is that of draft 4. */
const MOVES_REFERENCES: ReadonlySet<string> = new Set(["$id", "id", "$dynamicRef", "$recursiveRef"]);

/** Whether it is known what a reference needs, which is then noted. */
function useReference(reference: JsonValue, use: (place: readonly string[]) => boolean): boolean {
  // A property that happens to be called `$ref`.
  if (typeof reference !== "string") return true;
  if (reference === "#") return true;
  if (!reference.startsWith("#/")) return false;
  try {
    return use(splitPointer(decodeURIComponent(reference)));
  } catch {
    return false;
  }
}

function isContainer(key: string): key is (typeof CONTAINERS)[number] {
  return key === "$defs" || key === "definitions";
}

function placeOf(container: string, name: string): string {
  return `${container}/${name}`;
}
