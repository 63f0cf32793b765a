import { groupBy } from "../../core/collections.js";
import { DUPLICATE_ITEM, findCheckIssues, findDuplicates } from "./checks.js";
import { findOwn, type JsonObject, listOrEmpty, objectOrEmpty } from "../../core/json.js";
import { mapSubschemas } from "../../core/subschemas.js";
import { fitsJsonSchema } from "./fits-json-schema.js";
import type { JsonSchema } from "./json-schema.js";
import {
  findIssues,
  jsonSchemaOf,
  keyOfPath,
  type Path,
  pathOfIssue,
  refusedKeys,
  valueAtPath,
} from "./schema.js";
import type { Issue, Schema } from "../../core/schema.js";

/** Each round may validate parts that the round before did not reach. */
const MOST_ROUNDS = 20;

/**
 * Returns the paths of the keys that closed objects refuse, if the value fits the schema without them; otherwise undefined.
 * Each path once; `*` replaces the index of an item.
 *
 * Reads the issues of the schema, in the form of Zod's issues, so a schema of another library has no such keys.
 */
export async function findUnknownKeys(
  schema: Schema<unknown>,
  value: unknown,
): Promise<readonly (readonly string[])[] | undefined> {
  const keys = await removeRefused(schema, value);
  const readings = keys && readingsOf(schema);
  if (readings === undefined) return keys;
  // Zod reports the issues of a single branch if all others have more than unknown keys, which hides that another branch
  // knows a key. The JSON Schema of a Zod schema has all branches, though not our checks.
  if ((await removeRefused(readings.whole, value)) === undefined) return undefined;
  // The rest may fit a branch that knows a removed key.
  return (await findIssues(readings.open, value)).length > 0 ? undefined : keys;
}

/** A server that is newer than the lock may send unknown keys in each answer. */
const READINGS = new WeakMap<object, Readings | undefined>();

/** The JSON Schema of a schema, interpreted. */
interface Readings {
  /** Any number of the branches of a union may fit: without our checks, a value may fit more of them than it does. */
  readonly whole: Schema<unknown>;
  /** As `whole`, and no object refuses a key. */
  readonly open: Schema<unknown>;
}

/** Undefined for a schema that has no JSON Schema. */
function readingsOf(schema: Schema<unknown>): Readings | undefined {
  if (READINGS.has(schema)) return READINGS.get(schema);
  const json = jsonSchemaOf(schema, "input");
  const readings = json && {
    whole: interpret(loosen(json, CHECKS)),
    open: interpret(loosen(json, [...CHECKS, ...CLOSING])),
  };
  READINGS.set(schema, readings);
  return readings;
}

/** Interprets a JSON Schema that Zod printed, without the keywords that the interpreter does not know. */
function interpret(json: JsonObject): Schema<unknown> {
  // Zod refers to the whole schema as `#`.
  const rooted = { ...json, $defs: { ...objectOrEmpty(json["$defs"]), "": json } };
  const check = fitsJsonSchema(rooted as JsonSchema);
  const validate = (value: unknown) => ({ issues: findCheckIssues(check, value) });
  return { "~standard": { version: 1, vendor: "mcp-codegen", validate } };
}

/** Keywords that Zod does not print: checks of ours. */
const CHECKS = ["not", "if", "then", "else", "dependentSchemas", "dependentRequired"];
/** Keywords that refuse an object for a key that it has. */
const CLOSING = ["additionalProperties", "unevaluatedProperties", "propertyNames", "maxProperties"];

/** Returns a schema with `anyOf` for `oneOf`, and without some keywords. */
function loosen(schema: JsonObject, without: readonly string[]): JsonObject {
  if (requiresRefused(schema)) return { enum: [] };
  const kept = Object.entries(schema).filter(([keyword]) => !without.includes(keyword));
  const { oneOf, ...rest } = mapSubschemas(Object.fromEntries(kept), (inner) => loosen(inner, without));
  return oneOf === undefined ? rest : { ...rest, allOf: [...listOrEmpty(rest["allOf"]), { anyOf: oneOf }] };
}

/** Whether no object fits, since the schema requires a key that it refuses. Without refused keys some would. */
function requiresRefused({
  additionalProperties,
  patternProperties,
  properties,
  required,
}: JsonObject): boolean {
  if (additionalProperties !== false || patternProperties !== undefined) return false;
  return listOrEmpty(required).some(
    (name) => typeof name === "string" && findOwn(properties, name) === undefined,
  );
}

/** Removes the keys that issues refuse until there are no issues. Returns their paths; undefined if other issues are left. */
async function removeRefused(
  schema: Schema<unknown>,
  value: unknown,
): Promise<readonly (readonly string[])[] | undefined> {
  const unknown = new Map<string, readonly string[]>();
  let rest = value;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const issues = await findIssues(schema, rest);
    if (issues.every((issue) => isMadeByRemoval(issue, value))) return [...unknown.values()];
    const paths = issues.flatMap(refusedKeys);
    if (paths.length === 0) return undefined;
    for (const path of paths) {
      const shown = path.map((key) => (typeof key === "number" ? "*" : String(key)));
      unknown.set(keyOfPath(shown), shown);
    }
    rest = omitPaths(rest, paths);
  }
  return undefined;
}

/** Whether an item is a duplicate only without its unknown keys. */
function isMadeByRemoval(issue: Issue, value: unknown): boolean {
  const path = pathOfIssue(issue);
  const index = path.at(-1);
  if (issue.message !== DUPLICATE_ITEM || typeof index !== "number") return false;
  const items = valueAtPath(value, path.slice(0, -1));
  return Array.isArray(items) && !findDuplicates(items).includes(index);
}

/** Returns the value without the keys at the paths. Copies only the containers on the way. */
function omitPaths(value: unknown, paths: readonly Path[]): unknown {
  const below = new Map(groupBy(paths, ([key]) => String(key)));
  const omit = (key: string, item: unknown): unknown =>
    omitPaths(
      item,
      (below.get(key) ?? []).map(([, ...rest]) => rest),
    );
  if (below.size === 0) return value;
  if (Array.isArray(value)) return value.map((item, index) => omit(String(index), item));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !below.get(key)?.some((path) => path.length === 1));
  return Object.fromEntries(kept.map(([key, item]) => [key, omit(key, item)]));
}
