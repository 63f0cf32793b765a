import { explainIssue } from "./explain-issue.js";

/** The argument of a check: the value and the list of its issues. A structural type, so that any copy of Zod 4 fits. */
export interface CheckPayload {
  readonly value: unknown;
  readonly issues: { push(issue: CheckIssue): unknown };
}

// An alias, since an interface does not fit the index signature that Zod's own type has.
export type CheckIssue = {
  readonly code: "custom";
  readonly message: string;
  readonly input: unknown;
  readonly path?: PropertyKey[];
};

/** A function for `.check()` of a Zod schema. It adds issues and does not change the value. */
export type Check = (payload: CheckPayload) => void;

/** The part of a Zod schema that checks use. */
export interface Schema {
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly error?: { readonly issues: readonly SchemaIssue[] } | undefined;
  };
}

interface SchemaIssue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

/** Adds an issue about the value, or about the part of it at `path`. */
export function report(payload: CheckPayload, message: string, path: readonly PropertyKey[] = []): void {
  payload.issues.push({ code: "custom", message, input: payload.value, path: [...path] });
}

/** Adds all issues of a schema about the value at `path`. */
export function reportMisfit(
  payload: CheckPayload,
  schema: Schema,
  value: unknown,
  path: readonly PropertyKey[],
): void {
  for (const issue of (schema.safeParse(value).error?.issues ?? []).flatMap(explainIssue))
    report(payload, issue.message, [...path, ...issue.path]);
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the own keys of an object without those that hold `undefined`, which is not JSON and is never sent. */
export function keysOf(value: { readonly [key: string]: unknown }): readonly string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}
