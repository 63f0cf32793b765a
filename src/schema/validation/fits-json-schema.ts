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
    const misfits: Misfit[] = [];
    validate(schema, { root, value: payload.value, path: [], misfits });
    // Zod treats issues with any code except "custom" as its own.
    for (const misfit of misfits) payload.issues.push({ ...misfit, code: "custom", input: payload.value });
  };
}

/** Returns a function that checks whether a value fits the JSON Schema, without collecting issues. */
export function createValidator(schema: JsonSchema): (value: unknown) => boolean {
  const root = rootOf(schema);
  return (value) => validate(schema, { root, value, path: [] }) !== undefined;
}

function rootOf(schema: JsonSchema): Root {
  return { definitions: (typeof schema === "object" && schema.$defs) || {}, patterns: new Map() };
}

interface Root {
  readonly definitions: { readonly [name: string]: JsonSchema };
  readonly patterns: Map<string, RegExp>;
}

interface Subject {
  readonly root: Root;
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
  /** Collects issues; absent if only the result counts. */
  readonly misfits?: Misfit[] | undefined;
}

function listConst(schema: JsonSchemaObject): readonly unknown[] | undefined {
  return "const" in schema ? [schema.const] : undefined;
}

/** The keys or indices of a value that a schema has evaluated. */
type Evaluated = ReadonlySet<string | number>;

/** Returns the evaluated parts of the value; undefined if the value does not fit the schema. */
function validate(schema: JsonSchema, subject: Subject): Evaluated | undefined {
  if (typeof schema === "boolean") {
    if (!schema) subject.misfits?.push(misfitAt(subject.path, "Invalid input: nothing is allowed here"));
    return schema ? new Set() : undefined;
  }
  const validation = new Validation(schema, subject);
  validation.validate();
  return validation.fits ? validation.evaluated : undefined;
}

class Validation {
  readonly evaluated = new Set<string | number>();
  fits = true;
  readonly #schema: JsonSchemaObject;
  readonly #subject: Subject;

  constructor(schema: JsonSchemaObject, subject: Subject) {
    this.#schema = schema;
    this.#subject = subject;
  }

  validate(): void {
    const { value } = this.#subject;
    this.#validateValue(value);
    if (typeof value === "number") this.#validateNumber(value);
    if (typeof value === "string") this.#validateString(value);
    if (Array.isArray(value)) this.#validateItems(value);
    if (isJsonObject(value)) this.#validateProperties(value);
    this.#validateCombined();
    // Last, since these keywords depend on what all others evaluated.
    if (Array.isArray(value)) this.#validateRest(this.#schema.unevaluatedItems, [...value.keys()], value);
    if (isJsonObject(value))
      this.#validateRest(this.#schema.unevaluatedProperties, definedKeys(value), value);
  }

  /** Requires a condition. The message is built only if issues are collected. */
  #require(condition: boolean, describe: () => string | Misfit, key?: string | number): void {
    if (condition) return;
    this.fits = false;
    const { misfits, path } = this.#subject;
    if (misfits === undefined || misfits.length >= MOST_MISFITS) return;
    const described = describe();
    const place = key === undefined ? path : [...path, key];
    misfits.push(
      typeof described === "string" ? misfitAt(place, described) : { ...described, path: [...place] },
    );
  }

  /** Adds an issue with unknown keys, past the limit too: the rest can be judged only without all of them. */
  #refuse(misfit: Misfit): void {
    this.fits = false;
    const { misfits, path } = this.#subject;
    misfits?.push({ ...misfit, path: [...path, ...misfit.path] });
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
  #try(schema: JsonSchema, value: unknown = this.#subject.value): Evaluated | undefined {
    return validate(schema, { root: this.#subject.root, value, path: [] });
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
        types.some((one) => isOfType(value, one)),
        () => describeTypeMisfit(types, value),
      );
    if (values)
      this.#require(
        values.some((one) => isEqual(one, value)),
        () => describeValueMisfit(values),
      );
  }

  #validateNumber(value: number): void {
    const { minimum = -Infinity, maximum = Infinity, multipleOf } = this.#schema;
    const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = this.#schema;
    const tooSmall = (bound: string) => () => `Too small: expected number to be ${bound}`;
    const tooBig = (bound: string) => () => `Too big: expected number to be ${bound}`;
    this.#require(value >= minimum, tooSmall(`>=${minimum}`));
    this.#require(value > exclusiveMinimum, tooSmall(`>${exclusiveMinimum}`));
    this.#require(value <= maximum, tooBig(`<=${maximum}`));
    this.#require(value < exclusiveMaximum, tooBig(`<${exclusiveMaximum}`));
    if (multipleOf !== undefined)
      this.#require(
        isMultipleOf(value, multipleOf),
        () => `Invalid number: must be a multiple of ${multipleOf}`,
      );
  }

  #validateString(value: string): void {
    const { minLength = 0, maxLength = Infinity, pattern, format } = this.#schema;
    const length = Array.from(value).length;
    this.#require(length >= minLength, () => `Too small: expected string to have >=${minLength} characters`);
    this.#require(length <= maxLength, () => `Too big: expected string to have <=${maxLength} characters`);
    if (pattern !== undefined)
      this.#require(this.#matches(pattern, value), () => `Invalid string: must match pattern /${pattern}/u`);
    if (format !== undefined)
      this.#require(hasFormat(value, format), () => `Invalid string: must be of format ${format}`);
  }

  #matches(pattern: string, value: string): boolean {
    const { patterns } = this.#subject.root;
    const regex = patterns.get(pattern) ?? compileRegex(pattern);
    patterns.set(pattern, regex);
    return regex.test(value);
  }

  #validateItems(value: readonly unknown[]): void {
    const { minItems = 0, maxItems = Infinity, uniqueItems, prefixItems = [], items } = this.#schema;
    this.#require(value.length >= minItems, () => `Too small: expected array to have >=${minItems} items`);
    this.#require(value.length <= maxItems, () => `Too big: expected array to have <=${maxItems} items`);
    const duplicates = uniqueItems === true ? findDuplicates(value) : [];
    for (const index of duplicates) this.#require(false, () => DUPLICATE_ITEM, index);
    for (const [index, item] of value.entries()) {
      const schema = prefixItems[index] ?? items;
      if (schema !== undefined) this.#validatePart(schema, item, index);
    }
    this.#validateContains(value);
  }

  #validateContains(value: readonly unknown[]): void {
    const { contains, minContains = 1, maxContains = Infinity } = this.#schema;
    if (contains === undefined) return;
    const found = [...value.keys()].filter((index) => this.#try(contains, value[index]) !== undefined);
    for (const index of found) this.evaluated.add(index);
    const { length } = found;
    this.#require(
      length >= minContains,
      () => `Too few matching items: ${length}, expected at least ${minContains}`,
    );
    this.#require(
      length <= maxContains,
      () => `Too many matching items: ${length}, expected at most ${maxContains}`,
    );
  }

  #validateProperties(value: { readonly [key: string]: unknown }): void {
    const { properties = {}, patternProperties = {}, additionalProperties, propertyNames } = this.#schema;
    const keys = definedKeys(value);
    const unknown: string[] = [];
    this.#validatePresence(keys);
    for (const key of keys) {
      const named = Object.hasOwn(properties, key) ? [properties[key]] : [];
      const matched = Object.entries(patternProperties).flatMap(([pattern, schema]) =>
        this.#matches(pattern, key) ? [schema] : [],
      );
      const schemas = [...named, ...matched];
      if (schemas.length === 0 && additionalProperties === false) unknown.push(key);
      else
        for (const schema of schemas.length > 0 ? schemas : [additionalProperties]) {
          if (schema !== undefined) this.#validatePart(schema, value[key], key);
        }
      if (propertyNames !== undefined)
        this.#require(this.#try(propertyNames, key) !== undefined, () => "Invalid property name", key);
    }
    for (const key of unknown) this.evaluated.add(key);
    if (unknown.length > 0) this.#refuse(describeUnknown(unknown));
  }

  #validatePresence(keys: readonly string[]): void {
    const { required = [], minProperties = 0, maxProperties = Infinity } = this.#schema;
    const { dependentRequired = {}, dependentSchemas = {} } = this.#schema;
    const present = new Set(keys);
    for (const name of required) this.#require(present.has(name), () => "Required property is missing", name);
    for (const [name, others] of Object.entries(dependentRequired).filter(([one]) => present.has(one))) {
      for (const other of others)
        this.#require(present.has(other), () => `Required together with "${name}"`, other);
    }
    const { length } = keys;
    this.#require(length >= minProperties, () => `Too few properties: expected at least ${minProperties}`);
    this.#require(length <= maxProperties, () => `Too many properties: expected at most ${maxProperties}`);
    for (const [name, schema] of Object.entries(dependentSchemas)) {
      if (present.has(name)) this.#validateWhole(schema);
    }
  }

  #validateCombined(): void {
    const { $ref, allOf = [], anyOf, oneOf, not } = this.#schema;
    if ($ref !== undefined)
      this.#validateWhole(this.#subject.root.definitions[$ref.slice("#/$defs/".length)] ?? true);
    for (const schema of allOf) this.#validateWhole(schema);
    if (anyOf !== undefined) this.#validateUnion(anyOf, false);
    if (oneOf !== undefined) this.#validateUnion(oneOf, true);
    if (not !== undefined)
      this.#require(this.#try(not) === undefined, () => "Invalid input: fits a schema that it must not fit");
    this.#validateCondition();
  }

  #validateUnion(branches: readonly JsonSchema[], isExclusive: boolean): void {
    const { root, value } = this.#subject;
    const fitting: Evaluated[] = [];
    const errors: Misfit[][] = [];
    for (const schema of branches) {
      const misfits: Misfit[] | undefined = this.#subject.misfits && [];
      const evaluated = validate(schema, { root, value, path: [], misfits });
      if (evaluated !== undefined) fitting.push(evaluated);
      else errors.push(misfits ?? []);
    }
    // The form of a union issue in Zod: `explainIssue` finds the closest branch.
    this.#require(fitting.length > 0, () => ({
      ...misfitAt([], "Invalid input: fits none of the alternatives"),
      errors,
    }));
    if (isExclusive) this.#require(fitting.length < 2, () => "Invalid input: fits more than one alternative");
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
    schema: JsonSchema | undefined,
    keys: readonly K[],
    value: { readonly [P in K]: unknown },
  ): void {
    if (schema === undefined) return;
    // A schema that the value does not fit evaluates nothing: its keys may be known.
    const describe = this.fits ? describeRefused : describeNotAllowed;
    for (const key of keys) {
      if (this.evaluated.has(key)) continue;
      if (schema === false) this.#refuse(describe(key));
      else this.#validatePart(schema, value[key], key);
    }
  }
}
