import { McpCodegenError } from "./errors.js";
import { isJsonObject } from "./json.js";
import { nearestName } from "./nearest-name.js";

/** Values of a kind, with the words for them in messages. */
export interface OptionKind {
  readonly words: string;
  readonly is: (value: unknown) => boolean;
}

/** For each option its allowed values, kinds of values, or `any`. A forgotten option does not compile. */
export type OptionRules<T> = {
  readonly [K in keyof Required<T>]: readonly (Exclude<T[K], undefined> | OptionKind)[] | OptionKind | "any";
};

export const TEXT: OptionKind = { words: "a string", is: (value) => typeof value === "string" };
export const FLAG: OptionKind = { words: "true or false", is: (value) => typeof value === "boolean" };
export const FUNCTION: OptionKind = { words: "a function", is: (value) => typeof value === "function" };
export const NUMBER: OptionKind = {
  words: "a number from 0 on",
  is: (value) => typeof value === "number" && value >= 0,
};
/** Instances of classes as well. */
export const OBJECT: OptionKind = { words: "an object", is: isJsonObject };
/** An object or a module, which may also be a function. */
export const HOLDER: OptionKind = {
  words: "an object",
  is: (value) => isJsonObject(value) || typeof value === "function",
};
export const LIST: OptionKind = { words: "an array", is: (value) => Array.isArray(value) };
export const TEXTS: OptionKind = {
  words: "an array of strings",
  is: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
};

/** An object whose values are of one kind. */
export function recordOf(kind: OptionKind, words: string): OptionKind {
  return { words, is: (value) => isJsonObject(value) && Object.values(value).every((each) => kind.is(each)) };
}

/**
 * Refuses options that TypeScript would refuse, for callers that it does not check: a misspelt value such as
 * `dialect: "draft7"` would otherwise be read as no value, and the result would be wrong.
 *
 * @param caller the function whose options they are, for the message
 * @param required options that must not be undefined, such as a variable of the environment that is not set
 * @throws McpCodegenError `USAGE`
 */
export function checkOptions<T extends object>(
  caller: string,
  options: T,
  rules: OptionRules<T>,
  required: readonly (string & keyof T)[] = [],
): void {
  const table: Readonly<Record<string, readonly unknown[] | OptionKind | "any">> = rules;
  const names = Object.keys(rules).join(", ");
  const fail = (problem: string, hint = `Options: ${names}.`): McpCodegenError =>
    new McpCodegenError("USAGE", `${caller}: ${problem}.`, { hint });
  if (!OBJECT.is(options)) throw fail(`expected an object, got ${describe(options)}`);
  const missing = required.find((name) => options[name] === undefined);
  if (missing !== undefined) throw fail(`missing option "${missing}"`);
  for (const [name, value] of Object.entries(options)) {
    const allowed = Object.hasOwn(table, name) ? table[name] : undefined;
    if (allowed === undefined) {
      const near = nearestName(name, Object.keys(rules));
      const hint = near === undefined ? "" : `Did you mean "${near}"? `;
      throw fail(`unknown option "${name}"`, `${hint}Options: ${names}.`);
    }
    if (allowed === "any" || value === undefined) continue;
    const choices = "is" in allowed ? [allowed] : allowed;
    if (choices.some((each) => (isKind(each) ? each.is(value) : each === value))) continue;
    const words = choices.map((each) => (isKind(each) ? each.words : JSON.stringify(each))).join(", ");
    throw fail(`${name} is ${describe(value)}`, `Use ${"is" in allowed ? "" : "one of "}${words}.`);
  }
}

function isKind(value: unknown): value is OptionKind {
  return typeof value === "object" && value !== null && "is" in value && "words" in value;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "string" ? JSON.stringify(value) : `a value of type ${typeof value}`;
}
