/**
 * Checks for `.check()` of a Zod schema: the features of JSON Schema that Zod lacks. Generated code imports them from
 * `mcp-codegen/codegen`.
 */
import { definedKeys, isEqual, isJsonObject } from "../../core/json.js";
import { omitUndefined } from "../../core/collections.js";
import { describeTypeMisfit } from "./misfit.js";
import { explainIssue, type RefusedKeys, refusedKeys, valuesOf } from "./schema.js";

/** The argument of a check: the value and the list of its issues. A structural type, so that any copy of Zod 4 fits. */
interface CheckPayload {
  readonly value: unknown;
  readonly issues: { push(issue: CheckIssue): unknown };
}

// An alias, since an interface does not fit the index signature of Zod's own type.
export type CheckIssue = {
  readonly code: "custom";
  readonly message: string;
  readonly input: unknown;
  readonly path?: PropertyKey[];
  readonly refused?: RefusedKeys;
  /** The type or the values that were expected, which rule a branch of a union out; see `refusedKeys`. */
  readonly expected?: string;
  readonly values?: readonly unknown[];
};

/** A function for `.check()` of a Zod schema. It adds issues and does not change the value. */
export type Check = (payload: CheckPayload) => void;

/** Returns the issues that a check reports for a value. */
export function findCheckIssues(check: Check, value: unknown): readonly CheckIssue[] {
  const issues: CheckIssue[] = [];
  check({ value, issues });
  return issues;
}

interface CheckSchema {
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
export function report(
  payload: CheckPayload,
  message: string,
  path: readonly PropertyKey[] = [],
  facts: Pick<CheckIssue, "expected" | "refused" | "values"> = {},
): void {
  payload.issues.push({
    code: "custom",
    message,
    input: payload.value,
    path: [...path],
    ...facts,
  });
}

function reportMisfit(
  payload: CheckPayload,
  schema: CheckSchema,
  value: unknown,
  path: readonly PropertyKey[],
): void {
  for (const issue of schema.safeParse(value).error?.issues ?? []) {
    const keys = refusedKeys(issue);
    const values = valuesOf(issue);
    for (const [index, { message, path: inside }] of explainIssue(issue).entries())
      report(payload, message, [...path, ...inside], {
        ...(index === 0 && keys.length > 0 && { refused: { up: inside.length, keys } }),
        ...(values !== undefined && { values }),
      });
  }
}

/** The message for an item that violates `uniqueItems`. */
export const DUPLICATE_ITEM = "Duplicate item";

/** Requires that no two items are equal as JSON. */
export function uniqueItems(payload: CheckPayload): void {
  if (!Array.isArray(payload.value)) return;
  for (const index of findDuplicates(payload.value)) report(payload, DUPLICATE_ITEM, [index]);
}

/** Returns the indices of items that equal an earlier item. */
export function findDuplicates(items: readonly unknown[]): readonly number[] {
  // Use a set for scalars, since there may be many. Compare objects and arrays one by one.
  const scalars = new Set<unknown>();
  const structures: unknown[] = [];
  return [...items.keys()].filter((index) => {
    const item = items[index];
    const isStructure = typeof item === "object" && item !== null;
    const isKnown = isStructure ? structures.some((other) => isEqual(other, item)) : scalars.has(item);
    if (isStructure) structures.push(item);
    else scalars.add(item);
    return isKnown;
  });
}

/** Requires that between `min` and `max` items fit the schema. */
export function contains(schema: CheckSchema, min: number = 1, max: number = Infinity): Check {
  return (payload) => {
    if (!Array.isArray(payload.value)) return;
    const count = payload.value.filter((item) => schema.safeParse(item).success).length;
    if (count < min) report(payload, `Too few matching items: ${count}, expected at least ${min}`);
    if (count > max) report(payload, `Too many matching items: ${count}, expected at most ${max}`);
  };
}

/** Requires at least that many items, for tuples. */
export function minItems(min: number): Check {
  return (payload) => {
    if (Array.isArray(payload.value) && payload.value.length < min)
      report(payload, `Too few items: expected at least ${min}`);
  };
}

/** Requires at most that many items, for tuples. */
export function maxItems(max: number): Check {
  return (payload) => {
    if (Array.isArray(payload.value) && payload.value.length > max)
      report(payload, `Too many items: expected at most ${max}`);
  };
}

/** Requires an integer of any size: `z.int()` rejects integers beyond 2^53. */
export function integer(payload: CheckPayload): void {
  if (typeof payload.value === "number" && !Number.isInteger(payload.value))
    report(payload, "Invalid input: expected int, received number");
}

/** Requires a multiple of `step` in decimal notation: 0.3 is a multiple of 0.1, although 0.3 / 0.1 is not an integer. */
export function multipleOf(step: number): Check {
  return (payload) => {
    const { value } = payload;
    if (typeof value === "number" && !isMultipleOf(value, step))
      report(payload, `Invalid number: must be a multiple of ${step}`);
  };
}

/** Whether a number is a multiple of another, both in decimal notation. */
export function isMultipleOf(value: number, step: number): boolean {
  if (value % step === 0) return true;
  const [digits, scale] = toDecimal(value);
  const [stepDigits, stepScale] = toDecimal(step);
  const shared = Math.max(scale, stepScale);
  return (digits * 10n ** BigInt(shared - scale)) % (stepDigits * 10n ** BigInt(shared - stepScale)) === 0n;
}

/** Returns a number as digits and a decimal scale: 1.25 gives 125 and 2. */
function toDecimal(value: number): readonly [digits: bigint, scale: number] {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? [digits * 10n ** BigInt(-scale), 0] : [digits, scale];
}

type JsonLike = { readonly [key: string]: unknown };

/** Returns a check for objects, which receives the keys that do not hold `undefined`. */
function objectCheck(
  check: (payload: CheckPayload, keys: ReadonlySet<string>, value: JsonLike) => void,
): Check {
  return (payload) => {
    const { value } = payload;
    if (isJsonObject(value)) check(payload, new Set(definedKeys(value)), value);
  };
}

/** Requires an object, which the checks behind this one receive with an own `__proto__`: Zod's objects drop it. */
export function object(payload: CheckPayload): void {
  if (isJsonObject(payload.value)) return;
  const { message, expected } = describeTypeMisfit(["object"], payload.value);
  report(payload, message, [], omitUndefined({ expected }));
}

/** Requires at least that many properties. */
export function minProperties(min: number): Check {
  return objectCheck((payload, { size }) => {
    if (size < min) report(payload, `Too few properties: expected at least ${min}`);
  });
}

/** Requires at most that many properties. */
export function maxProperties(max: number): Check {
  return objectCheck((payload, { size }) => {
    if (size > max) report(payload, `Too many properties: expected at most ${max}`);
  });
}

/** Requires that every property name fits the schema. */
export function propertyNames(schema: CheckSchema): Check {
  return objectCheck((payload, keys) => {
    for (const key of keys)
      if (!schema.safeParse(key).success) report(payload, "Invalid property name", [key]);
  });
}

/** Requires that every property whose name matches the pattern fits the schema. */
export function patternProperties(pattern: RegExp, schema: CheckSchema): Check {
  return objectCheck((payload, keys, value) => {
    for (const key of keys) if (pattern.test(key)) reportMisfit(payload, schema, value[key], [key]);
  });
}

/** Requires that every property that is neither named nor matched by a pattern fits the schema. */
export function otherProperties(
  schema: CheckSchema,
  names: readonly string[] = [],
  ...patterns: readonly RegExp[]
): Check {
  const existing = new Set(names);
  return objectCheck((payload, keys, value) => {
    for (const key of keys) {
      if (existing.has(key) || patterns.some((pattern) => pattern.test(key))) continue;
      if (isRefused(schema, value[key]))
        report(payload, "Invalid input: nothing is allowed here", [key], {
          refused: { up: 1, keys: [[key]] },
        });
      else reportMisfit(payload, schema, value[key], [key]);
    }
  });
}

/** Whether a schema accepts no value at all. */
function isRefused(schema: CheckSchema, value: unknown): boolean {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue !== undefined && "expected" in issue && issue.expected === "never" && issue.path.length === 0;
}

/** Validates own properties, for names that every object inherits, such as `constructor`. */
export function ownProperties(
  ...properties: readonly (readonly [name: string, rule: "required" | "optional", schema: CheckSchema])[]
): Check {
  return objectCheck((payload, keys, value) => {
    for (const [name, rule, schema] of properties) {
      if (keys.has(name)) reportMisfit(payload, schema, value[name], [name]);
      else if (rule === "required") report(payload, "Required property is missing", [name]);
    }
  });
}

/** Requires other properties if the object has the property `name`. */
export function dependentRequired(name: string, required: readonly string[]): Check {
  return objectCheck((payload, keys) => {
    const missing = keys.has(name) ? required.filter((other) => !keys.has(other)) : [];
    for (const other of missing) report(payload, `Required together with "${name}"`, [other]);
  });
}

/** Requires that the whole object fits the schema if it has the property `name`. */
export function dependentSchema(name: string, schema: CheckSchema): Check {
  return objectCheck((payload, keys, value) => {
    if (keys.has(name)) reportMisfit(payload, schema, value, []);
  });
}

/** Requires that the value also fits this schema. */
export function fits(schema: CheckSchema): Check {
  return (payload) => {
    reportMisfit(payload, schema, payload.value, []);
  };
}

/** Requires that the value does not fit the schema. */
export function fitsNot(schema: CheckSchema): Check {
  return (payload) => {
    if (schema.safeParse(payload.value).success)
      report(payload, "Invalid input: fits a schema that it must not fit");
  };
}

/** Requires that the value fits `then` if it fits the condition, otherwise `else`. */
export function fitsIf(
  condition: CheckSchema,
  branches: { readonly then?: CheckSchema; readonly else?: CheckSchema },
): Check {
  return (payload) => {
    const branch = condition.safeParse(payload.value).success ? branches.then : branches.else;
    if (branch) reportMisfit(payload, branch, payload.value, []);
  };
}
