import type { JsonValue } from "../../core/json.js";
import { oneLine } from "../../core/printable.js";
import type { Dialect, ObjectNode, SchemaIR } from "../../core/schema-ir.js";
import { quoteLiteral } from "./identifiers.js";
import { type ModuleNames, planSchema } from "./plan-module.js";
import {
  type PrintContext,
  printIndexType,
  printTypeText,
  propertyTypesOf,
  quoteTypeKey,
} from "./print-type-text.js";

/** The longest comment of a property; the schema has the whole description. */
const LONGEST_COMMENT = 80;
/** The longest default to print. */
const LONGEST_DEFAULT = 30;

/**
 * Prints the signature of a tool as TypeScript for a model: `type Args` and, with an output schema, `type Result`, after
 * the types that they use. It costs a third of the tokens of the schemas: short comments describe only required
 * properties, limits and defaults.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be parsed
 */
export function printSignature(schemas: SignatureSchemas, dialect?: Dialect): string {
  return printSignatureTypes(schemas, dialect)
    .map(({ name, text }) => `type ${name} = ${text};`)
    .join("\n");
}

interface SignatureSchemas {
  readonly input: JsonValue;
  readonly output?: JsonValue | undefined;
}

/** A type of a signature: `Args`, `Result`, or one that they use. */
export interface SignatureType {
  readonly name: string;
  readonly text: string;
}

/** As {@link printSignature}, by type. */
export function printSignatureTypes(
  { input, output }: SignatureSchemas,
  dialect?: Dialect,
): readonly SignatureType[] {
  const names: ModuleNames = { taken: new Set(["Args", "Result"]), checks: new Map() };
  return [
    ...printDeclarations(input, "Args", names, dialect),
    ...(output === undefined ? [] : printDeclarations(output, "Result", names, dialect)),
  ];
}

function printDeclarations(
  schema: JsonValue,
  name: string,
  names: ModuleNames,
  defaultDialect: Dialect | undefined,
): readonly SignatureType[] {
  // A model writes JSON, which has no `undefined`, so optional properties are printed as in output.
  const options = { name, names, defaultDialect, side: "output", hasTypes: true } as const;
  const { declarations, context } = planSchema(schema, options);
  return declarations.map((declaration) => {
    const { node } = declaration;
    const text = node.kind === "object" ? printObject(node, context) : printTypeText(node, context);
    return { name: declaration.name, text };
  });
}

/** Prints an object with one line for each property if a property has a comment; otherwise on one line. */
function printObject(node: ObjectNode, context: PrintContext): string {
  const comments = node.properties.map(({ schema, isRequired }) => commentOf(schema, isRequired));
  if (comments.every((comment) => comment === "")) return printTypeText(node, context);
  const lines = propertyTypesOf(node, context).map(({ name, isRequired, schema }, index) => {
    const comment = comments[index] ?? "";
    const key = `${quoteTypeKey(name)}${isRequired ? "" : "?"}`;
    return `  ${key}: ${printTypeText(schema, context)};${comment === "" ? "" : ` // ${comment}`}`;
  });
  const rest = printIndexType(node, context);
  // An index signature would also have to match the named properties.
  const all = rest === undefined ? lines : [...lines, `  // other keys: ${rest}`];
  return `{\n${all.join("\n")}\n}`;
}

/** Returns a comment such as `integer 1..100, default 10. How many to list.` */
function commentOf(node: SchemaIR, isRequired: boolean): string {
  const { description = "", default: standard, deprecated } = node.annotations ?? {};
  const facts = [
    ...(deprecated === true ? ["deprecated"] : []),
    ...limitsOf(node),
    ...(isHint(standard) ? [`default ${quoteLiteral(standard)}`] : []),
  ];
  const said = isRequired ? cut(description) : "";
  return [facts.join(", "), said].filter((text) => text !== "").join(". ");
}

function limitsOf(node: SchemaIR): readonly string[] {
  if (node.kind === "string") {
    // The name of a format comes from a server.
    return node.format !== undefined && /^[a-z-]{1,30}$/.test(node.format) ? [node.format] : [];
  }
  if (node.kind !== "number") return [];
  const { isInteger } = node;
  // Zod bounds every integer to the safe range, so omit these bounds.
  const minimum = isInteger && node.minimum === Number.MIN_SAFE_INTEGER ? undefined : node.minimum;
  const maximum = isInteger && node.maximum === Number.MAX_SAFE_INTEGER ? undefined : node.maximum;
  const hasRange = minimum !== undefined || maximum !== undefined;
  const limits = [
    ...(isInteger ? ["integer"] : []),
    ...(hasRange ? [`${minimum ?? ""}..${maximum ?? ""}`] : []),
  ];
  return limits.length === 0 ? [] : [limits.join(" ")];
}

function isHint(value: JsonValue | undefined): value is string | number | boolean {
  if (value === undefined || typeof value === "object") return false;
  return JSON.stringify(value).length <= LONGEST_DEFAULT;
}

/** Returns the first sentence if it is long enough, otherwise as many words as fit. */
function cut(description: string): string {
  const text = oneLine(description, LONGEST_COMMENT * 2);
  if (text.length <= LONGEST_COMMENT) return text;
  const head = text.slice(0, LONGEST_COMMENT);
  const sentence = head.lastIndexOf(". ");
  if (sentence > LONGEST_COMMENT / 4) return head.slice(0, sentence + 1);
  const word = head.lastIndexOf(" ");
  const end = word > LONGEST_COMMENT / 4 ? word : LONGEST_COMMENT - 1;
  // Do not cut a surrogate pair.
  return `${head.slice(0, end).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
