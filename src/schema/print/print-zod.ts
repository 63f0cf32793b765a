import type {
  AnyOfNode,
  ArrayNode,
  LiteralNode,
  ObjectNode,
  OneOfNode,
  RefNode,
  SchemaIR,
  TypesNode,
  NumberNode,
  StringNode,
} from "../../core/schema-ir.js";
import { quoteLiteral } from "./identifiers.js";
import { printJsonSchema } from "./print-json-schema.js";
import {
  inlineTarget,
  ownTypeOf,
  printChecks,
  type PrintContext,
  printLiteralType,
  printMetadata,
  printPattern,
  printTypeText,
  type PropertyName,
  withoutDefaults,
} from "./print-type-text.js";
import { isStrict, printObject, printWholeObject, needsAllKeys, needsRawObject } from "./print-zod-object.js";
import { canonicalJson, type JsonValue } from "../../core/json.js";
import { hasDefaults } from "../ir/subschemas.js";
import { joinPointer } from "../../core/json-pointer.js";

/** Prints a simplified schema as a Zod expression with its annotations. */
export function printZod(node: SchemaIR, context: PrintContext): string {
  return printBare(node, context) + printMetadata(node, context);
}

/**
 * Prints a property like {@link printZod}: optional unless required, with the annotations last.
 *
 * @param value the default that it gets if it is absent
 */
export function printProperty(
  { name, isRequired }: PropertyName,
  node: SchemaIR,
  context: PrintContext,
  value?: JsonValue,
): string {
  const bare = printBare(node, context);
  const optional = context.side === "input" ? ".optional()" : ".exactOptional()";
  const suffix = value === undefined ? optional : `.default(${quoteLiteral(value)})`;
  return (isRequired ? bare : `${bare}${suffix}`) + printMetadata(node, context, name);
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
      const inner = rest.length > 0 ? withoutDefaults(context) : context;
      const checks = rest.map((check) => printFit(check, inner));
      const needsAll = rest.some((check) => needsAllKeys(check, inner));
      return needsAll ? printUnchanged(base, checks, inner) : printBare(base, inner) + printChecks(checks);
    }
    case "not":
    case "if":
      return `z.unknown()${printChecks([printFit(node, context)])}`;
    case "ref":
      return printReference(node, context);
    case "unevaluated":
      return printZod(node.schema, context);
    case "interpreted": {
      const rule = quoteLiteral(printJsonSchema(node.rule, context.sources));
      const check = `${context.useCheck("fitsJsonSchema")}(${rule})`;
      return printUnchanged(node.schema, [check], withoutDefaults(context));
    }
    default:
      return node satisfies never;
  }
}

function printReference(node: RefNode, context: PrintContext): string {
  const { target } = node;
  const name = context.names.get(target);
  if (name === undefined) return printZod(inlineTarget(target, context), context);
  const check = (): string => printChecks([`${context.useCheck("fits")}(${name})`]);
  if (context.checksReferences) return `z.unknown()${check()}`;
  if (context.defaults !== "report" || !hasDefaults(target, context.definitions)) return name;
  // The declaration fills in defaults wherever it is used, and a check returns the original value.
  const message =
    "The defaults of what this refers to are not filled in here: other rules depend on which properties the objects have.";
  context.diagnostics.push({ code: "DEFAULT_NOT_SENT", path: node.at, message });
  return `z.custom<${printTypeText(node, context)}>()${check()}`;
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

function printFit(node: SchemaIR, context: PrintContext): string {
  if (node.kind === "not") return `${context.useCheck("fitsNot")}(${printZod(node.schema, context)})`;
  if (node.kind !== "if") return `${context.useCheck("fits")}(${printZod(node, context)})`;
  const branches = [
    ...(node.then ? [`then: ${printZod(node.then, context)}`] : []),
    ...(node.else ? [`else: ${printZod(node.else, context)}`] : []),
  ];
  return `${context.useCheck("fitsIf")}(${printZod(node.if, context)}, { ${branches.join(", ")} })`;
}

function printArray(node: ArrayNode, outer: PrintContext): string {
  const context = node.uniqueItems || node.contains !== undefined ? withoutDefaults(outer) : outer;
  const checks: string[] = [];
  const text = node.prefix.length > 0 ? printTuple(node, checks, context) : printList(node, context);
  if (node.uniqueItems) checks.push(context.useCheck("uniqueItems"));
  const { contains } = node;
  if (contains) {
    const max = contains.max === undefined ? "" : `, ${contains.max}`;
    const range = contains.min === 1 && max === "" ? "" : `, ${contains.min}${max}`;
    checks.push(`${context.useCheck("contains")}(${printZod(contains.schema, context)}${range})`);
  }
  return text + printChecks(checks);
}

function printList(node: ArrayNode, context: PrintContext): string {
  const item = node.items ? printZod(node.items, context) : "z.unknown()";
  return `z.array(${item})${printSize(node.minItems, node.maxItems)}`;
}

// In JSON Schema, items of a tuple after `minItems` are optional.
function printTuple(node: ArrayNode, checks: string[], context: PrintContext): string {
  const { prefix, items, minItems = 0, maxItems = Infinity } = node;
  const isClosed = items?.kind === "never" || maxItems <= prefix.length;
  const places = prefix.map((item, index) => {
    const text = printZod(item, context);
    if (index >= minItems) return `${text}.exactOptional()`;
    // An open Zod tuple does not check its length, so a schema that accepts `undefined` would accept a missing item.
    const isLast = !isClosed && index === Math.min(minItems, prefix.length) - 1;
    return isLast && takesUndefined(item, context, new Set()) ? `z.nonoptional(${text})` : text;
  });
  if (minItems > prefix.length) checks.push(`${context.useCheck("minItems")}(${minItems})`);
  if (isClosed ? maxItems < prefix.length : maxItems < Infinity) checks.push(`${context.useCheck("maxItems")}(${maxItems})`); // prettier-ignore
  const rest = isClosed ? "" : `.rest(${items ? printZod(items, context) : "z.unknown()"})`;
  return `z.tuple([${places.join(", ")}])${rest}`;
}

function takesUndefined(schema: SchemaIR, context: PrintContext, path: ReadonlySet<string>): boolean {
  const node = ownTypeOf(schema);
  if (node.kind === "anyOf" || node.kind === "oneOf")
    return node.members.some((member) => takesUndefined(member, context, path));
  if (node.kind !== "ref") return node.kind === "any" || node.kind === "not" || node.kind === "if";
  if (path.has(node.target)) return true;
  return takesUndefined(inlineTarget(node.target, context), context, new Set([...path, node.target]));
}

/** Prints a union: any member, or exactly one, must fit. A member `null` becomes `.nullable()`. */
function printUnion(node: TypesNode | AnyOfNode | OneOfNode, context: PrintContext): string {
  if (node.kind === "oneOf") return `z.xor([${printAll(node.members, withoutDefaults(context))}])`;
  const others: readonly SchemaIR[] = node.members.filter(
    (member) => member.kind !== "null" || member.annotations !== undefined,
  );
  const nullable = others.length < node.members.length ? ".nullable()" : "";
  const [only] = others;
  if (only === undefined) return "z.null()";
  return (others.length === 1 ? printZod(only, context) : printMembers(others, context)) + nullable;
}

function printMembers(members: readonly SchemaIR[], context: PrintContext): string {
  if (
    members.every(
      (member): member is LiteralNode => member.kind === "literal" && member.annotations === undefined,
    )
  ) {
    return printLiteral(members.flatMap(({ values }) => values), context); // prettier-ignore
  }
  const tag = findDiscriminator(members, context);
  if (tag !== undefined) return `z.discriminatedUnion(${quoteLiteral(tag)}, [${printAll(members, context)}])`;
  return `z.union([${printAll(members, context)}])`;
}

function printAll(members: readonly SchemaIR[], context: PrintContext): string {
  return members.map((member) => printZod(member, context)).join(", ");
}

/** Returns a property that every member requires, with values that no other member has. */
function findDiscriminator(members: readonly SchemaIR[], context: PrintContext): string | undefined {
  if (
    !members.every(
      (member): member is ObjectNode => member.kind === "object" && !needsRawObject(member, context),
    )
  )
    return undefined;
  return members[0]?.properties.find(({ name }) => isDiscriminator(name, members))?.name;
}

function isDiscriminator(name: string, members: readonly ObjectNode[]): boolean {
  const seen = new Set<unknown>();
  return members.every((member) => {
    const property = member.properties.find((candidate) => candidate.name === name);
    if (!property?.isRequired || property.schema.kind !== "literal" || member.patterns.length > 0)
      return false;
    return property.schema.values.every((value) => {
      if (typeof value !== "string" || value === "__proto__" || seen.has(value)) return false;
      seen.add(value);
      return true;
    });
  });
}

/** Prints a number schema. Uses `z.int()` only for bounds within the safe integers, since it rejects 2^53 and beyond. */
function printNumberSchema(node: NumberNode, context: PrintContext): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, isInteger } = node;
  const lowest = Math.max(minimum ?? -Infinity, exclusiveMinimum ?? -Infinity);
  const highest = Math.min(maximum ?? Infinity, exclusiveMaximum ?? Infinity);
  const isSafe = lowest >= Number.MIN_SAFE_INTEGER && highest <= Number.MAX_SAFE_INTEGER;
  let text = isInteger && isSafe ? "z.int()" : "z.number()";
  if (minimum !== undefined) text += `.min(${minimum})`;
  if (exclusiveMinimum !== undefined) text += `.gt(${exclusiveMinimum})`;
  if (maximum !== undefined) text += `.max(${maximum})`;
  if (exclusiveMaximum !== undefined) text += `.lt(${exclusiveMaximum})`;
  if (isInteger && !isSafe) text += `.check(${context.useCheck("integer")})`;
  if (multipleOf !== undefined) text += `.check(${context.useCheck("multipleOf")}(${multipleOf}))`;
  return text;
}

/** Prints a string schema. Lengths count code points, as in Zod since 4.5. Only an asserted format is checked. */
function printStringSchema(node: StringNode, context: PrintContext): string {
  const { minLength, maxLength, pattern, assertedFormat } = node;
  const regex =
    pattern === undefined ? undefined : printPattern(pattern, joinPointer(node.at, "pattern"), context);
  let text = `z.string()${printSize(minLength, maxLength)}`;
  if (regex !== undefined) text += `.regex(${regex})`;
  if (assertedFormat !== undefined)
    text += `.check(${context.useCheck("format")}(${quoteLiteral(assertedFormat)}))`;
  return text;
}

function printSize(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && min === max) return `.length(${min})`;
  return (min === undefined ? "" : `.min(${min})`) + (max === undefined ? "" : `.max(${max})`);
}

/** Prints a schema for enumerated values. Objects and lists are compared by content, unlike in Zod's literals. */
function printLiteral(values: readonly JsonValue[], context: PrintContext): string {
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
