import { type AbilitySnapshot, isAbilitySnapshot, type AdapterProfile } from "../../contract/ability.js";
import { DEEPEST_LOCKABLE, measureDepth } from "../../contract/limits.js";
import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";

/** An ability as a site or its PHP code reports it. */
export interface FoundAbility {
  readonly ability: AbilitySnapshot;
  /** The PHP file that registers it, if known: posix, relative to the configuration. */
  readonly file?: string;
  /** Why no code can be generated for it. */
  readonly fault?: string;
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
  if (!isAbilitySnapshot(value)) return undefined;
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
  const meta = memberOf(ability, "meta");
  const mcp = memberOf(meta, "mcp");
  const type = memberOf(mcp, "type");
  if (type === "resource" || type === "prompt") return false;
  const own = memberOf(mcp, "public") ?? null;
  if (own !== null || profile !== "0.6") return isTruthyInPhp(own);
  const canInherit = mcp === undefined || typeof mcp === "object";
  return canInherit && memberOf(meta, "public") === true;
}

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? getOwn(value, key) : undefined;
}

/** PHP's `(bool)` for a value printed as JSON. */
export function isTruthyInPhp(value: JsonValue): boolean {
  return Boolean(value) && value !== "0" && !isEmptyArray(value);
}
