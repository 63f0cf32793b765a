import { McpCodegenError, type ErrorCode } from "./errors.js";
import { formatKeyPath, type KeyPath } from "./json-pointer.js";
import { findRepeatedKey } from "./json-text.js";
import { byCodeUnit, getOwn, isJsonObject, mapEntries, type JsonObject, type JsonValue } from "./json.js";

/**
 * The definition of a value in a file of ours: how it is checked and printed, its JSON Schema for `docs/schemas`, and its
 * type.
 *
 * No library: the records of valibot and Zod skip a key `__proto__`, which may be the name of a tool, and `zod/mini` would
 * add 3 ms to the start of each command.
 */
export interface ValueFormat<T> {
  /** Reports each part of a value that does not have the format. */
  check(value: unknown, path: KeyPath, report: Report): void;
  /** Returns JSON: keys of records as defined, others by code unit. `indent` starts each line but the first. */
  print(value: T, indent?: string): string;
  readonly schema: JsonObject;
}

/** A part of a value that does not have its format. */
export interface FormatProblem {
  readonly path: KeyPath;
  /** What is expected. It contains no value. */
  readonly text: string;
  /** For an unknown key: the known ones. */
  readonly knownKeys?: readonly string[];
  /** Whether the last key of the path is missing. */
  readonly isMissing?: boolean;
  /** Whether the value has the right type and breaks a further rule. */
  readonly isRule?: boolean;
}

type Report = (problem: FormatProblem) => void;

/** The format of a key that may be absent. */
export interface OptionalFormat<T> extends ValueFormat<T> {
  readonly isOptional: true;
}

interface Fields {
  readonly [key: string]: ValueFormat<unknown>;
}

type OptionalKeys<F> = { [K in keyof F]: F[K] extends { readonly isOptional: true } ? K : never }[keyof F];

// With `Pick`, since editors show the comments of keys only if a type keeps the keys of another.
type RecordOf<F> = {
  readonly [K in keyof Pick<F, Exclude<keyof F, OptionalKeys<F>>>]: ValueOf<F[K]>;
} & { readonly [K in keyof Pick<F, OptionalKeys<F>>]?: ValueOf<F[K]> };

/** The format of an object with some keys. Editors show its values with their keys, not with the name of a type. */
export interface RecordFormat<F> extends ValueFormat<{ [K in keyof RecordOf<F>]: RecordOf<F>[K] }> {
  readonly fields: F;
}

/** The type of the values of a format. */
export type ValueOf<F> = F extends ValueFormat<infer T> ? T : never;

/** The same for a record. Editors and compilers show it with the name of the type that is declared as this one. */
export type SettingsOf<F> = { [K in keyof ValueOf<F>]: ValueOf<F>[K] };

/** The first problem of a value. */
export class FormatError extends Error {
  readonly path: KeyPath;

  constructor({ path, text }: FormatProblem) {
    super(text);
    this.path = path;
  }
}

/** Returns a value that has a format. Throws {@link FormatError}. */
export function parseValue<T>(format: ValueFormat<T>, value: unknown): T {
  format.check(value, [], (problem) => {
    throw new FormatError(problem);
  });
  // The format has checked it.
  return value as T;
}

export function matchesFormat<T>(format: ValueFormat<T>, value: unknown): value is T {
  return findProblems(format, value).length === 0;
}

/** Returns the problems of a value. */
export function findProblems(
  format: ValueFormat<unknown>,
  value: unknown,
  path: KeyPath = [],
): readonly FormatProblem[] {
  const problems: FormatProblem[] = [];
  format.check(value, path, (problem) => problems.push(problem));
  return problems;
}

/** A file of JSON. */
export interface FileFormat<T> {
  readonly format: ValueFormat<T>;
  readonly code: ErrorCode;
  readonly hint: string;
  /** The key of the format's version, and the latest version that is read. */
  readonly version?: readonly [key: string, latest: number];
  /** The code for a later version, if it is another one. */
  readonly newer?: ErrorCode;
}

/**
 * Returns the content of a file of JSON.
 *
 * @param name names the file in errors
 * @throws McpCodegenError with the code of the format, in one line with the place
 */
export function readFormat<T>(file: FileFormat<T>, value: JsonValue, name: string): T {
  const newer = findNewer(file, value);
  if (newer !== undefined) throw failNewer(file, newer, name);
  try {
    return parseValue(file.format, value);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const at = error.path.length === 0 ? "" : ` at ${formatKeyPath(error.path)}`;
    throw new McpCodegenError(file.code, `"${name}" is not valid${at}: ${error.message}.`, {
      hint: file.hint,
    });
  }
}

/** Returns words for the later version that a file of JSON has. */
export function findNewer({ version }: FileFormat<unknown>, value: JsonValue): string | undefined {
  const [key, latest] = version ?? ["", 0];
  const revision = isJsonObject(value) && version !== undefined ? getOwn(value, key) : undefined;
  if (typeof revision !== "number" || !Number.isInteger(revision) || revision <= latest) return undefined;
  return `${key} ${revision}; this mcp-codegen reads up to ${latest}`;
}

/** Returns the error for a file of a later version. */
export function failNewer({ code, newer = code }: FileFormat<unknown>, words: string, name: string): Error {
  return new McpCodegenError(newer, `"${name}" has ${words}.`, {
    hint: 'Run "npm install --save-dev mcp-codegen@latest".',
  });
}

/** Throws for a key that an object of a JSON text has twice: `JSON.parse`, which returned `value`, keeps only the last. */
export function refuseRepeatedKeys(
  { code, hint }: FileFormat<unknown>,
  text: string,
  value: JsonValue,
  name: string,
): void {
  const path = findRepeatedKey(text, value);
  if (path !== undefined)
    throw new McpCodegenError(code, `"${name}" has ${formatKeyPath(path)} twice.`, { hint });
}

/** A value whose parts have no formats of their own. */
export function custom<T>(schema: JsonObject, check: ValueFormat<T>["check"]): ValueFormat<T> {
  return {
    schema,
    check,
    print: (value, indent = "") => {
      const text = JSON.stringify(value, null, 2);
      // As a list, since replacing in a long text leaves an object for each line until the whole is written.
      return indent === "" ? text : text.split("\n").join(`\n${indent}`);
    },
  };
}

/** A value of one type. */
function leaf<T>(schema: JsonObject, text: string, isValid: (value: unknown) => value is T): ValueFormat<T> {
  return custom(schema, (value, path, report) => {
    if (!isValid(value)) report({ path, text });
  });
}

export const anyText: ValueFormat<string> = textLike({}, "expected a string");

export const anyNumber: ValueFormat<number> = leaf(
  { type: "number" },
  "expected a number",
  (value): value is number => Number.isFinite(value),
);

export const anyJson: ValueFormat<JsonValue> = leaf({}, "expected JSON", isJson);

function isJson(value: unknown): value is JsonValue {
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (isJsonObject(value)) return Object.values(value).every(isJson);
  return value === null || typeof value === "boolean" || typeof value === "string";
}

export const jsonObject: ValueFormat<JsonObject> = leaf(
  { type: "object" },
  "expected an object",
  isJsonObject,
);

export const flag: ValueFormat<boolean> = leaf(
  { type: "boolean" },
  "expected true or false",
  (value) => typeof value === "boolean",
);

/** A text, with one more rule. */
export function textLike(
  rule: JsonObject,
  expected: string,
  isValid: (value: string) => boolean = () => true,
): ValueFormat<string> {
  return leaf(
    { type: "string", ...rule },
    expected,
    (value): value is string => typeof value === "string" && isValid(value),
  );
}

export function wholeNumber(
  least: number,
  text = `expected a whole number${least === 0 ? "" : ` from ${least}`}`,
  most?: number,
): ValueFormat<number> {
  const whole = leaf({ type: "integer" }, text, (value): value is number => Number.isSafeInteger(value));
  const range = { minimum: least, ...(most !== undefined && { maximum: most }) };
  return withRule(
    whole,
    (value, refuse) => (value >= least && value <= (most ?? value)) || refuse(text),
    range,
  );
}

/** One of these values. The message lists them as `"a", "b" or "c"`. */
export function oneOf<const T extends string | number | boolean | null>(
  ...values: readonly T[]
): ValueFormat<T> {
  const [only = null, ...others] = values;
  const names = values.map((value) => JSON.stringify(value)).join(", ");
  return leaf(
    others.length === 0 ? { const: only } : { enum: values },
    values.length > 4 ? `expected one of ${names}` : `expected ${names.replace(/, (?=[^,]*$)/, " or ")}`,
    (value): value is T => values.some((candidate) => candidate === value),
  );
}

/** A value that has one of these formats. */
export function either<const F extends readonly ValueFormat<unknown>[]>(
  text: string,
  ...formats: F
): ValueFormat<ValueOf<F[number]>> {
  return custom({ anyOf: formats.map(({ schema }) => schema) }, (value, path, report) => {
    const attempts = formats.map((format) => findProblems(format, value, path));
    if (attempts.some(({ length }) => length === 0)) return;
    // If the value has the type of one format alone, the rule that it breaks says more.
    const [broken, another] = attempts.filter((problems) => problems.every(({ isRule }) => isRule));
    for (const problem of broken && !another ? broken : [{ path, text }]) report(problem);
  });
}

/** A rule for values that have a format. `refuse` reports a value, or its part at some keys, and returns false. */
export type ValueRule<T> = (
  value: T,
  refuse: (text: string, ...keys: KeyPath) => false,
  path: KeyPath,
) => boolean | undefined;

export function withRule<T>(
  format: ValueFormat<T>,
  rule: ValueRule<T>,
  schema: JsonObject = {},
): ValueFormat<T> {
  return {
    ...format,
    schema: { ...format.schema, ...schema },
    check: (value, path, report) => {
      const problems = [...findProblems(format, value, path)];
      const refuse = (text: string, ...keys: KeyPath): false => {
        problems.push({ path: [...path, ...keys], text, isRule: true });
        return false;
      };
      // The format has checked it.
      if (problems.length === 0) rule(value as T, refuse, path);
      for (const problem of problems) report(problem);
    },
  };
}

export function nonEmpty<T extends string | readonly unknown[]>(
  format: ValueFormat<T>,
  text: string,
): ValueFormat<T> {
  const schema = { [format.schema["type"] === "array" ? "minItems" : "minLength"]: 1 };
  return withRule(format, ({ length }, refuse) => length > 0 || refuse(text), schema);
}

export function matching(format: ValueFormat<string>, pattern: RegExp, text: string): ValueFormat<string> {
  return withRule(format, (value, refuse) => pattern.test(value) || refuse(text), {
    pattern: pattern.source,
  });
}

export function list<T>(item: ValueFormat<T>, text = "expected a list"): ValueFormat<readonly T[]> {
  return {
    schema: { type: "array", items: item.schema },
    check: (value, path, report) => {
      if (!Array.isArray(value)) report({ path, text });
      else for (const [index, each] of value.entries()) item.check(each, [...path, index], report);
    },
    print: (items, indent) =>
      printMembers(["[", "]"], items, (each, inside) => item.print(each, inside), indent),
  };
}

/** An object with any keys, or with those of a format. */
export function mapOf<T>(
  item: ValueFormat<T>,
  text = "expected an object",
  name?: ValueFormat<string>,
): ValueFormat<{ readonly [key: string]: T }> {
  return {
    schema: {
      type: "object",
      ...(name !== undefined && { propertyNames: name.schema }),
      additionalProperties: item.schema,
    },
    check: (value, path, report) => {
      if (!isJsonObject(value)) report({ path, text });
      else
        for (const [key, each] of Object.entries(value)) {
          name?.check(key, [...path, key], report);
          item.check(each, [...path, key], report);
        }
    },
    print: (entries, indent) => {
      const sorted = Object.entries(entries).sort(([a], [b]) => byCodeUnit(a, b));
      return printMembers(
        ["{", "}"],
        sorted,
        ([key, each], inside) => `${JSON.stringify(key)}: ${item.print(each, inside)}`,
        indent,
      );
    },
  };
}

export const text: ValueFormat<string> = nonEmpty(anyText, "expected a non-empty string");
export const strings: ValueFormat<readonly string[]> = list(anyText, "expected an array of strings");
export const texts: ValueFormat<readonly string[]> = list(text, "expected an array of strings");
export const anyObject: ValueFormat<JsonObject> = mapOf(anyJson);

/** A key of a record that may be absent. */
export function optional<T>(format: ValueFormat<T>): OptionalFormat<T> {
  return { ...format, isOptional: true };
}

interface RecordOptions {
  /** What is expected in place of another value. */
  readonly text?: string;
  /** Whether unknown keys are ignored, since a later mcp-codegen may add some. */
  readonly isOpen?: boolean;
  /** Optional keys, of which every object has exactly one. */
  readonly either?: readonly string[];
}

/** An object with these keys. Its type comes from them, or is declared. */
export function record<const F extends Fields>(fields: F, options?: RecordOptions): RecordFormat<F>;
export function record<T extends object>(
  fields: { readonly [K in keyof Required<T>]: ValueFormat<T[K]> },
  options?: RecordOptions,
): ValueFormat<T>;
export function record(
  fields: Fields,
  { text = "expected an object", isOpen = false, either }: RecordOptions = {},
): RecordFormat<Fields> {
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => !("isOptional" in field)).map(([key]) => key);
  const knownKeys = Object.keys(fields);
  return {
    fields,
    schema: {
      type: "object",
      properties: mapEntries(fields, ({ schema }) => schema),
      ...(required.length > 0 && { required }),
      ...(either && { oneOf: either.map((key) => ({ required: [key] })) }),
      ...(!isOpen && { additionalProperties: false }),
    },
    check: (value, path, report) => {
      if (!isJsonObject(value)) {
        report({ path, text });
        return;
      }
      for (const key of isOpen ? [] : Object.keys(value))
        if (!Object.hasOwn(fields, key))
          report({
            path: [...path, key],
            text: `unknown key; known keys: ${knownKeys.join(", ")}`,
            knownKeys,
          });
      for (const [key, field] of entries)
        if (Object.hasOwn(value, key)) field.check(value[key], [...path, key], report);
        else if (required.includes(key))
          field.check(undefined, [...path, key], (problem) => {
            report({ ...problem, isMissing: true });
          });
      if (either !== undefined && either.filter((key) => Object.hasOwn(value, key)).length !== 1)
        report({ path, text: `expected either ${either.map((key) => `"${key}"`).join(" or ")}` });
    },
    print: (object, indent) => {
      const values = new Map<string, unknown>(Object.entries(object));
      const present = entries.filter(([key]) => values.get(key) !== undefined);
      return printMembers(
        ["{", "}"],
        present,
        ([key, field], inside) => `${JSON.stringify(key)}: ${field.print(values.get(key), inside)}`,
        indent,
      );
    },
  };
}

/** Joins texts: an object of JavaScript would move numeric keys to the front. */
function printMembers<T>(
  [open, close]: readonly [string, string],
  members: readonly T[],
  print: (member: T, indent: string) => string,
  indent = "",
): string {
  if (members.length === 0) return open + close;
  const inside = `${indent}  `;
  // Appended, since each join would copy the whole text at each level.
  let text = open;
  for (const [at, member] of members.entries())
    text += `${at === 0 ? "" : ","}\n${inside}${print(member, inside)}`;
  return `${text}\n${indent}${close}`;
}
