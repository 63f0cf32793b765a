import { isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { joinPointer } from "../contract/json-pointer.js";
import type { Written } from "./flat-schema.js";
import type { SchemaSide } from "./schema-side.js";

/** The keywords of a schema that accept and reject nothing, such as `description`: all keywords except {@link RULES}. */
export type Notes = ReadonlyMap<string, readonly Written<JsonValue>[]>;

/** Returns the notes of the schemas at these pointers, and of their references and `allOf` members. */
export function collectNotes(side: SchemaSide, pointers: readonly string[]): Notes {
  const notes = new Map<string, Written<JsonValue>[]>();
  for (const pointer of pointers) collect(side, pointer, notes, new Set());
  return notes;
}

// A note beside a reference overrides the same note of its target.
function collect(
  side: SchemaSide,
  pointer: string,
  notes: Map<string, Written<JsonValue>[]>,
  seen: Set<string>,
): void {
  const raw = side.read(pointer);
  if (!isJsonObject(raw) || seen.has(pointer)) return;
  seen.add(pointer);
  for (const [key, value] of Object.entries(raw)) {
    const note = RULES.has(key) ? undefined : clean(key, value, raw);
    if (note === undefined) continue;
    notes.set(key, [...(notes.get(key) ?? []), { value: note, at: joinPointer(pointer, key) }]);
  }
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const parts = raw[key];

    if (!Array.isArray(parts) || (key !== "allOf" && parts.length > 1)) continue;
    for (const index of parts.keys()) collect(side, joinPointer(pointer, key, index), notes, seen);
  }
  const target = side.targetOf(pointer);
  if (target === undefined) return;
  const beyond = new Map<string, Written<JsonValue>[]>();
  collect(side, target, beyond, seen);
  for (const [key, values] of beyond) if (!notes.has(key)) notes.set(key, values);
}

/** Returns a note without meaningless parts; undefined if nothing is left. */
function clean(key: string, value: JsonValue, schema: JsonObject): JsonValue | undefined {
  if ((key === "title" || key === "description") && typeof value === "string")
    return value.trim() || undefined;
  if (key === "deprecated" || key === "readOnly" || key === "writeOnly")
    return value === false ? undefined : value;
  // PHP writes an empty object as an empty list.
  const isEmpty =
    key === "default" && isOfObjects(schema["type"]) && Array.isArray(value) && value.length === 0;
  return isEmpty ? {} : value;
}

function isOfObjects(type: JsonValue | undefined): boolean {
  const types: readonly JsonValue[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  return types.includes("object") && !types.includes("array");
}

/** Keywords that affect which values a schema accepts, or that only name schemas. */
const RULES: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$ref", "$dynamicRef"],
  ...[
    "$recursiveRef",
    "$defs",
    "definitions",
    "$vocabulary",
    "type",
    "enum",
    "const",
    "allOf",
    "anyOf",
    "oneOf",
  ],
  ...["not", "if", "then", "else", "properties", "patternProperties", "additionalProperties", "required"],
  ...[
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
  ],
  ...["unevaluatedProperties", "unevaluatedItems", "items", "prefixItems", "additionalItems", "contains"],
  ...[
    "minContains",
    "maxContains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minLength",
    "maxLength",
    "pattern",
  ],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
]);
