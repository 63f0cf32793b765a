import { canonicalJson } from "../../contract/canonical-json.js";
import type { JsonValue } from "../../contract/json.js";
import { findInexactNumbers } from "../../listing/find-inexact-numbers.js";
import { isAccepted, type Accepted } from "./accepted.js";

export type ReadText = { readonly value: JsonValue } | { readonly problem: string };

/**
 * Reads a text from the command line as a value. JSON is parsed if the schema accepts the parsed value; a quoted string
 * only if the schema also accepts other types. Any other text is a string.
 */
export function readText(text: string, accepted: Accepted): ReadText {
  if (!takesOnlyTexts(accepted)) {
    const json = parseJson(text);
    const inexact = json === undefined ? [] : findInexactNumbers(text);
    if (json !== undefined && inexact.length === 0 && isAccepted(json.value, accepted)) return json;
    const [first] = inexact;
    if (first !== undefined && !accepted.types.has("string"))
      return { problem: `cannot send ${first.token} without losing precision` };
  }
  if (isAccepted(text, accepted)) return { value: text };
  return { problem: `takes ${describeAccepted(accepted)}, not ${JSON.stringify(text)}` };
}

/** Returns the shortest text that is read as this value; undefined if there is none. */
export function printText(value: JsonValue, accepted: Accepted): string | undefined {
  const json = JSON.stringify(value);
  return [...(typeof value === "string" ? [value] : []), json].find((text) => {
    const read = readText(text, accepted);
    return "value" in read && canonicalJson(read.value) === canonicalJson(value);
  });
}

/** Describes what is accepted: `an integer or "all"`. */
export function describeAccepted({ types, literals, isWhole }: Accepted): string {
  const words = [
    ...(types.has("string") ? ["a string"] : []),
    ...(types.has("number") ? [isWhole ? "an integer" : "a number"] : []),
    ...(types.has("boolean") ? ["true or false"] : []),
    ...(types.has("array") ? ["a list"] : []),
    ...(types.has("object") ? ["an object as JSON"] : []),
    ...[...literals.values()].slice(0, MOST_CHOICES).map((value) => JSON.stringify(value)),
    ...(literals.size > MOST_CHOICES ? [`${literals.size - MOST_CHOICES} other values`] : []),
    ...(types.has("null") ? ["null"] : []),
  ];
  const last = words.pop();
  if (last === undefined) return "no value at all";
  return words.length === 0 ? last : `${words.join(", ")} or ${last}`;
}

/** How many choices to list. */
const MOST_CHOICES = 20;

/** If only strings are accepted, a text is not parsed, and keeps its quotes. */
function takesOnlyTexts({ types, literals }: Accepted): boolean {
  const others = [...types].filter((type) => type !== "string");
  return others.length === 0 && [...literals.values()].every((value) => typeof value === "string");
}

function parseJson(text: string): { readonly value: JsonValue } | undefined {
  // A text with white space around a number or a keyword is kept as a string.
  if (!/^(?:[-\d"tfn].*[^\s]$|\d$|\s*[[{])/s.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return undefined;
  }
}
