import { isEqual, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { joinPointer } from "../contract/json-pointer.js";
import type { RecordedCalls } from "./cassette-folder.js";
import { keyOf, type CassetteCall } from "./cassette-file.js";
import { REDACTED } from "./redact.js";

/**
 * Returns the recorded calls with these arguments; undefined if there are none. The secrets of a session are known only while
 * recording, so a recorded "[redacted]" also fits any text, unless several calls then fit.
 */
export function findCalls(calls: RecordedCalls, args: JsonObject): readonly CassetteCall[] | undefined {
  const exact = calls.get(keyOf({ arguments: args }));
  if (exact !== undefined) return exact;
  const fitting = [...calls.values()].filter(([call]) => call !== undefined && fits(call.arguments, args));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** Whether a value is a recorded one, apart from what was redacted in it. */
function fits(recorded: JsonValue, value: JsonValue): boolean {
  if (typeof recorded === "string") return typeof value === "string" && fitsText(recorded, value);
  if (isJsonArray(recorded))
    return (
      isJsonArray(value) &&
      recorded.length === value.length &&
      recorded.every((item, index) => fits(item, value[index] ?? null))
    );
  if (!isJsonObject(recorded)) return recorded === value;
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(recorded);
  return (
    keys.length === Object.keys(value).length &&
    keys.every((key) => Object.hasOwn(value, key) && fits(recorded[key] ?? null, value[key] ?? null))
  );
}

function fitsText(recorded: string, text: string): boolean {
  if (recorded === text) return true;
  const pieces = recorded.split(REDACTED);
  const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
  if (pieces.length === 1 || !text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** The recorded call that differs in the fewest places, and those places as JSON Pointers. */
export interface NearestCall {
  readonly call: CassetteCall;
  readonly pointers: readonly string[];
}

/** Returns the recorded call with the nearest arguments; undefined without calls. */
export function findNearest(calls: RecordedCalls, args: JsonObject): NearestCall | undefined {
  let nearest: NearestCall | undefined;
  for (const [call] of calls.values()) {
    if (call === undefined) continue;
    const pointers = differences(call.arguments, args, "");
    if (nearest === undefined || pointers.length < nearest.pointers.length) nearest = { call, pointers };
  }
  return nearest;
}

/** Returns the places where two values differ: of a missing value, its own place only. */
function differences(recorded: JsonValue, value: JsonValue, pointer: string): readonly string[] {
  if (isEqual(recorded, value)) return [];
  if (isJsonArray(recorded) && isJsonArray(value)) {
    const length = Math.max(recorded.length, value.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      differencesAt(recorded[index], value[index], joinPointer(pointer, index)),
    );
  }
  if (!isJsonObject(recorded) || !isJsonObject(value)) return [pointer];
  const keys = [...new Set([...Object.keys(recorded), ...Object.keys(value)])].sort();
  return keys.flatMap((key) =>
    differencesAt(
      Object.hasOwn(recorded, key) ? recorded[key] : undefined,
      Object.hasOwn(value, key) ? value[key] : undefined,
      joinPointer(pointer, key),
    ),
  );
}

function differencesAt(
  recorded: JsonValue | undefined,
  value: JsonValue | undefined,
  pointer: string,
): readonly string[] {
  if (recorded === undefined || value === undefined) return [pointer];
  return differences(recorded, value, pointer);
}
