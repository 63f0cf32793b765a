import type { ArrayNode, SchemaIR } from "../../core/schema-ir.js";
import { inlineTarget, printNumber, type PrintContext, printChecks } from "./print-context.js";
import { printSize } from "./print-zod-scalar.js";

/** Prints an array schema, or a tuple if items have separate schemas. */
export function printArray(node: ArrayNode, context: PrintContext): string {
  const checks: string[] = [];
  const text = node.prefix.length > 0 ? printTuple(node, checks, context) : printList(node, context);
  if (node.uniqueItems) checks.push(context.useCheck("uniqueItems"));
  const { contains } = node;
  if (contains) {
    const max = contains.max === undefined ? "" : `, ${printNumber(contains.max)}`;
    const range = contains.min === 1 && max === "" ? "" : `, ${printNumber(contains.min)}${max}`;
    checks.push(`${context.useCheck("contains")}(${context.printZod(contains.schema, context)}${range})`);
  }
  return text + printChecks(checks);
}

function printList(node: ArrayNode, context: PrintContext): string {
  const item = node.items ? context.printZod(node.items, context) : "z.unknown()";
  return `z.array(${item})${printSize(node.minItems, node.maxItems)}`;
}

// In JSON Schema, items of a tuple after `minItems` are optional.
function printTuple(node: ArrayNode, checks: string[], context: PrintContext): string {
  const { prefix, items, minItems = 0, maxItems = Infinity } = node;
  const isClosed = items?.kind === "never" || maxItems <= prefix.length;
  const places = prefix.map((item, index) => {
    const text = context.printZod(item, context);
    if (index >= minItems) return `${text}.exactOptional()`;
    // An open Zod tuple does not check its length, so a schema that accepts `undefined` would accept a missing item.
    const isLast = !isClosed && index === Math.min(minItems, prefix.length) - 1;
    return isLast && takesUndefined(item, context, new Set()) ? `z.nonoptional(${text})` : text;
  });
  if (minItems > prefix.length) checks.push(`${context.useCheck("minItems")}(${printNumber(minItems)})`);
  if (isClosed ? maxItems < prefix.length : maxItems < Infinity) checks.push(`${context.useCheck("maxItems")}(${printNumber(maxItems)})`); // prettier-ignore
  const rest = isClosed ? "" : `.rest(${items ? context.printZod(items, context) : "z.unknown()"})`;
  return `z.tuple([${places.join(", ")}])${rest}`;
}

function takesUndefined(node: SchemaIR, context: PrintContext, path: ReadonlySet<string>): boolean {
  switch (node.kind) {
    case "any":
    case "not":
    case "if":
      return true;
    case "anyOf":
    case "oneOf":
      return node.members.some((member) => takesUndefined(member, context, path));
    case "allOf":
      return node.members[0] === undefined || takesUndefined(node.members[0], context, path);
    case "unevaluated":
    case "interpreted":
      return takesUndefined(node.schema, context, path);
    case "ref": {
      if (path.has(node.target)) return true;
      return takesUndefined(inlineTarget(node.target, context), context, new Set([...path, node.target]));
    }
    case "never":
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "array":
    case "object":
    case "literal":
    case "types":
      return false;
    default:
      return node satisfies never;
  }
}
