import { createRequire } from "node:module";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import {
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectOrEmpty,
} from "../../core/json.js";
import type { Dialect } from "../../core/schema-ir.js";
import { hasFormat } from "../../schema/validation/format.js";
import { ASSERTED_FORMATS } from "../../schema/ir/parse-keywords.js";
import { joinPointer } from "../../core/json-pointer.js";
import { createMatcher, type Spend } from "../../schema/pattern/pattern-tree.js";
import { isChecked } from "../../schema/pattern/pattern.js";
import { mapKeyword } from "../../core/subschemas.js";
import type { NormalizedSchema } from "./prepare-schema.js";
import { CHARACTERS_PER_STEP, OutOfStepsError, sizeOf } from "../../core/steps.js";

/** An error of Ajv for an instance. */
export interface SchemaError {
  /** JSON Pointer into the instance; to the property itself if its name or its absence is the error. */
  readonly at: string;
  readonly keyword: string;
}

/**
 * Returns the errors of an instance under one schema; none if the schema accepts it.
 *
 * @throws OutOfStepsError when the validation takes too many steps
 */
export type WitnessValidator = (instance: JsonValue) => readonly SchemaError[];

/** @throws Error when Ajv cannot compile the schema */
export type Compile = (clean: NormalizedSchema) => WitnessValidator;

const OPTIONS: Options = {
  // One of the errors must be about the change, and it need not be the first.
  allErrors: true,
  strict: false,
  validateSchema: false,
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
  // Inherited properties such as `toString` do not count.
  ownProperties: true,
  messages: false,
};

/** The methods of Ajv that we use. */
interface Compiler {
  compile(schema: boolean | JsonObject): ValidateFunction;
  removeSchema(schema: JsonObject): unknown;
}

/** Creates a compiler that loads Ajv for the first schema of each dialect. Compiling and validating spend steps. */
export function createSchemaCompiler(spend: Spend): Compile {
  const compilers = new Map<string, Compiler>();
  return (clean) => {
    const key = `${clean.dialect} ${clean.formats ?? ""}`;
    const compiler = compilers.get(key) ?? createCompiler(clean, spend);
    compilers.set(key, compiler);
    const { keywords, listed, names, characters } = countKeywords(clean.schema);
    spend(STEPS_TO_COMPILE * keywords + listed / LISTED_PER_STEP + keywords ** 2 / PAIRS_PER_STEP);
    spend(names / NAMED_PER_STEP + characters / CHARACTERS_PER_STEP);
    const schema = asAjvReads(clean.schema);
    if (typeof schema !== "boolean" && !isJsonObject(schema)) throw new TypeError("Not a schema.");
    const validate = compiler.compile(schema);
    // Otherwise Ajv keeps every schema in memory.
    if (typeof schema !== "boolean") compiler.removeSchema(schema);
    return (instance) => {
      spend(sizeOf(instance) + keywords * STEPS_TO_JUDGE + listed / COMPARED_PER_STEP);
      spend(characters / CHARACTERS_COMPARED_PER_STEP);
      return validate(instance) ? [] : (validate.errors ?? []).map(readError);
    };
  };
}

/** The steps to compile a schema, for each keyword. */
const STEPS_TO_COMPILE = 20;
/** The pairs of keywords per step: Ajv compares each name that it declares with all earlier names. */
const PAIRS_PER_STEP = 50;
/** The values of an `enum` and names of a `required` per step of compilation. */
const LISTED_PER_STEP = 4;
/** The same per step of validation. */
const COMPARED_PER_STEP = 40;
/** The characters of names per step of compilation: Ajv writes each name into its code many times. */
const NAMED_PER_STEP = 10;
/** The characters of a schema per step of validation: texts are compared with those of `enum`. */
const CHARACTERS_COMPARED_PER_STEP = 20_000;
/** The steps to validate a value, for each keyword: Ajv tries every branch of a union and collects its errors. */
const STEPS_TO_JUDGE = 0.3;

interface SchemaCounts {
  readonly keywords: number;
  /** The values of `enum` and the names of `required`, which cost very little. */
  readonly listed: number;
  /** The characters of keys and of the names of `required`. */
  readonly names: number;
  /** The characters of other texts. */
  readonly characters: number;
}

function countKeywords(schema: JsonValue): SchemaCounts {
  let keywords = 0;
  let listed = 0;
  let names = 0;
  let characters = 0;
  const open: JsonValue[] = [schema];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    keywords += 1;
    if (typeof value === "string") characters += value.length;
    else if (isJsonArray(value)) open.push(...value);
    else if (isJsonObject(value))
      for (const [keyword, item] of Object.entries(value)) {
        names += keyword.length;
        if (keyword !== "enum" && keyword !== "required") open.push(item);
        else if (isJsonArray(item)) {
          listed += item.length;
          for (const each of item) {
            const length = typeof each === "string" ? each.length : 0;
            if (keyword === "required") names += length;
            else characters += length;
          }
        } else listed += 1;
      }
  }
  return { keywords, listed, names, characters };
}

function createCompiler({ dialect, formats }: NormalizedSchema, spend: Spend): Compiler {
  const ajv = new (loadAjv(dialect))({
    ...OPTIONS,
    ...(formats === "assert" && FORMATS),
    // Optimizing a validator for a few small instances takes longer than it saves.
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

/** The same checks of formats as in generated code. */
const FORMATS: Options = {
  validateFormats: true,
  formats: Object.fromEntries(
    [...ASSERTED_FORMATS].map((name) => [name, (text: string) => hasFormat(text, name)] as const),
  ),
};

/** Our own keyword, which spends a step for each reference: references can repeat the validation of a value very often. */
const REFERENCE = "countReference";

/** Adds our keyword to each reference. Ajv ignores a property named `__proto__`, but not a pattern that matches it. */
function asAjvReads(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const refers = ["$ref", "$dynamicRef", "$recursiveRef"].some((keyword) => Object.hasOwn(schema, keyword));
  const keywords = new Map<string, JsonValue>(refers ? [[REFERENCE, true]] : []);
  for (const [keyword, value] of Object.entries(schema))
    keywords.set(keyword, mapKeyword(keyword, value, "", asAjvReads));
  const proto = findOwn(keywords.get("properties"), "__proto__");
  if (proto !== undefined) {
    const patterns = Object.entries(objectOrEmpty(keywords.get("patternProperties")));
    keywords.set("patternProperties", Object.fromEntries([...patterns, ["^__proto__$", proto]]));
  }
  return Object.fromEntries(keywords);
}

/**
 * Creates the pattern engine for Ajv. A pattern that may take JavaScript exponential time runs on our own matcher. If the
 * matcher does not support the pattern, the search ends.
 */
function createEngine(spend: Spend): Engine {
  const compile = (pattern: string, flags: string): Expression => {
    if (isChecked(pattern)) {
      const expression = toRegExp(pattern, flags);
      let isCompiled = false;
      return {
        test: (text) => {
          // JavaScript compiles an expression when it first runs.
          if (!isCompiled) spend(pattern.length / COMPILED_PER_STEP);
          isCompiled = true;
          // A checked pattern takes at most quadratic time.
          spend(1 + text.length ** 2 / STEP_OF_PATTERN);
          return expression.test(text);
        },
        toString: () => String(expression),
      };
    }
    let matches: ReturnType<typeof createMatcher>;
    return {
      test: (text) => {
        if (matches === undefined) spend(pattern.length / COMPILED_PER_STEP);
        matches ??= createMatcher(pattern);
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
/** The characters of a pattern that are compiled in one step. */
const COMPILED_PER_STEP = 2;

interface Expression {
  readonly test: (text: string) => boolean;
  readonly toString: () => string;
}

type Engine = NonNullable<NonNullable<Options["code"]>["regExp"]> &
  ((pattern: string, flags: string) => Expression);

/** Compiles with the flag `u`, as JSON Schema requires, or without it if the pattern is only valid so, as generated Zod does. */
function toRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern, flags.replace("u", ""));
  }
}

/** The parameters of Ajv's errors that name the property at fault. */
const NAMED = ["missingProperty", "additionalProperty", "unevaluatedProperty", "propertyName"];

function readError({ instancePath, keyword, params }: ErrorObject): SchemaError {
  const named: { readonly [key: string]: unknown } = params;
  const name = NAMED.map((key) => getOwn(named, key)).find((value) => typeof value === "string");
  return { at: typeof name === "string" ? joinPointer(instancePath, name) : instancePath, keyword };
}
