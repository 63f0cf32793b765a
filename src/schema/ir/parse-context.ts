import {
  isNumberText,
  getOwn,
  isEmptyList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../core/json.js";
import type { Dialect, SchemaDiagnostic, SchemaIR } from "../../core/schema-ir.js";
import { isKnown, isSchema, type Language } from "../raw/dialect.js";
import { joinPointer } from "../../core/json-pointer.js";

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
  refer(keyword: "$ref" | "$dynamicRef" | "$recursiveRef", ref: string, at: string): string | undefined;
}

const LISTS: ReadonlySet<string> = new Set(["enum", "required", "type", "anyOf", "oneOf", "allOf"]);

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

  /** Returns a number, or undefined. Any other value is ignored with a diagnostic. */
  number(keyword: string): number | undefined {
    const value = this.get(keyword);
    if (value === undefined || typeof value === "number") return value;
    if (!this.noteNumberText(value, keyword)) this.ignore(keyword, "a number");
    return undefined;
  }

  string(keyword: string): string | undefined {
    const value = this.get(keyword);
    if (value === undefined || typeof value === "string") return value;
    this.ignore(keyword, "a string");
    return undefined;
  }

  /** Returns a subschema: an object or a boolean. PHP writes an empty object as `[]`. */
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

  /** Adds a diagnostic for a number that JavaScript cannot hold, which lists keep as text. Returns whether it is one. */
  noteNumberText(value: JsonValue, keyword: string, ...path: readonly number[]): boolean {
    if (typeof value !== "string" || !isNumberText(value)) return false;
    const number = value.length > 40 ? `${value.slice(0, 40)}…` : value;
    this.context.diagnostics.push({
      code: "KEYWORD_LOOSENED",
      path: joinPointer(this.at, keyword, ...path),
      message: `"${keyword}" is not checked: JavaScript cannot hold the number ${number}.`,
    });
    return true;
  }

  /** Adds a diagnostic for a keyword that is ignored, since its value does not have the specified form. */
  ignore(keyword: string, expected: string): void {
    this.context.diagnostics.push({
      code: "KEYWORD_LOOSENED",
      path: joinPointer(this.at, keyword),
      message: `"${keyword}" is not ${expected}, and is ignored.`,
    });
  }
}
