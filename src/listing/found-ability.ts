import type { AbilitySnapshot } from "../contract/ability.js";
import type { InexactNumber } from "./find-inexact-numbers.js";
import { DEEPEST_LOCKABLE, measureDepth } from "../contract/limits.js";

/** An ability as a site or its PHP code reports it. */
export interface FoundAbility {
  readonly ability: AbilitySnapshot;
  /** The PHP file that registers it, if known: posix, relative to the configuration. */
  readonly file?: string;
  /** Why no code can be generated for it. */
  readonly fault?: string;
}

/**
 * Returns the fault of an ability with a number that JavaScript cannot hold. `at` is the path of the ability
 * in its text.
 */
export function faultAt(
  inexact: readonly InexactNumber[],
  at: readonly (string | number)[] = [],
): { readonly fault?: string } {
  const lost = inexact.find(({ path }) => at.every((key, depth) => path[depth] === key));
  if (lost === undefined) return {};
  const number = lost.token.length > 40 ? `${lost.token.slice(0, 40)}…` : lost.token;
  return { fault: `The number ${number} is one that JavaScript cannot hold.` };
}

/** Whether an ability is flat enough to be locked. */
export function isLockable({ ability }: FoundAbility): boolean {
  return measureDepth(ability, DEEPEST_LOCKABLE) <= DEEPEST_LOCKABLE;
}
