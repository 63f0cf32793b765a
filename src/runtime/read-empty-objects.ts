import { explainIssue } from "../validation/explain-issue.js";
import { findIssues, type Schema } from "../validation/schema.js";
import type { ToolDescription } from "./tool.js";

/** Each round may lead into objects that were not judged before it. */
const MOST_ROUNDS = 20;

/** Whether a tool's values come from WordPress, where PHP writes an empty object as an empty list. */
export function hasPhpArrays(tool: Pick<ToolDescription<unknown, unknown>, "dialect">): boolean {
  return tool.dialect === "wordpress" || "through" in tool;
}

/**
 * Returns the value with `{}` in place of each `[]` that the schema refuses, where an empty object fits; otherwise the same
 * value.
 *
 * WordPress takes a PHP array for an object (`rest_is_object()` in `wp-includes/rest-api.php`), and PHP writes an empty array
 * as `[]`.
 */
export async function readEmptyObjects(schema: Schema<unknown>, value: unknown): Promise<unknown> {
  let read = value;
  let places = await findRefusedPlaces(schema, read);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const empty = places.filter((path) => isEmptyList(valueAt(read, path)));
    if (empty.length === 0) return read;
    const tried = replaceAll(read, empty);
    const refused = new Set((await findRefusedPlaces(schema, tried)).map(keyOf));
    // Where the empty object is refused as well, the list is what is wrong.
    const helpful = empty.filter((path) => !refused.has(keyOf(path)));
    if (helpful.length === 0) return read;
    read = replaceAll(read, helpful);
    places = await findRefusedPlaces(schema, read);
  }
  return read;
}

type Path = readonly PropertyKey[];

async function findRefusedPlaces(schema: Schema<unknown>, value: unknown): Promise<readonly Path[]> {
  const issues = await findIssues(schema, value);
  const paths = issues.flatMap(explainIssue).map(({ path }) => path);
  return [...new Map(paths.map((path) => [keyOf(path), path])).values()];
}

function keyOf(path: Path): string {
  return JSON.stringify(path.map(String));
}

function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Object.getOwnPropertyDescriptor(found, key)?.value;
  }
  return found;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Copies what leads to the places, and nothing else. */
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
