import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import { findAt } from "../../contract/json-pointer.js";
import { listOf, mapOf } from "./schema-part.js";

/** The keys and strings of instances. Shrinking may remove characters from the strings. */
export interface Vocabulary {
  readonly keys: ReadonlySet<string>;
  readonly texts: ReadonlySet<string>;
}

const MAX_HOPS = 8;
/** With more texts, or longer texts, every value counts as possible. */
const MAX_TEXTS = 200;
const MAX_LENGTH = 200;

export function vocabularyOf(instances: readonly JsonValue[]): Vocabulary {
  const words = { keys: new Set<string>(), texts: new Set<string>() };
  const open = [...instances];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === "string") words.texts.add(value);
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) for (const key of Object.keys(value)) words.keys.add(key);
    for (const item of Object.values(value) as readonly JsonValue[]) open.push(item);
  }
  return words;
}

/**
 * Whether a branch may accept a value with these words. False only if the branch certainly requires an object with another
 * key, or with a string that no text can shrink to.
 */
export function isPossible(branch: JsonValue, document: JsonValue, words: Vocabulary): boolean {
  let schema = branch;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    if (!isJsonObject(schema)) return true;
    const reference = getOwn(schema, "$ref");
    if (typeof reference !== "string") break;
    schema = (reference.startsWith("#") ? findAt(document, reference.slice(1)) : undefined) ?? true;
  }
  if (!isJsonObject(schema) || getOwn(schema, "type") !== "object") return true;
  const properties = mapOf(getOwn(schema, "properties"));
  return listOf(getOwn(schema, "required")).every((name) => {
    if (typeof name !== "string") return true;
    return words.keys.has(name) && canHold(getOwn(properties, name), words);
  });
}

function canHold(schema: JsonValue | undefined, { texts }: Vocabulary): boolean {
  const keywords = mapOf(schema);
  const constant = getOwn(keywords, "const");
  const values = constant === undefined ? getOwn(keywords, "enum") : [constant];
  if (!Array.isArray(values) || texts.size > MAX_TEXTS) return true;
  return (values as readonly JsonValue[]).some(
    (value) =>
      typeof value !== "string" ||
      texts.has(value) ||
      [...texts].some((text) => text.length > MAX_LENGTH || isWithin(value, text)),
  );
}

/** Whether removing characters from a text can result in another text. */
function isWithin(short: string, long: string): boolean {
  let at = 0;
  for (const character of long) if (short.startsWith(character, at)) at += character.length;
  return at === short.length;
}
