import { count, type Paint } from "./layout.js";
import { printable } from "../core/printable.js";
import type { ReplayConflict, ReplayedStep, ReplaySummary } from "../agent/replay/run-replay.js";

/** Prints the steps to replay, with their conflicts. */
export function printReplayPlan(summary: ReplaySummary, paint: Paint): readonly string[] {
  const { steps, environment, conflicts, damaged, unresolved } = summary;
  return [
    paint.bold(`${count(steps.length, "change")} to replay in "${printable(environment)}":`),
    ...steps.flatMap((step) => printStep(step, conflicts, paint)),
    ...damaged.map(({ line, problem }) =>
      paint.red(
        `Line ${line} is damaged and its content is lost: ${problem}. Pass --allow damaged-line to continue without it.`,
      ),
    ),
    ...unresolved.map(({ line, server, tool }) =>
      paint.red(
        `Line ${line}: the outcome of ${printable(server)} ${printable(tool)} is not known; it may wait for an approval. Pass --allow unresolved-call to continue without it.`,
      ),
    ),
  ];
}

function printStep(
  step: ReplayedStep,
  conflicts: readonly ReplayConflict[],
  paint: Paint,
): readonly string[] {
  const { number, server, tool, state, references } = step;
  const note = state === "pending" ? "" : ` ${paint.dim(`(${state})`)}`;
  return [
    `  ${number}. ${printable(server)} ${printable(tool)}${note}`,
    ...references.map(({ argument, value, from, source, how }) =>
      paint.dim(
        `       ${printable(argument)}: ${printable(JSON.stringify(value), 60)} → ${printable(source)} of step ${from} (${how})`,
      ),
    ),
    ...conflicts
      .filter((conflict) => conflict.step === number)
      .map(({ kind, message, blocks }) =>
        paintBy(blocks, `       ${kind}: ${printable(message, 400)}`, paint),
      ),
  ];
}

function paintBy(blocks: boolean, text: string, paint: Paint): string {
  return blocks ? paint.red(text) : paint.yellow(text);
}

/** Prints the outcome, and what to do next. */
export function printReplay(summary: ReplaySummary, paint: Paint): readonly string[] {
  const done = summary.steps.filter(({ state }) => state === "done").length;
  const counted = `${done} of ${count(summary.steps.length, "change")} done`;
  const { status, at, reason } = summary;
  const why = reason === undefined ? "" : ` ${printable(reason, 600)}`;
  switch (status) {
    case "planned":
      return [];
    case "complete":
      return [paint.green(`Complete: ${counted}.`)];
    case "refused":
      return [
        paint.red("Not replayed: the plan has conflicts."),
        "Declare references (--references), skip steps (--skip), or accept a kind of conflict (--allow).",
        ...(summary.conflicts.some(({ kind }) => kind === "tool-missing")
          ? ["Pass --allow-unlocked to use tools that the server has and the lock does not."]
          : []),
      ];
    case "stopped":
      return [
        paint.red(`Stopped${at === undefined ? "" : ` at step ${at}`}; ${counted}.${why}`),
        "Run the same command again to continue.",
      ];
    case "undecided":
      return [
        paint.red(`Stopped; ${counted}.${why}`),
        `Check whether the step took effect, then continue with --mark ${at ?? "<step>"}=done or --mark ${at ?? "<step>"}=retry. If later steps need its id: --mark '${at ?? "<step>"}=done={"id":345}'.`,
      ];
    default:
      return status satisfies never;
  }
}
