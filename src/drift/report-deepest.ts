import type { Change, ChangeClass } from "../contract/change.js";
import { getOwn, isJsonObject, type JsonValue } from "../contract/json.js";
import { isEqual } from "./is-equal.js";
import { joinPointer } from "./make-change.js";
import type { SidedRuleName } from "./sided-rules.js";

/** Makes the one change that a rule of this side finds at a pointer. */
export type Report = (
  name: SidedRuleName,
  path: string,
  details: {
    readonly before?: JsonValue | undefined;
    readonly after?: JsonValue | undefined;
    readonly class?: ChangeClass;
  },
) => readonly Change[];

/** Reports one change that cannot be judged, at the deepest place that holds all of the difference. */
export function reportDeepest(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: string,
  report: Report,
): readonly Change[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const [key, ...others] = keys.filter((name) => !isEqual(getOwn(before, name), getOwn(after, name)));
    if (key !== undefined && others.length === 0) {
      return reportDeepest(getOwn(before, key), getOwn(after, key), joinPointer(path, key), report);
    }
  }
  return report("schema-changed", path, { before, after });
}
