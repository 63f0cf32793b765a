import { isJsonObject, type JsonValue } from "../../contract/json.js";
import { mapKeyword } from "./map-subschemas.js";

/**
 * A schema without what cannot matter to an instance whose objects have only keys of `keys`: the properties of other
 * names, and definitions that nothing refers to. About such an instance it says the same, and it takes Ajv a fraction of
 * the time to compile.
 */
export function pruneSchema(schema: JsonValue, keys: ReadonlySet<string>): JsonValue {
  // A reference by name or address may lead anywhere.
  if (hasAddresses(schema)) return schema;
  let pruned = schema;
  for (;;) {
    const referred = [...collectReferences(pruned)];
    const next = prune(pruned, "", keys, referred);
    // What is gone may have referred to what is still there.
    if (referred.length === 0 || JSON.stringify(next).length === JSON.stringify(pruned).length) return next;
    pruned = next;
  }
}

function prune(
  schema: JsonValue,
  pointer: string,
  keys: ReadonlySet<string>,
  referred: readonly string[],
): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const isReferred = (at: string): boolean =>
    referred.some((reference) => reference === at || reference.startsWith(`${at}/`));
  const entries = Object.entries(schema).map(([keyword, value]): [string, JsonValue] => {
    const isByName = keyword === "properties" || keyword === "dependentSchemas";
    const isStore = keyword === "$defs" || keyword === "definitions";
    return [
      keyword,
      mapKeyword(keyword, value, pointer, (below, at, name) => {
        const isNeeded = isByName ? name !== undefined && keys.has(name) : !isStore;
        return isNeeded || isReferred(at) ? prune(below, at, keys, referred) : undefined;
      }),
    ];
  });
  return Object.fromEntries(entries);
}

/** The JSON Pointers that a schema refers to. */
function collectReferences(value: JsonValue, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) collectReferences(item, found);
  if (!isJsonObject(value)) return found;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === "string" && key === "$ref") found.add(pointerOf(item));
    else collectReferences(item, found);
  }
  return found;
}

function pointerOf(reference: string): string {
  const pointer = reference.replace(/^#/, "");
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}

const ADDRESSES = [
  "$id",
  "id",
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "$recursiveRef",
  "$recursiveAnchor",
];

function hasAddresses(value: JsonValue): boolean {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).some(hasAddresses);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, item]) =>
      (ADDRESSES.includes(key) && typeof item === "string") ||
      (key === "$ref" && typeof item === "string" && !item.startsWith("#")) ||
      hasAddresses(item),
  );
}
