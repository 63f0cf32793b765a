import { McpCodegenError } from "../../core/errors.js";
import { findOwn, getOwn, isJsonObject, type JsonValue } from "../../core/json.js";
import { findKeyword, keywordsWith } from "../../core/keywords.js";
import { levelsOf } from "../../core/limits.js";
import type { Dialect } from "../../core/schema-ir.js";

/** The set of keywords in use: a dialect without the vocabularies that a metaschema omits. */
export interface Language extends Vocabularies {
  readonly dialect: Dialect;
}

interface Vocabularies {
  readonly ignored?: ReadonlySet<string>;
  /** Whether `format` is an assertion and not only an annotation (2020-12 validation, section 7.2.2). */
  readonly assertsFormats?: boolean;
}

// Keys are values of `$schema` without the scheme and the empty fragment.
const DIALECTS: { readonly [schema: string]: Dialect } = {
  "json-schema.org/draft-04/schema": "draft-04",
  "json-schema.org/draft-06/schema": "draft-06",
  "json-schema.org/draft-07/schema": "draft-07",
  "json-schema.org/draft/2019-09/schema": "2019-09",
  "json-schema.org/draft/2020-12/schema": "2020-12",
};

/** 2020-12, MCP's default, for a schema that declares no dialect or an unknown one. */
export const DEFAULT_DIALECT: Dialect = "2020-12";

/** Returns a metaschema by its address; undefined when it was not supplied. */
export type FindMetaschema = (address: string) => JsonValue | undefined;

/** Returns the language that `$schema` declares, directly or through a metaschema with `$vocabulary`; else `inherited`. */
export function languageOf(schema: JsonValue, inherited: Language, find: FindMetaschema): Language {
  const seen = new Set<string>();
  let vocabularies: Vocabularies | undefined;
  for (let current: JsonValue | undefined = schema; isJsonObject(current);) {
    const declared = getOwn(current, "$schema");
    if (typeof declared !== "string" || seen.has(declared)) return inherited;
    seen.add(declared);
    const dialect = getOwn(DIALECTS, declared.replace(/^https?:\/\//, "").replace(/#$/, ""));
    if (dialect !== undefined) return { dialect, ...vocabularies };
    current = find(declared);
    vocabularies ??= current === undefined ? undefined : readVocabularies(current);
  }
  return inherited;
}

const VOCABULARIES = ["applicator", "unevaluated", "validation"] as const;

function readVocabularies(metaschema: JsonValue): Vocabularies | undefined {
  const vocabulary = findOwn(metaschema, "$vocabulary");
  if (!isJsonObject(vocabulary)) return undefined;
  const names = new Set(
    Object.keys(vocabulary).map((address) => address.slice(address.lastIndexOf("/") + 1)),
  );
  // In 2019-09 `unevaluated*` belong to the applicator vocabulary.
  if (names.has("applicator") && Object.keys(vocabulary).some((address) => address.includes("2019-09")))
    names.add("unevaluated");
  const missing = new Set(VOCABULARIES.filter((name) => !names.has(name)));
  return {
    ignored: new Set(keywordsWith(({ vocabulary }) => vocabulary !== undefined && missing.has(vocabulary))),
    assertsFormats: names.has("format-assertion"),
  };
}

const ORDER = {
  wordpress: 4,
  "draft-04": 4,
  "draft-06": 6,
  "draft-07": 7,
  "2019-09": 8,
  "2020-12": 9,
} as const;

/** Whether a dialect is the same as or later than another. */
export function isSince(dialect: Dialect, first: Dialect): boolean {
  return ORDER[dialect] >= ORDER[first];
}

/** All keywords that may affect which values a schema accepts, in any dialect. */
export const ASSERTING_KEYWORDS: readonly string[] = keywordsWith(({ isApart }) => isApart !== true);

/** Whether a keyword has a meaning in a language. */
export function isKnown(keyword: string, { dialect, ignored }: Language): boolean {
  if (ignored?.has(keyword) === true) return false;
  const { since, until } = findKeyword(keyword) ?? {};
  return (
    (since === undefined || isSince(dialect, since)) &&
    (until === undefined || ORDER[dialect] <= ORDER[until])
  );
}

/** Far deeper than any real schema (14 levels), and far from the limit of the call stack. */
const MAX_DEPTH = 256;
/** Values without keys. The largest real schema has a few thousand. Comparing or printing this many takes seconds. */
const MAX_VALUES = 50_000;

/** Throws `SCHEMA_INVALID` for a schema that is too deep or too large for recursive functions. */
export function assertBounded(schema: JsonValue): void {
  const problem = findExcess(schema);
  if (problem !== undefined) throw new McpCodegenError("SCHEMA_INVALID", problem);
}

/** Whether a schema is shallow and small enough for recursive functions. */
export function isBounded(schema: JsonValue): boolean {
  return findExcess(schema) === undefined;
}

function findExcess(schema: JsonValue): string | undefined {
  let depth = 0;
  let count = 0;
  for (const level of levelsOf(schema)) {
    count += level.length;
    if (depth > MAX_DEPTH) return `The schema is nested more than ${MAX_DEPTH} levels deep.`;
    if (count > MAX_VALUES) return `The schema has more than ${MAX_VALUES} values.`;
    depth += 1;
  }
  return undefined;
}
