import { canonicalJson } from "../contract/canonical-json.js";
import type { Change } from "../contract/change.js";
import type { JsonValue } from "../contract/json.js";
import { ANNOTATIONS } from "./normalize-schema.js";
import { reportDeepest, type Report } from "./report-deepest.js";
import type { Side } from "./sided-rules.js";

/** Lower bounds grow tighter upward, upper bounds downward. */
const BOUNDS: ReadonlyMap<string, 1 | -1> = new Map([
  ...["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"].map(
    (key) => [key, 1] as const,
  ),
  ...["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"].map(
    (key) => [key, -1] as const,
  ),
]);

/**
 * How one keyword differs that holds no schema. The two values are not equal, and undefined where the keyword is
 * missing.
 */
export function diffKeyword(
  key: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: string,
  side: Side,
  report: Report,
): readonly Change[] {
  const details = { before, after };
  const how = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  if (key === "description") return report(`description-${how}`, path, details);
  if (key === "default" && side === "input") return report(`default-${how}`, path, details);
  if (key === "deprecated" && after === true) return report("deprecated-added", path, details);
  if (ANNOTATIONS.has(key)) return report("annotation-changed", path, details);
  if (key === "pattern") return report(`pattern-${how}`, path, details);
  if (key === "format") return report(`format-${how}`, path, details);
  if (key === "enum") return diffEnum(before, after, path, report);
  const direction = BOUNDS.get(key);
  return direction === undefined
    ? reportDeepest(before, after, path, report)
    : diffBound(direction, before, after, path, report);
}

function diffEnum(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: string,
  report: Report,
): readonly Change[] {
  if (before === undefined) return report("enum-introduced", path, { after });
  if (after === undefined) return report("enum-dropped", path, { before });
  if (!Array.isArray(before) || !Array.isArray(after))
    return report("schema-changed", path, { before, after });
  const without = (values: readonly JsonValue[], others: readonly JsonValue[]): readonly JsonValue[] => {
    const texts = new Set(others.map(canonicalJson));
    return values.filter((value) => !texts.has(canonicalJson(value)));
  };
  return [
    ...without(before, after).flatMap((value) => report("enum-value-removed", path, { before: value })),
    ...without(after, before).flatMap((value) => report("enum-value-added", path, { after: value })),
  ];
}

function diffBound(
  direction: 1 | -1,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: string,
  report: Report,
): readonly Change[] {
  const details = { before, after };
  const isKnown = [before, after].every((bound) => bound === undefined || typeof bound === "number");
  if (!isKnown) return report("schema-changed", path, details);
  if (before === undefined) return report("bound-tightened", path, details);
  if (after === undefined) return report("bound-loosened", path, details);
  return report(
    (Number(after) - Number(before)) * direction > 0 ? "bound-tightened" : "bound-loosened",
    path,
    details,
  );
}
