import type { Lockfile } from "../contract/lockfile.js";
import { decide } from "../agent/policy/decide.js";
import type { Policy } from "../agent/policy/policy.js";
import type { ServedTools } from "./open-served-tools.js";

/** How many tools are served, and why others are not. */
export interface ServedCount {
  /** Tools that the policy shows. */
  readonly shown: number;
  /** Locked and own tools. */
  readonly total: number;
  /** Tools that are not shown, by the reason: a focus mode, a role, or that no call of them is possible. */
  readonly left: readonly { readonly reason: string; readonly count: number }[];
  /** Tools that are shown, and refused because writes are off. */
  readonly unwritten: number;
}

/** Counts what is known before any server is asked. */
export function countServed(
  { known }: Pick<ServedTools, "known">,
  lock: Lockfile,
  policy: Policy,
  servers: readonly string[] | undefined,
): ServedCount {
  const decisions = known.map((tool) => decide(tool, policy));
  const shown = decisions.filter(({ isVisible }) => isVisible);
  const hidden = decisions.flatMap(({ isVisible, reasons: [reason] }) =>
    isVisible || reason === undefined ? [] : [`hidden by ${reason.by}`],
  );
  const unusable = Object.entries(lock.servers)
    .filter(([name]) => servers?.includes(name) !== false)
    .flatMap(([, { tools }]) => Object.values(tools))
    .filter((tool) => tool.unusable !== undefined)
    .map(() => "unusable");
  const reasons = [...hidden, ...unusable];
  return {
    shown: shown.length,
    total: known.length + unusable.length,
    left: [...new Set(reasons)].map((reason) => ({
      reason,
      count: reasons.filter((one) => one === reason).length,
    })),
    unwritten: shown.filter(({ isAllowed }) => !isAllowed).length,
  };
}
