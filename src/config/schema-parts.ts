import * as v from "valibot";
import { isJsonObject, type JsonValue } from "../core/json.js";
import type { PolicyRules, ToolSelector } from "../agent/policy/policy.js";
import type { PolicyConfig } from "./config.js";

/** One validator per documented key: a key that is missing here or not documented does not compile. */
export type Entries<T> = { readonly [Key in keyof Required<T>]: v.GenericSchema };

export const text: v.GenericSchema<string> = v.pipe(
  v.string("expected a string"),
  v.nonEmpty("expected a non-empty string"),
);
export const texts: v.GenericSchema<readonly string[]> = v.pipe(
  v.array(text, "expected an array of strings"),
  v.readonly(),
);

export const json: v.GenericSchema<JsonValue> = v.custom<JsonValue>(isJson, "expected JSON");

function isJson(value: unknown): boolean {
  if (value === null || typeof value === "boolean" || typeof value === "string") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return isJsonObject(value) && Object.values(value).every(isJson);
}

const selectorEntries = {
  categories: v.exactOptional(texts),
  names: v.exactOptional(texts),
  effects: v.exactOptional(
    v.pipe(
      v.array(
        v.picklist(["reads", "writes", "destroys"], 'expected "reads", "writes" or "destroys"'),
        "expected an array of effects",
      ),
      v.readonly(),
    ),
  ),
} satisfies Entries<ToolSelector>;

const selectors = v.pipe(
  v.array(
    v.pipe(
      v.strictObject(selectorEntries, "expected an object"),
      v.check(
        (selector) => Object.keys(selector).length > 0,
        "expected a condition: without one, it selects every tool",
      ),
    ),
    "expected an array of selectors",
  ),
  v.readonly(),
);

const rulesEntries = {
  allow: v.exactOptional(selectors),
  deny: v.exactOptional(selectors),
} satisfies Entries<PolicyRules>;

const rulesByName = v.record(
  v.string(),
  v.strictObject(rulesEntries, "expected an object"),
  "expected an object of rules by name",
);

/** The validators of the keys of `policy`. */
export const policyEntries = {
  focusMode: v.exactOptional(text),
  role: v.exactOptional(text),
  focusModes: v.exactOptional(rulesByName),
  roles: v.exactOptional(rulesByName),
  writes: v.exactOptional(
    v.union(
      [v.boolean(), v.record(v.string(), v.boolean())],
      "expected true, false or an object of true and false by server",
    ),
  ),
} satisfies Entries<PolicyConfig>;

/** Returns the known keys at a path inside `policy`; undefined where users choose the keys. */
export function knownPolicyKeys(path: readonly (string | number)[]): readonly string[] | undefined {
  if (path.length === 0) return Object.keys(policyEntries);
  if (path[0] !== "focusModes" && path[0] !== "roles") return undefined;
  if (path.length === 2) return Object.keys(rulesEntries);
  return path.length === 4 ? Object.keys(selectorEntries) : undefined;
}
