import { McpCodegenError } from "./errors.js";
import { isJsonObject } from "./json.js";
import { LONGEST_WAIT } from "./limits.js";
import { nearestName } from "./nearest-name.js";

/** Values of a kind, with the words for them in messages. */
export interface OptionKind {
  readonly words: string;
  readonly is: (value: unknown) => boolean;
  /** Of an array or an object: the kind of its values. */
  readonly each?: OptionKind;
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
/** `Infinity` sets no limit. */
export const COUNT: OptionKind = {
  words: "a whole number from 0 on",
  is: (value) => NUMBER.is(value) && (Number.isInteger(value) || value === Infinity),
};
export const MILLISECONDS: OptionKind = {
  words: `milliseconds from 1 to ${LONGEST_WAIT}`,
  is: (value) => typeof value === "number" && value >= 1 && value <= LONGEST_WAIT,
};
/** Instances of classes as well. A promise is a forgotten `await`. */
export const OBJECT: OptionKind = {
  words: "an object",
  is: (value) => isJsonObject(value) && !isPromise(value),
};
/** An object or a module, which may also be a function. */
export const HOLDER: OptionKind = {
  words: "an object",
  is: (value) => OBJECT.is(value) || typeof value === "function",
};
/** Any value but a promise, for values that other code checks. */
export const SETTLED: OptionKind = { words: "a value", is: (value) => !isPromise(value) };
export const LIST: OptionKind = { words: "an array", is: (value) => Array.isArray(value) };
export const TEXTS: OptionKind = listOf(TEXT, "an array of strings");
export const SIGNAL: OptionKind = withMethods("an AbortSignal", "addEventListener", "removeEventListener");

/** An array whose items are of one kind. */
export function listOf(kind: OptionKind, words: string): OptionKind {
  return { words, is: (value) => Array.isArray(value) && value.every((each) => kind.is(each)), each: kind };
}

/** An object or a function with these methods. */
export function withMethods(words: string, ...methods: readonly string[]): OptionKind {
  const isOfKind = (value: unknown): boolean =>
    (typeof value === "function" || (typeof value === "object" && value !== null)) &&
    methods.every((name) => typeof Reflect.get(value, name) === "function");
  return { words, is: isOfKind };
}

/** A plain object whose values are of one kind: a map, or the `Headers` of a request, has none. */
export function recordOf(kind: OptionKind, words: string): OptionKind {
  const isOfKind = (value: unknown): boolean =>
    isJsonObject(value) &&
    /^\[object (?:Object|Module)\]$/.test(Object.prototype.toString.call(value)) &&
    Object.values(value).every((each) => kind.is(each));
  return { words, is: isOfKind, each: kind };
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
  const table: Readonly<Record<string, Allowed>> = rules;
  const names = Object.keys(rules).join(", ");
  const fail = (problem: string, hint = `Options: ${names}.`): McpCodegenError =>
    new McpCodegenError("USAGE", `${caller}: ${problem}.`, { hint });
  if (!OBJECT.is(options)) throw fail(`expected an object, got ${describeValue(options)}`, hintFor(options));
  const missing = required.find((name) => options[name] === undefined);
  if (missing !== undefined) throw fail(`missing option "${missing}"`, hintFor(undefined, table[missing]));
  for (const [name, value] of Object.entries(options)) {
    const allowed = Object.hasOwn(table, name) ? table[name] : undefined;
    if (allowed === undefined) {
      const near = nearestName(name, Object.keys(rules));
      const hint = near === undefined ? "" : `Did you mean "${near}"? `;
      throw fail(`unknown option "${name}"`, `${hint}Options: ${names}.`);
    }
    if (value === undefined || isAllowed(value, allowed)) continue;
    const wrong = findWrong(name, value, allowed);
    throw fail(`invalid ${wrong.place}: ${describeValue(wrong.value)}`, hintFor(wrong.value, allowed));
  }
}

/**
 * Refuses an argument that TypeScript would refuse, as {@link checkOptions} does with options.
 *
 * @param caller the function whose argument it is, for the message
 * @throws McpCodegenError `USAGE`
 */
export function checkArgument(
  caller: string,
  name: string,
  value: unknown,
  kind: OptionKind,
  hint?: string,
): void {
  if (kind.is(value)) return;
  const wrong = findWrong(name, value, kind);
  throw new McpCodegenError("USAGE", `${caller}: invalid ${wrong.place}: ${describeValue(wrong.value)}.`, {
    hint: hint ?? hintFor(wrong.value, kind),
  });
}

export const AWAIT = 'Write "await" before it.';

type Allowed = readonly unknown[] | OptionKind | "any";

function isAllowed(value: unknown, allowed: Allowed): boolean {
  if (allowed === "any") return true;
  if ("is" in allowed) return allowed.is(value);
  return allowed.some((each) => (isKind(each) ? each.is(value) : each === value));
}

/** Finds the value that is wrong: in an array or an object of values, the first of them. */
function findWrong(
  place: string,
  value: unknown,
  allowed: Allowed,
): { readonly place: string; readonly value: unknown } {
  const kinds = isKind(allowed) ? [allowed] : allowed === "any" ? [] : allowed.filter(isKind);
  const [kind] = kinds.flatMap(({ each }) => each ?? []);
  const entries: readonly (readonly [string, unknown])[] =
    typeof value === "object" && value !== null ? Object.entries(value) : [];
  const wrong = kind && entries.find(([, item]) => !kind.is(item));
  if (wrong === undefined) return { place, value };
  const [key, item] = wrong;
  return findWrong(`${place}[${Array.isArray(value) ? key : JSON.stringify(key)}]`, item, kind ?? "any");
}

function hintFor(value: unknown, allowed: Allowed = "any"): string | undefined {
  if (isPromise(value)) return AWAIT;
  if (allowed === "any") return undefined;
  if ("is" in allowed) return `Use ${allowed.words}.`;
  return `Use one of ${allowed.map((each) => (isKind(each) ? each.words : JSON.stringify(each))).join(", ")}.`;
}

function isKind(value: unknown): value is OptionKind {
  return typeof value === "object" && value !== null && "is" in value && "words" in value;
}

/** Not by `instanceof`: another realm has a `Promise` of its own. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return Object.prototype.toString.call(value) === "[object Promise]";
}

/** The most characters of a string in a message. */
const LONGEST = 60;

/** Describes a wrong value in a message. */
export function describeValue(value: unknown): string {
  if (isPromise(value)) return "a promise";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string")
    return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" || typeof value === "symbol" ? `a ${typeof value}` : String(value);
}
