import { canonicalJson } from "../../contract/canonical-json.js";
import type { JsonValue } from "../../contract/json.js";
import { findInexactNumbers } from "../../listing/find-inexact-numbers.js";
import { isAccepted, type Accepted } from "./accepted.js";

export type ReadText = { readonly value: JsonValue } | { readonly problem: string };

/**
 * The value that a text on the command line stands for. A number, `true`, `false`, `null`, a list or an object, written as
 * in JSON, is taken for what it is where the schema takes it; so is a text in quotes, where the schema takes more than
 * texts. Everything else is a text.
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

/** The shortest text that is read as this value; undefined where none is. */
export function printText(value: JsonValue, accepted: Accepted): string | undefined {
  const json = JSON.stringify(value);
  return [...(typeof value === "string" ? [value] : []), json].find((text) => {
    const read = readText(text, accepted);
    return "value" in read && canonicalJson(read.value) === canonicalJson(value);
  });
}

/** What is accepted, in words: `an integer or "all"`. */
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

/** More than this nobody reads. */
const MOST_CHOICES = 20;

/** A text is then taken as it is, quotes and all. */
function takesOnlyTexts({ types, literals }: Accepted): boolean {
  const others = [...types].filter((type) => type !== "string");
  return others.length === 0 && [...literals.values()].every((value) => typeof value === "string");
}

function parseJson(text: string): { readonly value: JsonValue } | undefined {
  // White space around a number or a word is more than JSON.
  if (!/^(?:[-\d"tfn].*[^\s]$|\d$|\s*[[{])/s.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return undefined;
  }
}
