import { DEEPEST_LOCKABLE } from "../core/limits.js";
import type { Issue, Schema } from "../core/schema.js";
import {
  describeIssues,
  explainIssue,
  findIssues,
  type Path,
  validate,
  valueAtPath,
} from "../schema/validation/schema.js";
import { oneLine } from "../core/printable.js";
import { findRounded } from "../core/exact-json.js";
import { joinPointer } from "../core/json-pointer.js";
import { isJsonObject, type JsonObject } from "../core/json.js";
import type { Dialect } from "../core/schema-ir.js";
import type { InputMode, OutputMode } from "../core/connection.js";
import type { CallOptions } from "../core/call.js";
import type { ToolDefinition, ToolDescription } from "../core/tool.js";
import { type ReportEvent, warn } from "./events.js";

interface ValidatedInput {
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

/** Returns the arguments to send for an input, or its issues. */
export async function prepareArguments(
  definition: ToolDefinition<unknown, unknown>,
  input: unknown,
  { validateInput: mode = definition.server.validateInput, onWarning }: CallOptions = {},
): Promise<{ readonly arguments: JsonObject } | { readonly issues: readonly Issue[] }> {
  let outcome: unknown;
  try {
    outcome = dropUndefined(input);
  } catch (error) {
    if (error instanceof NotJsonError) return { issues: [{ message: error.message, path: error.path }] };
    throw error;
  }
  const unsendable = findUnsendable(outcome);
  if (unsendable.length > 0) return { issues: unsendable };
  const { value, issues } = await validateInput(definition, outcome);
  if (issues.length > 0 && (mode !== "warn" || !isJsonObject(value))) return { issues };
  if (issues.length > 0) {
    const what = `The input of tool ${JSON.stringify(definition.name)} does not fit its schema, and is sent:`;
    warn(`${what} ${describeIssues(issues)}`, onWarning);
  }
  // `dropUndefined` refuses values inside that JSON cannot hold.
  return isJsonObject(value) ? { arguments: value } : { issues: [NO_OBJECT] };
}

const NO_OBJECT: Issue = { message: "arguments are an object" };

/** Validates an input. Returns it with the defaults that are sent. */
export async function validateInput(
  definition: ToolDefinition<unknown, unknown>,
  value: unknown,
): Promise<ValidatedInput> {
  const validated = await parseInput(definition, value);
  if (validated.issues.length === 0 || !hasPhpArrays(definition)) return validated;
  const read = await readEmptyObjects(definition.input, value);
  return read === value ? validated : parseInput(definition, read);
}

/** Returns the issues of numbers that the server would receive as other ones. */
export function findUnsendable(value: unknown): readonly Issue[] {
  return findRounded(value)
    .map(({ path, token = String(valueAtPath(value, path)) }) => ({ path, token }))
    .filter(({ token }) => !DECIMAL.test(token))
    .map(({ path, token }) => ({ path, message: describeUnsendable(token) }));
}

/** A decimal has lost less than any use of it would. */
const DECIMAL = /[.eE]/;

export const FORGOTTEN_AWAIT = 'a promise cannot be sent: write "await" before it';

/** Classes whose values JSON would write as empty objects, or as bytes by number. */
const UNWRITABLE =
  /^\[object (Promise|(?:Weak)?(?:Map|Set)|RegExp|Error|(?:Shared)?ArrayBuffer|DataView|\w+Array|Blob|File|FormData|Request|Response)\]$/;

/** Explains to a caller, which may be a model, why a number cannot be sent. */
export function describeUnsendable(token: string): string {
  const shown = token.length > 40 ? `${token.slice(0, 40)}…` : token;
  return `${shown} cannot be sent without losing precision: pass it as a string if the tool takes one`;
}

async function parseInput(
  { input, defaults }: ToolDefinition<unknown, unknown>,
  value: unknown,
): Promise<ValidatedInput> {
  const result = await validate(input, value);
  if (result.issues !== undefined) return { value, issues: result.issues };
  return { value: defaults === "parse" ? result.value : value, issues: [] };
}

/**
 * Returns the schema by which a call validates its input. It refuses numbers that cannot be sent, and returns the input with
 * the defaults that are sent. For WordPress, it accepts an empty list for an object. With the mode `warn`, it accepts any object.
 */
export function callSchema(
  definition: ToolDescription<unknown, unknown>,
  mode: InputMode | undefined = definition.server?.validateInput,
): Schema<unknown> {
  if (!isOfServer(definition)) return definition.input;
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate: async (value) => {
        const unsendable = findUnsendable(value);
        if (unsendable.length > 0) return { issues: unsendable };
        const { value: sent, issues } = await validateInput(definition, value);
        return issues.length === 0 || (mode === "warn" && isJsonObject(value)) ? { value: sent } : { issues };
      },
    },
  };
}

function isOfServer(
  definition: ToolDescription<unknown, unknown>,
): definition is ToolDefinition<unknown, unknown> {
  return definition.server !== undefined;
}

/** Each round may validate objects for the first time. */
const MOST_ROUNDS = 20;

/** Whether a tool's values come from WordPress, where PHP writes an empty object as an empty list. */
export function hasPhpArrays(tool: { readonly dialect?: Dialect | undefined }): boolean {
  return tool.dialect === "wordpress" || "through" in tool;
}

/**
 * Returns the value with `{}` in place of each `[]` that the schema refuses, where an empty object fits; otherwise the same
 * value.
 *
 * WordPress accepts a PHP array as an object (`rest_is_object()` in `wp-includes/rest-api.php`), and PHP writes an empty array
 * as `[]`.
 */
export async function readEmptyObjects(schema: Schema<unknown>, value: unknown): Promise<unknown> {
  let read = value;
  let places = await findRefusedPlaces(schema, read);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const empty = places.filter((path) => {
      const item = valueAtPath(read, path);
      return Array.isArray(item) && item.length === 0;
    });
    if (empty.length === 0) return read;
    const tried = replaceAll(read, empty);
    const refused = new Set((await findRefusedPlaces(schema, tried)).map(keyOf));
    // If the schema refuses the empty object as well, the list is the fault.
    const helpful = empty.filter((path) => !refused.has(keyOf(path)));
    if (helpful.length === 0) return read;
    read = replaceAll(read, helpful);
    places = await findRefusedPlaces(schema, read);
  }
  return read;
}

async function findRefusedPlaces(schema: Schema<unknown>, value: unknown): Promise<readonly Path[]> {
  const issues = await findIssues(schema, value);
  const paths = issues.flatMap(explainIssue).map(({ path }) => path);
  return [...new Map(paths.map((path) => [keyOf(path), path])).values()];
}

function keyOf(path: Path): string {
  return JSON.stringify(path.map(String));
}

/** Puts `{}` at the paths. Copies only the containers on the way. */
function replaceAll(value: unknown, paths: readonly Path[]): unknown {
  if (paths.some((path) => path.length === 0)) return {};
  const below = new Map<string, Path[]>();
  for (const [key, ...rest] of paths) below.set(String(key), [...(below.get(String(key)) ?? []), rest]);
  const replace = (key: string, item: unknown): unknown => {
    const inside = below.get(key);
    return inside === undefined ? item : replaceAll(item, inside);
  };
  if (Array.isArray(value)) return value.map((item, index) => replace(String(index), item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(key, item)]));
}

export const DEFAULT_OUTPUT_MODE: OutputMode = "tolerant";

/** A closed object may really be a map, with one key for each record. */
const MOST_KEYS = 50;
const LONGEST_KEY = 300;
/** How many places of rounded numbers a warning names. */
const MOST_NAMED = 5;

/** Reports the numbers of an answer that JavaScript cannot hold: as an event, and as a warning. */
export function reportRounded(
  { name }: { readonly name: string },
  value: unknown,
  onWarning: ((message: string) => void) | undefined,
  report: ReportEvent,
): void {
  const places = findRoundedPlaces(value);
  if (places.length === 0) return;
  const shown = places.slice(0, MOST_KEYS);
  report("tool.output.rounded_numbers", { places: shown, placeCount: places.length });
  const what = `The answer of tool ${JSON.stringify(name)} has numbers that JavaScript rounds, at`;
  warn(`${what} ${quotePlaces(places)}.`, onWarning);
}

/** Returns the JSON Pointers of the rounded numbers in a value, each once; `*` replaces the index of an item. */
export function findRoundedPlaces(value: unknown): readonly string[] {
  const steps = (path: Path): readonly string[] =>
    path.map((key) => (typeof key === "number" ? "*" : String(key)));
  const pointers = findRounded(value).map(({ path }) => joinPointer("", ...steps(path)));
  return [...new Set(pointers)].map((pointer) => oneLine(pointer, LONGEST_KEY));
}

export function quotePlaces(places: readonly string[]): string {
  const rest = places.length - MOST_NAMED;
  const shown = places.slice(0, MOST_NAMED).map((place) => JSON.stringify(place));
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

/** Returns the issues of an answer that fail it in a mode. Reports unknown keys that the mode `tolerant` accepts. */
export async function validateOutput(
  output: Schema<unknown>,
  value: unknown,
  mode: OutputMode,
  report: ReportEvent,
): Promise<readonly Issue[]> {
  if (mode === "off") return [];
  const issues = await findIssues(output, value);
  if (issues.length === 0 || mode !== "tolerant") return issues;
  // Loaded for an answer that does not fit, since most do.
  const { findUnknownKeys } = await import("../schema/validation/unknown-keys.js");
  const keys = await findUnknownKeys(output, value);
  if (keys === undefined) return issues;
  const shown = keys.slice(0, MOST_KEYS).map((path) => oneLine(path.join("."), LONGEST_KEY));
  report("tool.output.unknown_keys", { keys: shown, keyCount: keys.length });
  return [];
}

/** A value cannot be written as JSON. */
class NotJsonError extends Error {
  override readonly name = "NotJsonError";
  readonly path: readonly (string | number)[];

  constructor(what: string, path: readonly (string | number)[]) {
    super(what);
    this.path = path;
  }
}

/**
 * Returns the value without the properties that hold `undefined`, at every depth, since such a key is not sent. Returns the
 * same value if there are none.
 *
 * @throws NotJsonError for a value that cannot be sent at all
 */
export function dropUndefined(value: unknown, path: readonly (string | number)[] = []): unknown {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new NotJsonError(`${value} cannot be sent`, path);
  if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") {
    throw new NotJsonError(`a ${typeof value} cannot be sent`, path);
  }
  if (typeof value !== "object" || value === null) return value;
  const unwritable = UNWRITABLE.exec(Object.prototype.toString.call(value))?.[1];
  if (unwritable === "Promise") throw new NotJsonError(FORGOTTEN_AWAIT, path);
  if (unwritable !== undefined && !("toJSON" in value))
    throw new NotJsonError(`a value of ${unwritable} cannot be sent`, path);
  if (path.length > DEEPEST_LOCKABLE)
    throw new NotJsonError("the value contains itself or is nested too deeply", path.slice(0, 5));
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const kept = items.map((item, index) => dropUndefined(item, [...path, index]));
    return kept.every((item, index) => item === items[index]) ? value : kept;
  }
  // Dates and the like convert themselves to JSON.
  if ("toJSON" in value && typeof value.toJSON === "function") return value;
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  const kept = entries
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => [key, dropUndefined(item, [...path, key])] as const);
  const isSame =
    kept.length === entries.length && kept.every(([, item], index) => item === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(kept);
}
