import type { AbilitySnapshot } from "./ability.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "./json.js";
import type { ToolSnapshot } from "./snapshot.js";

/**
 * Returns the category that a source gives a tool: that of its ability, or else `category` in its annotations, `_meta` or
 * `metadata`, or the only entry of `tags` there, as FastMCP writes them. Undefined where
 * it gives none, or several.
 */
export function sourceCategory(definition: ToolSnapshot, ability?: AbilitySnapshot): string | undefined {
  const meta = objectAt(definition, "_meta");
  const places = [
    objectAt(definition, "annotations"),
    meta,
    objectAt(definition, "metadata"),
    meta && (objectAt(meta, "_fastmcp") ?? objectAt(meta, "fastmcp")),
  ].filter((place) => place !== undefined);
  const said = [
    ability && getOwn(ability, "category"),
    ...places.map((place) => getOwn(place, "category")),
    ...places.map((place) => onlyOne(getOwn(place, "tags"))),
  ];
  return said.filter((value) => typeof value === "string").find((value) => CATEGORY.test(value));
}

/** One word or a few, on one line: a category is not a sentence. */
const CATEGORY = /^[\p{Letter}\p{Number}][\p{Letter}\p{Number} ._/&+-]{0,63}$/u;

function objectAt(parent: JsonObject, key: string): JsonObject | undefined {
  const value = getOwn(parent, key);
  return isJsonObject(value) ? value : undefined;
}

function onlyOne(value: JsonValue | undefined): JsonValue | undefined {
  const tags: readonly JsonValue[] = Array.isArray(value) ? value : [];
  return tags.length === 1 ? tags[0] : undefined;
}
