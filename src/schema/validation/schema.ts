import { describeIssue, explainIssue, type ExplainedIssue } from "./explain-issue.js";

/**
 * The part of a schema that the runtime uses: Standard Schema v1. A structural type, so that any copy of Zod 4 fits. Only
 * its issues are used. The original value is sent or returned, since a schema may rebuild objects and lose keys such as
 * `__proto__`.
 */
export interface Schema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<T> | Promise<Validated<T>>;
  };
}

export type Validated<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** An issue with a value, and its path. */
export interface Issue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** Returns the issues of a value. If the schema throws, the error is the issue. */
export async function findIssues(schema: Schema<unknown>, value: unknown): Promise<readonly Issue[]> {
  try {
    const result = await schema["~standard"].validate(value);
    return result.issues ?? [];
  } catch (error) {
    return [{ message: error instanceof Error ? error.message : String(error) }];
  }
}

/** Returns the value at a path of own properties; undefined if there is none. */
export function valueAtPath(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Object.getOwnPropertyDescriptor(found, key)?.value;
  }
  return found;
}

/** Returns the first issues as one line, such as `items.0.title: expected string`. */
export function describeIssues(issues: readonly Issue[]): string {
  const explained = issues.flatMap(explainIssue);
  const shown = explained.slice(0, 5).map(describeIssue);
  const rest = explained.length - shown.length;
  return rest > 0 ? `${shown.join("; ")}; and ${rest} more` : shown.join("; ");
}

/** An issue in the form that models receive. */
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
