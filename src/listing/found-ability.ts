import type { AbilitySnapshot } from "../contract/ability.js";
import { DEEPEST_LOCKABLE, measureDepth } from "../contract/limits.js";

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
