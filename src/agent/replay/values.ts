import { getOwn, isJsonObject, tryParseJson } from "../../core/json.js";
import type { RecordedCall } from "../../runtime/call-recorder.js";
import type { ValuePath } from "./plan.js";

/** A text or number inside a value. */
export interface Leaf {
  readonly path: ValuePath;
  readonly value: string | number;
}

/** Deeper than any arguments and answers. */
const DEEPEST = 64;

/** Returns every text and number in a value, in order. */
export function leavesOf(value: unknown, path: ValuePath = []): readonly Leaf[] {
  if (typeof value === "string" || typeof value === "number") return [{ path, value }];
  if (path.length > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}

/** Returns a copy of a value with a replacement at an existing path. */
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

/** Writes a path as in `References`: `lines[].product_id`. */
export function spellPath(path: ValuePath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

/** Returns the value of an answer. Without an output schema, that is the structured content, or the text if it is JSON. */
export function readRecordedResult(call: RecordedCall): unknown {
  const result = call.result ?? call.answer;
  if (!isJsonObject(result)) return result;
  const text = getOwn(result, "text");
  const content = getOwn(result, "content");
  if (typeof text !== "string" || !Array.isArray(content)) return result;
  return getOwn(result, "structuredContent") ?? tryParseJson(text) ?? result;
}

/** Whether two values are the same id, which may be a text in one tool and a number in another. */
export function isSameId(left: string | number, other: string | number): boolean {
  return String(left) === String(other);
}
