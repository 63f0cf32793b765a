import { createRequire } from "node:module";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import type { Dialect } from "../../contract/schema-ir.js";
import { hasFormat } from "../../validation/format.js";
import { ASSERTED_FORMATS } from "../../schema/asserted-formats.js";
import { joinPointer } from "../../contract/json-pointer.js";
import { createMatcher, type Spend } from "../../schema/match-pattern.js";
import { isChecked } from "../../schema/pattern.js";
import { mapKeyword } from "../../contract/subschemas.js";
import type { NormalizedSchema } from "./normalize-for-ajv.js";
import { countValues, OutOfStepsError } from "../steps.js";

/** What Ajv has against an instance. */
export interface Objection {
  /** JSON Pointer into the instance; to the property itself where its name, or its absence, is the fault. */
  readonly at: string;
  readonly keyword: string;
}

/**
 * Judges an instance by one schema; empty when the schema accepts it.
 *
 * @throws OutOfStepsError when that takes too many steps
 */
export type Judge = (instance: JsonValue) => readonly Objection[];

/** @throws Error when Ajv cannot compile the schema */
export type Compile = (clean: NormalizedSchema) => Judge;

const OPTIONS: Options = {
  // Every objection is wanted: one of them must be to the change in question.
  allErrors: true,
  strict: false,
  validateSchema: false,
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
  // A property named `toString` is there only when the instance has it.
  ownProperties: true,
  messages: false,
};

/** The part of each of Ajv's classes that is used. */
interface Compiler {
  compile(schema: boolean | JsonObject): ValidateFunction;
  removeSchema(schema: JsonObject): unknown;
}

/** Compiles by Ajv, which is loaded at the first schema of each dialect. Judging a value spends steps. */
export function openCompiler(spend: Spend): Compile {
  const compilers = new Map<string, Compiler>();
  return (clean) => {
    const key = `${clean.dialect} ${clean.formats ?? ""}`;
    const compiler = compilers.get(key) ?? createCompiler(clean, spend);
    compilers.set(key, compiler);
    const { keywords, listed } = countKeywords(clean.schema);
    spend(STEPS_TO_COMPILE * keywords + listed / LISTED_PER_STEP + keywords ** 2 / PAIRS_PER_STEP);
    const schema = countReferences(clean.schema);
    if (typeof schema !== "boolean" && !isJsonObject(schema)) throw new TypeError("Not a schema.");
    const validate = compiler.compile(schema);
    // It would keep every schema that it has seen.
    if (typeof schema !== "boolean") compiler.removeSchema(schema);
    return (instance) => {
      spend(countValues(instance) + keywords * STEPS_TO_JUDGE + listed / COMPARED_PER_STEP);
      return validate(instance) ? [] : (validate.errors ?? []).map(readObjection);
    };
  };
}

/** What Ajv takes to compile a schema of one keyword, in steps. */
const STEPS_TO_COMPILE = 20;
/** Pairs of keywords that take one step: Ajv compares each name that it declares with those before it. */
const PAIRS_PER_STEP = 50;
/** Values of an `enum` and names of a `required` that take one step. */
const LISTED_PER_STEP = 4;
/** The same when a value is judged: they are only compared with it. */
const COMPARED_PER_STEP = 400;
/** The steps of one keyword when a value is judged: every branch of a union is tried, and its errors are kept. */
const STEPS_TO_JUDGE = 0.3;

/** Counts the values in a schema. Those that an `enum` or a `required` lists are counted apart: they cost next to nothing. */
function countKeywords(schema: JsonValue): { readonly keywords: number; readonly listed: number } {
  let keywords = 0;
  let listed = 0;
  const open: JsonValue[] = [schema];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    keywords += 1;
    if (Array.isArray(value)) open.push(...(value as readonly JsonValue[]));
    else if (isJsonObject(value))
      for (const [keyword, item] of Object.entries(value))
        if (keyword !== "enum" && keyword !== "required") open.push(item);
        else listed += Array.isArray(item) ? item.length : 1;
  }
  return { keywords, listed };
}

function createCompiler({ dialect, formats }: NormalizedSchema, spend: Spend): Compiler {
  const ajv = new (loadAjv(dialect))({
    ...OPTIONS,
    ...(formats === "assert" && FORMATS),
    // What judges a few small instances and is then thrown away is not worth making fast.
    code: { regExp: createEngine(spend), optimize: false },
  });
  ajv.addKeyword({
    keyword: REFERENCE,
    errors: false,
    validate: () => {
      spend(1);
      return true;
    },
  });
  return ajv;
}

// In a CommonJS bundle of esbuild a module has no URL.
const require = createRequire(import.meta.url || __filename);

/** @throws Error with the code `MODULE_NOT_FOUND` when Ajv is not installed */
function loadAjv(dialect: Dialect): typeof Ajv {
  // Each of Ajv's modules has its class as `default`.
  return (require(MODULES[dialect]) as { readonly default: typeof Ajv }).default;
}

const MODULES: Readonly<Record<Dialect, string>> = {
  "draft-04": "ajv-draft-04",
  wordpress: "ajv-draft-04",
  "draft-06": "ajv",
  "draft-07": "ajv",
  "2019-09": "ajv/dist/2019.js",
  "2020-12": "ajv/dist/2020.js",
};

/** Formats as generated code judges them. */
const FORMATS: Pick<Options, "formats" | "validateFormats"> = {
  validateFormats: true,
  formats: Object.fromEntries(
    [...ASSERTED_FORMATS].map((name) => [name, (text: string) => hasFormat(text, name)] as const),
  ),
};

/** A keyword of ours. References alone can make a schema judge one value very many times. */
const REFERENCE = "countReference";

function countReferences(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const keywords = Object.entries(schema).map(
    ([keyword, value]) => [keyword, mapKeyword(keyword, value, "", countReferences)] as const,
  );
  const refers = ["$ref", "$dynamicRef", "$recursiveRef"].some((keyword) => Object.hasOwn(schema, keyword));
  return Object.fromEntries(refers ? [[REFERENCE, true] as const, ...keywords] : keywords);
}

/**
 * Patterns as Ajv runs them. One on which JavaScript may take exponentially long is matched in another way; where there is no
 * other way, the search ends.
 */
function createEngine(spend: Spend): Engine {
  const compile = (pattern: string, flags: string): Expression => {
    if (isChecked(pattern)) {
      const expression = toRegExp(pattern, flags);
      return {
        test: (text) => {
          // The square of a text's length is what a pattern may take.
          spend(1 + text.length ** 2 / STEP_OF_PATTERN);
          return expression.test(text);
        },
        toString: () => String(expression),
      };
    }
    const matches = createMatcher(pattern);
    return {
      test: (text) => {
        if (matches === undefined) throw new OutOfStepsError(`No limit is known for "${pattern}".`);
        return matches(text, spend);
      },
      toString: () => `/${pattern}/${flags}`,
    };
  };
  // Ajv uses this for standalone modules only, which we never request.
  return Object.assign(compile, { code: "new RegExp" });
}

const STEP_OF_PATTERN = 1_000;

/** Ajv makes one of each pattern, and takes those with the same text for the same. */
interface Expression {
  readonly test: (text: string) => boolean;
  readonly toString: () => string;
}

type Engine = NonNullable<NonNullable<Options["code"]>["regExp"]> &
  ((pattern: string, flags: string) => Expression);

/** With the flag that JSON Schema asks for where the pattern allows it, and without it elsewhere, as our own Zod does. */
function toRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern, flags.replace("u", ""));
  }
}

/** The parameters of Ajv's errors that name the property at fault. */
const NAMED = ["missingProperty", "additionalProperty", "unevaluatedProperty", "propertyName"];

function readObjection({ instancePath, keyword, params }: ErrorObject): Objection {
  const named: { readonly [key: string]: unknown } = params;
  const name = NAMED.map((key) => getOwn(named, key)).find((value) => typeof value === "string");
  return { at: typeof name === "string" ? joinPointer(instancePath, name) : instancePath, keyword };
}
