import { isJsonObject, objectOrEmpty } from "../../core/json.js";

/** The words of a tool's schemas that a search reads. */
export interface SchemaTexts {
  /** Names of the arguments. */
  readonly parameters: readonly string[];
  /** Names of properties inside arguments. */
  readonly nested: readonly string[];
  /** Values of `enum` and `const`: states, kinds, formats. */
  readonly values: readonly string[];
}

/** A schema as JSON, or a function that returns it. */
export type SchemaSource = { readonly [keyword: string]: unknown } | (() => unknown);

/** Longer names are cut. */
const LONGEST_NAME = 300;
const MOST_TEXTS = 200;
const DEEPEST = 6;
/** Longer values are texts, not names. */
const LONGEST_VALUE = 40;

export function readSchemaTexts(source: SchemaSource | undefined): SchemaTexts {
  const parameters: string[] = [];
  const nested: string[] = [];
  const values = new Set<string>();
  const seen = new Set<object>();
  const walk = (schema: unknown, depth: number): void => {
    if (!isJsonObject(schema) || depth > DEEPEST || seen.has(schema)) return;
    seen.add(schema);
    for (const [keyword, value] of Object.entries(schema)) {
      switch (keyword) {
        case "properties":
          for (const [name, inner] of Object.entries(objectOrEmpty(value))) {
            const names = depth === 0 ? parameters : nested;
            if (names.length < MOST_TEXTS) names.push(name.slice(0, LONGEST_NAME));
            walk(inner, depth + 1);
          }
          break;
        case "$defs":
        case "definitions":
          for (const inner of Object.values(objectOrEmpty(value))) walk(inner, 1);
          break;
        case "enum":
          if (Array.isArray(value)) for (const item of value) addValue(item);
          break;
        case "const":
          addValue(value);
          break;
        case "items":
        case "additionalProperties":
          walk(value, Math.max(1, depth));
          break;
        case "anyOf":
        case "oneOf":
        case "allOf":
          if (Array.isArray(value)) for (const inner of value) walk(inner, depth);
          break;
        default:
      }
    }
  };
  const addValue = (value: unknown): void => {
    if (typeof value === "string" && value.length <= LONGEST_VALUE && values.size < MOST_TEXTS)
      values.add(value);
  };
  walk(typeof source === "function" ? source() : source, 0);
  return { parameters, nested, values: [...values] };
}
