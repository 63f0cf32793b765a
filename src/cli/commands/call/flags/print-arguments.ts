import { codeOf } from "../../../../core/errors.js";
import { canonicalJson, isJsonArray, type JsonObject, type JsonValue } from "../../../../core/json.js";
import type { ArgumentSchema } from "./argument-schema.js";
import { readFlags } from "./read-flags.js";

/** Prints arguments as words that `readFlags` reads back, with those that it cannot read for `--input`. */
export function printArgumentWords(
  args: JsonObject,
  schema: ArgumentSchema,
): { readonly input: JsonObject | undefined; readonly words: readonly string[] } {
  const rest: [string, JsonValue][] = [];
  const words = Object.entries(args).flatMap(([name, value]) => {
    const values = isJsonArray(value) && value.length > 0 ? value : [value];
    const flags = values.map((item) => `--${name}=${typeof item === "string" ? item : JSON.stringify(item)}`);
    const isScalar = values.every((item) => typeof item !== "object" || item === null);
    const forms = [...(isScalar ? [flags] : []), [`${name}:=${JSON.stringify(value)}`]];
    const wanted = canonicalJson(Object.fromEntries([[name, value]]));
    const form = forms.find((candidate) => readBack(candidate, schema) === wanted);
    if (form === undefined) rest.push([name, value]);
    return form ?? [];
  });
  return { input: rest.length > 0 ? Object.fromEntries(rest) : undefined, words };
}

/** Returns the canonical JSON of the arguments; undefined for words that cannot be read. */
function readBack(words: readonly string[], schema: ArgumentSchema): string | undefined {
  try {
    return canonicalJson(readFlags(words, schema));
  } catch (error) {
    if (codeOf(error) !== "USAGE") throw error;
    return undefined;
  }
}
