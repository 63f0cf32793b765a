import * as v from "valibot";
import { isJsonObject, type JsonValue } from "../core/json.js";

/** One validator per documented key: a key that is missing here or not documented does not compile. */
export type Entries<T> = { readonly [Key in keyof Required<T>]: v.GenericSchema };

export const text: v.GenericSchema<string> = v.pipe(
  v.string("expected a string"),
  v.nonEmpty("expected a non-empty string"),
);
export const texts: v.GenericSchema<readonly string[]> = v.pipe(
  v.array(text, "expected an array of strings"),
  v.readonly(),
);

export const json: v.GenericSchema<JsonValue> = v.custom<JsonValue>(isJson, "expected JSON");

function isJson(value: unknown): boolean {
  if (value === null || typeof value === "boolean" || typeof value === "string") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return isJsonObject(value) && Object.values(value).every(isJson);
}
