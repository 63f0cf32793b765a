import { nearestName } from "../../config/did-you-mean.js";
import type { ArgumentSchema } from "./argument-schema.js";
import type { DeadEnd } from "./find-place.js";
import { joinFlagName } from "./flag-names.js";

/** The flag that an unknown one most likely stands for. */
export function nearestFlag(
  keys: readonly string[],
  { path, within }: DeadEnd,
  schema: ArgumentSchema,
): string | undefined {
  // Whoever forgot that a dot leads inside wrote the whole of a name.
  const rest = keys.slice(path.length).join(".");
  if (rest.length > LONGEST) return undefined;
  const known = [...schema.members(within).keys()];
  const nearest = nearestName(rest, known) ?? nearestName(keys[path.length] ?? "", known);
  return nearest === undefined ? undefined : joinFlagName([...path, nearest]);
}

/** Nobody types a longer name by mistake. */
const LONGEST = 100;
