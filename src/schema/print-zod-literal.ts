import { canonicalJson } from "../contract/canonical-json.js";
import type { JsonValue } from "../contract/json.js";
import { quoteLiteral } from "./identifiers.js";
import type { PrintContext } from "./print-context.js";
import { printLiteralType } from "./print-type-text.js";

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
