import type { NumberNode, StringNode } from "../contract/schema-ir.js";
import { quoteLiteral } from "./identifiers.js";
import { joinPointer } from "../contract/json-pointer.js";
import { printNumber, printPattern, type PrintContext } from "./print-context.js";

/** A number schema. `z.int()` stands only where the bounds keep within what it accepts: it refuses 2^53 and beyond. */
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

/** A string schema. Lengths count code points, as Zod does from 4.5 on. A format is checked only where it is asserted. */
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

/** `.min()`, `.max()`, or `.length()` where both are one. */
export function printSize(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && min === max) return `.length(${printNumber(min)})`;
  return (
    (min === undefined ? "" : `.min(${printNumber(min)})`) +
    (max === undefined ? "" : `.max(${printNumber(max)})`)
  );
}
