import { findInexactNumbers, type InexactNumber, keepNumbers } from "../inexact-numbers.js";
import type { AbilitySnapshot, AdapterProfile } from "../../../core/ability.js";
import { DEEPEST_LOCKABLE, measureDepth } from "../../../core/limits.js";
import { findOwn, isJsonObject, isNamedObject, type JsonValue } from "../../../core/json.js";

/** An ability as a site or its PHP code reports it. */
export interface FoundAbility {
  readonly ability: AbilitySnapshot;
  /** The PHP file that registers it, if known: posix, relative to the configuration. */
  readonly file?: string | undefined;
  /** Why no code can be generated for it. */
  readonly fault?: string | undefined;
}

/** Reads an ability from a list of the site, without what the transport added; undefined for another value. */
export function readFoundAbility(
  listed: JsonValue,
  inexact: readonly InexactNumber[] | undefined,
): FoundAbility | undefined {
  const { value, fault } = keepNumbers(listed, inexact);
  const ability = readAbility(value);
  return ability && { ability, fault: fault?.message };
}

/** Reads the definition of an ability that PHP printed as JSON; undefined for another value. */
export function parsePhpAbility(json: string): FoundAbility | undefined {
  const { value, fault } = keepNumbers(JSON.parse(json) as JsonValue, findInexactNumbers(json));
  return isNamedObject(value) ? { ability: value, fault: fault?.message } : undefined;
}

/** Whether an ability is flat enough to be locked. */
export function isLockable({ ability }: FoundAbility): boolean {
  return measureDepth(ability, DEEPEST_LOCKABLE) <= DEEPEST_LOCKABLE;
}

/**
 * Returns an ability without what its transport added: PHP prints an absent schema as an empty array, and the
 * REST API adds links. Undefined for a value that is not an ability.
 */
export function readAbility(value: JsonValue | undefined): AbilitySnapshot | undefined {
  if (!isNamedObject(value)) return undefined;
  const entries = Object.entries(value).filter(
    ([key, member]) =>
      key !== "_links" && !(SCHEMAS.includes(key) && (member === null || isEmptyArray(member))),
  );
  return { ...Object.fromEntries(entries), name: value.name };
}

const SCHEMAS = ["input_schema", "output_schema"];

/** Whether a value is PHP's empty array, which is printed as `[]` or `{}`. */
export function isEmptyArray(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

/**
 * Whether the adapter's default server lists the ability as a tool.
 *
 * Up to 0.5, `meta.mcp.public` must be true. Since 0.6 an ability without it inherits `meta.public`, which
 * must be exactly `true`. All versions convert `meta.mcp.public` as PHP does, and treat an unknown
 * `meta.mcp.type` as a tool.
 */
export function isPublicTool(ability: AbilitySnapshot, profile: AdapterProfile): boolean {
  const meta = findOwn(ability, "meta");
  const mcp = findOwn(meta, "mcp");
  const type = findOwn(mcp, "type");
  if (type === "resource" || type === "prompt") return false;
  const own = findOwn(mcp, "public") ?? null;
  if (own !== null || profile !== "0.6") return isTruthyInPhp(own);
  const canInherit = mcp === undefined || typeof mcp === "object";
  return canInherit && findOwn(meta, "public") === true;
}

/** PHP's `(bool)` for a value printed as JSON. */
export function isTruthyInPhp(value: JsonValue): boolean {
  return Boolean(value) && value !== "0" && !isEmptyArray(value);
}
