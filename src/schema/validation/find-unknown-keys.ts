import { groupBy } from "../../core/collections.js";
import { isJsonObject } from "../../core/json.js";
import { DUPLICATE_ITEM, findDuplicates } from "./checks.js";
import {
  findCandidates,
  findIssues,
  type Issue,
  membersOf,
  plainKey,
  type Schema,
  valueAtPath,
} from "./schema.js";

type Path = readonly PropertyKey[];

/** How often an answer is validated again: an unknown key may hide the issues of other checks. */
const MOST_ROUNDS = 20;

/**
 * Returns the paths of the unknown keys in the closed objects of an answer, each once, with `*` in place of an index. Undefined
 * if the answer does not fit without them.
 *
 * The issues of the schema name these keys. In a union, the branches count that the value fits but for such keys, else those
 * that a property with listed values does not rule out; a key is unknown if it is unknown to all of them.
 */
export async function findUnknownKeys(
  schema: Schema<unknown>,
  value: unknown,
): Promise<readonly (readonly string[])[] | undefined> {
  const found = new Map<string, readonly string[]>();
  let known = value;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const issues = await findIssues(schema, known);
    const unknown = issues.flatMap(unknownKeysIn);
    if (unknown.length === 0) {
      const fits = found.size > 0 && issues.every((issue) => isMadeByRemoval(issue, value));
      return fits ? [...found.values()] : undefined;
    }
    for (const path of unknown) {
      const shown = path.map((key) => (typeof key === "number" ? "*" : String(key)));
      found.set(JSON.stringify(shown), shown);
    }
    known = removeKeys(known, unknown);
  }
  return undefined;
}

function unknownKeysIn(issue: Issue): readonly Path[] {
  const path = (issue.path ?? []).map(plainKey);
  if ("isUnknownKey" in issue && issue.isUnknownKey === true) return [path];
  const keys = "keys" in issue && Array.isArray(issue.keys) ? issue.keys.map(String) : [];
  const branches = new Map(membersOf(issue).map((branch) => [branch, branch.map(unknownKeysIn)]));
  const fitting = [...branches.values()].filter((found) => found.every((paths) => paths.length > 0));
  const possible = findCandidates([...branches.keys()]).flatMap((branch) => [branches.get(branch) ?? []]);
  const [first = [], ...others] = (fitting.length > 0 ? fitting : possible).map((found) => found.flat());
  const unknownToOthers = others.map((paths) => new Set(paths.map(keyOf)));
  const unknownToAll = first.filter((inner) => unknownToOthers.every((paths) => paths.has(keyOf(inner))));
  return [...keys.map((key) => [...path, key]), ...unknownToAll.map((inner) => [...path, ...inner])];
}

function keyOf(path: Path): string {
  return JSON.stringify(path.map(String));
}

/** Returns the value without the keys at the paths. Copies only the containers on the way. */
function removeKeys(value: unknown, paths: readonly Path[]): unknown {
  const byKey = groupBy(paths, ([key]) => String(key));
  const inside = (key: string, item: unknown): unknown => {
    const below = byKey.get(key);
    return below === undefined
      ? item
      : removeKeys(
          item,
          below.map((path) => path.slice(1)),
        );
  };
  if (Array.isArray(value)) return value.map((item, index) => inside(String(index), item));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key]) => byKey.get(key)?.some((path) => path.length === 1) !== true,
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, inside(key, item)]));
}

/** Whether an item is a duplicate only without its unknown keys. */
function isMadeByRemoval({ path = [], message }: Issue, value: unknown): boolean {
  const keys = path.map(plainKey);
  const index = keys.at(-1);
  if (message !== DUPLICATE_ITEM || typeof index !== "number") return false;
  const items = valueAtPath(value, keys.slice(0, -1));
  return Array.isArray(items) && !findDuplicates(items).includes(index);
}
