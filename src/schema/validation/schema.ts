import { cutWords, messageOf } from "../../core/errors.js";
import { isJsonObject, type JsonObject } from "../../core/json.js";
import type { Issue, Schema, Validated } from "../../core/schema.js";

/** Returns a schema as JSON Schema, without its own checks; undefined if it cannot be converted. */
export function jsonSchemaOf(
  { "~standard": { jsonSchema } }: Schema<unknown>,
  side: "input" | "output",
): JsonObject | undefined {
  try {
    const options = { target: "draft-2020-12", libraryOptions: { unrepresentable: "any" } } as const;
    const schema: unknown = JSON.parse(JSON.stringify(jsonSchema?.[side](options)));
    return isJsonObject(schema) ? schema : undefined;
  } catch {
    return undefined;
  }
}

export type Path = readonly PropertyKey[];

/** Returns the path of an issue as plain keys. */
export function pathOfIssue({ path = [] }: ExplicableIssue): Path {
  return path.map((key) => (typeof key === "object" ? key.key : key));
}

/** Returns the issues of a value. */
export async function findIssues(schema: Schema<unknown>, value: unknown): Promise<readonly Issue[]> {
  return (await validate(schema, value)).issues ?? [];
}

/** Validates a value. If the schema throws, the error is the issue. */
export async function validate<T>(schema: Schema<T>, value: unknown): Promise<Validated<T>> {
  try {
    return await schema["~standard"].validate(value);
  } catch (error) {
    return { issues: [{ message: messageOf(error) }] };
  }
}

/** Returns the value at a path of own properties; undefined if there is none. */
export function valueAtPath(value: unknown, path: readonly PropertyKey[]): unknown {
  let parsed = value;
  for (const key of path) {
    if (typeof parsed !== "object" || parsed === null) return undefined;
    parsed = Object.getOwnPropertyDescriptor(parsed, key)?.value;
  }
  return parsed;
}

/** Returns the first issues as one line, such as `items.0.title: expected string`. */
export function describeIssues(issues: readonly Issue[]): string {
  const explained = issues.flatMap(explainIssue);
  const shown = explained.slice(0, 5).map(describeIssue);
  const rest = explained.length - shown.length;
  return rest > 0 ? `${shown.join("; ")}; and ${rest} more` : shown.join("; ");
}

interface ModelIssue {
  /** The keys of the path, joined by dots; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

const MAX_MODEL_ISSUES = 10;
/** The longest path to show: keys may have any length. */
const MAX_PATH_LENGTH = 300;

/** Returns the first issues for a model: an array may have one for each item. */
export function toModelIssues(issues: readonly Issue[]): readonly ModelIssue[] {
  return explainIssues(issues).map(toModelIssue);
}

/** Returns the first issues in readable form, each with its path. */
export function explainIssues(issues: readonly Issue[]): readonly ExplainedIssue[] {
  return issues.slice(0, MAX_MODEL_ISSUES).flatMap(explainIssue).slice(0, MAX_MODEL_ISSUES);
}

export function toModelIssue({ path, message }: ExplainedIssue): ModelIssue {
  return { path: path.map(String).join(".").slice(0, MAX_PATH_LENGTH), message };
}

/** The part of a validator's issue that is used here. An issue of a Zod union also has `errors`: the issues of each member. */
export interface ExplicableIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

interface ExplainedIssue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

/** The most alternatives that a message lists. */
const MAX_ALTERNATIVES = 4;

/**
 * Returns an issue in readable form. For a union these are the issues of the member that is closest to the value, or one
 * issue that lists the alternatives if several are equally close.
 */
export function explainIssue(issue: ExplicableIssue): readonly ExplainedIssue[] {
  const path = pathOfIssue(issue);
  if (isMissing(issue)) return [{ message: "Required property is missing", path }];
  if (isAmbiguous(issue)) return [{ message: "Invalid input: fits more than one alternative", path }];
  if ("discriminator" in issue && "options" in issue && Array.isArray(issue.options))
    return [{ message: describeOptions(issue.options), path }];
  const explained = explainUnion(membersOf(issue)) ?? [{ message: cut(issue.message), path: [] }];
  return explained.map((inner) => ({ ...inner, path: [...path, ...inner.path] }));
}

/** Returns the issues of a union's members, relative to the value; undefined if there are no members. */
function explainUnion(
  members: readonly (readonly ExplicableIssue[])[],
): readonly ExplainedIssue[] | undefined {
  const common = describeTypes(members) ?? describeKinds(members);
  if (common !== undefined) return [common];
  const closest = findClosest(members);
  const texts = [...new Set(closest.map((issue) => issue.map(describeIssue).join(", ")))];
  if (texts.length <= 1) return closest[0];
  const more = texts.length > MAX_ALTERNATIVES ? ["…"] : [];
  const alternatives = [...texts.slice(0, MAX_ALTERNATIVES), ...more].join("; or ");
  return [{ message: `Invalid input: fits none of the alternatives (${alternatives})`, path: [] }];
}

/** Messages contain keys and values of any length. */
const LONGEST_MESSAGE = 1_000;

function cut(message: string): string {
  const head = message.slice(0, LONGEST_MESSAGE);
  return cutWords(head === message ? message : `${head}…`);
}

function describeIssue({ message, path }: ExplainedIssue): string {
  return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
}

function membersOf(issue: object): readonly (readonly ExplicableIssue[])[] {
  const members: unknown = "errors" in issue ? issue.errors : undefined;
  if (!Array.isArray(members)) return [];
  return members.filter(isIssueList).filter((member) => member.length > 0);
}

function isIssueList(value: unknown): value is readonly ExplicableIssue[] {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item === "object" && item !== null && "message" in item)
  );
}

/** Whether the value is a missing property, which Zod reports as `undefined` of the wrong type. */
function isMissing(issue: ExplicableIssue): boolean {
  if (!("expected" in issue) || !issue.message.endsWith("received undefined")) return false;
  return (issue.path ?? []).length > 0;
}

function isAmbiguous(issue: object): boolean {
  if (codeOf(issue) !== "invalid_union" || membersOf(issue).length > 0) return false;
  return "inclusive" in issue && issue.inclusive === false;
}

/** Returns one issue for a union of other types than the value's: `expected string or number, received boolean`. */
function describeTypes(members: readonly (readonly ExplicableIssue[])[]): ExplainedIssue | undefined {
  const expected = members.map((issues) => {
    const [first, second] = issues;
    if (first === undefined || second !== undefined || !isOfOtherType(first)) return undefined;
    return "expected" in first && typeof first.expected === "string" ? first.expected : undefined;
  });
  const [message] = members[0] ?? [];
  const received = /, received .*$/s.exec(message?.message ?? "")?.[0];
  if (expected.length < 2 || received === undefined || expected.includes(undefined)) return undefined;
  return { message: `Invalid input: expected ${[...new Set(expected)].join(" or ")}${received}`, path: [] };
}

/** Returns one issue for a union of objects that differ in a constant, if the value has none of these constants. */
function describeKinds(members: readonly (readonly ExplicableIssue[])[]): ExplainedIssue | undefined {
  const kinds = members
    .filter((member) => !member.some(isOfOtherType))
    .map((member) => member.find(isOfOtherKind));
  const [key] = kinds[0] === undefined ? [] : pathOfIssue(kinds[0]);
  if (kinds.length < 2 || key === undefined) return undefined;
  const values = kinds.map((issue) =>
    issue !== undefined && pathOfIssue(issue)[0] === key ? valuesOf(issue) : undefined,
  );
  if (values.includes(undefined)) return undefined;
  return { message: describeOptions(values.flatMap((some) => some ?? [])), path: [key] };
}

/**
 * Returns the issues of the members with the fewest issues. Prefers members with the value's constants, such as
 * `kind: "circle"`, then members of its type.
 */
function findClosest(
  members: readonly (readonly ExplicableIssue[])[],
): readonly (readonly ExplainedIssue[])[] {
  const ofType = members.filter((member) => !member.some(isOfOtherType));
  const ofKind = ofType.filter((issue) => !issue.some(isOfOtherKind));
  const candidates = [ofKind, ofType, members].find((some) => some.length > 0) ?? [];
  const possible = candidates.map((candidate) => candidate.flatMap(explainIssue));
  const least = Math.min(...possible.map((issues) => issues.length));
  return possible.filter((issue) => issue.length === least);
}

function isOfOtherType(issue: ExplicableIssue): boolean {
  return (issue.path ?? []).length === 0 && "expected" in issue;
}

/** Whether a property differs from the only value that the member allows. */
function isOfOtherKind(issue: ExplicableIssue): boolean {
  if ((issue.path ?? []).length !== 1 || codeOf(issue) !== "invalid_value") return false;
  return valuesOf(issue)?.length === 1;
}

/** Returns the values that an issue expected; undefined for an issue about something else. */
export function valuesOf(issue: object): readonly unknown[] | undefined {
  return "values" in issue && Array.isArray(issue.values) ? issue.values : undefined;
}

/** An enum may have thousands of values. */
const MAX_OPTIONS = 20;

export function describeOptions(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_OPTIONS).map((value) => JSON.stringify(value));
  if (values.length === 1) return `Invalid input: expected ${shown.join("")}`;
  const more = values.length > MAX_OPTIONS ? [`${values.length - MAX_OPTIONS} others`] : [];
  return `Invalid option: expected one of ${[...shown, ...more].join("|")}`;
}

function codeOf(issue: object): unknown {
  return "code" in issue ? issue.code : undefined;
}

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
