import { explainIssue } from "./explain-issue.js";

/** What a check is given: the value, and where to put what is wrong with it. Structural, so that any copy of Zod 4 fits. */
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

/** A function for `.check()` of a Zod schema. It adds issues and changes nothing. */
export type Check = (payload: CheckPayload) => void;

/** The part of a Zod schema that checks use. */
export interface Schema {
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly error?: { readonly issues: readonly SchemaIssue[] } | undefined;
  };
}

export interface SchemaIssue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

/** Says what is wrong with the value itself, or with what `path` leads to in it. */
export function report(payload: CheckPayload, message: string, path: readonly PropertyKey[] = []): void {
  payload.issues.push({ code: "custom", message, input: payload.value, path: [...path] });
}

/** Says all that a schema finds wrong with a value, which `path` leads to. */
export function reportMisfit(
  payload: CheckPayload,
  schema: Schema,
  value: unknown,
  path: readonly PropertyKey[],
): void {
  for (const issue of (schema.safeParse(value).error?.issues ?? []).flatMap(explainIssue))
    report(payload, issue.message, [...path, ...issue.path]);
}

/** Whether a value is what JSON calls an object. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The own keys of an object that hold something: `undefined` is not JSON, and is never sent. */
export function keysOf(value: { readonly [key: string]: unknown }): readonly string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}
