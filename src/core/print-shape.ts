import { isJsonArray, isJsonObject, type JsonValue } from "./json.js";

const LONGEST_SHAPE = 2_000;
const DEEPEST = 5;
const MOST_KEYS = 40;

/** Prints the types of a value: `{ items: { id: number; title: string }[312] }`. The first item stands for all. */
export function printShape(value: JsonValue): string {
  return printType(value, 0).slice(0, LONGEST_SHAPE);
}

function printType(value: JsonValue, depth: number): string {
  if (value === null) return "null";
  if (isJsonArray(value)) {
    const [first] = value;
    return first === undefined ? "[]" : `${printType(first, depth + 1)}[${value.length}]`;
  }
  if (!isJsonObject(value)) return typeof value;
  const entries = Object.entries(value);
  if (depth >= DEEPEST || entries.length === 0) return "{}";
  const shown = entries.slice(0, MOST_KEYS).map(([key, inner]) => `${key}: ${printType(inner, depth + 1)}`);
  return `{ ${[...shown, ...(entries.length > MOST_KEYS ? ["…"] : [])].join("; ")} }`;
}
