/** Reads the values of a parsed lockfile. Invalid values throw `LOCK_INVALID` with their path. */
import { McpCodegenError } from "./errors.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "./json.js";
import { formatKeyPath } from "./key-path.js";
import { LOCKFILE_NAME } from "./lockfile.js";

/** The hint for an invalid lock. */
export const REPAIR = 'Take it from version control, or delete it and run "npx mcp-codegen pull".';

/** The path of a value, for messages. */
export type Path = readonly string[];

export function object(value: JsonValue | undefined, path: Path): JsonObject {
  if (isJsonObject(value)) return value;
  throw invalid(path, "expected an object");
}

/** Returns a list that is not empty. */
export function list(value: JsonValue, path: Path): readonly JsonValue[] {
  if (isArray(value) && value.length > 0) return value;
  throw invalid(path, "expected a list that is not empty");
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function string(parent: JsonObject, key: string, path: Path): string {
  const value = getOwn(parent, key);
  if (typeof value === "string") return value;
  throw invalid([...path, key], "expected a text");
}

export function optionalString(parent: JsonObject, key: string, path: Path): string | undefined {
  return Object.hasOwn(parent, key) ? string(parent, key, path) : undefined;
}

export function optionalCount(parent: JsonObject, key: string, path: Path): number | undefined {
  const value = getOwn(parent, key);
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  throw invalid([...path, key], "expected a whole number");
}

/** Returns one of the allowed strings. */
export function oneOf<T extends string>(
  values: readonly T[],
  parent: JsonObject,
  key: string,
  path: Path,
): T {
  const text = string(parent, key, path);
  const value = values.find((known) => known === text);
  if (value !== undefined) return value;
  throw invalid([...path, key], `expected ${values.map((known) => JSON.stringify(known)).join(", ")}`);
}

export function onlyKeys(value: JsonObject, known: readonly string[], path: Path): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw invalid([...path, unknown], "not a key of a lockfile");
}

export function invalid(path: Path, problem: string): McpCodegenError {
  const where = formatKeyPath(path);
  const at = where === "" ? "" : ` at ${where}`;
  return new McpCodegenError("LOCK_INVALID", `"${LOCKFILE_NAME}" is not valid${at}: ${problem}.`, {
    hint: REPAIR,
  });
}
