import { groupBy } from "../../core/collections.js";
import { DUPLICATE_ITEM, findCheckIssues, findDuplicates } from "./checks.js";
import { isJsonObject, type JsonObject, type JsonValue, objectOrEmpty } from "../../core/json.js";
import { fitsJsonSchema } from "./fits-json-schema.js";
import type { JsonSchema } from "./json-schema.js";
import { keyOfPath, refusedKeys } from "./refused-keys.js";
import type { Issue, Schema } from "../../core/schema.js";
import { findIssues, jsonSchemaOf, pathOfIssue, type Path, valueAtPath } from "./schema.js";

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
  // Zod reports the issues of a single branch if all others have more than unknown keys, which hides that another branch
  // knows a key. The JSON Schema of a Zod schema has all branches, though not our checks.
  const whole = keys && findWhole(schema);
  return whole !== undefined && (await removeRefused(whole, value)) === undefined ? undefined : keys;
}

/** A server that is newer than the lock may send unknown keys in each answer. */
const WHOLE = new WeakMap<object, { readonly schema: Schema<unknown> | undefined }>();

/** Returns the JSON Schema of a schema, interpreted; undefined if it has none. */
function findWhole(schema: Schema<unknown>): Schema<unknown> | undefined {
  const cached = WHOLE.get(schema);
  if (cached !== undefined) return cached.schema;
  const json = jsonSchemaOf(schema, "input");
  const whole = json && interpret(json);
  WHOLE.set(schema, { schema: whole });
  return whole;
}

/** Interprets a JSON Schema that Zod printed, without the keywords that the interpreter does not know. */
function interpret(json: JsonObject): Schema<unknown> {
  // Without our checks, a value may fit more branches than it does.
  const loose = withAnyOf(json);
  // Zod refers to the whole schema as `#`.
  const rooted = { ...loose, $defs: { ...objectOrEmpty(loose["$defs"]), "": loose } };
  const check = fitsJsonSchema(rooted as JsonSchema);
  const validate = (value: unknown) => ({ issues: findCheckIssues(check, value) });
  return { "~standard": { version: 1, vendor: "mcp-codegen", validate } };
}

/** Returns a schema that Zod printed, with `anyOf` for `oneOf`. Properties of that name stay. */
function withAnyOf(json: JsonObject): JsonObject {
  const text = JSON.stringify(json, (key, value: JsonValue) => {
    if (!isJsonObject(value) || key === "properties" || key === "patternProperties" || !("oneOf" in value))
      return value;
    const { oneOf, ...rest } = value;
    return { ...rest, anyOf: oneOf };
  });
  return JSON.parse(text) as JsonObject;
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
