import {
  checkArgument,
  checkOptions,
  FUNCTION,
  type OptionKind,
  SIGNAL,
  withMethods,
} from "../../core/check-options.js";
import { callSafely } from "../../core/errors.js";
import { findOwn } from "../../core/json.js";
import { newTraceId, systemClock } from "../../runtime/events.js";
import type { FinishedCall } from "../../core/call.js";
import { STATIC_SERVER, toRecordedCall } from "../../runtime/call-recorder.js";
import { valueAtPath } from "../../schema/validation/schema.js";
import { LINES, type Lines } from "./parse-changes.js";
import { openJournalLog } from "./journal.js";
import {
  type Conflict,
  readRecordedResult,
  type ReplayOptions,
  type ReplayPlan,
  type ReplayReport,
  type ReplayStep,
  spellPath,
  type StepReport,
  withValueAt,
} from "./plan.js";

const CALLABLE: OptionKind = withMethods("", "safe");
/** A copy from JSON has lost the calls of its tools. */
const PLAN: OptionKind = {
  words: "the plan that planReplay returned, not a copy",
  is: (value) => {
    const steps: unknown = findOwn(value, "steps");
    return (
      Array.isArray(steps) &&
      steps.every((step: unknown) => {
        const tool: unknown = findOwn(step, "tool");
        return tool === undefined || CALLABLE.is(tool);
      })
    );
  },
};
const isDecision = (value: unknown): boolean =>
  ["done", "retry", "skip"].some((as) => findOwn(value, "as") === as);
const DECISIONS: OptionKind = {
  words: 'a Map such as new Map([[3, { as: "retry" }]])',
  is: (value) => value instanceof Map && [...value.values()].every(isDecision),
};

/**
 * Replays a plan: makes its calls in order, with the ids of the target, and stops at the first failure. Calls that the journal
 * has as done are not made again.
 *
 * @throws McpCodegenError `JOURNAL_INVALID` for a journal of another replay; `USAGE` without a plan or a journal, and for a
 * decision about a step whose outcome is known; errors of the journal. A call whose intent cannot be written is not made.
 */
export async function replay(plan: ReplayPlan, options: ReplayOptions): Promise<ReplayReport> {
  checkArgument("replay", "plan", plan, PLAN);
  checkOptions<ReplayOptions>(
    "replay",
    options,
    { journal: LINES, decisions: DECISIONS, signal: SIGNAL, onStep: FUNCTION, clock: FUNCTION },
    ["journal"],
  );
  return runPlan(plan, options);
}

/** As `replay`, for a plan that the command line has made. */
export function runPlan(plan: ReplayPlan, options: ReplayOptions): Promise<ReplayReport> {
  return openReplay(plan, options).run();
}

/** Reports the states of a plan's steps in a journal. Throws `JOURNAL_INVALID`. */
export function reviewReplay(plan: ReplayPlan, journal: Lines): readonly StepReport[] {
  return openReplay(plan, { journal }).report();
}

type End = Omit<ReplayReport, "steps">;

function openReplay(
  plan: ReplayPlan,
  { journal, decisions, signal, onStep, clock = systemClock }: ReplayOptions,
) {
  const log = openJournalLog(journal, plan);
  const run = newTraceId();
  const mine = new Set<number>();
  const now = (): string => new Date(clock()).toISOString();
  const report = (): readonly StepReport[] => plan.steps.map(reportOf);

  const work = async (): Promise<End> => {
    if (!plan.isReady) return { status: "refused", reason: "The plan has conflicts." };
    for (const [step, decision] of decisions ?? []) log.decide(step, decision, now());
    for (const step of plan.steps) {
      const end = await take(step);
      if (end !== undefined) return { at: step.number, ...end };
    }
    return { status: "complete" };
  };

  /** Makes the call of a step, if it is still to be made. Returns the reason if the replay cannot continue. */
  const take = async (step: ReplayStep): Promise<End | undefined> => {
    const { number, tool } = step;
    const record = log.recordOf(number);
    if (step.isSkipped || record?.state === "done" || record?.state === "skipped") return undefined;
    if (record?.state === "open" || log.isSuspect)
      return {
        status: "undecided",
        reason: `Step ${number} was sent before, or was about to be, and its outcome is not known.`,
      };
    if (signal?.aborted === true) return { status: "stopped", reason: "It was interrupted." };
    // Cannot occur: a plan with a missing tool is not ready.
    if (tool === undefined) return { status: "refused" };
    const mapped = mapArguments(step);
    if ("reason" in mapped) return { status: "stopped", ...mapped };
    const { args } = mapped;
    log.write(number, { args, run, at: now() }, "waits");
    const entry = log.recordOf(number);
    if (entry?.state !== "open" || entry.run !== run)
      return { status: "stopped", reason: "Another replay with this journal is at work." };
    mine.add(number);
    const { environment, target } = plan;
    const result = await tool.safe(args, { output: "warn", ...(target.options ?? { environment }) });
    // Whatever the annotations of the target say, the call was sent.
    const { name, server = STATIC_SERVER } = tool.definition;
    return settle(step, { tool: { name, server }, args, result });
  };

  const settle = (step: ReplayStep, call: FinishedCall): End | undefined => {
    const { number } = step;
    const { args, result } = call;
    const at = now();
    const change = toRecordedCall(call, at);
    if (!result.ok && (change === undefined || change.outcome === "unknown")) {
      const { error } = result;
      const { code, message } = error;
      if (change !== undefined)
        return {
          status: "undecided",
          reason: `The outcome of step ${number} is not known: ${message}`,
          error,
        };
      log.write(number, { args, at, run, code }, "none");
      return { status: "stopped", reason: message, error };
    }
    log.write(number, { ...change, run });
    callSafely(onStep, [reportOf(step)]);
    return undefined;
  };

  const mapArguments = ({
    change,
    references,
  }: ReplayStep): { readonly args: unknown } | { readonly reason: string } => {
    let args = change.args;
    for (const { path, value, from, at } of references) {
      const record = log.recordOf(from);
      const id = record?.state === "done" ? valueAtPath(readRecordedResult(record.change), at) : undefined;
      if (typeof id !== "string" && typeof id !== "number") {
        const reason = `It needs ${JSON.stringify(spellPath(at))} of the result of step ${from}, which does not have it.`;
        return { reason };
      }
      args = withValueAt(args, path, likeRecorded(id, value));
    }
    return { args };
  };

  const reportOf = ({ number, change, isSkipped }: ReplayStep): StepReport => {
    const { state: recorded = "pending" } = log.recordOf(number) ?? {};
    const state = isSkipped ? "skipped" : recorded === "open" ? "unknown" : recorded;
    return { number, server: change.server, tool: change.tool, state, isNew: mine.has(number) };
  };

  return { run: async (): Promise<ReplayReport> => ({ ...(await work()), steps: report() }), report };
}

function likeRecorded(id: string | number, recorded: string | number): string | number {
  if (typeof recorded === "string") return String(id);
  return typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
}

/** The plan and the outcome of a replay, for reports. */
export interface ReplaySummary {
  readonly environment: string;
  /** `planned` if nothing was to be sent yet; otherwise as in {@link ReplayReport}. */
  readonly status: "planned" | ReplayReport["status"];
  readonly steps: readonly ReplayedStep[];
  readonly conflicts: readonly Conflict[];
  /** Lines of the file that are not changes. */
  readonly damaged: readonly { readonly line: number; readonly problem: string }[];
  /** Lines of calls without a known outcome. They are not among the steps. */
  readonly unresolved: readonly { readonly line: number; readonly server: string; readonly tool: string }[];
  /** The step where it ended, and why. */
  readonly at?: number;
  /** The reason why it ended there. */
  readonly reason?: string;
  /** The code of the error that a call failed with. */
  readonly code?: string;
}

export interface ReplayedStep {
  /** From 1. */
  readonly number: number;
  readonly server: string;
  readonly tool: string;
  readonly state: StepReport["state"];
  /** Ids in the arguments that differ in the target. */
  readonly references: readonly {
    readonly argument: string;
    /** As recorded. */
    readonly value: string | number;
    /** The step whose result has the id of the target, and the path there. */
    readonly from: number;
    /** The place of the id in that result. */
    readonly source: string;
    readonly how: "declared" | "inferred";
  }[];
}
