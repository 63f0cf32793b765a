import type { JsonValue } from "../../contract/json.js";
import { joinPointer } from "../../schema/json-pointer.js";

/** One string of a definition: the name of a key, or a value. */
export interface FoundText {
  /** JSON Pointer to the value, or to what the key names. */
  readonly path: string;
  readonly text: string;
  readonly isKey: boolean;
}

/** Every string of a JSON value, names of keys among them, in the order of the text. */
export function textsOf(root: JsonValue, pointer: string): readonly FoundText[] {
  const found: FoundText[] = [];
  const visit = (value: JsonValue, path: string): void => {
    if (typeof value === "string") found.push({ path, text: value, isKey: false });
    if (typeof value !== "object" || value === null) return;
    const isList = Array.isArray(value);
    for (const [key, item] of Object.entries<JsonValue>(value)) {
      const below = joinPointer(path, key);
      if (!isList) found.push({ path: below, text: key, isKey: true });
      visit(item, below);
    }
  };
  visit(root, pointer);
  return found;
}
