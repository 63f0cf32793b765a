import type { ArrayNode, Contains, SchemaIR } from "../contract/schema-ir.js";
import { isSince } from "./dialect.js";
import type { Keywords } from "./parse-context.js";

export const ARRAY_KEYWORDS = ["prefixItems", "items", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains"] as const; // prettier-ignore

/** `type: array`: JSON Schema core, section 10.3.1, and validation, section 6.4. */
export function parseArray(keywords: Keywords): ArrayNode {
  const { prefix, items } = parseItems(keywords);
  const minItems = keywords.number("minItems");
  const maxItems = keywords.number("maxItems");
  const contains = parseContains(keywords);
  return {
    kind: "array",
    at: keywords.at,
    prefix,
    ...(items && { items }),
    ...(minItems !== undefined && minItems > 0 && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
    uniqueItems: keywords.get("uniqueItems") === true,
    ...(contains && { contains }),
  };
}

// Before 2020-12, a tuple is a list under `items`, with `additionalItems` for the rest. In 2020-12 such a list has no
// meaning, so a schema that has one is an older schema without `$schema`.
function parseItems(keywords: Keywords): {
  readonly prefix: readonly SchemaIR[];
  readonly items?: SchemaIR | undefined;
} {
  const value = keywords.get("items");
  if (Array.isArray(value) && value.length > 0) {
    return { prefix: keywords.schemas("items") ?? [], items: keywords.schema("additionalItems") };
  }
  return { prefix: keywords.schemas("prefixItems") ?? [], items: keywords.schema("items") };
}

function parseContains(keywords: Keywords): Contains | undefined {
  const schema = keywords.schema("contains");
  if (schema === undefined) return undefined;
  const min = keywords.number("minContains") ?? 1;
  const max = keywords.number("maxContains");
  // Before 2020-12, `contains` does not count as evaluating items.
  const isEvaluated = isSince(keywords.context.dialect, "2020-12");
  return { schema, min, ...(max !== undefined && { max }), isEvaluated };
}
