import { joinPointer } from "../../core/json-pointer.js";
import {
  findOwn,
  getOwn,
  isEmptyList,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../core/json.js";
import type {
  ArrayNode,
  Contains,
  Dependent,
  Dialect,
  ObjectNode,
  Property,
  SchemaDiagnostic,
  SchemaIR,
} from "../../core/schema-ir.js";
import { hasNumberText, isNumberText } from "../../core/number-text.js";
import { keywordsWith } from "../../core/keywords.js";
import { isSchema } from "../../core/subschemas.js";
import { isKnown, isSince, type Language } from "../raw/dialect.js";

/** The context that the parsers of keywords share for one resource. */
export interface ParseContext {
  readonly dialect: Dialect;
  readonly language: Language;
  /** Whether formats are asserted regardless of the language. */
  readonly assertsFormats: boolean;
  readonly diagnostics: SchemaDiagnostic[];
  /** Counts the steps to analyse a pattern. Throws `SCHEMA_INVALID` beyond the limit for one schema. */
  countPattern(pattern: string): void;
  /** Parses a subschema. */
  parse(schema: JsonValue, at: string): SchemaIR;
  /** Records a reference and returns the key of its target in the definitions; undefined if the target does not exist. */
  refer(keyword: string, ref: string, at: string): string | undefined;
}

const LISTS: ReadonlySet<string> = new Set(
  keywordsWith(({ form, holds }) => form === "list" || holds === "list"),
);

/** The keywords of one schema object, without those that its dialect does not have. */
export class Keywords {
  readonly at: string;
  readonly context: ParseContext;
  readonly #schema: JsonObject;

  constructor(schema: JsonObject, at: string, context: ParseContext) {
    this.#schema = schema;
    this.at = at;
    this.context = context;
  }

  get(keyword: string): JsonValue | undefined {
    const value = getOwn(this.#schema, keyword);
    // Check for the value first, since most keywords are absent.
    if (value === undefined || !isKnown(keyword, this.context.language)) return undefined;
    // PHP writes a list with gaps or names, such as a filtered one, as an object. WordPress reads its values.
    const isPhpList = this.context.dialect === "wordpress" && LISTS.has(keyword) && isJsonObject(value);
    return isPhpList ? Object.values(value) : value;
  }

  hasAny(keywords: readonly string[]): boolean {
    return keywords.some((keyword) => this.get(keyword) !== undefined);
  }

  /** Returns a value of the specified form, or undefined. Any other value is ignored with a diagnostic. */
  read<T extends JsonValue>(
    keyword: string,
    expected: string,
    hasForm: (value: JsonValue) => value is T,
  ): T | undefined {
    const value = this.get(keyword);
    if (value === undefined || hasForm(value)) return value;
    this.ignore(keyword, expected);
    return undefined;
  }

  number(keyword: string): number | undefined {
    const value = this.get(keyword);
    if (value === undefined || typeof value === "number") return value;
    if (!this.noteNumberText(value, keyword)) this.ignore(keyword, "a number");
    return undefined;
  }

  /** Returns the least size of a value; undefined for 0, which every value has. */
  least(keyword: string): number | undefined {
    const value = this.number(keyword);
    return value !== undefined && value > 0 ? value : undefined;
  }

  string(keyword: string): string | undefined {
    return this.read(keyword, "a string", (value) => typeof value === "string");
  }

  /** Returns a subschema: an object or a boolean. PHP writes an empty object as `[]`. */
  schema(keyword: string): SchemaIR | undefined {
    const value = this.read(keyword, "a schema", isSchema);
    return value === undefined ? undefined : this.context.parse(value, joinPointer(this.at, keyword));
  }

  schemas(keyword: string): readonly SchemaIR[] | undefined {
    const values = this.read(
      keyword,
      "a list of schemas",
      (value) => isJsonArray(value) && value.every(isSchema),
    );
    return values?.map((item, index) => this.context.parse(item, joinPointer(this.at, keyword, index)));
  }

  /** Returns the entries of a keyword whose value is a map. PHP writes an empty map as `[]`. */
  entries(keyword: string): readonly (readonly [name: string, value: JsonValue])[] {
    const value = this.get(keyword);
    if (value === undefined || isEmptyList(value)) return [];
    if (isJsonObject(value)) return Object.entries(value);
    this.ignore(keyword, "an object");
    return [];
  }

  /** Returns the entries of a keyword whose value is a map of schemas. */
  schemaEntries(keyword: string): readonly (readonly [name: string, schema: SchemaIR])[] {
    return this.entries(keyword).flatMap(([name, value]) => {
      if (isSchema(value))
        return [[name, this.context.parse(value, joinPointer(this.at, keyword, name))] as const];
      this.note([keyword, name], "This is not a schema, and is ignored.");
      return [];
    });
  }

  /** Returns a default or an example; undefined for one with a number that JavaScript cannot hold. */
  example(value: JsonValue | undefined): JsonValue | undefined {
    return value === undefined || hasNumberText(value, this.#schema) ? undefined : value;
  }

  /** Adds a diagnostic for a number that JavaScript cannot hold, which lists keep as text. Returns whether it is one. */
  noteNumberText(value: JsonValue, keyword: string, ...path: readonly number[]): boolean {
    if (typeof value !== "string" || !isNumberText(value)) return false;
    const number = value.length > 40 ? `${value.slice(0, 40)}…` : value;
    this.note(
      [keyword, ...path],
      `"${keyword}" is not checked: JavaScript cannot hold the number ${number}.`,
    );
    return true;
  }

  /** Adds a diagnostic for a keyword that is ignored, since its value does not have the specified form. */
  ignore(keyword: string, expected: string): void {
    this.note([keyword], `"${keyword}" is not ${expected}, and is ignored.`);
  }

  /** Adds a diagnostic about a place in the schema. */
  note(path: readonly (string | number)[], message: string): void {
    this.context.diagnostics.push({
      code: "KEYWORD_LOOSENED",
      path: joinPointer(this.at, ...path),
      message,
    });
  }
}

/** `type: object`: JSON Schema core, section 10.3.2, and validation, section 6.5. */
export function parseObject(keywords: Keywords): ObjectNode {
  const listed = parseRequired(keywords);
  const properties = parseProperties(keywords, listed);
  const marked = properties.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    kind: "object",
    at: keywords.at,
    additional: keywords.schema("additionalProperties"),
    names: keywords.schema("propertyNames"),
    minProperties: keywords.least("minProperties"),
    maxProperties: keywords.number("maxProperties"),
    properties,
    required: [...new Set([...listed, ...marked])],
    patterns: keywords.schemaEntries("patternProperties").map(([pattern, schema]) => {
      keywords.context.countPattern(pattern);
      return { pattern, schema };
    }),
    dependents: parseDependents(keywords),
  };
}

function parseProperties(keywords: Keywords, listed: readonly string[]): readonly Property[] {
  const required = new Set(listed);
  const properties = keywords.schemaEntries("properties").map(([name, schema]): Property => {
    const isRequired = required.delete(name) || hasBooleanRequired(keywords, name);
    return { name, isRequired, isDeclared: true, schema };
  });
  const at = joinPointer(keywords.at, "required");
  const others = [...required].map((name): Property => ({
    name,
    isRequired: true,
    isDeclared: false,
    schema: { kind: "any", at },
  }));
  return [...properties, ...others];
}

function parseRequired(keywords: Keywords): readonly string[] {
  // A boolean `required` is handled where the parent's properties are parsed.
  if (typeof keywords.get("required") === "boolean") return [];
  return keywords.read("required", "a list of names", isNames) ?? [];
}

// `properties: { title: { type: string, required: true } }`, as in WordPress and draft 3.
function hasBooleanRequired(keywords: Keywords, name: string): boolean {
  const properties = keywords.get("properties");
  const property = findOwn(properties, name);
  if (!isJsonObject(property) || getOwn(property, "required") !== true) return false;
  const { dialect } = keywords.context;
  if (!isSince(dialect, "draft-06")) return true;
  keywords.note(
    ["properties", name, "required"],
    `"required" is not a list of names, and is ignored: ${dialect} has no boolean "required", as WordPress uses it.`,
  );
  return false;
}

function parseDependents(keywords: Keywords): readonly Dependent[] {
  const dependents: Dependent[] = [];
  for (const [name, value] of keywords.entries("dependentRequired")) {
    if (isNames(value)) dependents.push({ name, required: value });
    else keywords.ignore("dependentRequired", "a map of lists of names");
  }
  for (const [name, schema] of keywords.schemaEntries("dependentSchemas"))
    dependents.push({ name, required: [], schema });
  // Up to draft 7, one keyword had both meanings. Later drafts still allow it.
  for (const [name, value] of keywords.entries("dependencies")) {
    const at = joinPointer(keywords.at, "dependencies", name);
    if (isNames(value)) dependents.push({ name, required: value });
    else if (isSchema(value))
      dependents.push({ name, required: [], schema: keywords.context.parse(value, at) });
    else keywords.ignore("dependencies", "a map of schemas and lists of names");
  }
  return dependents;
}

function isNames(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/** `type: array`: JSON Schema core, section 10.3.1, and validation, section 6.4. */
export function parseArray(keywords: Keywords): ArrayNode {
  return {
    kind: "array",
    at: keywords.at,
    ...parseItems(keywords),
    minItems: keywords.least("minItems"),
    maxItems: keywords.number("maxItems"),
    uniqueItems: keywords.get("uniqueItems") === true,
    contains: parseContains(keywords),
  };
}

// Before 2020-12, a tuple is a list under `items`, with `additionalItems` for the rest. In 2020-12 such a list has no
// meaning, so a schema that has one is an older schema without `$schema`.
function parseItems(keywords: Keywords): {
  readonly prefix: readonly SchemaIR[];
  readonly items?: SchemaIR | undefined;
} {
  const value = keywords.get("items");
  if (Array.isArray(value) && value.length > 0) {
    return { prefix: keywords.schemas("items") ?? [], items: keywords.schema("additionalItems") };
  }
  return { prefix: keywords.schemas("prefixItems") ?? [], items: keywords.schema("items") };
}

function parseContains(keywords: Keywords): Contains | undefined {
  const schema = keywords.schema("contains");
  return (
    schema && {
      schema,
      min: keywords.number("minContains") ?? 1,
      max: keywords.number("maxContains"),
      // Before 2020-12, `contains` does not count as evaluating items.
      isEvaluated: isSince(keywords.context.dialect, "2020-12"),
    }
  );
}
