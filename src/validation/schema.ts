import { describeIssue, explainIssue } from "./explain-issue.js";

/**
 * The part of a schema that the runtime uses: Standard Schema v1. Structural, so that any copy of Zod 4 fits. It is
 * asked for a verdict only; the value that travels is the one it was given, since a schema may rebuild objects and
 * lose keys such as `__proto__`.
 */
export interface Schema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<T> | Promise<Validated<T>>;
  };
}

export type Validated<T> =
  { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** One thing that is wrong with a value, and where. */
export interface Issue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** What a schema has against a value. A schema that throws has something against it, too. */
export async function findIssues(schema: Schema<unknown>, value: unknown): Promise<readonly Issue[]> {
  try {
    const verdict = await schema["~standard"].validate(value);
    return verdict.issues ?? [];
  } catch (error) {
    return [{ message: error instanceof Error ? error.message : String(error) }];
  }
}

/** The first issues as one line: `items.0.title: expected string`. */
export function describeIssues(issues: readonly Issue[]): string {
  const explained = issues.flatMap(explainIssue);
  const shown = explained.slice(0, 5).map(describeIssue);
  const rest = explained.length - shown.length;
  return rest > 0 ? `${shown.join("; ")}; and ${rest} more` : shown.join("; ");
}

/** An issue in the form that models receive. */
export interface ModelIssue {
  /** The keys that lead there, joined by dots; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

const MOST_TOLD = 10;
/** Keys may be of any length. */
const LONGEST_PATH = 300;

/** A wrong array has as many issues as items; the first of them say enough. */
export function toModelIssues(issues: readonly Issue[]): readonly ModelIssue[] {
  const explained = issues.slice(0, MOST_TOLD).flatMap(explainIssue).slice(0, MOST_TOLD);
  return explained.map(({ path, message }) => ({
    path: path.map(String).join(".").slice(0, LONGEST_PATH),
    message,
  }));
}
