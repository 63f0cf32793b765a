import { isJsonArray, isJsonObject, type JsonValue } from "../../core/json.js";
import type { Dialect, ParsedSchema } from "../../core/schema-ir.js";
import { mapKeyword } from "../../core/subschemas.js";
import { joinPointer } from "../../core/json-pointer.js";
import { OutOfStepsError, sizeOf } from "../../core/steps.js";
import { ParseMemo, parseSchema } from "../../schema/ir/parse-schema.js";
import { isKnown, isSince, languageOf } from "../../schema/raw/dialect.js";
import { isChecked } from "../../schema/pattern/pattern.js";
import { createMatcher, type Spend } from "../../schema/pattern/pattern-tree.js";
import { printForJudge, type PrintedNodes } from "../../schema/print/print-json-schema.js";
import { createJudge, type Failure } from "../../schema/validation/fits-json-schema.js";
import { compileRegex, type JsonSchema } from "../../schema/validation/json-schema.js";
import { rootPart, type SchemaPart } from "../../schema/sample/schema-part.js";
import type { WitnessPair } from "../unconfirmed-change.js";
import { indexSchema, type SchemaIndex } from "./find-near.js";

/** A rule that an instance does not fit. */
export interface SchemaError {
  /** JSON Pointer into the instance; to the property itself if its name or its absence is the error. */
  readonly at: string;
  readonly keyword: string;
}

/** A schema of a search: as written, as read, and as judge. */
export interface SearchedSchema {
  readonly raw: JsonValue;
  readonly parsed: ParsedSchema;
  readonly root: SchemaPart;
  /** The schemas in it by their pointers. */
  readonly index: () => SchemaIndex;
  /**
   * Returns the errors of an instance; none if the schema accepts it. The errors of branches are before the error of their
   * union.
   *
   * @throws OutOfStepsError when the validation takes too many steps
   */
  readonly judge: (instance: JsonValue) => readonly SchemaError[];
}

/** @throws McpCodegenError when the schema cannot be parsed */
export type ReadSchema = (raw: JsonValue) => SearchedSchema;

/** The steps to read and print a schema object. */
const STEPS_TO_READ = 8;
/** The values of a schema that are looked at again in one step. */
const REPEATED_PER_STEP = 150;

/**
 * Creates a reader of schemas that share objects: what was read before is not read again. Reading and judging spend steps.
 */
export function createSchemaReader(
  { dialect, formats }: Pick<WitnessPair, "dialect" | "formats">,
  spend: Spend,
): ReadSchema {
  const memo = new ParseMemo();
  const printed: PrintedNodes = new WeakMap();
  const matches = createPatternEngine(spend);
  return (raw) => {
    const before = memo.count;
    const parsed = parseSchema(raw, { defaultDialect: dialect, formats, memo });
    spend(STEPS_TO_READ * (memo.count - before) + sizeOf(raw) / REPEATED_PER_STEP);
    const root = rootPart(parsed, spend);
    let index: SchemaIndex | undefined;
    let find: ReturnType<typeof createJudge> | undefined;
    return {
      raw,
      parsed,
      root,
      index: () => (index ??= indexSchema(root)),
      judge: (instance) => {
        find ??= createJudge(printForJudge(parsed.ir, parsed.definitions, printed) as JsonSchema, {
          matches,
          spend,
        });
        spend(sizeOf(instance));
        return find(instance).flatMap(errorsOf);
      },
    };
  };
}

/**
 * Returns a schema without the keywords that have no meaning in its dialect, so that they are not differences. Its references
 * are JSON Pointers: a part with a reference by address can then be copied to a schema without that address. References that
 * depend on the references that led to them stay as they are.
 */
export function withoutIgnored(schema: JsonValue, inherited: Dialect): JsonValue {
  const { dialect } = languageOf(schema, { dialect: inherited }, () => undefined);
  const hasText = (keywords: ReadonlySet<string>): boolean =>
    hasAny(schema, (key, item) => keywords.has(key) && typeof item === "string");
  const isAddressed = hasText(ADDRESSES) && !hasText(DYNAMIC);
  const targets = isAddressed ? parseSchema(schema, { defaultDialect: dialect }).targets : undefined;
  const rewrite = (value: JsonValue, pointer: string): JsonValue => {
    if (!isJsonObject(value)) return value;
    // Until draft 7, other keywords beside `$ref` have no effect, except that definitions can still be referred to.
    const isAlone = Object.hasOwn(value, "$ref") && !isSince(dialect, "2019-09");
    const kept = Object.entries(value).filter(
      ([keyword]) =>
        isKnown(keyword, { dialect }) &&
        !(isAddressed && ADDRESSES.has(keyword)) &&
        !(isAlone && keyword !== "$ref" && keyword !== "$defs" && keyword !== "definitions"),
    );
    return Object.fromEntries(
      kept.map(([keyword, item]): [string, JsonValue] => {
        const target = keyword === "$ref" ? targets?.get(pointer) : undefined;
        if (target !== undefined) return [keyword, `#${target.replaceAll("%", "%25")}`];
        return [keyword, mapKeyword(keyword, item, pointer, rewrite)];
      }),
    );
  };
  return rewrite(schema, "");
}

const ADDRESSES: ReadonlySet<string> = new Set(["$id", "id", "$anchor"]);
const DYNAMIC: ReadonlySet<string> = new Set([
  "$dynamicAnchor",
  "$dynamicRef",
  "$recursiveRef",
  "$recursiveAnchor",
]);

/** Whether an object at any depth has an entry. */
function hasAny(value: JsonValue, isMeant: (key: string, item: JsonValue) => boolean): boolean {
  if (isJsonArray(value)) return value.some((item) => hasAny(item, isMeant));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, item]) => isMeant(key, item) || hasAny(item, isMeant));
}

function errorsOf({ keyword, path, names, inner }: Failure): readonly SchemaError[] {
  const at = joinPointer("", ...path.map(String));
  const places = names.length === 0 ? [at] : names.map((name) => joinPointer(at, name));
  return [...inner.flat().flatMap(errorsOf), ...places.map((place) => ({ at: place, keyword }))];
}

/**
 * Returns a function that matches texts. A pattern that may take JavaScript exponential time runs on our own matcher. If the
 * matcher does not support the pattern, the search ends.
 */
function createPatternEngine(spend: Spend): (pattern: string, text: string) => boolean {
  const compiled = new Map<string, (text: string) => boolean>();
  return (pattern, text) => {
    const matcher = compiled.get(pattern);
    if (matcher !== undefined) return matcher(text);
    spend(pattern.length / COMPILED_PER_STEP);
    const matches = compilePattern(pattern, spend);
    compiled.set(pattern, matches);
    return matches(text);
  };
}

function compilePattern(pattern: string, spend: Spend): (text: string) => boolean {
  if (isChecked(pattern)) {
    const expression = compileRegex(pattern);
    return (text) => {
      // A checked pattern takes at most quadratic time.
      spend(1 + text.length ** 2 / STEP_OF_PATTERN);
      return expression.test(text);
    };
  }
  const matches = createMatcher(pattern);
  if (matches === undefined) throw new OutOfStepsError(`No limit is known for "${pattern}".`);
  return (text) => matches(text, spend);
}

const STEP_OF_PATTERN = 1_000;
/** The characters of a pattern that are compiled in one step. */
const COMPILED_PER_STEP = 2;
