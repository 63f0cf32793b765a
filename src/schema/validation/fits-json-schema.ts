import { definedKeys, isEqual, isJsonObject } from "../../core/json.js";
import { DUPLICATE_ITEM, findDuplicates, isMultipleOf, type Check } from "./checks.js";
import {
  describeTypeMisfit,
  describeNotAllowed,
  describeRefused,
  describeUnknown,
  describeValueMisfit,
  isOfType,
  misfitAt,
  MOST_MISFITS,
  type Misfit,
} from "./misfit.js";
import { hasFormat } from "./format.js";
import { compileRegex, type JsonSchema, type JsonSchemaObject } from "./json-schema.js";

/** Returns a check that interprets a JSON Schema, for rules that depend on which of several schemas fit. */
// A `const` parameter: TypeScript takes the type of a key like `constructor` from `Object`, and would widen
// `{ type: "string" }` below it.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- only a type parameter can be `const`
export function fitsJsonSchema<const Schema extends JsonSchema>(schema: Schema): Check {
  const root = rootOf(schema);
  return (payload) => {
    const failures: Failure[] = [];
    validate(schema, { root, value: payload.value, path: [], failures });
    // Zod treats issues with any code except "custom" as its own.
    for (const failure of failures)
      payload.issues.push({ ...toMisfit(failure), code: "custom", input: payload.value });
  };
}

/** Returns a function that checks whether a value fits the JSON Schema, without collecting issues. */
export function createValidator(schema: JsonSchema): (value: unknown) => boolean {
  const root = rootOf(schema);
  return (value) => validate(schema, { root, value, path: [] }) !== undefined;
}

/**
 * Returns a function that finds all rules that a value does not fit, also those of branches, of `contains` and of
 * `propertyNames`.
 */
export function createJudge(
  schema: JsonSchema,
  options: JudgeOptions,
): (value: unknown) => readonly Failure[] {
  const root = rootOf(schema, options);
  return (value) => {
    const failures: Failure[] = [];
    validate(schema, { root, value, path: [], failures });
    return failures;
  };
}

export interface JudgeOptions {
  readonly matches: (pattern: string, text: string) => boolean;
  /** Counts the schemas that are visited, and the values of long lists in them. */
  readonly spend: (steps: number) => void;
}

/** The keyword of a rule; `false` for a schema that accepts nothing. */
type KeywordCheck = keyof JsonSchemaObject | "false";

type Describe = () => string | Misfit;

/** A rule that a value does not fit. */
export interface Failure {
  readonly keyword: KeywordCheck;
  /** The path to the value. */
  readonly path: readonly PropertyKey[];
  /** The properties of the value that are missing, or are not allowed. */
  readonly names: readonly string[];
  /** The failures in each of the schemas of which one must fit: those of a union, or of a part with a rule of its own. */
  readonly inner: readonly (readonly Failure[])[];
  /** Returns the issue, with a path from the value. */
  readonly describe: () => Misfit;
}

/** Returns the issue about a failure. In a branch of a union, its path starts at the value of the union. */
function toMisfit({ path, describe, inner }: Failure, depth: number = 0): Misfit {
  const misfit = describe();
  const place = { ...misfit, path: [...path.slice(depth), ...misfit.path] };
  // The form of a union issue in Zod: `explainIssue` finds the closest branch.
  return misfit.errors === undefined
    ? place
    : {
        ...place,
        errors: inner.map((failures) => failures.map((failure) => toMisfit(failure, path.length))),
      };
}

function rootOf(schema: JsonSchema, judge?: JudgeOptions): Root {
  const definitions = (typeof schema === "object" && schema.$defs) || {};
  return { definitions, matches: judge?.matches ?? createMatches(), judge };
}

function createMatches(): Root["matches"] {
  const expressions = new Map<string, RegExp>();
  return (pattern, text) => {
    const expression = expressions.get(pattern) ?? compileRegex(pattern);
    expressions.set(pattern, expression);
    return expression.test(text);
  };
}

interface Root {
  readonly definitions: { readonly [name: string]: JsonSchema };
  readonly matches: JudgeOptions["matches"];
  readonly judge: JudgeOptions | undefined;
}

interface CheckedValue {
  readonly root: Root;
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
  /** Collects failures; absent if only the result counts. */
  readonly failures?: Failure[] | undefined;
}

function listConst(schema: JsonSchemaObject): readonly unknown[] | undefined {
  return "const" in schema ? [schema.const] : undefined;
}

/** The keys or indices of a value that a schema has evaluated. */
type Evaluated = ReadonlySet<string | number>;

/** Returns the evaluated parts of the value; undefined if the value does not fit the schema. */
function validate(schema: JsonSchema, subject: CheckedValue): Evaluated | undefined {
  subject.root.judge?.spend(1);
  if (typeof schema === "boolean") {
    if (schema) return new Set();
    subject.failures?.push({
      keyword: "false",
      path: subject.path,
      names: [],
      inner: [],
      describe: () => misfitAt([], NOTHING_ALLOWED),
    });
    return undefined;
  }
  const validation = new Validation(schema, subject);
  validation.validate();
  return validation.fits ? validation.evaluated : undefined;
}

const NOTHING_ALLOWED = "Invalid input: nothing is allowed here";
/** The values of an `enum` and names of a `required` that are compared in one step. */
const COMPARED_PER_STEP = 40;
/** The keys without a schema that are looked up in one step. */
const KEYS_PER_STEP = 4;

class Validation {
  readonly evaluated = new Set<string | number>();
  fits = true;
  readonly #schema: JsonSchemaObject;
  readonly #subject: CheckedValue;

  constructor(schema: JsonSchemaObject, subject: CheckedValue) {
    this.#schema = schema;
    this.#subject = subject;
  }

  validate(): void {
    const { value } = this.#subject;
    this.#validateValue(value);
    if (typeof value === "number") this.#validateNumber(value);
    if (typeof value === "string") this.#validateString(value);
    this.#validateCombined();
    if (Array.isArray(value)) this.#validateItems(value);
    if (isJsonObject(value)) this.#validateProperties(value);
    // Last, since these keywords depend on what all others evaluated.
    if (Array.isArray(value)) this.#validateRest("unevaluatedItems", [...value.keys()], value);
    if (isJsonObject(value)) this.#validateRest("unevaluatedProperties", definedKeys(value), value);
  }

  /** Requires a condition. */
  #require(keyword: KeywordCheck, condition: boolean, describe: Describe, key?: string | number): void {
    if (!condition) this.#fail(keyword, describe, key);
  }

  /** Adds a failure. Its message is built only for an issue. */
  #fail(
    keyword: KeywordCheck,
    describe: Describe,
    key?: string | number,
    inner: readonly (readonly Failure[])[] = [],
  ): void {
    this.fits = false;
    const { root, failures, path } = this.#subject;
    if (failures === undefined || (root.judge === undefined && failures.length >= MOST_MISFITS)) return;
    failures.push({
      keyword,
      path,
      names: typeof key === "string" ? [key] : [],
      inner,
      describe: () => {
        const described = describe();
        return typeof described === "string"
          ? misfitAt(key === undefined ? [] : [key], described)
          : described;
      },
    });
  }

  /** Adds an issue with unknown keys, past the limit too: the rest can be judged only without all of them. */
  #refuse(keyword: KeywordCheck, names: readonly string[], misfit: Misfit): void {
    this.fits = false;
    const { failures, path } = this.#subject;
    failures?.push({ keyword, path, names, inner: [], describe: () => misfit });
  }

  #validatePart(schema: JsonSchema, value: unknown, key: string | number): void {
    const { path } = this.#subject;
    this.evaluated.add(key);
    if (validate(schema, { ...this.#subject, value, path: [...path, key] }) === undefined) this.fits = false;
  }

  #validateWhole(schema: JsonSchema): void {
    this.#addEvaluated(validate(schema, this.#subject));
  }

  /** Validates a value that need not fit. */
  #try(
    schema: JsonSchema,
    value: unknown = this.#subject.value,
    failures?: Failure[],
    ...key: readonly number[]
  ): Evaluated | undefined {
    const { root, path } = this.#subject;
    return validate(schema, { root, value, path: failures ? [...path, ...key] : path, failures });
  }

  #addEvaluated(evaluated: Evaluated | undefined): void {
    if (evaluated === undefined) this.fits = false;
    for (const key of evaluated ?? []) this.evaluated.add(key);
  }

  #validateValue(value: unknown): void {
    const { type, enum: values = listConst(this.#schema) } = this.#schema;
    const types = typeof type === "string" ? [type] : type;
    if (types)
      this.#require(
        "type",
        types.some((name) => isOfType(value, name)),
        () => describeTypeMisfit(types, value),
      );
    if (values) {
      this.#subject.root.judge?.spend(values.length / COMPARED_PER_STEP);
      this.#require(
        "enum",
        values.some((item) => isEqual(item, value)),
        () => describeValueMisfit(values),
      );
    }
  }

  #validateNumber(value: number): void {
    const { minimum = -Infinity, maximum = Infinity, multipleOf } = this.#schema;
    const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = this.#schema;
    const tooSmall = (bound: string) => () => `Too small: expected number to be ${bound}`;
    const tooBig = (bound: string) => () => `Too big: expected number to be ${bound}`;
    this.#require("minimum", value >= minimum, tooSmall(`>=${minimum}`));
    this.#require("exclusiveMinimum", value > exclusiveMinimum, tooSmall(`>${exclusiveMinimum}`));
    this.#require("maximum", value <= maximum, tooBig(`<=${maximum}`));
    this.#require("exclusiveMaximum", value < exclusiveMaximum, tooBig(`<${exclusiveMaximum}`));
    if (multipleOf !== undefined)
      this.#require(
        "multipleOf",
        isMultipleOf(value, multipleOf),
        () => `Invalid number: must be a multiple of ${multipleOf}`,
      );
  }

  #validateString(value: string): void {
    const { minLength = 0, maxLength = Infinity, pattern, format } = this.#schema;
    const { matches } = this.#subject.root;
    const length = Array.from(value).length;
    this.#require(
      "minLength",
      length >= minLength,
      () => `Too small: expected string to have >=${minLength} characters`,
    );
    this.#require(
      "maxLength",
      length <= maxLength,
      () => `Too big: expected string to have <=${maxLength} characters`,
    );
    if (pattern !== undefined)
      this.#require(
        "pattern",
        matches(pattern, value),
        () => `Invalid string: must match pattern /${pattern}/u`,
      );
    if (format !== undefined)
      this.#require("format", hasFormat(value, format), () => `Invalid string: must be of format ${format}`);
  }

  #validateItems(value: readonly unknown[]): void {
    const { minItems = 0, maxItems = Infinity, uniqueItems, prefixItems = [], items } = this.#schema;
    this.#require(
      "minItems",
      value.length >= minItems,
      () => `Too small: expected array to have >=${minItems} items`,
    );
    this.#require(
      "maxItems",
      value.length <= maxItems,
      () => `Too big: expected array to have <=${maxItems} items`,
    );
    const duplicates = uniqueItems === true ? findDuplicates(value) : [];
    for (const index of duplicates) this.#fail("uniqueItems", () => DUPLICATE_ITEM, index);
    for (const [index, item] of value.entries()) {
      const schema = prefixItems[index] ?? items;
      if (schema !== undefined) this.#validatePart(schema, item, index);
    }
    this.#validateContains(value);
  }

  #validateContains(value: readonly unknown[]): void {
    const { contains, minContains = 1, maxContains = Infinity } = this.#schema;
    if (contains === undefined) return;
    const inner: Failure[] = [];
    const fitting = [...value.keys()].filter((index) => {
      const failures = this.#collectInner();
      const fits = this.#try(contains, value[index], failures, index) !== undefined;
      inner.push(...(failures ?? []));
      return fits;
    });
    for (const index of fitting) this.evaluated.add(index);
    const { length } = fitting;
    if (length < minContains)
      this.#fail(
        "contains",
        () => `Too few matching items: ${length}, expected at least ${minContains}`,
        undefined,
        [inner],
      );
    this.#require(
      "contains",
      length <= maxContains,
      () => `Too many matching items: ${length}, expected at most ${maxContains}`,
    );
  }

  #validateProperties(value: { readonly [key: string]: unknown }): void {
    const { properties = {}, patternProperties = {}, additionalProperties, propertyNames } = this.#schema;
    const { matches, judge } = this.#subject.root;
    const keys = definedKeys(value);
    const patterns = Object.entries(patternProperties);
    const unknown: string[] = [];
    let undeclared = 0;
    this.#validatePresence(keys);
    if (propertyNames !== undefined) for (const key of keys) this.#validateName(propertyNames, key);
    for (const key of keys) {
      const schemas = Object.hasOwn(properties, key) ? [properties[key]] : [];
      for (const [pattern, schema] of patterns) if (matches(pattern, key)) schemas.push(schema);
      if (schemas.length === 0) undeclared += 1;
      if (schemas.length === 0 && additionalProperties === false) unknown.push(key);
      else
        for (const schema of schemas.length > 0 ? schemas : [additionalProperties]) {
          if (schema !== undefined) this.#validatePart(schema, value[key], key);
        }
    }
    judge?.spend(undeclared / KEYS_PER_STEP);
    for (const key of unknown) this.evaluated.add(key);
    if (unknown.length > 0) this.#refuse("additionalProperties", unknown, describeUnknown(unknown));
  }

  #validateName(schema: JsonSchema, name: string): void {
    const failures = this.#collectInner();
    if (this.#try(schema, name, failures) === undefined)
      this.#fail("propertyNames", () => "Invalid property name", name, failures && [failures]);
  }

  /** Returns a list for the failures of a schema for a part of a rule, which only a judge reads. */
  #collectInner(): Failure[] | undefined {
    const { root, failures } = this.#subject;
    return root.judge && failures && [];
  }

  #validatePresence(keys: readonly string[]): void {
    const { required = [], minProperties = 0, maxProperties = Infinity } = this.#schema;
    const { dependentRequired = {}, dependentSchemas = {} } = this.#schema;
    const present = new Set(keys);
    const dependents = Object.entries(dependentRequired);
    this.#subject.root.judge?.spend((required.length + dependents.length) / COMPARED_PER_STEP);
    for (const name of required)
      this.#require("required", present.has(name), () => "Required property is missing", name);
    for (const [name, others] of dependents) {
      for (const other of present.has(name) ? others : [])
        this.#require(
          "dependentRequired",
          present.has(other),
          () => `Required together with "${name}"`,
          other,
        );
    }
    const { length } = keys;
    this.#require(
      "minProperties",
      length >= minProperties,
      () => `Too few properties: expected at least ${minProperties}`,
    );
    this.#require(
      "maxProperties",
      length <= maxProperties,
      () => `Too many properties: expected at most ${maxProperties}`,
    );
    for (const [name, schema] of Object.entries(dependentSchemas)) {
      if (present.has(name)) this.#validateWhole(schema);
    }
  }

  #validateCombined(): void {
    const { $ref, allOf = [], anyOf, oneOf, not } = this.#schema;
    if ($ref !== undefined)
      this.#validateWhole(this.#subject.root.definitions[$ref.slice("#/$defs/".length)] ?? true);
    for (const schema of allOf) this.#validateWhole(schema);
    if (anyOf !== undefined) this.#validateUnion("anyOf", anyOf);
    if (oneOf !== undefined) this.#validateUnion("oneOf", oneOf);
    if (not !== undefined)
      this.#require(
        "not",
        this.#try(not) === undefined,
        () => "Invalid input: fits a schema that it must not fit",
      );
    this.#validateCondition();
  }

  #validateUnion(keyword: "anyOf" | "oneOf", branches: readonly JsonSchema[]): void {
    const fitting: Evaluated[] = [];
    const inner: Failure[][] = [];
    for (const schema of branches) {
      const failures: Failure[] | undefined = this.#subject.failures && [];
      const evaluated = validate(schema, { ...this.#subject, failures });
      if (evaluated !== undefined) fitting.push(evaluated);
      else inner.push(failures ?? []);
    }
    if (fitting.length === 0)
      this.#fail(
        keyword,
        () => ({ ...misfitAt([], "Invalid input: fits none of the alternatives"), errors: [] }),
        undefined,
        inner,
      );
    if (keyword === "oneOf" && fitting.length > 1)
      this.#fail(keyword, () => "Invalid input: fits more than one alternative", undefined, inner);
    for (const evaluated of fitting) this.#addEvaluated(evaluated);
  }

  #validateCondition(): void {
    const { if: condition, then = true, else: otherwise = true } = this.#schema;
    if (condition === undefined) return;
    const evaluated = this.#try(condition);
    if (evaluated) this.#addEvaluated(evaluated);
    this.#validateWhole(evaluated ? then : otherwise);
  }

  #validateRest<K extends string | number>(
    keyword: "unevaluatedItems" | "unevaluatedProperties",
    keys: readonly K[],
    value: { readonly [P in K]: unknown },
  ): void {
    const schema = this.#schema[keyword];
    if (schema === undefined) return;
    // A schema that the value does not fit evaluates nothing: its keys may be known.
    const describe = this.fits ? describeRefused : describeNotAllowed;
    for (const key of keys) {
      if (this.evaluated.has(key)) continue;
      if (schema === false) this.#refuse(keyword, typeof key === "string" ? [key] : [], describe(key));
      else this.#validatePart(schema, value[key], key);
    }
  }
}
