import type { Change } from "../contract/change.js";
import { joinPointer } from "../contract/json-pointer.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { makeChange } from "./finding.js";
import { isEqual } from "./is-equal.js";

/**
 * The hints of a tool, their names in rules, and their defaults (MCP specification, `ToolAnnotations`). Some have no meaning
 * for a read-only tool.
 */
const HINTS = [
  { key: "readOnlyHint", name: "readonly", implied: false, isForWriters: false },
  { key: "destructiveHint", name: "destructive", implied: true, isForWriters: true },
  { key: "idempotentHint", name: "idempotent", implied: false, isForWriters: true },
  { key: "openWorldHint", name: "openworld", implied: true, isForWriters: false },
] as const;

/** An unknown annotation is a hint too, so it cannot break a call. */
const UNDEFINED = { class: "dangerous", reason: "MCP does not define this annotation." } as const;

/** Returns the changes in the meaning of annotations: an absent hint equals its default. */
export function diffAnnotations(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  where: { readonly server: string; readonly tool: string },
): readonly Change[] {
  const [old, now] = [objectOf(before), objectOf(after)];
  if (old === undefined || now === undefined) {
    const place = { ...where, path: "/annotations" };
    return isEqual(before, after) ? [] : [makeChange("definition-changed", place, { before, after })];
  }
  // A change of `readOnlyHint` already covers the hints for writers.
  const isReadOnly = [old, now].some((annotations) => getOwn(annotations, "readOnlyHint") === true);
  const keys = [
    ...new Set<string>([...HINTS.map(({ key }) => key), ...Object.keys(old), ...Object.keys(now)]),
  ];
  return keys.flatMap((key): readonly Change[] => {
    const [was, is] = [getOwn(old, key), getOwn(now, key)];
    const place = { ...where, path: joinPointer("/annotations", key) };
    const details = { before: was, after: is };
    const hint = HINTS.find((known) => known.key === key);
    if (hint !== undefined) {
      if (hint.isForWriters && isReadOnly) return [];
      // Any other value than a boolean counts as the default.
      const [meant, means] = [was, is].map((value) => (typeof value === "boolean" ? value : hint.implied));
      const rule = `annotation-${hint.name}-${means === true ? "gained" : "lost"}` as const;
      if (meant !== means) return [makeChange(rule, place, details)];
      if ([was, is].every((value) => typeof (value ?? true) === "boolean")) return [];
    }
    // The title belongs to the name that clients show, see `diffTitles`.
    if (key === "title" || isEqual(was, is)) return [];
    return [
      makeChange("definition-changed", place, hint === undefined ? { ...details, ...UNDEFINED } : details),
    ];
  });
}

/** PHP writes an empty object as an empty list. */
function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return {};
  return isJsonObject(value) ? value : undefined;
}
