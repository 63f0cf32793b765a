import { getOwn, isJsonArray, isJsonObject, type JsonValue } from "../../contract/json.js";
import { joinPointer, splitPointer } from "../../contract/json-pointer.js";
import type { SchemaError } from "./compile-schema.js";
import {
  expandParts,
  itemParts,
  keywordsOf,
  listOf,
  mapOf,
  patternsOf,
  propertyParts,
  type SchemaPart,
} from "./schema-part.js";

/**
 * Returns the errors of an instance that can show the change at a JSON Pointer. Callers do not pass properties that the
 * accepting schema does not declare, so an error about such a property counts only if the change is about it.
 */
type ErrorFilter = (
  errors: readonly SchemaError[],
  instance: JsonValue,
  change: string,
) => readonly SchemaError[];

/** The parts of both schemas for a value, and the properties on its path that only the rejecting schema declares. */
interface Reached {
  readonly accepting: readonly SchemaPart[];
  readonly rejecting: readonly SchemaPart[];
  readonly named: readonly string[];
}

export function createErrorFilter(accepts: SchemaPart, rejects: SchemaPart): ErrorFilter {
  const known = new Map<string, Reached>();
  const reach = (pointer: string): Reached => {
    const before = known.get(pointer);
    if (before !== undefined) return before;
    const [accepting, rejecting] = [[accepts], [rejects]];
    const step = splitPointer(pointer).at(-1);
    const reached: Reached =
      step === undefined
        ? { accepting: expandParts(accepting), rejecting: expandParts(rejecting), named: [] }
        : follow(reach(pointer.slice(0, pointer.lastIndexOf("/"))), step);
    known.set(pointer, reached);
    return reached;
  };
  const isOutside = (pointer: string, change: string): boolean =>
    reach(pointer).named.some((named) => !isWithin(named, change) && !isWithin(change, named));
  return (errors, instance, change) => {
    // An error of a union is about the whole value, whichever of its properties is wrong.
    const isOfUnion = errors.some(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
    if (isOfUnion && pointersIn(instance).some((pointer) => isOutside(pointer, change))) return [];
    return errors.filter(({ at }) => !isOutside(at, change));
  };
}

function follow({ accepting, rejecting, named }: Reached, step: string): Reached {
  const below = (parts: readonly SchemaPart[]): readonly SchemaPart[] =>
    expandParts([
      ...propertyParts(parts, step),
      ...(/^\d+$/.test(step) ? itemParts(parts, Number(step)) : []),
    ]);
  return {
    accepting: below(accepting),
    rejecting: below(rejecting),
    named: accepting.some((part) => isMentioned(part, step))
      ? named
      : [...named, ...rejecting.flatMap((part) => findNamed(part, step))],
  };
}

function findNamed(part: SchemaPart, name: string): readonly string[] {
  const isNamed = Object.hasOwn(mapOf(getOwn(keywordsOf(part), "properties")), name);
  return isNamed ? [joinPointer(part.pointer, "properties", name)] : [];
}

/** Whether a schema has a rule for a property; an open object has none for undeclared properties. */
function isMentioned(part: SchemaPart, name: string): boolean {
  const keywords = keywordsOf(part);
  return (
    // An enumerated value determines all of its properties.
    ["enum", "const"].some((keyword) => Object.hasOwn(keywords, keyword)) ||
    findNamed(part, name).length > 0 ||
    listOf(getOwn(keywords, "required")).includes(name) ||
    patternsOf(part).some(({ matches }) => matches(name)) ||
    ["additionalProperties", "unevaluatedProperties"].some((keyword) => {
      const schema = getOwn(keywords, keyword) ?? true;
      return schema === false || Object.keys(mapOf(schema)).length > 0;
    })
  );
}

function isWithin(pointer: string, other: string): boolean {
  return pointer === other || pointer.startsWith(`${other}/`);
}

/** The JSON Pointer of every value in an instance. */
function pointersIn(instance: JsonValue, pointer = ""): readonly string[] {
  const entries: readonly (readonly [string | number, JsonValue])[] = isJsonArray(instance)
    ? [...instance.entries()]
    : isJsonObject(instance)
      ? Object.entries(instance)
      : [];
  return entries.flatMap(([step, value]) => {
    const below = joinPointer(pointer, step);
    return [below, ...pointersIn(value, below)];
  });
}
