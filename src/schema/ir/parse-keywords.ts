import { isJsonArray, type JsonValue, listOrEmpty } from "../../core/json.js";
import type {
  Annotations,
  JsonType,
  LiteralNode,
  NumberNode,
  RefNode,
  SchemaIR,
  StringNode,
  TypedNode,
} from "../../core/schema-ir.js";
import { isSince } from "../raw/dialect.js";
import { keywordsWith } from "../../core/keywords.js";
import { joinPointer } from "../../core/json-pointer.js";
import { type Keywords, parseArray, parseObject } from "./parse-context.js";

/** Parses one schema object as the conjunction of its keywords. */
export function parseKeywords(keywords: Keywords): SchemaIR {
  const { at } = keywords;
  const members = parseMembers(keywords);
  const [only] = members;
  const whole: SchemaIR =
    only === undefined ? { kind: "any", at } : members.length === 1 ? only : { kind: "allOf", at, members };
  const node = parseUnevaluated(keywords, whole);
  const annotations = parseAnnotations(keywords);
  return annotations ? { ...node, annotations } : node;
}

function parseMembers(keywords: Keywords): readonly SchemaIR[] {
  const { at } = keywords;
  const refs = parseRefs(keywords);
  // Up to draft 7, `$ref` overrides all other keywords of a schema.
  if (keywords.get("$ref") !== undefined && !isSince(keywords.context.dialect, "2019-09")) return refs;
  const members = [
    ...refs,
    ...parseTyped(keywords),
    ...parseLiterals(keywords),
    ...(keywords.schemas("allOf") ?? []),
  ];
  for (const kind of ["anyOf", "oneOf"] as const) {
    const branches = keywords.schemas(kind);
    if (branches?.length === 0) keywords.ignore(kind, "a list of at least one schema");
    else if (branches) members.push({ kind, at: joinPointer(at, kind), members: branches });
  }
  const not = keywords.schema("not");
  if (not) members.push({ kind: "not", at: joinPointer(at, "not"), schema: not });
  const condition = keywords.schema("if");
  const then = condition && keywords.schema("then");
  const otherwise = condition && keywords.schema("else");
  if (condition) {
    members.push({ kind: "if", at: joinPointer(at, "if"), if: condition, then, else: otherwise });
  }
  return members;
}

function parseRefs(keywords: Keywords): readonly RefNode[] {
  const { at, context } = keywords;
  const refs: RefNode[] = [];
  for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"] as const) {
    const ref = keywords.string(keyword);
    const target = ref === undefined ? undefined : context.refer(keyword, ref, joinPointer(at, keyword));
    if (target !== undefined) refs.push({ kind: "ref", at: joinPointer(at, keyword), target });
  }
  return refs;
}

/** The formats that the runtime checks: all formats of JSON Schema 2020-12. */
export const ASSERTED_FORMATS: ReadonlySet<string> = new Set([
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "idn-email",
  "idn-hostname",
  "ipv4",
  "ipv6",
  "iri",
  "iri-reference",
  "json-pointer",
  "regex",
  "relative-json-pointer",
  "time",
  "uri",
  "uri-reference",
  "uri-template",
  "uuid",
]);

const TYPED_KEYWORDS = keywordsWith((keyword) => keyword.of !== undefined);
const TYPES: readonly JsonType[] = ["object", "array", "string", "number", "boolean", "null"];

/** Parse the keywords for each type. */
const PARSERS: { readonly [Type in JsonType | "integer"]: (keywords: Keywords) => TypedNode } = {
  null: ({ at }) => ({ kind: "null", at }),
  boolean: ({ at }) => ({ kind: "boolean", at }),
  number: (keywords) => parseNumber(keywords, false),
  integer: (keywords) => parseNumber(keywords, true),
  string: parseString,
  array: parseArray,
  object: parseObject,
};

/** Parses `type` and the keywords for one type each. They restrict only values of their type. */
function parseTyped(keywords: Keywords): readonly SchemaIR[] {
  const declared = parseType(keywords);
  const isFormatted = keywords.get("format") !== undefined && assertsFormats(keywords);
  if (declared === undefined && !isFormatted && !keywords.hasAny(TYPED_KEYWORDS)) return [];
  const types = declared ?? TYPES;
  // Every integer is a number.
  const distinct = types.filter((type) => type !== "integer" || !types.includes("number"));
  const members = distinct.map((type) => PARSERS[type](keywords));
  const [only] = members;
  if (only === undefined) return [{ kind: "never", at: keywords.at }];
  return members.length === 1 ? [only] : [{ kind: "types", at: keywords.at, members }];
}

function assertsFormats({ context }: Keywords): boolean {
  return context.assertsFormats || context.language.assertsFormats === true;
}

/** `type: number` or `integer` with its bounds: JSON Schema validation, section 6.2. */
function parseNumber(keywords: Keywords, isInteger: boolean): NumberNode {
  const node: Mutable<NumberNode> = { kind: "number", at: keywords.at, isInteger };
  readBound(keywords, node, "minimum", "exclusiveMinimum");
  readBound(keywords, node, "maximum", "exclusiveMaximum");
  const multipleOf = keywords.number("multipleOf");
  if (multipleOf !== undefined && multipleOf > 0) node.multipleOf = multipleOf;
  else if (multipleOf !== undefined) keywords.ignore("multipleOf", "above zero");
  return node;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

// In draft 4, `exclusiveMinimum: true` makes `minimum` exclusive.
function readBound(
  keywords: Keywords,
  node: Mutable<NumberNode>,
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
function parseString(keywords: Keywords): StringNode {
  const minLength = keywords.least("minLength");
  const maxLength = keywords.number("maxLength");
  const pattern = keywords.string("pattern");
  if (pattern !== undefined) keywords.context.countPattern(pattern);
  const format = keywords.get("format");
  const name = typeof format === "string" ? format : undefined;
  return {
    kind: "string",
    at: keywords.at,
    minLength,
    maxLength,
    pattern,
    format: name,
    assertedFormat: name !== undefined && isAsserted(keywords, name) ? name : undefined,
  };
}

// An unknown format is an annotation even if formats are asserted.
function isAsserted(keywords: Keywords, format: string): boolean {
  if (!assertsFormats(keywords)) return false;
  if (ASSERTED_FORMATS.has(format)) return true;
  keywords.note(["format"], `The format ${JSON.stringify(format)} is unknown and is not checked.`);
  return false;
}

function parseType(keywords: Keywords): readonly (JsonType | "integer")[] | undefined {
  const value = keywords.get("type");
  if (value === undefined) return undefined;
  const types: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  if (types.every(isType)) return [...new Set(types)];
  keywords.ignore("type", "a JSON Schema type or a list of them");
  return undefined;
}

function isType(value: JsonValue): value is JsonType | "integer" {
  return typeof value === "string" && Object.hasOwn(PARSERS, value);
}

function parseLiterals(keywords: Keywords): readonly LiteralNode[] {
  const literals: LiteralNode[] = [];
  const values = keywords.read("enum", "a list", isJsonArray);
  if (values !== undefined) literals.push({ kind: "literal", at: keywords.at, values });
  const value = keywords.get("const");
  if (value !== undefined) literals.push({ kind: "literal", at: keywords.at, values: [value] });
  const type = keywords.get("type");
  const takesText = type === undefined || [type].flat().includes("string");
  if (!takesText) {
    values?.forEach((item, index) => keywords.noteNumberText(item, "enum", index));
    if (value !== undefined) keywords.noteNumberText(value, "const");
  }
  return literals;
}

function parseUnevaluated(keywords: Keywords, schema: SchemaIR): SchemaIR {
  const properties = keywords.schema("unevaluatedProperties");
  const items = keywords.schema("unevaluatedItems");
  if (!properties && !items) return schema;
  return { kind: "unevaluated", at: keywords.at, schema, properties, items };
}

function parseAnnotations(keywords: Keywords): Annotations | undefined {
  const annotations: Mutable<Annotations> = {};
  for (const keyword of ["title", "description"] as const) {
    const value = keywords.get(keyword);
    if (typeof value === "string") annotations[keyword] = value;
  }
  const standard = keywords.example(keywords.get("default"));
  if (standard !== undefined) annotations.default = standard;
  const usable = listOrEmpty(keywords.get("examples")).filter(
    (example) => keywords.example(example) !== undefined,
  );
  if (usable.length > 0) annotations.examples = usable;
  for (const keyword of ["deprecated", "readOnly", "writeOnly"] as const)
    if (keywords.get(keyword) === true) annotations[keyword] = true;
  return Object.keys(annotations).length > 0 ? annotations : undefined;
}
