import type { AbilitySnapshot, AdapterProfile } from "../contract/ability.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { isEmptyArray, isTruthyInPhp } from "./read-ability.js";

/**
 * Returns the annotations that an adapter puts on the tool of an ability, without those that it would drop. The
 * rules are those of `McpAnnotationMapper::map()` of the adapter.
 */
export function projectAnnotations(ability: AbilitySnapshot, profile: AdapterProfile): JsonObject {
  const meta = getOwn(ability, "meta");
  const given = isJsonObject(meta) ? getOwn(meta, "annotations") : undefined;
  if (!isJsonObject(given)) return {};
  const fields = profile === "0.4" ? [...OF_RESOURCES, ...OF_TOOLS] : OF_TOOLS;
  const annotations = fields.flatMap(({ name, property, kind }) => {
    const own = property === undefined ? undefined : getOwn(given, property);
    const value = convert(kind, own ?? getOwn(given, name) ?? null, profile);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(annotations);
}

interface Field {
  readonly name: string;
  /** WordPress's name for it, which counts if both are set. */
  readonly property?: string;
  readonly kind: "boolean" | "text" | "list" | "number";
}

const OF_TOOLS: readonly Field[] = [
  { name: "readOnlyHint", property: "readonly", kind: "boolean" },
  { name: "destructiveHint", property: "destructive", kind: "boolean" },
  { name: "idempotentHint", property: "idempotent", kind: "boolean" },
  { name: "openWorldHint", kind: "boolean" },
  { name: "title", kind: "text" },
];

/** Annotations of resources, which 0.4 puts on tools as well. */
const OF_RESOURCES: readonly Field[] = [
  { name: "audience", kind: "list" },
  { name: "lastModified", kind: "text" },
  { name: "priority", kind: "number" },
];

function convert(kind: Field["kind"], value: JsonValue, profile: AdapterProfile): JsonValue | undefined {
  if (value === null) return undefined;
  const text = typeof value === "object" ? "" : String(value).trim();
  switch (kind) {
    case "boolean":
      return profile === "0.4" ? isTruthyInPhp(value) : BOOLEANS.get(text.toLowerCase());
    case "text":
      return text === "" ? undefined : text;
    case "list":
      return typeof value === "object" && !isEmptyArray(value) ? value : undefined;
    case "number":
      return typeof value === "number" ? value : undefined;
    default:
      return kind satisfies never;
  }
}

/** The values that adapters since 0.5 read as booleans. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);
