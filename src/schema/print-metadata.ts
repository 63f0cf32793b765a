import type { JsonValue } from "../contract/json.js";
import type { SchemaIR } from "../contract/schema-ir.js";
import { quoteLiteral, toCamelCase } from "./identifiers.js";

/** The longest value, as JSON, that is worth printing: readers of the code skip longer ones, and the raw schema has them. */
const MAX_VALUE = 200;

/**
 * What a schema says to people and models, as the end of an expression: `.describe()` where it is a description alone,
 * as nearly always; else `.meta()`. `z.toJSONSchema` gives it to a model. None of it changes what is accepted.
 *
 * @param name of the property: a title that only repeats it is left out, as is one beside a description
 */
export function printMetadata(node: SchemaIR, name?: string): string {
  const { description, title, examples, deprecated, ...annotations } = node.annotations ?? {};
  const isDescribed = description !== undefined && description !== "";
  const hasTitle = title !== undefined && name !== undefined && !isDescribed && !isSameName(title, name);
  const format = node.kind === "string" && node.assertedFormat === undefined ? node.format : undefined;
  const others = {
    ...(hasTitle && { title }),
    ...(format !== undefined && { format }),
    ...(isShort(annotations.default) && { default: annotations.default }),
    ...(isShort(examples) && { examples }),
    ...(deprecated === true && { deprecated }),
  };
  if (Object.keys(others).length > 0)
    return `.meta(${quoteLiteral({ ...(isDescribed && { description }), ...others })})`;
  return isDescribed ? `.describe(${quoteLiteral(description)})` : "";
}

/** Whether there is a value, and one that is short enough to be repeated. */
export function isShort(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && JSON.stringify(value).length <= MAX_VALUE;
}

function isSameName(title: string, name: string): boolean {
  return toCamelCase(title).toLowerCase() === toCamelCase(name).toLowerCase();
}
