import { findOwn, isJsonArray, isJsonObject, type JsonValue, listOrEmpty } from "./json.js";

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether a text may be a number that JavaScript cannot hold. Up to 15 digits without an exponent are exact. */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text) && (/[eE]/.test(text) || text.replace(/[-.]/g, "").length > 15);
}

/** Whether a default or an example has the text of a number, where its schema takes a number but no text. */
export function hasNumberText(value: JsonValue, schema: JsonValue | undefined): boolean {
  if (typeof value === "string") return isNumberText(value) && !takesText(schema);
  if (isJsonArray(value)) {
    const items = findOwn(schema, "items");
    return value.some((item) => hasNumberText(item, items));
  }
  return (
    isJsonObject(value) &&
    Object.entries(value).some(([name, item]) =>
      hasNumberText(
        item,
        findOwn(findOwn(schema, "properties"), name) ?? findOwn(schema, "additionalProperties"),
      ),
    )
  );
}

function takesText(schema: JsonValue | undefined): boolean {
  const type = findOwn(schema, "type");
  if (type !== undefined) return [type].flat().includes("string");
  const branches = ["anyOf", "oneOf"].flatMap((key) => listOrEmpty(findOwn(schema, key)));
  return branches.length === 0 || branches.some(takesText);
}
