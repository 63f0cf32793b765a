import type { AbilitySnapshot } from "../contract/ability.js";
import type { InexactNumber } from "./find-inexact-numbers.js";
import { DEEPEST_LOCKABLE, measureDepth } from "../contract/limits.js";

/** An ability as a site, or its PHP, tells it. */
export interface FoundAbility {
  readonly ability: AbilitySnapshot;
  /** The PHP file that registers it, where that is known: posix, relative to the configuration. */
  readonly file?: string;
  /** Why no code can be made of it. */
  readonly fault?: string;
}

/** What reading an ability lost: a number that JavaScript cannot hold, below its place in what it came in. */
export function faultAt(
  inexact: readonly InexactNumber[],
  at: readonly (string | number)[] = [],
): { readonly fault?: string } {
  const lost = inexact.find(({ path }) => at.every((key, depth) => path[depth] === key));
  if (lost === undefined) return {};
  const number = lost.token.length > 40 ? `${lost.token.slice(0, 40)}…` : lost.token;
  return { fault: `The number ${number} is one that JavaScript cannot hold.` };
}

/** Whether an ability can be written into a lock: what nests deeper than anybody means it cannot. */
export function isLockable({ ability }: FoundAbility): boolean {
  return measureDepth(ability, DEEPEST_LOCKABLE) <= DEEPEST_LOCKABLE;
}
