import { getOwn, isJsonObject } from "../contract/json.js";
import type { ValuePath } from "./plan.js";

/** A text or a number somewhere in a value. */
export interface Leaf {
  readonly path: ValuePath;
  readonly value: string | number;
}

/** Deeper than arguments and answers are nested. */
const DEEPEST = 64;

/** Every text and every number in a value, in its order. */
export function leavesOf(value: unknown, path: ValuePath = []): readonly Leaf[] {
  if (typeof value === "string" || typeof value === "number") return [{ path, value }];
  if (path.length > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: unknown, path: ValuePath): unknown {
  let found = value;
  for (const step of path) {
    if (typeof step === "number")
      found = Array.isArray(found) ? (found as readonly unknown[])[step] : undefined;
    else found = isJsonObject(found) ? getOwn(found, step) : undefined;
  }
  return found;
}

/** The value with another at a path that it has. */
export function withValueAt(value: unknown, path: ValuePath, replacement: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return replacement;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item, index) => (index === step ? withValueAt(item, rest, replacement) : item));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === step ? withValueAt(item, rest, replacement) : item,
    ]),
  );
}

/** A path as `References` spell it: `lines[].product_id`. */
export function spellPath(path: ValuePath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

/** What a result says: of a tool without an output schema its structured content, or its text where that is JSON. */
export function readResult(result: unknown): unknown {
  if (!isJsonObject(result)) return result;
  const [text, content] = [getOwn(result, "text"), getOwn(result, "content")];
  if (typeof text !== "string" || !Array.isArray(content)) return result;
  const structured = getOwn(result, "structuredContent");
  if (structured !== undefined) return structured;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return result;
  }
}

/** Whether two values are one id: some tools write as text what others write as a number. */
export function isSameId(one: string | number, other: string | number): boolean {
  return String(one) === String(other);
}
