import { findOwn, getOwn, isJsonArray, isJsonObject, type JsonValue } from "../../contract/json.js";
import type { Step } from "./schema-part.js";

/** Returns the value at a path; undefined if there is no value. */
export function findValue(value: JsonValue, path: readonly Step[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const step of path) {
    if (typeof step === "string") found = findOwn(found, step);
    else found = isJsonArray(found) ? found[step] : undefined;
  }
  return found;
}

/** Returns a copy with another value at a path, or with that value removed. Returns the value itself if the path is invalid. */
export function editValue(
  value: JsonValue,
  [step, ...rest]: readonly Step[],
  edit: (old: JsonValue | undefined) => JsonValue | undefined,
): JsonValue {
  if (step === undefined) return edit(value) ?? value;
  if (typeof step === "string") {
    if (!isJsonObject(value)) return value;
    const old = getOwn(value, step);
    const now = rest.length === 0 ? edit(old) : old === undefined ? undefined : editValue(old, rest, edit);
    if (old !== undefined && now !== undefined)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === step ? now : item]));
    const others = Object.entries(value).filter(([key]) => key !== step);
    return Object.fromEntries(now === undefined ? others : [...others, [step, now]]);
  }
  if (!Array.isArray(value)) return value;
  const list: readonly JsonValue[] = value;
  const old = list[step];
  const now = rest.length === 0 ? edit(old) : old === undefined ? undefined : editValue(old, rest, edit);
  return [...list.slice(0, step), ...(now === undefined ? [] : [now]), ...list.slice(step + 1)];
}
