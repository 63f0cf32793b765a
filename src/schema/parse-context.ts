import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import type { Dialect, SchemaDiagnostic, SchemaIR } from "../contract/schema-ir.js";
import { isKnown, type Language } from "./dialect.js";
import { joinPointer } from "../contract/json-pointer.js";

/** What the functions that read one family of keywords share while one resource is read. */
export interface ParseContext {
  readonly dialect: Dialect;
  readonly language: Language;
  /** Whether formats are asserted, whatever the language says. */
  readonly assertsFormats: boolean;
  readonly diagnostics: SchemaDiagnostic[];
  /** Counts what a pattern takes to judge. Throws `SCHEMA_INVALID` past the limit for one schema. */
  countPattern(pattern: string): void;
  /** Reads a subschema. */
  parse(schema: JsonValue, at: string): SchemaIR;
  /** Notes that something is pointed at, and gives its key in the definitions; undefined when nothing is there. */
  refer(keyword: "$ref" | "$dynamicRef" | "$recursiveRef", ref: string, at: string): string | undefined;
}

/** One schema object that is being read: keywords that its dialect does not know are not there. */
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
    // Most keywords are asked for in vain.
    return value === undefined || isKnown(keyword, this.context.language) ? value : undefined;
  }

  hasAny(keywords: readonly string[]): boolean {
    return keywords.some((keyword) => this.get(keyword) !== undefined);
  }

  /** A number, or undefined; anything else is diagnosed and ignored. */
  number(keyword: string): number | undefined {
    const value = this.get(keyword);
    if (value === undefined || typeof value === "number") return value;
    this.ignore(keyword, "a number");
    return undefined;
  }

  string(keyword: string): string | undefined {
    const value = this.get(keyword);
    if (value === undefined || typeof value === "string") return value;
    this.ignore(keyword, "a string");
    return undefined;
  }

  /** A subschema: an object or a boolean. PHP writes an empty object as `[]`. */
  schema(keyword: string): SchemaIR | undefined {
    const value = this.get(keyword);
    if (value === undefined) return undefined;
    if (isSchema(value)) return this.context.parse(value, joinPointer(this.at, keyword));
    this.ignore(keyword, "a schema");
    return undefined;
  }

  schemas(keyword: string): readonly SchemaIR[] | undefined {
    const value = this.get(keyword);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every(isSchema)) {
      return value.map((item, index) => this.context.parse(item, joinPointer(this.at, keyword, index)));
    }
    this.ignore(keyword, "a list of schemas");
    return undefined;
  }

  /** Name and value of each entry of a keyword that holds a map. PHP writes an empty one as `[]`. */
  entries(keyword: string): readonly (readonly [name: string, value: JsonValue])[] {
    const value = this.get(keyword);
    if (value === undefined || isEmptyList(value)) return [];
    if (isJsonObject(value)) return Object.entries(value);
    this.ignore(keyword, "an object");
    return [];
  }

  /** Name and subschema of each entry of a keyword that holds a map of schemas. */
  schemaEntries(keyword: string): readonly (readonly [name: string, schema: SchemaIR])[] {
    return this.entries(keyword).flatMap(([name, value]) => {
      const at = joinPointer(this.at, keyword, name);
      if (isSchema(value)) return [[name, this.context.parse(value, at)] as const];
      this.context.diagnostics.push({
        code: "KEYWORD_LOOSENED",
        path: at,
        message: "This is not a schema, and is ignored.",
      });
      return [];
    });
  }

  /** Says that a keyword's value is not what the specification wants there, and so means nothing. */
  ignore(keyword: string, wanted: string): void {
    this.context.diagnostics.push({
      code: "KEYWORD_LOOSENED",
      path: joinPointer(this.at, keyword),
      message: `"${keyword}" is not ${wanted}, and is ignored.`,
    });
  }
}

/** Whether a value can be a schema. */
export function isSchema(value: JsonValue): value is JsonObject | boolean | readonly [] {
  return typeof value === "boolean" || isJsonObject(value) || isEmptyList(value);
}

function isEmptyList(value: JsonValue): value is readonly [] {
  return Array.isArray(value) && value.length === 0;
}
