import type { ArrayNode } from "../contract/schema-ir.js";
import { printNumber, type PrintContext } from "./print-context.js";
import { printChecks, printZod } from "./print-zod.js";
import { printSize } from "./print-zod-scalar.js";

/** An array schema, or a tuple where places have schemas of their own. */
export function printArray(node: ArrayNode, context: PrintContext): string {
  const checks: string[] = [];
  const text = node.prefix.length > 0 ? printTuple(node, checks, context) : printList(node, context);
  if (node.uniqueItems) checks.push(context.useCheck("uniqueItems"));
  const { contains } = node;
  if (contains) {
    const max = contains.max === undefined ? "" : `, ${printNumber(contains.max)}`;
    const range = contains.min === 1 && max === "" ? "" : `, ${printNumber(contains.min)}${max}`;
    checks.push(`${context.useCheck("contains")}(${printZod(contains.schema, context)}${range})`);
  }
  return text + printChecks(checks);
}

function printList(node: ArrayNode, context: PrintContext): string {
  const item = node.items ? printZod(node.items, context) : "z.unknown()";
  return `z.array(${item})${printSize(node.minItems, node.maxItems)}`;
}

// In JSON Schema a tuple may end early, anywhere from `minItems` on.
function printTuple(node: ArrayNode, checks: string[], context: PrintContext): string {
  const { prefix, items, minItems = 0, maxItems = Infinity } = node;
  const places = prefix.map((item, index) => {
    const text = printZod(item, context);
    return index < minItems ? text : `${text}.exactOptional()`;
  });
  if (minItems > prefix.length) checks.push(`${context.useCheck("minItems")}(${printNumber(minItems)})`);
  const isClosed = items?.kind === "never" || maxItems <= prefix.length;
  if (isClosed ? maxItems < prefix.length : maxItems < Infinity) checks.push(`${context.useCheck("maxItems")}(${printNumber(maxItems)})`); // prettier-ignore
  const rest = isClosed ? "" : `.rest(${items ? printZod(items, context) : "z.unknown()"})`;
  return `z.tuple([${places.join(", ")}])${rest}`;
}
