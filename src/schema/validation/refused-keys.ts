import { type ExplicableIssue, membersOf, type Path, pathOfIssue } from "./schema.js";

/** The keys that an issue of a check refuses, as paths from the place that is `up` steps above the issue's own. */
export interface RefusedKeys {
  readonly up: number;
  readonly keys: readonly Path[];
}

function isRefusedKeys(value: unknown): value is RefusedKeys {
  return typeof value === "object" && value !== null && "up" in value && "keys" in value;
}

/** Returns the paths of the keys that an issue says are unknown to a closed object. */
export function refusedKeys(issue: ExplicableIssue): readonly Path[] {
  const path = pathOfIssue(issue);
  const at = (start: Path, rests: readonly Path[]): readonly Path[] =>
    rests.map((rest) => [...start, ...rest]);
  if ("refused" in issue && isRefusedKeys(issue.refused))
    return at(path.slice(0, path.length - issue.refused.up), issue.refused.keys);
  const keys: unknown = "keys" in issue ? issue.keys : undefined;
  const paths = Array.isArray(keys) ? keys.filter((key) => typeof key === "string").map((key) => [key]) : [];
  return at(path, [...paths, ...commonKeys(membersOf(issue))]);
}

/**
 * Returns the keys that all branches of a union refuse, except the branches of another type, and those that listed values rule
 * out, also those of a property. So a key that decides between branches is never removed.
 */
function commonKeys(branches: readonly (readonly ExplicableIssue[])[]): readonly Path[] {
  const possible = branches.filter((issues) => !issues.some(rulesOut));
  const [first = [], ...others] = possible.map((issues) => issues.flatMap(refusedKeys));
  const keySets = others.map((paths) => new Set(paths.map(keyOfPath)));
  return first.filter((path) => keySets.every((paths) => paths.has(keyOfPath(path))));
}

function rulesOut(issue: ExplicableIssue): boolean {
  const { length } = pathOfIssue(issue);
  return (length === 0 && "expected" in issue) || (length <= 1 && "values" in issue);
}

/** Returns a text that equals that of the same path only. */
export function keyOfPath(path: Path): string {
  return JSON.stringify(path.map(String));
}
