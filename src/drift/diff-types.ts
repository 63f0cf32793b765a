import type { Change } from "../contract/change.js";
import { canonicalJson } from "../contract/canonical-json.js";
import { getOwn, type JsonObject, type JsonValue } from "../contract/json.js";
import type { Report } from "./report-deepest.js";

/** How the `type` keyword of two schemas differs, where nothing around it turns its meaning. */
export function diffTypes(
  before: JsonObject,
  after: JsonObject,
  path: string,
  report: Report,
): readonly Change[] {
  const [old, now] = [getOwn(before, "type"), getOwn(after, "type")];
  if (old === undefined && now === undefined) return [];
  if (old !== undefined && now !== undefined && canonicalJson(old) === canonicalJson(now)) return [];
  const details = { before: old, after: now };
  if (old === undefined) return report("type-narrowed", path, details);
  if (now === undefined) return report("type-widened", path, details);
  const [was, is] = [typesOf(old), typesOf(now)];
  if (was === undefined || is === undefined) return report("schema-changed", path, details);
  const gained = is.filter((type) => !accepts(was, type));
  const lost = was.filter((type) => !accepts(is, type));
  if (lost.length === 0) {
    return report(gained.length === 1 && gained[0] === "null" ? "null-added" : "type-widened", path, details);
  }
  if (gained.length === 0) {
    return report(lost.length === 1 && lost[0] === "null" ? "null-removed" : "type-narrowed", path, details);
  }
  return report("type-changed", path, details);
}

/** Every integer is a number. */
function accepts(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

function typesOf(type: JsonValue): readonly string[] | undefined {
  const list: readonly JsonValue[] = Array.isArray(type) ? type : [type];
  const types = list.filter((item) => typeof item === "string");
  return types.length === list.length ? types : undefined;
}
