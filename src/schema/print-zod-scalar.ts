import { canonicalJson, type JsonValue } from "../core/json.js";
import { joinPointer } from "../core/json-pointer.js";
import type { NumberNode, StringNode } from "../core/schema-ir.js";
import { quoteLiteral } from "./identifiers.js";
import { type PrintContext, printNumber, printPattern } from "./print-context.js";
import { printLiteralType } from "./print-type-text.js";

/** Prints a number schema. Uses `z.int()` only for bounds within the safe integers, since it rejects 2^53 and beyond. */
export function printNumberSchema(node: NumberNode, context: PrintContext): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, isInteger } = node;
  const lowest = Math.max(minimum ?? -Infinity, exclusiveMinimum ?? -Infinity);
  const highest = Math.min(maximum ?? Infinity, exclusiveMaximum ?? Infinity);
  const isSafe = lowest >= Number.MIN_SAFE_INTEGER && highest <= Number.MAX_SAFE_INTEGER;
  let text = isInteger && isSafe ? "z.int()" : "z.number()";
  if (minimum !== undefined) text += `.min(${printNumber(minimum)})`;
  if (exclusiveMinimum !== undefined) text += `.gt(${printNumber(exclusiveMinimum)})`;
  if (maximum !== undefined) text += `.max(${printNumber(maximum)})`;
  if (exclusiveMaximum !== undefined) text += `.lt(${printNumber(exclusiveMaximum)})`;
  if (isInteger && !isSafe) text += `.check(${context.useCheck("integer")})`;
  if (multipleOf !== undefined)
    text += `.check(${context.useCheck("multipleOf")}(${printNumber(multipleOf)}))`;
  return text;
}

/** Prints a string schema. Lengths count code points, as in Zod since 4.5. Only an asserted format is checked. */
export function printStringSchema(node: StringNode, context: PrintContext): string {
  const { minLength, maxLength, pattern, assertedFormat } = node;
  const regex =
    pattern === undefined ? undefined : printPattern(pattern, joinPointer(node.at, "pattern"), context);
  let text = `z.string()${printSize(minLength, maxLength)}`;
  if (regex !== undefined) text += `.regex(${regex})`;
  if (assertedFormat !== undefined)
    text += `.check(${context.useCheck("format")}(${quoteLiteral(assertedFormat)}))`;
  return text;
}

/** Prints `.min()` and `.max()`, or `.length()` if both are equal. */
export function printSize(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && min === max) return `.length(${printNumber(min)})`;
  return (
    (min === undefined ? "" : `.min(${printNumber(min)})`) +
    (max === undefined ? "" : `.max(${printNumber(max)})`)
  );
}

/** Prints a schema for enumerated values. Objects and lists are compared by content, unlike in Zod's literals. */
export function printLiteral(values: readonly JsonValue[], context: PrintContext): string {
  const distinct = [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
  const scalars = distinct.filter((value) => typeof value !== "object");
  const structures = distinct.filter((value) => typeof value === "object" && value !== null);
  const members = [
    ...(scalars.length > 0 ? [printScalars(scalars)] : []),
    ...structures.map(
      (value) =>
        `z.custom<${printLiteralType(value)}>(${context.useCheck("equals")}(${quoteLiteral(value)}))`,
    ),
  ];
  const [only] = members;
  if (only === undefined) return distinct.length === 0 ? "z.never()" : "z.null()";
  const union = members.length === 1 ? only : `z.union([${members.join(", ")}])`;
  return distinct.includes(null) ? `${union}.nullable()` : union;
}

function printScalars(values: readonly JsonValue[]): string {
  const [only] = values;
  if (values.length === 1 && only !== undefined) return `z.literal(${quoteLiteral(only)})`;
  if (values.length === 2 && values.every((value) => typeof value === "boolean")) return "z.boolean()";
  // z.enum stores its values as keys of an object, which cannot have the key "__proto__".
  const isEnum = values.every((value) => typeof value === "string" && value !== "__proto__");
  return `z.${isEnum ? "enum" : "literal"}(${quoteLiteral(values)})`;
}
