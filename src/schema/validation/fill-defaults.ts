import { isEqual, isJsonArray, isJsonObject } from "../../core/json.js";
import type {
  ArrayNode,
  Definitions,
  Dialect,
  FormatRule,
  ObjectNode,
  SchemaIR,
} from "../../core/schema-ir.js";
import { type Choice, collectParts, findDefault } from "../ir/subschemas.js";
import { parseSchema } from "../ir/parse-schema.js";
import { compilePattern } from "../pattern/pattern.js";
import { compileValidator, type SchemaValidator } from "./compile-validator.js";

/** The deepest level of defaults: in a recursive schema they may nest without end. */
const MAX_DEPTH = 64;
/** The most defaults to fill in: two definitions that refer to each other twice would not end. */
const MAX_DEFAULTS = 1_000;
/** The most visits of a part of the value by a part of the schema. */
const MAX_STEPS = 100_000;
/** How to parse a schema that does not declare its dialect. */
interface SchemaLanguage {
  readonly dialect?: Dialect | undefined;
  readonly formats?: FormatRule | undefined;
}

/**
 * Returns the value with the `default` of every absent optional key, at every depth. Returns the same object if there is
 * nothing to fill in. A required key is never filled in.
 *
 * In `anyOf`, `oneOf` and `if`, only branches that fit the value count; if several fit, only defaults that they share.
 * A default is omitted in unevaluated parts, if its own schema rejects it, or if it would change which branches fit or make the value invalid.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be read
 */
export function fillDefaults(value: unknown, schema: unknown, language: SchemaLanguage = {}): unknown {
  if (!isJsonObject(schema)) return value;
  const { dialect, formats } = language;
  const { ir, definitions } = parseSchema(schema, { defaultDialect: dialect, formats });
  return new Filler(definitions).fill(value, ir, 0, new Set());
}

type JsonLike = { readonly [key: string]: unknown };

class Filler {
  readonly #definitions: Definitions;
  readonly #validators = new Map<SchemaIR, SchemaValidator>();
  #defaultsLeft = MAX_DEFAULTS;
  #stepsLeft = MAX_STEPS;

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  /** @param required keys of the value that an enclosing schema requires */
  fill(value: unknown, node: SchemaIR, depth: number, required: ReadonlySet<string>): unknown {
    this.#stepsLeft -= 1;
    if (depth > MAX_DEPTH || this.#stepsLeft < 0) return value;
    const { objects, arrays, choices } = collectParts(node, this.#definitions);
    let filled = value;
    if (isJsonArray(value)) {
      for (const array of arrays)
        filled = this.#fillItems(isJsonArray(filled) ? filled : value, array, depth);
    } else if (!isJsonObject(value)) return value;
    const must = isJsonObject(value) ? this.#findRequired(value, node, required) : required;
    for (const object of objects)
      if (isJsonObject(filled)) filled = this.#fillProperties(filled, object, depth, must);
    // A default may make another branch fit, so repeat until nothing changes. Conditions come last, to see all defaults.
    const ordered = [...choices].sort(
      (a, b) => Number(a.kind === "condition") - Number(b.kind === "condition"),
    );
    for (let before: unknown; before !== filled;) {
      before = filled;
      for (const choice of ordered) filled = this.#fillChosen(filled, choice, depth, must);
    }
    return filled === value ? value : this.#keepFitting(value, filled, node);
  }

  #fillProperties(value: JsonLike, node: ObjectNode, depth: number, required: ReadonlySet<string>): JsonLike {
    const entries = new Map(Object.entries(value));
    const put = (key: string, schema: SchemaIR): void => {
      const present = entries.get(key);
      if (present === undefined && required.has(key)) return;
      const next =
        present === undefined
          ? this.#takeDefault(schema, depth + 1)
          : this.fill(present, schema, depth + 1, NONE);
      if (next !== undefined) entries.set(key, next);
    };
    const declared = node.properties.filter(({ isDeclared }) => isDeclared);
    for (const { name, schema } of declared) put(name, schema);
    const names = new Set(declared.map(({ name }) => name));
    const patterns = node.patterns.map(({ pattern, schema }) => ({ regex: compilePattern(pattern), schema }));
    for (const key of entries.keys()) {
      for (const { regex, schema } of patterns) if (regex?.test(key) === true) put(key, schema);
      // If a pattern is not executed, it is unknown which keys `additionalProperties` covers.
      const isOther = !names.has(key) && patterns.every(({ regex }) => regex?.test(key) === false);
      if (node.additional !== undefined && isOther) put(key, node.additional);
    }
    const isChanged = [...entries].some(([key, item]) => !Object.hasOwn(value, key) || value[key] !== item);
    return isChanged ? Object.fromEntries(entries) : value;
  }

  #fillItems(value: readonly unknown[], node: ArrayNode, depth: number): readonly unknown[] {
    const { prefix, items, contains } = node;
    const filled = value.map((item, index) => {
      const schema = prefix[index] ?? items;
      const next = schema === undefined ? item : this.fill(item, schema, depth + 1, NONE);
      const isFound = contains !== undefined && this.#fits(next, contains.schema) === true;
      return isFound ? this.fill(next, contains.schema, depth + 1, NONE) : next;
    });
    return filled.every((item, index) => item === value[index]) ? value : filled;
  }

  /** Fills in the defaults that all chosen branches share, unless other branches would then be chosen. */
  #fillChosen(value: unknown, choice: Choice, depth: number, required: ReadonlySet<string>): unknown {
    const chosen = this.#choose(value, choice);
    const results = chosen.map((branch) => this.fill(value, branch, depth, required));
    const filled = takeCommon(value, results);
    if (filled === value) return value;
    const after = this.#choose(filled, choice);
    return chosen.every((branch, index) => branch === after[index]) && chosen.length === after.length
      ? filled
      : value;
  }

  #choose(value: unknown, choice: Choice): readonly SchemaIR[] {
    const { branches } = choice;
    switch (choice.kind) {
      case "fitting":
        return branches.filter((branch) => this.#fits(value, branch) !== false);
      case "condition": {
        const isFitting = this.#fits(value, choice.condition);
        return branches.filter((_, index) => isFitting !== (index === 1));
      }
      case "present":
        return isJsonObject(value) && has(value, choice.key) ? branches : [];
      default:
        return choice satisfies never;
    }
  }

  /** Returns the keys that an object must have. Skips branches that the object fits: they require no absent key. */
  #findRequired(value: JsonLike, node: SchemaIR, outer: ReadonlySet<string>): ReadonlySet<string> {
    const { objects, choices } = collectParts(node, this.#definitions);
    const required = new Set(outer);
    for (const { properties, dependents } of objects) {
      for (const { name, isRequired } of properties) if (isRequired) required.add(name);
      for (const { name, required: others } of dependents)
        if (has(value, name)) for (const other of others) required.add(other);
    }
    for (const choice of choices) {
      if (choice.kind === "fitting") continue;
      for (const branch of this.#choose(value, choice))
        for (const name of this.#findRequired(value, branch, NONE)) required.add(name);
    }
    return required;
  }

  #takeDefault(node: SchemaIR, depth: number): unknown {
    const stated = this.#defaultsLeft > 0 ? findDefault(node, this.#definitions) : undefined;
    if (stated === undefined) return undefined;
    // PHP writes an empty object as an empty array.
    const readings = Array.isArray(stated) && stated.length === 0 ? [[], {}] : [structuredClone(stated)];
    const start = readings.find((reading) => this.#fits(reading, node) !== false);
    if (start === undefined) return undefined;
    this.#defaultsLeft -= 1;
    return this.fill(start, node, depth, NONE);
  }

  /** Returns the filled value without the defaults that would make a valid value invalid. */
  #keepFitting(value: unknown, filled: unknown, node: SchemaIR): unknown {
    if (this.#fits(filled, node) !== false || this.#fits(value, node) === false) return filled;
    if (!isJsonObject(value) || !isJsonObject(filled)) return value;
    let kept = value;
    for (const [key, item] of Object.entries(filled)) {
      if (Object.hasOwn(kept, key) && kept[key] === item) continue;
      const next = Object.fromEntries([...Object.entries(kept), [key, item] as const]);
      if (this.#fits(next, node) !== false) kept = next;
    }
    return kept;
  }

  /** Undefined if the result depends on a pattern that is not executed. */
  #fits(value: unknown, node: SchemaIR): boolean | undefined {
    const known = this.#validators.get(node);
    const validator = known ?? compileValidator(node, this.#definitions);
    if (known === undefined) this.#validators.set(node, validator);
    return validator(value);
  }
}

const NONE: ReadonlySet<string> = new Set();

function takeCommon(value: unknown, results: readonly unknown[]): unknown {
  const [first, ...others] = results;
  if (results.length === 0) return value;
  if (others.every((other) => isEqual(first, other))) return first;
  if (isJsonObject(value) && results.every(isJsonObject)) {
    const added = Object.entries(first as JsonLike).flatMap(([key, item]) => {
      const items = results.map((result) => (Object.hasOwn(result, key) ? result[key] : undefined));
      if (Object.hasOwn(value, key)) return [[key, takeCommon(value[key], items)] as const];
      return items.every((other) => isEqual(item, other)) ? [[key, item] as const] : [];
    });
    const isChanged = added.some(([key, item]) => !Object.hasOwn(value, key) || value[key] !== item);
    return isChanged ? Object.fromEntries(added) : value;
  }
  if (!isJsonArray(value) || !results.every(isJsonArray)) return value;
  const items = value.map((item, index) =>
    takeCommon(
      item,
      results.map((result) => result[index]),
    ),
  );
  return items.every((item, index) => item === value[index]) ? value : items;
}

function has(value: JsonLike, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== undefined;
}
