import { isAbilitySnapshot, type AbilitySnapshot } from "../contract/ability.js";
import { getOwn, isJsonObject, type JsonValue } from "../contract/json.js";

/**
 * An ability as somebody prints it, without what only its way here added: an absent schema is printed as an empty
 * array, and the REST API adds links. Undefined for what is no ability.
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

/** PHP's empty array, which is printed as one of two things. */
export function isEmptyArray(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

/** Whether the adapter's default server shows the ability as a tool: `meta.mcp.public`, and no resource or prompt. */
export function isPublicTool(ability: AbilitySnapshot): boolean {
  const meta = getOwn(ability, "meta");
  const mcp = isJsonObject(meta) ? getOwn(meta, "mcp") : undefined;
  if (!isJsonObject(mcp) || getOwn(mcp, "public") !== true) return false;
  return (getOwn(mcp, "type") ?? "tool") === "tool";
}
