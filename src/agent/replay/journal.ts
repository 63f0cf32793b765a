import { McpCodegenError } from "../../core/errors.js";
import { findText } from "../../core/json.js";
import { quickDigest } from "../registry/tool-names.js";
import type { RecordedCall } from "../../runtime/call-recorder.js";
import {
  type CallLine,
  type CallMark,
  CUT_OFF,
  explainContradiction,
  isSameOutcome,
  type Lines,
  readLine,
  writeLine,
} from "./parse-changes.js";
import type { Decision, ReplayPlan } from "./plan.js";

/** The last line about a step in a journal. Nothing was sent for a step without one. */
export interface StepRecord extends CallLine {
  /** `skipped` by a person; `open`: the call may have been sent, and its outcome is unknown. */
  readonly state: "done" | "skipped" | "failed" | "open";
  /** The run that wrote the line; absent for a person's decision. */
  readonly run: string | undefined;
  /** The number of the line. */
  readonly line: number;
}

/**
 * Opens the journal of a replay: the changes of the target, with a line before each call (it waits) and after it (its outcome). If the
 * process ends or the journal is cut off at any point, no call is made twice: a call that waits is open until a person decides.
 *
 * @throws McpCodegenError `JOURNAL_INVALID` for a journal of another replay
 */
export function openJournalLog(journal: Lines, { steps, environment }: ReplayPlan) {
  const stepOf = new Map(steps.map(({ number, change }) => [idOf(number, change), number]));
  const records = new Map<number, StepRecord>();
  /** Whether the last line was cut off, which may have been that of the next step. */
  let isSuspect = false;
  let seen = 0;

  /** Reads the lines that this run and others have added. */
  const refresh = (): void => {
    const lines = journal.read();
    if (lines.length < seen) throw invalid(seen, "it became shorter while it was read");
    lines.slice(seen).forEach((line, index) => {
      apply(line, seen + index + 1);
    });
    seen = lines.length;
  };
  const apply = (text: string, line: number): void => {
    if (text.trim() === "") return;
    const call = readLine(text);
    if (call === CUT_OFF) {
      isSuspect = true;
      return;
    }
    if (typeof call === "string")
      throw invalid(
        line,
        text.startsWith(EARLIER) ? "an earlier mcp-codegen wrote it, which can finish the replay" : call,
      );
    const { environment: place, toolCallId = "" } = call.change;
    if (place !== environment) throw invalid(line, `it is about the environment ${JSON.stringify(place)}`);
    const step = stepOf.get(toolCallId);
    if (step === undefined) throw invalid(line, "it is about no step of these changes");
    const record = nextRecord(records.get(step), call, line);
    isSuspect = false;
    if (record === undefined) records.delete(step);
    else records.set(step, record);
  };
  const write = (
    step: number,
    call: Partial<RecordedCall> & { readonly run?: string; readonly code?: string },
    mark?: CallMark,
  ): void => {
    const change = steps[step - 1]?.change;
    if (change === undefined) throw new RangeError(`There is no step ${step}.`);
    const { tool, server, args } = records.get(step)?.change ?? change;
    const line = { tool, server, args, ...call, toolCallId: idOf(step, change), environment };
    journal.append(writeLine(line, mark));
    refresh();
  };

  refresh();
  return {
    write,
    recordOf: (step: number): StepRecord | undefined => records.get(step),
    /** Whether the next step may already have been sent. */
    get isSuspect() {
      return isSuspect;
    },
    /** @throws McpCodegenError `USAGE` for a step that is not open */
    decide: (step: number, decision: Decision, at: string): void => {
      if (records.get(step)?.state !== "open" && !isSuspect)
        throw new McpCodegenError("USAGE", `The outcome of step ${step} is not unknown.`, {
          hint: "Only a step whose outcome is unknown can be marked.",
        });
      if (decision.as === "done") write(step, { at, result: decision.result });
      else write(step, { at }, decision.as === "skip" ? "skipped" : "none");
    },
  };
}

function nextRecord(before: StepRecord | undefined, call: CallLine, line: number): StepRecord | undefined {
  const run = findText(call.change, "run");
  const next = { ...call, run, line };
  switch (call.mark) {
    case "waits":
      // Of two concurrent runs, the first one has the step.
      return before === undefined || before.state === "failed" ? { ...next, state: "open" } : before;
    case undefined:
      if (before?.state !== "done") return { ...next, state: "done" };
      if (isSameOutcome(before, call)) return before;
      throw invalid(line, explainContradiction(before.line));
    case "none":
      // A person decided that the call is to be made again.
      if (run === undefined) return undefined;
      return before?.state === "open" && before.run !== run ? before : { ...next, state: "failed" };
    case "skipped":
      return { ...next, state: "skipped" };
    default:
      return call.mark satisfies never;
  }
}

/** The beginning of a journal of another format. */
const EARLIER = '{"journal":';
const HINT =
  "A journal belongs to one file of changes and one environment. Move it away to make all calls again.";

function invalid(line: number, problem: string): McpCodegenError {
  const message = `Line ${line} of the journal does not belong here: ${problem}.`;
  return new McpCodegenError("JOURNAL_INVALID", message, { hint: HINT });
}

/** Distinguishes changes at the same position of two files. Not for protection against attacks. */
function idOf(step: number, { server, tool, args, at }: RecordedCall): string {
  const text = JSON.stringify([server, tool, args, at]);
  return `${step} ${[0x811c9dc5, 0x01234567].map((basis) => quickDigest(text, basis)).join("")}`;
}
