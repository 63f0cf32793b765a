import { type JsonValue } from "../../core/json.js";
import { joinPointer } from "../../core/json-pointer.js";
import { OutOfStepsError, sizeOf } from "../../core/steps.js";
import { parseSchema } from "../../schema/ir/parse-schema.js";
import { isChecked } from "../../schema/pattern/pattern.js";
import { createMatcher, type Spend } from "../../schema/pattern/pattern-tree.js";
import { printJsonSchema } from "../../schema/print/print-json-schema.js";
import { createJudge, type Failure } from "../../schema/validation/fits-json-schema.js";
import { compileRegex, type JsonSchema } from "../../schema/validation/json-schema.js";
import type { NormalizedSchema } from "./prepare-schema.js";

/** A rule that an instance does not fit. */
export interface SchemaError {
  /** JSON Pointer into the instance; to the property itself if its name or its absence is the error. */
  readonly at: string;
  readonly keyword: string;
}

/**
 * Returns the errors of an instance under one schema; none if the schema accepts it. The errors of branches are before the
 * error of their union.
 *
 * @throws OutOfStepsError when the validation takes too many steps
 */
export type WitnessValidator = (instance: JsonValue) => readonly SchemaError[];

/** @throws McpCodegenError when the schema cannot be parsed */
export type Compile = (clean: NormalizedSchema) => WitnessValidator;

/** The steps to parse and print a schema, for each value in it. */
const STEPS_TO_COMPILE = 5;

/** Creates a compiler of schemas. Compiling and validating spend steps. */
export function createSchemaCompiler(spend: Spend): Compile {
  const matches = createPatternEngine(spend);
  return ({ schema, dialect, formats }) => {
    spend(STEPS_TO_COMPILE * sizeOf(schema));
    const { ir, definitions } = parseSchema(schema, { dialect, formats });
    const judge = createJudge(printJsonSchema(ir, definitions) as JsonSchema, { matches, spend });
    return (instance) => {
      spend(sizeOf(instance));
      return judge(instance).flatMap(errorsOf);
    };
  };
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
    const known = compiled.get(pattern);
    if (known !== undefined) return known(text);
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
