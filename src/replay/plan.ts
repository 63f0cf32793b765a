import { checkOptions, FUNCTION, HOLDER, LIST, OBJECT, TEXT } from "../contract/check-options.js";
import type { CallOptions } from "../runtime/call-options.js";
import type { AnyTool } from "../runtime/tool.js";
import type { RecordedCall } from "../runtime/call-recorder.js";
import type { Clock } from "../runtime/clock.js";
import type { ToolError } from "../runtime/result.js";
import type { AbortSignalLike } from "../transport/abort-signal.js";
import type { Decision } from "./journal.js";
import type { Lines } from "./parse-changes.js";

/** The path of a value in arguments or a result. */
export type ValuePath = readonly (string | number)[];

/** Options of a replay. */
export interface ReplayTarget {
  /** The environment: calls are made there, and journals are held to it. */
  readonly environment: string;
  /**
   * The tools there: a registry, which is asked in `environment`, or what `connect()` or a server's index has; a list of
   * those for several servers.
   */
  readonly tools: ToolSet | readonly ToolSet[];
  readonly references?: References;
  /** Kinds of conflict that do not block the replay. */
  readonly accept?: readonly ConflictKind[];
  /** Numbers of steps to skip. */
  readonly skip?: readonly number[];
  /** How calls are made; by default in `environment`. The tools of a registry are always called in `environment`. */
  readonly options?: CallOptions;
}

/** A registry, or tools by any names: what `connect()` returns, or a server's index. Values that are not tools are ignored. */
export type ToolSet = object;

/**
 * Which arguments are ids of something that an earlier call created: by tool and by argument, the tool that created it and
 * where its result has the id. `{ "create-comment": { post_id: "create-post.id" } }`. A path goes down with `.`, and into
 * every item of a list with `[]`: `"line_items[].product_id": "create-product.id"`. Several sources form a list. A tool
 * of one among several servers is `server__tool`. `"same"` says that a value is the same in every environment.
 */
export interface References {
  readonly [tool: string]: { readonly [argument: string]: string | readonly string[] };
}

/** One call to replay. */
export interface ReplayStep {
  /** From 1, in the order of recording, including skipped steps. */
  readonly number: number;
  readonly change: RecordedCall;
  /** The ids in its arguments that differ in the target. */
  readonly references: readonly Reference[];
  readonly isSkipped: boolean;
  /** Absent if the target does not have the tool. */
  readonly tool?: AnyTool;
}

/** An argument that is replaced by what an earlier step's result has in the target. */
export interface Reference {
  readonly path: ValuePath;
  /** As recorded. */
  readonly value: string | number;
  /** The step that created it. */
  readonly from: number;
  /** Where its result has it. */
  readonly at: ValuePath;
  readonly how: "declared" | "inferred";
}

/**
 * A reason why a plan cannot be replayed unchanged.
 *
 * - `ambiguous-id`: an argument may be the id of something that the changes created, and its name is not conclusive.
 *   Declare it.
 * - `foreign-id`: an argument is an id, and what it belongs to was not created by the changes. In the target it may be
 *   something else, or nothing. Declare it, as `"same"` if it is.
 * - `unknown-outcome`: it is not known whether the call was ever made. Skip it, or accept to make it.
 * - `contract-differs`: the call was recorded under another version of the contract. Blocks only if the
 *   major version differs.
 * - `same-environment`: the change was recorded in the target itself.
 * - `tool-missing`: the target does not have the tool, or its server could not be listed. It can only be skipped.
 * - `input-invalid`: the arguments do not fit the tool's input schema. It can only be skipped.
 * - `source-skipped`: it needs an id of a step that is skipped. It can only be skipped as well.
 */
export type ConflictKind =
  | "ambiguous-id"
  | "foreign-id"
  | "unknown-outcome"
  | "contract-differs"
  | "same-environment"
  | "tool-missing"
  | "input-invalid"
  | "source-skipped";

export interface Conflict {
  readonly kind: ConflictKind;
  /** Number of the step. */
  readonly step: number;
  readonly message: string;
  /** The argument that it is about, as `References` spell it. */
  readonly argument?: string;
  /** Whether it blocks the replay. */
  readonly blocks: boolean;
}

export interface ReplayPlan {
  readonly environment: string;
  readonly steps: readonly ReplayStep[];
  readonly conflicts: readonly Conflict[];
  /** Whether no conflict blocks it. */
  readonly isReady: boolean;
  readonly target: ReplayTarget;
}

export interface ReplayOptions {
  /**
   * What was done is written here before and after each call, and read when the replay is taken up again: in memory, or in a
   * file by `openJournal` of `mcp-codegen/node`.
   */
  readonly journal: Lines;
  /** What somebody has found steps of unknown outcome to be, by their numbers. */
  readonly decisions?: ReadonlyMap<number, Decision>;
  /** Ends the replay before its next call. */
  readonly signal?: AbortSignalLike;
  /** Called after each step that was done. */
  readonly onStep?: (step: StepReport) => void;
  readonly clock?: Clock;
}

export interface StepReport {
  readonly number: number;
  readonly server: string;
  readonly tool: string;
  /**
   * `done`, by this run or an earlier one; `skipped`; `failed`, the server said no; `unknown`, it was sent and no outcome is
   * known; `pending`, not sent yet.
   */
  readonly state: "done" | "skipped" | "failed" | "unknown" | "pending";
  /** Whether this run made the call. */
  readonly isNew: boolean;
}

export interface ReplayReport {
  /**
   * `complete`; `refused`, a conflict of the plan blocks it and nothing was sent; `stopped`, at the step that failed, and
   * replaying again goes on from there; `undecided`, somebody must look at a step of unknown outcome.
   */
  readonly status: "complete" | "refused" | "stopped" | "undecided";
  readonly steps: readonly StepReport[];
  /** Why it did not come to its end. */
  readonly reason?: string;
  /** The number of the step where it ended. */
  readonly at?: number;
  /** What a call failed with. */
  readonly error?: ToolError;
}

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
  checkOptions("planReplay", target, {
    environment: TEXT,
    tools: [HOLDER, LIST],
    references: OBJECT,
    accept: LIST,
    skip: LIST,
    options: OBJECT,
  });
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
  checkOptions("replay", options, {
    journal: OBJECT,
    decisions: OBJECT,
    signal: OBJECT,
    onStep: FUNCTION,
    clock: FUNCTION,
  });
  const { runReplay } = await import("./run-replay.js");
  return runReplay(plan, options);
}
