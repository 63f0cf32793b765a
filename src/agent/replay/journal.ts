import { McpCodegenError } from "../../core/errors.js";
import { findText } from "../../core/json.js";
import { quickDigest } from "../adapters/model-tools.js";
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
 * The journal of a replay: the changes of the target, with a line before each call (it waits) and after it (its outcome). If the
 * process ends or the journal is cut off at any point, no call is made twice: a call that waits is open until a person decides.
 */
export class JournalLog {
  readonly #lines: Lines;
  readonly #plan: ReplayPlan;
  readonly #steps: ReadonlyMap<string, number>;
  readonly #records = new Map<number, StepRecord>();
  /** Whether the last line was cut off, which may have been that of the next step. */
  #isSuspect = false;
  #seen = 0;

  /** @throws McpCodegenError `JOURNAL_INVALID` for a journal of another replay */
  constructor(lines: Lines, plan: ReplayPlan) {
    this.#lines = lines;
    this.#plan = plan;
    this.#steps = new Map(plan.steps.map(({ number, change }) => [idOf(number, change), number]));
    this.#refresh();
  }

  /** Reads the lines that this run and others have added. */
  #refresh(): void {
    const lines = this.#lines.read();
    if (lines.length < this.#seen) throw invalid(this.#seen, "it became shorter while it was read");
    lines.slice(this.#seen).forEach((line, index) => {
      this.#apply(line, this.#seen + index + 1);
    });
    this.#seen = lines.length;
  }

  recordOf(step: number): StepRecord | undefined {
    return this.#records.get(step);
  }

  /** Whether the next step may already have been sent. */
  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** Adds a line about a step. */
  write(
    step: number,
    call: Partial<RecordedCall> & { readonly run?: string; readonly code?: string },
    mark?: CallMark,
  ): void {
    const change = this.#plan.steps[step - 1]?.change;
    if (change === undefined) throw new RangeError(`There is no step ${step}.`);
    const { tool, server, args } = this.#records.get(step)?.change ?? change;
    const { environment } = this.#plan;
    const line = { tool, server, args, ...call, toolCallId: idOf(step, change), environment };
    this.#lines.append(writeLine(line, mark));
    this.#refresh();
  }

  /** @throws McpCodegenError `USAGE` for a step that is not open */
  decide(step: number, decision: Decision, at: string): void {
    const isOpen = this.#records.get(step)?.state === "open" || this.#isSuspect;
    if (!isOpen)
      throw new McpCodegenError("USAGE", `The outcome of step ${step} is not unknown.`, {
        hint: "Only a step whose outcome is unknown can be marked.",
      });
    if (decision.as === "done") this.write(step, { at, result: decision.result });
    else this.write(step, { at }, decision.as === "skip" ? "skipped" : "none");
  }

  #apply(text: string, line: number): void {
    if (text.trim() === "") return;
    const call = readLine(text);
    if (call === CUT_OFF) {
      this.#isSuspect = true;
      return;
    }
    if (typeof call === "string")
      throw invalid(
        line,
        text.startsWith(EARLIER) ? "an earlier mcp-codegen wrote it, which can finish the replay" : call,
      );
    const { environment, toolCallId = "" } = call.change;
    if (environment !== this.#plan.environment)
      throw invalid(line, `it is about the environment ${JSON.stringify(environment)}`);
    const step = this.#steps.get(toolCallId);
    if (step === undefined) throw invalid(line, "it is about no step of these changes");
    const record = nextRecord(this.#records.get(step), call, line);
    this.#isSuspect = false;
    if (record === undefined) this.#records.delete(step);
    else this.#records.set(step, record);
  }
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
