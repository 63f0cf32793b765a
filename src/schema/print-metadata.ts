import type { JsonValue } from "../contract/json.js";
import type { SchemaIR } from "../contract/schema-ir.js";
import { quoteLiteral, toCamelCase } from "./identifiers.js";

/** The longest default or example to print, as JSON. The raw schema has the longer ones. */
const MAX_VALUE = 200;

/**
 * Prints the annotations of a schema as the end of an expression: `.describe()` for a description alone, otherwise
 * `.meta()`. `z.toJSONSchema` includes them for models. They do not change what is accepted.
 *
 * @param name of the property: a title that repeats it is omitted, as is a title next to a description
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

/** Whether a value is present and short enough to print. */
export function isShort(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && JSON.stringify(value).length <= MAX_VALUE;
}

function isSameName(title: string, name: string): boolean {
  return toCamelCase(title).toLowerCase() === toCamelCase(name).toLowerCase();
}
