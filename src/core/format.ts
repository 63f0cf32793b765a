import { McpCodegenError, type ErrorCode } from "./errors.js";
import { formatKeyPath, type KeyPath } from "./json-pointer.js";
import { findRepeatedKey } from "./json-text.js";
import {
  byCodeUnit,
  getOwn,
  isJsonArray,
  isJsonObject,
  mapEntries,
  type JsonObject,
  type JsonValue,
} from "./json.js";

/**
 * The definition of a value in a file of ours: how it is read and printed, and its JSON Schema for `docs/schemas`.
 *
 * No library: the runtime reads cassettes, and the records of valibot and Zod skip keys such as `constructor`, which may
 * be the name of a tool.
 */
export interface ValueFormat<T> {
  /** Returns the value, without unknown keys. Throws {@link FormatError}. */
  read(value: JsonValue | undefined, path: KeyPath): T;
  /** Returns JSON: keys of records as defined, others by code unit. `indent` starts each line but the first. */
  print(value: T, indent?: string): string;
  readonly schema: JsonObject;
  readonly isOptional?: true;
}

/** The first value that does not have its format. */
export class FormatError extends Error {
  readonly path: KeyPath;

  constructor(path: KeyPath, problem: string) {
    super(problem);
    this.path = path;
  }
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
  const { format, code, hint, version, newer = code } = file;
  const [key, latest] = version ?? ["", 0];
  const revision = isJsonObject(value) && version !== undefined ? getOwn(value, key) : undefined;
  if (typeof revision === "number" && Number.isInteger(revision) && revision > latest)
    throw new McpCodegenError(
      newer,
      `"${name}" has ${key} ${revision}; this mcp-codegen reads up to ${latest}.`,
      { hint: 'Run "npm install --save-dev mcp-codegen@latest".' },
    );
  try {
    return format.read(value, []);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const at = error.path.length === 0 ? "" : ` at ${formatKeyPath(error.path)}`;
    throw new McpCodegenError(code, `"${name}" is not valid${at}: ${error.message}.`, { hint });
  }
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
export function custom<T>(schema: JsonObject, read: ValueFormat<T>["read"]): ValueFormat<T> {
  return {
    schema,
    read,
    print: (value, indent = "") => {
      const text = JSON.stringify(value, null, 2);
      // As a list, since replacing in a long text leaves an object for each line until the whole is written.
      return indent === "" ? text : text.split("\n").join(`\n${indent}`);
    },
  };
}

function leaf<T extends JsonValue>(
  schema: JsonObject,
  problem: string,
  isValid: (value: JsonValue) => value is T,
): ValueFormat<T> {
  return custom(schema, (value, path) => {
    if (value !== undefined && isValid(value)) return value;
    throw new FormatError(path, problem);
  });
}

export const anyText: ValueFormat<string> = leaf(
  { type: "string" },
  "expected a text",
  (value) => typeof value === "string",
);

export const anyNumber: ValueFormat<number> = leaf(
  { type: "number" },
  "expected a number",
  (value) => typeof value === "number",
);

export const anyJson: ValueFormat<JsonValue> = leaf(
  {},
  "expected a value",
  (_value): _value is JsonValue => true,
);

export const jsonObject: ValueFormat<JsonObject> = leaf(
  { type: "object" },
  "expected an object",
  isJsonObject,
);

/** A text with one more rule. */
export function textLike(
  rule: JsonObject,
  expected: string,
  isValid: (value: string) => boolean,
): ValueFormat<string> {
  return leaf(
    { ...anyText.schema, ...rule },
    expected,
    (value): value is string => typeof value === "string" && isValid(value),
  );
}

export function wholeNumber(least: number): ValueFormat<number> {
  return leaf(
    { type: "integer", minimum: least },
    `expected a whole number${least === 0 ? "" : ` from ${least}`}`,
    (value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= least,
  );
}

export function oneOf<const T extends string | number | true>(...values: readonly T[]): ValueFormat<T> {
  const [only, ...others] = values;
  return leaf(
    only !== undefined && others.length === 0 ? { const: only } : { enum: values },
    `expected ${values.map((value) => JSON.stringify(value)).join(", ")}`,
    (value): value is T => values.some((candidate) => candidate === value),
  );
}

export function list<T>(
  item: ValueFormat<T>,
  { least = 0 }: { readonly least?: number } = {},
): ValueFormat<readonly T[]> {
  return {
    schema: { type: "array", ...(least > 0 && { minItems: least }), items: item.schema },
    read: (value, path) => {
      if (!isJsonArray(value)) throw new FormatError(path, "expected a list");
      if (value.length < least) throw new FormatError(path, "expected a list that is not empty");
      return value.map((each, index) => item.read(each, [...path, index]));
    },
    print: (items, indent) =>
      printMembers(["[", "]"], items, (each, inside) => item.print(each, inside), indent),
  };
}

/** An object with any keys, or with those of a format. */
export function mapOf<T>(
  item: ValueFormat<T>,
  name?: ValueFormat<string>,
): ValueFormat<{ readonly [key: string]: T }> {
  return {
    schema: {
      type: "object",
      ...(name !== undefined && { propertyNames: name.schema }),
      additionalProperties: item.schema,
    },
    read: (value, path) =>
      mapEntries(jsonObject.read(value, path), (each, key) => {
        name?.read(key, [...path, key]);
        return item.read(each, [...path, key]);
      }),
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

/** A key of a record that may be absent. */
export function optional<T>(format: ValueFormat<T>): ValueFormat<T | undefined> {
  return {
    schema: format.schema,
    isOptional: true,
    read: (value, path) => (value === undefined ? undefined : format.read(value, path)),
    print: (value, indent) => (value === undefined ? "" : format.print(value, indent)),
  };
}

interface RecordOptions {
  /** Whether unknown keys are ignored, since a later mcp-codegen may add some. */
  readonly isOpen?: boolean;
  /** Optional keys, of which every object has exactly one. */
  readonly either?: readonly string[];
}

/** An object with these keys. */
export function record<T extends object>(
  formats: { readonly [Key in keyof Required<T>]: ValueFormat<T[Key]> },
  { isOpen = false, either }: RecordOptions = {},
): ValueFormat<T> {
  const fields: readonly (readonly [string, ValueFormat<unknown>])[] = Object.entries(formats);
  const required = fields.flatMap(([key, { isOptional }]) => (isOptional ? [] : [key]));
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(fields.map(([key, { schema }]) => [key, schema])),
      ...(required.length > 0 && { required }),
      ...(either && { oneOf: either.map((key) => ({ required: [key] })) }),
      ...(!isOpen && { additionalProperties: false }),
    },
    read: (value, path) => {
      const object = jsonObject.read(value, path);
      const unknown = isOpen ? undefined : Object.keys(object).find((key) => !Object.hasOwn(formats, key));
      if (unknown !== undefined) {
        const names = fields.map(([key]) => key).join(", ");
        throw new FormatError([...path, unknown], `unknown key; known keys: ${names}`);
      }
      const read: Record<string, unknown> = {};
      for (const [key, field] of fields) {
        const value = field.read(getOwn(object, key), [...path, key]);
        if (value !== undefined) read[key] = value;
      }
      if (either !== undefined && either.filter((key) => Object.hasOwn(object, key)).length !== 1)
        throw new FormatError(path, `expected either ${either.map((key) => `"${key}"`).join(" or ")}`);
      return read as T;
    },
    print: (object, indent) => {
      const values = new Map<string, unknown>(Object.entries(object));
      const present = fields.filter(([key]) => values.get(key) !== undefined);
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
