import { joinPointer } from "../../core/json-pointer.js";
import type { NumberNode, StringNode } from "../../core/schema-ir.js";
import { isSince } from "../raw/dialect.js";
import type { Keywords } from "./parse-context.js";

/** The formats that the runtime checks: all formats of JSON Schema 2020-12. */
export const ASSERTED_FORMATS: ReadonlySet<string> = new Set([
  ...["date", "date-time", "duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4", "ipv6"],
  ...["iri", "iri-reference", "json-pointer", "regex", "relative-json-pointer", "time", "uri"],
  ...["uri-reference", "uri-template", "uuid"],
]);

export const NUMBER_KEYWORDS = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
] as const;
export const STRING_KEYWORDS = ["minLength", "maxLength", "pattern"] as const;

/** Whether `format` is an assertion here, and not only an annotation. */
export function assertsFormats({ context }: Keywords): boolean {
  return context.assertsFormats || context.language.assertsFormats === true;
}

/** `type: number` or `integer` with its bounds: JSON Schema validation, section 6.2. */
export function parseNumber(keywords: Keywords, isInteger: boolean): NumberNode {
  const node: Writable<NumberNode> = { kind: "number", at: keywords.at, isInteger };
  readBound(keywords, node, "minimum", "exclusiveMinimum");
  readBound(keywords, node, "maximum", "exclusiveMaximum");
  const multipleOf = keywords.number("multipleOf");
  if (multipleOf !== undefined && multipleOf > 0) node.multipleOf = multipleOf;
  else if (multipleOf !== undefined) keywords.ignore("multipleOf", "above zero");
  return node;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

// In draft 4, `exclusiveMinimum: true` makes `minimum` exclusive.
function readBound(
  keywords: Keywords,
  node: Writable<NumberNode>,
  inclusive: "minimum" | "maximum",
  exclusive: "exclusiveMinimum" | "exclusiveMaximum",
): void {
  const bound = keywords.number(inclusive);
  if (isSince(keywords.context.dialect, "draft-06")) {
    const outer = keywords.number(exclusive);
    if (bound !== undefined) node[inclusive] = bound;
    if (outer !== undefined) node[exclusive] = outer;
  } else if (bound !== undefined) {
    node[keywords.get(exclusive) === true ? exclusive : inclusive] = bound;
  }
}

/** `type: string` with its lengths in code points, pattern and format: JSON Schema validation, sections 6.3 and 7. */
export function parseString(keywords: Keywords): StringNode {
  const minLength = keywords.number("minLength");
  const maxLength = keywords.number("maxLength");
  const pattern = keywords.string("pattern");
  if (pattern !== undefined) keywords.context.countPattern(pattern);
  const format = keywords.get("format");
  return {
    kind: "string",
    at: keywords.at,
    ...(minLength !== undefined && minLength > 0 && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern }),
    ...(typeof format === "string" && { format }),
    ...(typeof format === "string" && isAsserted(keywords, format) && { assertedFormat: format }),
  };
}

// An unknown format is an annotation even if formats are asserted.
function isAsserted(keywords: Keywords, format: string): boolean {
  if (!assertsFormats(keywords)) return false;
  if (ASSERTED_FORMATS.has(format)) return true;
  keywords.context.diagnostics.push({
    code: "KEYWORD_LOOSENED",
    path: joinPointer(keywords.at, "format"),
    message: `The format ${JSON.stringify(format)} is unknown and is not checked.`,
  });
  return false;
}
