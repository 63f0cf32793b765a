import type { JsonValue } from "../../contract/json.js";
import { joinPointer } from "../../contract/json-pointer.js";

/** One string of a definition: a key or a value. */
export interface FoundText {
  /** JSON Pointer to the value, or to the value of the key. */
  readonly path: string;
  readonly text: string;
  readonly isKey: boolean;
}

/** Returns every string of a JSON value, including keys, in document order. */
export function textsOf(root: JsonValue, pointer: string): readonly FoundText[] {
  const found: FoundText[] = [];
  // An explicit stack, since a server may nest deeper than recursion can go.
  const open: { readonly value: JsonValue; readonly path: string; readonly key?: string }[] = [
    { value: root, path: pointer },
  ];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { value, path, key } = entry;
    if (key !== undefined) found.push({ path, text: key, isKey: true });
    if (typeof value === "string") found.push({ path, text: value, isKey: false });
    if (typeof value !== "object" || value === null) continue;
    const isList = Array.isArray(value);
    // Reversed, since the stack returns the last entry first.
    for (const [name, item] of Object.entries(value).reverse())
      open.push({ value: item, path: joinPointer(path, name), ...(!isList && { key: name }) });
  }
  return found;
}
