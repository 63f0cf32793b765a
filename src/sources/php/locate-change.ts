import { isWrapped, type AbilitySnapshot } from "../../core/ability.js";
import type { Change } from "../../core/change.js";
import { getOwn, isJsonArray, isJsonObject, type JsonValue, findOwn } from "../../core/json.js";
import type { PhpPlace } from "./php-answer.js";
import { joinPointer, splitPointer } from "../../core/json-pointer.js";

/**
 * Returns the PHP place of a change: the new value, or else its keyword, its property or the schema around
 * it. Undefined when none of their lines is known.
 *
 * @param lines the places, by JSON Pointer into the definition of the ability
 */
export function locateChange(
  change: Change,
  ability: AbilitySnapshot,
  lines: ReadonlyMap<string, PhpPlace>,
): PhpPlace | undefined {
  const path = pathInAbility(change.path, ability);
  for (const pointer of [
    ...listOf(change, path, ability),
    ...requiredOf(change, path, ability),
    ...pathsByNovelty(change, path, ability),
  ]) {
    const place = lines.get(joinPointer("", ...pointer));
    if (place !== undefined) return place;
  }
  return undefined;
}

type AbilityPath = readonly string[];

/** The parts of an ability that tools have under other names. */
const PARTS: Readonly<Record<string, AbilityPath>> = {
  inputSchema: ["input_schema"],
  outputSchema: ["output_schema"],
  title: ["label"],
  "annotations/title": ["label"],
  "annotations/readOnlyHint": ["meta", "annotations", "readonly"],
  "annotations/destructiveHint": ["meta", "annotations", "destructive"],
  "annotations/idempotentHint": ["meta", "annotations", "idempotent"],
  annotations: ["meta", "annotations"],
  icons: ["meta", "mcp", "icons"],
  _meta: ["meta", "mcp", "_meta"],
};

function pathInAbility(pointer: string, ability: AbilitySnapshot): AbilityPath {
  const keys = splitPointer(pointer);
  const [first = "", second = "", third] = keys;
  // An annotation may have the name of MCP as well, which counts if WordPress's name is not set.
  const named = ["meta", first, second];
  const isNamed = first === "annotations" && (valueAt(ability, named) ?? null) !== null;
  const both = PARTS[`${first}/${second}`];
  if (both !== undefined) {
    const isSet = (valueAt(ability, both) ?? null) !== null && second !== "title";
    return [...(isNamed && !isSet ? named : both), ...keys.slice(2)];
  }
  const part = PARTS[first] ?? [first];
  const schema = getOwn(ability, part[0] ?? "");
  // The adapter wraps a value that is not an object.
  const wraps = second === "properties" && (third === "input" || third === "result");
  const isInside = wraps && isJsonObject(schema) && isWrapped(schema);
  return [...part, ...keys.slice(isInside ? 3 : 1)];
}

/** Returns the list that a value was removed from: its array, or else the line of its first item. */
function listOf({ rule }: Change, path: AbilityPath, ability: AbilitySnapshot): readonly AbilityPath[] {
  const list = path.at(-1) === "enum" ? path : [...path, "enum"];
  const isRemoved = rule.endsWith("enum-value-removed") && isJsonArray(valueAt(ability, list));
  return isRemoved
    ? [
        [...list, "-"],
        [...list, "0"],
      ]
    : [];
}

/** Returns the places that make a property required: its name in the list, its own `required`, the list. */
function requiredOf(
  { rule, after }: Change,
  path: AbilityPath,
  ability: AbilitySnapshot,
): readonly AbilityPath[] {
  const at = path.lastIndexOf("properties");
  const name = path[at + 1];
  if (!rule.includes("required") || at < 0 || name === undefined || path.length !== at + 2) return [];
  // The whole property is new, not only its being required.
  if (rule.includes("added") && after !== undefined) return [];
  const list = [...path.slice(0, at), "required"];
  const names = valueAt(ability, list);
  const index = Array.isArray(names) ? names.indexOf(name) : -1;
  return [...(index < 0 ? [] : [[...list, String(index)]]), [...path, "required"], list];
}

/** Returns the new parts of the value, then the value, then the parts around it. */
function pathsByNovelty(
  { rule, before, after }: Change,
  path: AbilityPath,
  ability: AbilitySnapshot,
): readonly AbilityPath[] {
  const around = path.map((_, index) => path.slice(0, path.length - index));
  const value = valueAt(ability, path);
  if (isJsonArray(value)) {
    const textsBefore = new Set(Array.isArray(before) ? before.map(textOf) : []);
    const isNew = (item: JsonValue): boolean =>
      Array.isArray(after) ? !textsBefore.has(textOf(item)) : textOf(item) === textOf(after);
    const added = value.flatMap((item, index) => (isNew(item) ? [[...path, String(index)]] : []));
    const first = added.length === 0 && rule.includes("required") && value.length > 0 ? [[...path, "0"]] : [];
    return [...added, ...first, ...around];
  }
  if (isJsonObject(value) && isJsonObject(before) && isJsonObject(after)) {
    const changed = Object.keys(value).filter(
      (key) => textOf(getOwn(before, key)) !== textOf(getOwn(after, key)),
    );
    return [...changed.map((key) => [...path, key]), ...around];
  }
  return around;
}

function valueAt(root: AbilitySnapshot, path: AbilityPath): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const key of path) {
    value = isJsonArray(value) ? value[Number(key)] : findOwn(value, key);
  }
  return value;
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined ? "" : JSON.stringify(value);
}
