import type { AbilitySnapshot } from "../../contract/ability.js";
import { digestOf } from "../../contract/digest.js";
import { getOwn, isJsonObject, type JsonObject } from "../../contract/json.js";

/** Whether two WordPresses have the same ability, whatever their versions. */
export function isSameAbility(one: AbilitySnapshot, other: AbilitySnapshot): boolean {
  return digestOf(comparable(one)) === digestOf(comparable(other));
}

/** WordPress 7.1 sets `meta.public` to false where a plugin does not set it; older versions leave it out. */
export function comparable(ability: AbilitySnapshot): JsonObject {
  const meta = getOwn(ability, "meta");
  if (!isJsonObject(meta) || getOwn(meta, "public") !== false) return ability;
  return { ...ability, meta: Object.fromEntries(Object.entries(meta).filter(([key]) => key !== "public")) };
}
