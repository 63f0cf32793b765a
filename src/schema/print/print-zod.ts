import type { Property, SchemaIR } from "../../core/schema-ir.js";
import { quoteLiteral } from "./identifiers.js";
import { printJsonSchema } from "./print-json-schema.js";
import { inlineTarget, printChecks, type PrintContext, printMetadata } from "./print-context.js";
import { printArray } from "./print-zod-array.js";
import { printLiteral, printNumberSchema, printStringSchema } from "./print-zod-scalar.js";
import { printTypeText } from "./print-type-text.js";
import { isStrict, printObject, printWholeObject, needsAllKeys } from "./print-zod-object.js";
import { printUnion } from "./print-zod-union.js";

/** Prints a simplified schema as a Zod expression with its annotations. */
export function printZod(node: SchemaIR, context: PrintContext): string {
  return printBare(node, context) + printMetadata(node);
}

/** Prints a property like {@link printZod}: optional unless required, with the annotations last. */
export function printProperty(
  { name, isRequired }: Pick<Property, "name" | "isRequired">,
  node: SchemaIR,
  context: PrintContext,
): string {
  const bare = printBare(node, context);
  const optional = context.side === "input" ? ".optional()" : ".exactOptional()";
  return (isRequired ? bare : `${bare}${optional}`) + printMetadata(node, name);
}

function printBare(node: SchemaIR, context: PrintContext): string {
  switch (node.kind) {
    case "any":
      return "z.unknown()";
    case "never":
      return "z.never()";
    case "null":
      return "z.null()";
    case "boolean":
      return "z.boolean()";
    case "number":
      return printNumberSchema(node, context);
    case "string":
      return printStringSchema(node, context);
    case "array":
      return printArray(node, context);
    case "object":
      return printObject(node, context);
    case "literal":
      return printLiteral(node.values, context);
    case "types":
    case "anyOf":
    case "oneOf":
      return printUnion(node, context);
    case "allOf": {
      const [base, ...rest] = node.members;
      if (base === undefined) return "z.unknown()";
      const checks = rest.map((check) => printFit(check, context));
      const needsAll = rest.some((check) => needsAllKeys(check, context));
      return needsAll
        ? printUnchanged(base, checks, context)
        : printBare(base, context) + printChecks(checks);
    }
    case "not":
    case "if":
      return `z.unknown()${printChecks([printFit(node, context)])}`;
    case "ref":
      return printReference(node.target, context);
    case "unevaluated":
      return printZod(node.schema, context);
    case "interpreted": {
      const rule = quoteLiteral(printJsonSchema(node.rule, context.sources));
      return printUnchanged(node.schema, [`${context.useCheck("fitsJsonSchema")}(${rule})`], context);
    }
    default:
      return node satisfies never;
  }
}

function printReference(target: string, context: PrintContext): string {
  const name = context.names.get(target);
  if (name === undefined) return printZod(inlineTarget(target, context), context);
  return context.checksReferences
    ? `z.unknown()${printChecks([`${context.useCheck("fits")}(${name})`])}`
    : name;
}

/** Prints a schema with checks that receive the original value: Zod's objects drop an own `__proto__`. */
function printUnchanged(node: SchemaIR, checks: readonly string[], context: PrintContext): string {
  // A strict object rejects the key `__proto__`.
  if (node.kind === "object" && !isStrict(node)) return printWholeObject(node, context) + printChecks(checks);
  if (!COMBINED.has(node.kind)) return printBare(node, context) + printChecks(checks);
  return `z.custom<${printTypeText(node, context)}>()${printChecks([printFit(node, context), ...checks])}`;
}

/** Kinds of schemas that may contain Zod objects. */
const COMBINED: ReadonlySet<SchemaIR["kind"]> = new Set([
  ...(["types", "anyOf", "oneOf", "allOf", "ref", "unevaluated", "interpreted"] as const),
]);

/** Prints a schema as a check on values of another schema. */
function printFit(node: SchemaIR, context: PrintContext): string {
  if (node.kind === "not") return `${context.useCheck("fitsNot")}(${printZod(node.schema, context)})`;
  if (node.kind !== "if") return `${context.useCheck("fits")}(${printZod(node, context)})`;
  const branches = [
    ...(node.then ? [`then: ${printZod(node.then, context)}`] : []),
    ...(node.else ? [`else: ${printZod(node.else, context)}`] : []),
  ];
  return `${context.useCheck("fitsIf")}(${printZod(node.if, context)}, { ${branches.join(", ")} })`;
}
