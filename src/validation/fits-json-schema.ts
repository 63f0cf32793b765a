import { DUPLICATE_ITEM, findDuplicates } from "./array-checks.js";
import { type Check, isObject, keysOf } from "./check.js";
import { isEqual } from "../contract/json-equals.js";
import { hasFormat } from "./format.js";
import type { JsonSchema, JsonSchemaObject, JsonTypeName } from "./json-schema.js";
import { withKeyRules, type WithKeyRules } from "./key-rules.js";
import {
  describeType,
  describeUnknown,
  describeValues,
  misfitAt,
  MOST_MISFITS,
  type Misfit,
} from "./misfit.js";
import { isMultiple } from "./number-checks.js";

/** The value fits the JSON Schema, which is interpreted: for what depends on which of several schemas hold. */
export function fitsJsonSchema(schema: JsonSchema): Check & WithKeyRules {
  const root = rootOf(schema);
  const check: Check = (payload) => {
    const misfits: Misfit[] = [];
    judge(schema, { root, value: payload.value, path: [], misfits });
    // Zod takes issues of any code but "custom" for its own.
    for (const misfit of misfits) payload.issues.push({ ...misfit, code: "custom", input: payload.value });
  };
  return withKeyRules(check, { also: [{ kind: "json", schema, definitions: root.definitions }] });
}

/** Whether a value fits the JSON Schema, without what is wrong with it. */
export function createValidator(schema: JsonSchema): (value: unknown) => boolean {
  const root = rootOf(schema);
  return (value) => judge(schema, { root, value, path: [] }) !== undefined;
}

function rootOf(schema: JsonSchema): Root {
  return { definitions: (typeof schema === "object" && schema.$defs) || {}, patterns: new Map() };
}

interface Root {
  readonly definitions: { readonly [name: string]: JsonSchema };
  readonly patterns: Map<string, RegExp>;
}

/** A value being judged. */
interface Subject {
  readonly root: Root;
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
  /** Takes what is wrong with the value; absent where only the verdict counts. */
  readonly misfits?: Misfit[];
}

/** The keys or places of a value that a schema has evaluated. */
type Evaluated = ReadonlySet<string | number>;

/** What of the value the schema evaluates; undefined when the value does not fit it. */
function judge(schema: JsonSchema, subject: Subject): Evaluated | undefined {
  if (typeof schema === "boolean") {
    if (!schema) subject.misfits?.push(misfitAt(subject.path, "Invalid input: nothing is allowed here"));
    return schema ? new Set() : undefined;
  }
  const judgement = new Judgement(schema, subject);
  judgement.judge();
  return judgement.fits ? judgement.evaluated : undefined;
}

class Judgement {
  readonly evaluated = new Set<string | number>();
  fits = true;
  readonly #schema: JsonSchemaObject;
  readonly #subject: Subject;

  constructor(schema: JsonSchemaObject, subject: Subject) {
    this.#schema = schema;
    this.#subject = subject;
  }

  judge(): void {
    const { value } = this.#subject;
    this.#judgeValue(value);
    if (typeof value === "number") this.#judgeNumber(value);
    if (typeof value === "string") this.#judgeString(value);
    if (Array.isArray(value)) this.#judgeItems(value);
    if (isObject(value)) this.#judgeProperties(value);
    this.#judgeCombined();
    // Last, when all is known that the others evaluate.
    if (Array.isArray(value)) this.#judgeRest(this.#schema.unevaluatedItems, [...value.keys()], value);
    if (isObject(value)) this.#judgeRest(this.#schema.unevaluatedProperties, keysOf(value), value);
  }

  /** Demands a condition. The issue is put into words only where there is somebody to read them. */
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

  /** Judges a part of the value. */
  #part(schema: JsonSchema, value: unknown, key: string | number): void {
    const { path } = this.#subject;
    this.evaluated.add(key);
    if (judge(schema, { ...this.#subject, value, path: [...path, key] }) === undefined) this.fits = false;
  }

  /** Judges the value itself, which must fit. */
  #whole(schema: JsonSchema): void {
    this.#take(judge(schema, this.#subject));
  }

  /** Judges a value that need not fit. */
  #try(schema: JsonSchema, value: unknown = this.#subject.value): Evaluated | undefined {
    return judge(schema, { root: this.#subject.root, value, path: [] });
  }

  #take(evaluated: Evaluated | undefined): void {
    if (evaluated === undefined) this.fits = false;
    for (const key of evaluated ?? []) this.evaluated.add(key);
  }

  #judgeValue(value: unknown): void {
    const { type, enum: values } = this.#schema;
    const types = typeof type === "string" ? [type] : type;
    if (types)
      this.#require(
        types.some((one) => isOfType(value, one)),
        () => describeType(types, value),
      );
    if (values)
      this.#require(
        values.some((one) => isEqual(one, value)),
        () => describeValues(values),
      );
  }

  #judgeNumber(value: number): void {
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
        isMultiple(value, multipleOf),
        () => `Invalid number: must be a multiple of ${multipleOf}`,
      );
  }

  #judgeString(value: string): void {
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
    const regex = patterns.get(pattern) ?? compilePattern(pattern);
    patterns.set(pattern, regex);
    return regex.test(value);
  }

  #judgeItems(value: readonly unknown[]): void {
    const { minItems = 0, maxItems = Infinity, uniqueItems, prefixItems = [], items } = this.#schema;
    this.#require(value.length >= minItems, () => `Too small: expected array to have >=${minItems} items`);
    this.#require(value.length <= maxItems, () => `Too big: expected array to have <=${maxItems} items`);
    const duplicates = uniqueItems === true ? findDuplicates(value) : [];
    for (const index of duplicates) this.#require(false, () => DUPLICATE_ITEM, index);
    for (const [index, item] of value.entries()) {
      const schema = prefixItems[index] ?? items;
      if (schema !== undefined) this.#part(schema, item, index);
    }
    this.#judgeContains(value);
  }

  #judgeContains(value: readonly unknown[]): void {
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

  #judgeProperties(value: { readonly [key: string]: unknown }): void {
    const { properties = {}, patternProperties = {}, additionalProperties, propertyNames } = this.#schema;
    const keys = keysOf(value);
    const unknown: string[] = [];
    this.#judgePresence(keys);
    for (const key of keys) {
      const named = Object.hasOwn(properties, key) ? [properties[key]] : [];
      const matched = Object.entries(patternProperties).flatMap(([pattern, schema]) =>
        this.#matches(pattern, key) ? [schema] : [],
      );
      const schemas = [...named, ...matched];
      if (schemas.length === 0 && additionalProperties === false) unknown.push(key);
      else
        for (const schema of schemas.length > 0 ? schemas : [additionalProperties]) {
          if (schema !== undefined) this.#part(schema, value[key], key);
        }
      if (propertyNames !== undefined)
        this.#require(this.#try(propertyNames, key) !== undefined, () => "Invalid property name", key);
    }
    for (const key of unknown) this.evaluated.add(key);
    this.#require(unknown.length === 0, () => describeUnknown(unknown));
  }

  #judgePresence(keys: readonly string[]): void {
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
      if (present.has(name)) this.#whole(schema);
    }
  }

  #judgeCombined(): void {
    const { $ref, allOf = [], anyOf, oneOf, not } = this.#schema;
    if ($ref !== undefined)
      this.#whole(this.#subject.root.definitions[$ref.slice("#/$defs/".length)] ?? true);
    for (const schema of allOf) this.#whole(schema);
    if (anyOf !== undefined) this.#judgeUnion(anyOf, false);
    if (oneOf !== undefined) this.#judgeUnion(oneOf, true);
    if (not !== undefined)
      this.#require(this.#try(not) === undefined, () => "Invalid input: fits a schema that it must not fit");
    this.#judgeCondition();
  }

  #judgeUnion(branches: readonly JsonSchema[], isExclusive: boolean): void {
    const { root, value } = this.#subject;
    const fitting: Evaluated[] = [];
    const errors: Misfit[][] = [];
    for (const schema of branches) {
      const misfits: Misfit[] | undefined = this.#subject.misfits && [];
      const evaluated = judge(schema, { root, value, path: [], ...(misfits && { misfits }) });
      if (evaluated !== undefined) fitting.push(evaluated);
      else errors.push(misfits ?? []);
    }
    // As an issue of a union in Zod: `explainIssue` finds the branch that was meant.
    this.#require(fitting.length > 0, () => ({
      ...misfitAt([], "Invalid input: fits none of the alternatives"),
      errors,
    }));
    if (isExclusive) this.#require(fitting.length < 2, () => "Invalid input: fits more than one alternative");
    for (const evaluated of fitting) this.#take(evaluated);
  }

  #judgeCondition(): void {
    const { if: condition, then = true, else: otherwise = true } = this.#schema;
    if (condition === undefined) return;
    const evaluated = this.#try(condition);
    if (evaluated) this.#take(evaluated);
    this.#whole(evaluated ? then : otherwise);
  }

  #judgeRest<K extends string | number>(
    schema: JsonSchema | undefined,
    keys: readonly K[],
    value: { readonly [P in K]: unknown },
  ): void {
    if (schema === undefined) return;
    for (const key of keys) {
      if (this.evaluated.has(key)) continue;
      if (schema === false) this.#require(false, () => "Nothing in the schema allows this", key);
      else this.#part(schema, value[key], key);
    }
  }
}

function isOfType(value: unknown, type: JsonTypeName): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

/** A pattern as JSON Schema reads it. It asks for Unicode; some patterns in use are not valid under that flag. */
export function compilePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}
