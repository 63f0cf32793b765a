import type { RecordedCall } from "../runtime/call-recorder.js";
import type { ReplayPlan, ReplayTarget } from "./plan.js";
import type { ReplayOptions, ReplayReport } from "./run-replay.js";

// Loaded on demand, since few programs replay changes.

/**
 * What replaying changes in another environment takes: the calls in their order, which of their arguments are ids that are
 * others there, and what stands against it. Nothing is sent.
 *
 * @throws McpCodegenError `USAGE` for references to what does not exist, and for a step to skip that does not exist;
 * `CHANGES_INVALID` for an entry that is not a change; `SERVER_UNKNOWN` for an environment that a registry does not have
 */
export async function planReplay(
  changes: readonly RecordedCall[],
  target: ReplayTarget,
): Promise<ReplayPlan> {
  const { makePlan } = await import("./make-plan.js");
  return makePlan(changes, target);
}

/**
 * Replays a plan: makes its calls in their order, with the ids that things have in the target, and stops at the first that
 * fails. What the journal says is done is not done again.
 *
 * @throws McpCodegenError `JOURNAL_INVALID` for a journal of another replay; `USAGE` for a decision about a step whose
 * outcome is known; whatever the journal throws. A call whose intent cannot be written is not made.
 */
export async function replay(plan: ReplayPlan, options: ReplayOptions): Promise<ReplayReport> {
  const { runReplay } = await import("./run-replay.js");
  return runReplay(plan, options);
}
