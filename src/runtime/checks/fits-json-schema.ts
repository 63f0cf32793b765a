import { hasUniqueItems } from "./array-checks.js";
import { type Check, isObject, keysOf, report } from "./check.js";
import { isEqual } from "./equals.js";
import { hasFormat } from "./format.js";
import type { JsonSchema, JsonSchemaObject, JsonTypeName } from "./json-schema.js";
import { withKeyRules, type WithKeyRules } from "./key-rules.js";
import { isMultiple } from "./number-checks.js";

/** The value fits the JSON Schema, which is interpreted: for what depends on which of several schemas hold. */
export function fitsJsonSchema(schema: JsonSchema): Check & WithKeyRules {
  const root: Root = { definitions: (typeof schema === "object" && schema.$defs) || {}, patterns: new Map() };
  const check: Check = (payload) => {
    judge(schema, {
      root,
      value: payload.value,
      path: [],
      misfit: (message, path) => {
        report(payload, message, path);
      },
    });
  };
  return withKeyRules(check, { also: [{ kind: "json", schema, definitions: root.definitions }] });
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
  readonly misfit: (message: string, path: readonly PropertyKey[]) => void;
}

/** The keys or places of a value that a schema has evaluated. */
type Evaluated = ReadonlySet<string | number>;

/** What of the value the schema evaluates; undefined when the value does not fit it. */
function judge(schema: JsonSchema, subject: Subject): Evaluated | undefined {
  if (typeof schema === "boolean") {
    if (!schema) subject.misfit("Invalid input: nothing is allowed here", subject.path);
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

  #require(condition: boolean, message: string, path: readonly PropertyKey[] = []): void {
    if (condition) return;
    this.fits = false;
    this.#subject.misfit(message, [...this.#subject.path, ...path]);
  }

  /** Judges a part of the value, and says what is wrong with it. */
  #part(schema: JsonSchema, value: unknown, key: string | number): void {
    const { root, path, misfit } = this.#subject;
    this.evaluated.add(key);
    if (judge(schema, { root, value, path: [...path, key], misfit }) === undefined) this.fits = false;
  }

  /** Judges the value itself, which must fit. */
  #whole(schema: JsonSchema): void {
    this.#take(judge(schema, this.#subject));
  }

  /** Judges a value that need not fit. */
  #try(schema: JsonSchema, value: unknown = this.#subject.value): Evaluated | undefined {
    return judge(schema, { root: this.#subject.root, value, path: [], misfit: ignore });
  }

  #take(evaluated: Evaluated | undefined): void {
    if (evaluated === undefined) this.fits = false;
    for (const key of evaluated ?? []) this.evaluated.add(key);
  }

  #judgeValue(value: unknown): void {
    const { type, enum: values } = this.#schema;
    const types = typeof type === "string" ? [type] : type;
    if (types) this.#require(types.some((one) => isOfType(value, one)), `Invalid input: expected ${types.join(" or ")}`); // prettier-ignore
    if (values) this.#require(values.some((one) => isEqual(one, value)), "Invalid input: none of the allowed values"); // prettier-ignore
  }

  #judgeNumber(value: number): void {
    const { minimum = -Infinity, maximum = Infinity, multipleOf } = this.#schema;
    const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = this.#schema;
    this.#require(value >= minimum && value > exclusiveMinimum, "Too small");
    this.#require(value <= maximum && value < exclusiveMaximum, "Too big");
    if (multipleOf !== undefined)
      this.#require(isMultiple(value, multipleOf), `Invalid number: must be a multiple of ${multipleOf}`);
  }

  #judgeString(value: string): void {
    const { minLength = 0, maxLength = Infinity, pattern, format } = this.#schema;
    const length = Array.from(value).length;
    this.#require(length >= minLength, `Too short: expected at least ${minLength} characters`);
    this.#require(length <= maxLength, `Too long: expected at most ${maxLength} characters`);
    if (pattern !== undefined)
      this.#require(this.#matches(pattern, value), `Invalid string: must match ${pattern}`);
    if (format !== undefined) this.#require(hasFormat(value, format), `Invalid string: must be of format ${format}`); // prettier-ignore
  }

  #matches(pattern: string, value: string): boolean {
    const { patterns } = this.#subject.root;
    const regex = patterns.get(pattern) ?? compilePattern(pattern);
    patterns.set(pattern, regex);
    return regex.test(value);
  }

  #judgeItems(value: readonly unknown[]): void {
    const { minItems = 0, maxItems = Infinity, uniqueItems, prefixItems = [], items } = this.#schema;
    this.#require(value.length >= minItems, `Too few items: expected at least ${minItems}`);
    this.#require(value.length <= maxItems, `Too many items: expected at most ${maxItems}`);
    if (uniqueItems === true) this.#require(hasUniqueItems(value), "Duplicate item");
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
    this.#require(found.length >= minContains, `Too few matching items: expected at least ${minContains}`);
    this.#require(found.length <= maxContains, `Too many matching items: expected at most ${maxContains}`);
  }

  #judgeProperties(value: { readonly [key: string]: unknown }): void {
    const { properties = {}, patternProperties = {}, additionalProperties, propertyNames } = this.#schema;
    const keys = keysOf(value);
    this.#judgePresence(keys);
    for (const key of keys) {
      const named = Object.hasOwn(properties, key) ? [properties[key]] : [];
      const matched = Object.entries(patternProperties).flatMap(([pattern, schema]) =>
        this.#matches(pattern, key) ? [schema] : [],
      );
      const schemas = [...named, ...matched];
      for (const schema of schemas.length > 0 ? schemas : [additionalProperties]) {
        if (schema !== undefined) this.#part(schema, value[key], key);
      }
      if (propertyNames !== undefined)
        this.#require(this.#try(propertyNames, key) !== undefined, "Invalid property name", [key]);
    }
  }

  #judgePresence(keys: readonly string[]): void {
    const { required = [], minProperties = 0, maxProperties = Infinity } = this.#schema;
    const { dependentRequired = {}, dependentSchemas = {} } = this.#schema;
    const present = new Set(keys);
    const depended = Object.entries(dependentRequired).flatMap(([name, names]) => present.has(name) ? names : []); // prettier-ignore
    for (const name of [...required, ...depended])
      this.#require(present.has(name), "Required property is missing", [name]);
    this.#require(keys.length >= minProperties, `Too few properties: expected at least ${minProperties}`);
    this.#require(keys.length <= maxProperties, `Too many properties: expected at most ${maxProperties}`);
    for (const [name, schema] of Object.entries(dependentSchemas)) {
      if (present.has(name)) this.#whole(schema);
    }
  }

  #judgeCombined(): void {
    const { $ref, allOf = [], anyOf, oneOf, not } = this.#schema;
    if ($ref !== undefined)
      this.#whole(this.#subject.root.definitions[$ref.slice("#/$defs/".length)] ?? true);
    for (const schema of allOf) this.#whole(schema);
    for (const branches of [anyOf, oneOf]) {
      if (branches === undefined) continue;
      const fitting = branches.flatMap((schema) => this.#try(schema) ?? []);
      this.#require(fitting.length > 0, "Invalid input: fits none of the alternatives");
      if (branches === oneOf)
        this.#require(fitting.length < 2, "Invalid input: fits more than one alternative");
      for (const evaluated of fitting) this.#take(evaluated);
    }
    if (not !== undefined)
      this.#require(this.#try(not) === undefined, "Invalid input: fits a schema that it must not fit");
    this.#judgeCondition();
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
      if (schema === false) this.#require(false, "Nothing in the schema allows this", [key]);
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

function ignore(): void {
  // Of a value that need not fit nothing is said.
}
