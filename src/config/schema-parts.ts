import * as v from "valibot";
import { quoteAll } from "../core/collections.js";
import { getOwn, isJsonObject, mapEntries, type JsonValue } from "../core/json.js";
import { findPatternProblem } from "../core/name-pattern.js";
import type { EndpointSettings } from "../core/connection.js";
import type { PolicyRules, ToolSelector } from "../core/policy.js";
import type { PhpConfig, PolicyConfig, ServerConfig } from "./config.js";
import { splitCommand } from "./parse-server-argument.js";

/** One validator per documented key: a key that is missing here or not documented does not compile. */
export type Entries<T> = { readonly [Key in keyof Required<T>]: v.GenericSchema };

type Optional<E> = {
  readonly [Key in keyof E]: E[Key] extends v.GenericSchema
    ? v.ExactOptionalSchema<E[Key], undefined>
    : never;
};

/** Returns the validators of keys that may all be absent. */
export function optionals<const E extends { readonly [key: string]: v.GenericSchema }>(
  entries: E,
): Optional<E> {
  // Each key keeps its validator.
  return mapEntries(entries, (entry) => v.exactOptional(entry)) as Optional<E>;
}

/** An object with these keys only. */
export function object<const E extends v.ObjectEntries>(
  entries: E,
  message = "expected an object",
): v.StrictObjectSchema<E, string> {
  return onlyOwn(v.strictObject(entries, message));
}

/**
 * Returns the schema of an object as one that checks what valibot does not: a list is not an object, and a key with the name of an
 * inherited member, such as `constructor`, is a key like any other. It sees such a key with a mark, which no issue keeps.
 */
function onlyOwn<S extends v.GenericSchema>(schema: S): S {
  return {
    ...schema,
    "~run": (dataset: Parameters<S["~run"]>[0], config: Parameters<S["~run"]>[1]) => {
      const value = Array.isArray(dataset.value) ? null : markInherited(dataset.value);
      const result = schema["~run"]({ ...dataset, value }, config);
      for (const issue of result.issues ?? [])
        for (const step of issue.path ?? [])
          if (typeof step.key === "string" && step.key.endsWith(MARK))
            Object.assign(step, { key: step.key.slice(0, -MARK.length) });
      return result;
    },
  };
}

const MARK = "\0";

function markInherited(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const isInherited = (key: string): boolean => key in Object.prototype || key === "prototype";
  const keys = Object.keys(value);
  if (!keys.some(isInherited)) return value;
  return Object.fromEntries(keys.map((key) => [isInherited(key) ? key + MARK : key, getOwn(value, key)]));
}

interface Misfit {
  readonly text: string;
  /** The key in question; absent for the whole object. */
  readonly key?: string;
}

/** A rule about several keys of an object. */
function rule<T extends object>(find: (value: T) => readonly Misfit[]): v.RawCheckAction<T> {
  return v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value: input } = dataset;
    for (const { key, text: message } of find(input))
      if (key === undefined) addIssue({ message });
      else addIssue({ message, path: [{ type: "unknown", origin: "value", input, key, value: undefined }] });
  });
}

const KINDS = ["url", "command", "file"] as const;
const COMMAND_KEYS = ["args", "env", "cwd"] as const;
const URL_KEYS = ["auth", "headers", "transport"] as const;

/** A server has one kind of source, and the keys of that kind; an environment or a variant may have none. */
export function keysOfOneKind(isServer: boolean): v.RawCheckAction<ServerConfig> {
  return rule((endpoint: ServerConfig) => {
    const [kind, ...others] = KINDS.filter((key) => endpoint[key] !== undefined);
    if (others.length > 0 || (isServer && kind === undefined && endpoint.php === undefined)) {
      const choices = isServer ? '"url", "command" and "file", or "php"' : '"url" and "command"';
      return [{ text: `expected exactly one of ${choices}` }];
    }
    const only = (keys: readonly (keyof EndpointSettings)[], needed: string): readonly Misfit[] =>
      kind === undefined || kind === needed
        ? []
        : keys
            .filter((key) => endpoint[key] !== undefined)
            .map((key) => ({ key, text: `applies only together with "${needed}"` }));
    return [...only(COMMAND_KEYS, "command"), ...only(URL_KEYS, "url")];
  });
}

const SITE_KEYS = ["wordpress", "command"] as const;
/** The keys of a WordPress without a site. */
const CORE_KEYS = ["core", "theme", "options", "constants"] as const;

/** Plugins run in exactly one place: the code of WordPress, a WordPress on disk, or one behind a command. */
export const onePlaceOfPhp: v.RawCheckAction<PhpConfig> = rule((php: PhpConfig) => {
  const { paths, command } = php;
  const [site, other] = SITE_KEYS.filter((key) => php[key] !== undefined);
  if (other !== undefined) return [{ text: 'expected "wordpress" or "command", not both' }];
  if (site === undefined)
    return paths === undefined ? [{ text: 'expected "paths", "wordpress" or "command"' }] : [];
  const misfits: Misfit[] = CORE_KEYS.filter((key) => php[key] !== undefined).map((key) => ({
    key,
    text: `does not apply together with "${site}"`,
  }));
  if (typeof command === "string" && !splitCommand(command)?.[0])
    misfits.push({ key: "command", text: "expected a program, with every quotation mark closed" });
  return misfits;
});

/** An object whose keys have a schema. */
export function dictionaryOf<K extends v.GenericSchema<string>, S extends v.GenericSchema>(
  key: K,
  item: S,
  message: string,
): v.RecordSchema<K, S, string> {
  return onlyOwn(v.record(key, item, message));
}

/** An object with keys of the user. */
export function dictionary<S extends v.GenericSchema>(
  item: S,
  message = "expected an object",
  key: v.GenericSchema<string> = v.string(),
): v.GenericSchema<{ readonly [key: string]: v.InferOutput<S> }> {
  return dictionaryOf(key, item, message);
}

export function listOf<T>(
  item: v.GenericSchema<T>,
  message: string,
  least?: string,
): v.GenericSchema<readonly T[]> {
  const items = v.array(item, message);
  return least === undefined
    ? v.pipe(items, v.readonly())
    : v.pipe(items, v.minLength(1, least), v.readonly());
}

/** One of these texts. The message lists them as `"a", "b" or "c"`, if there is no other. */
export function choice<const T extends string>(
  values: readonly T[],
  message = `expected ${quoteAll(values.slice(0, -1))}${values.length > 1 ? " or " : ""}"${values.at(-1) ?? ""}"`,
): v.GenericSchema<T> {
  return v.picklist(values, message);
}

export function positive(unit: string, least: string): v.GenericSchema<number> {
  return v.pipe(
    v.number(`expected a number of ${unit}`),
    v.integer(`expected a whole number of ${unit}`),
    v.minValue(1, least),
  );
}

export const yesOrNo: v.GenericSchema<boolean> = v.boolean("expected true or false");
export const text: v.GenericSchema<string> = v.pipe(
  v.string("expected a string"),
  v.nonEmpty("expected a non-empty string"),
);
export const texts: v.GenericSchema<readonly string[]> = listOf(text, "expected an array of strings");

/** A rule about a text. */
export function textRule(find: (value: string) => string | undefined): v.RawCheckAction<string> {
  return v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? find(dataset.value) : undefined;
    if (message !== undefined) addIssue({ message });
  });
}

/** A pattern for names; with `mayBeTemplate`, for URIs and their templates. */
function pattern(mayBeTemplate: boolean): v.GenericSchema<string> {
  return v.pipe(
    text,
    textRule((value) => findPatternProblem(value, mayBeTemplate)),
  );
}

export const namePattern: v.GenericSchema<string> = pattern(false);
export const namePatterns: v.GenericSchema<readonly string[]> = listOf(
  namePattern,
  "expected an array of strings",
);
export const uriPatterns: v.GenericSchema<readonly string[]> = listOf(
  pattern(true),
  "expected an array of strings",
);

export const json: v.GenericSchema<JsonValue> = v.custom<JsonValue>(isJson, "expected JSON");

function isJson(value: unknown): boolean {
  if (value === null || typeof value === "boolean" || typeof value === "string") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return isJsonObject(value) && Object.values(value).every(isJson);
}

const selectorEntries = optionals({
  categories: namePatterns,
  names: namePatterns,
  effects: listOf(choice(["reads", "writes", "destroys"]), "expected an array of effects"),
}) satisfies Entries<ToolSelector>;

const selectors = listOf(
  v.pipe(
    object(selectorEntries),
    v.check(
      (selector) => Object.keys(selector).length > 0,
      "expected a condition: without one, it selects every tool",
    ),
  ),
  "expected an array of selectors",
);

const rulesEntries = optionals({ allow: selectors, deny: selectors }) satisfies Entries<PolicyRules>;
const rulesByName = dictionary(object(rulesEntries), "expected an object of rules by name");

/** The validators of the keys of `policy`. */
export const policyEntries = optionals({
  focusMode: text,
  role: text,
  focusModes: rulesByName,
  roles: rulesByName,
  writes: v.union(
    [v.boolean(), dictionary(v.boolean())],
    "expected true, false or an object of true and false by server",
  ),
}) satisfies Entries<PolicyConfig>;
