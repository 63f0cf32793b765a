import { basename, relative, resolve } from "node:path";
import type { Conflict, ConflictKind, Decision } from "../../../agent/replay/plan.js";
import type { ReplayedStep, ReplaySummary } from "../../../agent/replay/run-replay.js";
import { McpCodegenError } from "../../../core/errors.js";
import * as f from "../../../core/format.js";
import { tryParseJson } from "../../../core/json.js";
import { printable } from "../../../core/printable.js";
import { readTextBounded } from "../../../files/read-files.js";
import { count, type Paint, present } from "../../../report/layout.js";
import {
  planFileReplay,
  type PlannedReplay,
  type ReplayFileOptions,
} from "../../../project/tools/file-replay.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, printOnStderr } from "../../context.js";
import { loadProject } from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import { confirm, printArguments } from "../../prompts.js";
import type { REPLAY_FLAGS } from "./spec.js";

type Decisions = ReadonlyMap<number, Decision>;

/** The kinds of conflict that `--allow` can ignore. */
const ALLOWED: readonly ConflictKind[] = [
  "ambiguous-id",
  "foreign-id",
  "unknown-outcome",
  "contract-differs",
  "same-environment",
];
const DAMAGE = "damaged-line";
const UNRESOLVED = "unresolved-call";
/** Characters of a call's arguments in a dry run. */
const MOST_OF_ARGUMENTS = 400;
const FILE_PROBLEMS: readonly string[] = [DAMAGE, UNRESOLVED];

/** Replays recorded calls in another environment. Prints the plan before anything is sent. */
export const runReplayCommand: Runner<typeof REPLAY_FLAGS> = async (context, [changes = ""], options) => {
  const decisions = readDecisions(options.mark ?? []);
  const settings = await readOptions(context, changes, options);
  const loaded = await loadProject(context);
  const planned = await planFileReplay(loaded, { ...settings, ...(await loaded.access()) });
  try {
    context.print(printReplayPlan(planned, { hasArguments: options.dryRun === true }, context.paint));
    const summary = await replayConfirmed(context, planned, { ...options, decisions });
    const journal = relative(context.io.cwd, settings.journal);
    return context.report(
      { report: "replay", exitCode: exitCodeOf(summary), changes, journal, ...summary },
      printReplay(summary, context.paint),
    );
  } finally {
    await planned.close();
  }
};

async function replayConfirmed(
  context: Context,
  planned: PlannedReplay,
  { dryRun, yes, decisions }: OptionValues<typeof REPLAY_FLAGS> & { readonly decisions: Decisions },
): Promise<ReplaySummary> {
  const { summary, steps } = planned;
  const isOver = summary.steps.every(({ state }) => state === "done" || state === "skipped");
  if (summary.status === "refused" || dryRun === true) return summary;
  if (!isOver && yes !== true) {
    if (!context.isInteractive)
      throw new McpCodegenError("CONFIRMATION_REQUIRED", "Confirmation required before replaying.", {
        hint: "Pass --yes to replay, or --dry-run to print only the plan.",
      });
    for (const { number, change } of steps) {
      if (summary.steps[number - 1]?.state !== "pending") continue;
      const call = `${number}. ${printable(change.server)} ${printable(change.tool)} would get:`;
      printOnStderr(context, [call, ...printArguments(change.args)]);
    }
    const question = `Replay this in "${summary.environment}"?`;
    if (!(await confirm(context, question, { initial: false }))) return summary;
  }
  return planned.run({
    decisions,
    onStep: ({ number, server, tool }) => {
      if (context.options.json !== true) context.io.stderr.write(`done: ${number}. ${server} ${tool}\n`);
    },
  });
}

/** Returns 3 for an unknown outcome or an unreachable server, 1 for other failures. */
function exitCodeOf({ status, code }: ReplaySummary): 0 | 1 | 3 {
  if (status === "planned" || status === "complete") return 0;
  return status === "undecided" || (status === "stopped" && code === "TOOL_UNAVAILABLE") ? 3 : 1;
}

async function readOptions(
  { io }: Context,
  changes: string,
  { env, references, skip = [], allow = [], allowUnlocked }: OptionValues<typeof REPLAY_FLAGS>,
): Promise<Omit<ReplayFileOptions, "lookup">> {
  if (env === undefined || env === "all")
    throw usageError(
      "Missing --env: the environment to replay in.",
      "Pass --env with the name of one environment.",
    );
  const odd = allow.find(
    (kind) => !FILE_PROBLEMS.includes(kind) && !ALLOWED.some((allowed) => allowed === kind),
  );
  if (odd !== undefined)
    throw usageError(
      `--allow: unknown kind of conflict "${odd}".`,
      `Known: ${[...ALLOWED, ...FILE_PROBLEMS].join(", ")}.`,
    );
  const path = resolve(io.cwd, changes);
  return {
    changes: path,
    journal: `${path.replace(/\.jsonl$/, "")}.${env.replace(/[^\w.-]/g, "_")}.journal.jsonl`,
    environment: env,
    skip: skip.map((text) => readStep("--skip", text)),
    accept: ALLOWED.filter((kind) => allow.includes(kind)),
    acceptDamage: allow.includes(DAMAGE),
    acceptUnresolved: allow.includes(UNRESOLVED),
    allowUnlocked,
    references: references === undefined ? undefined : await readReferences(resolve(io.cwd, references)),
  };
}

function readStep(flag: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(
    `${flag} takes the number of a step, not "${text}".`,
    "The plan shows the number of each step.",
  );
}

function readDecisions(marks: readonly string[]): Decisions {
  return new Map(
    marks.map((mark): readonly [number, Decision] => {
      const [, step = mark, as = "", json] = /^([^=]*)=([a-z]+)(?:=(.*))?$/s.exec(mark) ?? [];
      const number = readStep("--mark", step);
      if (as === "done") return [number, { as, ...(json !== undefined && { result: parse(json, mark) }) }];
      if ((as === "retry" || as === "skip") && json === undefined) return [number, { as }];
      throw usageError(
        `--mark ${mark}: the outcome must be done, retry or skip.`,
        `For example: --mark ${step}=done.`,
      );
    }),
  );
}

function parse(json: string, mark: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (cause) {
    throw usageError(`--mark ${mark}: the text after "done=" is not valid JSON.`, undefined, cause);
  }
}

const REFERENCES = f.mapOf(f.mapOf(f.either("expected strings", f.anyText, f.strings)));

async function readReferences(path: string): Promise<NonNullable<ReplayFileOptions["references"]>> {
  const problem = (what: string, cause?: unknown): McpCodegenError =>
    usageError(
      `The references in "${basename(path)}" ${what}.`,
      'For example: { "create-comment": { "post_id": "create-post.id" } }.',
      cause,
    );
  const text = await readTextBounded(path, (cause) => problem("cannot be read", cause));
  const value = tryParseJson(text);
  if (value === undefined) throw problem("are not JSON");
  if (!f.matchesFormat(REFERENCES, value)) throw problem("are not objects of objects of strings");
  return value;
}

function printReplayPlan(
  { summary, steps: planned }: PlannedReplay,
  { hasArguments }: { readonly hasArguments: boolean },
  paint: Paint,
): readonly string[] {
  const { steps, environment, conflicts, damaged, unresolved } = summary;
  const argumentsOf = ({ number, state }: ReplayedStep): readonly string[] => {
    const step = planned[number - 1];
    const isShown = hasArguments && state === "pending" && step !== undefined;
    return isShown ? [`       ${printable(JSON.stringify(step.change.args), MOST_OF_ARGUMENTS)}`] : [];
  };
  return [
    paint.bold(`${count(steps.length, "change")} to replay in "${printable(environment)}":`),
    ...steps.flatMap((step) => printStep(step, argumentsOf(step), conflicts, paint)),
    ...damaged.map(({ line, problem }) =>
      paint.red(
        `Line ${line} is not a change: ${problem}. Pass --allow damaged-line to continue without it.`,
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
  args: readonly string[],
  conflicts: readonly Conflict[],
  paint: Paint,
): readonly string[] {
  const { number, server, tool, state, references } = step;
  const note = state === "pending" ? "" : ` ${paint.dim(`(${state})`)}`;
  return [
    `  ${number}. ${printable(server)} ${printable(tool)}${note}`,
    ...args,
    ...references.map(({ argument, value, from, source, how }) =>
      paint.dim(
        `       ${printable(argument)}: ${printable(JSON.stringify(value), 60)} → ${printable(source)} of step ${from} (${how})`,
      ),
    ),
    ...conflicts
      .filter((conflict) => conflict.step === number)
      .map(({ kind, message, blocks }) =>
        paint[blocks ? "red" : "yellow"](`       ${kind}: ${printable(message, 400)}`),
      ),
  ];
}

function printReplay(summary: ReplaySummary, paint: Paint): readonly string[] {
  const done = summary.steps.filter(({ state }) => state === "done").length;
  const counted = `${done} of ${count(summary.steps.length, "change")} done`;
  const { status, at, reason } = summary;
  const step = at ?? "<step>";
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
        ...present(
          summary.conflicts.some(({ kind }) => kind === "tool-missing") &&
            "Pass --allow-unlocked to use tools that the server has and the lock does not.",
        ),
      ];
    case "stopped":
      return [
        paint.red(`Stopped${at === undefined ? "" : ` at step ${at}`}; ${counted}.${why}`),
        "Run the same command again to continue.",
      ];
    case "undecided":
      return [
        paint.red(`Stopped; ${counted}.${why}`),
        `Check whether the step took effect, then continue with --mark ${step}=done or --mark ${step}=retry. If later steps need its id: --mark '${step}=done={"id":345}'.`,
      ];
    default:
      return status satisfies never;
  }
}
