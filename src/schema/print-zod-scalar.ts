import type { NumberNode, StringNode } from "../contract/schema-ir.js";
import { quoteLiteral } from "./identifiers.js";
import { joinPointer } from "../contract/json-pointer.js";
import { printNumber, printPattern, type PrintContext } from "./print-context.js";

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
