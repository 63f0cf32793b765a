import { McpCodegenError } from "../../core/errors.js";
import { getOwn, isJsonObject, tryParseJson, type JsonObject } from "../../core/json.js";
import { quickDigest } from "../adapters/model-tools.js";
import type { RecordedCall } from "../../runtime/call-recorder.js";
import { findRepeatedIn, type Lines } from "./parse-changes.js";

/** The state of a step in a journal. Nothing was sent for a step without one. */
export type StepRecord =
  | { readonly state: "done"; readonly result: unknown }
  /** A person decided to skip it. */
  | { readonly state: "skipped" }
  /** The call failed. */
  | { readonly state: "failed" }
  /** The call may have been sent, and its outcome is unknown. `run` was the first to send it. */
  | { readonly state: "open"; readonly run: string };

/** A person's decision about a step with an unknown outcome: it was done, is to be called again, or is to be skipped. */
export type Decision = { readonly as: "done"; readonly result?: unknown } | { readonly as: "retry" | "skip" };

const VERSION = 1;
const HINT = "A journal belongs to one file of changes and one environment: name another with --journal.";

/**
 * The journal of a replay: a line of JSON before each call (its intent) and after it (its outcome). If the process ends or the
 * journal is cut off at any point, no call is made twice: an intent without an outcome is open until a person decides.
 */
export class JournalLog {
  readonly #lines: Lines;
  readonly #environment: string;
  readonly #changes: ReadonlyMap<number, RecordedCall>;
  readonly #records = new Map<number, StepRecord>();
  /** Whether the last line was cut off, which may have been the intent of the next step. */
  #isSuspect = false;
  #seen = 0;

  /** @throws McpCodegenError `JOURNAL_INVALID` for a journal of another replay */
  constructor(lines: Lines, environment: string, changes: ReadonlyMap<number, RecordedCall>) {
    this.#lines = lines;
    this.#environment = environment;
    this.#changes = changes;
    this.refresh();
  }

  /** Reads the lines that this run and others have added. */
  refresh(): void {
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

  begin(): void {
    if (this.#records.size === 0) this.#append({ journal: VERSION, environment: this.#environment });
  }

  intend(step: number, run: string, at: string, args: unknown): void {
    this.#append({ step, state: "intent", change: this.#printOf(step), run, at, args });
  }

  settle(step: number, state: "done" | "failed", run: string, at: string, more: object): void {
    this.#append({ step, state, run, at, ...more });
  }

  /** @throws McpCodegenError `USAGE` for a step that is not open */
  decide(step: number, decision: Decision, at: string): void {
    const isOpen = this.#records.get(step)?.state === "open" || this.#isSuspect;
    if (!isOpen)
      throw new McpCodegenError("USAGE", `The outcome of step ${step} is not unknown.`, {
        hint: "Only a step whose outcome is unknown can be marked.",
      });
    const { as, ...more } = decision;
    this.#append({ step, state: "decided", as, change: this.#printOf(step), at, ...more });
  }

  #append(entry: object): void {
    this.#lines.append(JSON.stringify(entry));
    this.refresh();
  }

  #printOf(step: number): string {
    const change = this.#changes.get(step);
    if (change === undefined) throw new RangeError(`There is no step ${step}.`);
    return fingerprint(change);
  }

  #apply(line: string, number: number): void {
    if (line.trim() === "") return;
    const entry = tryParseJson(line);
    if (!isJsonObject(entry)) {
      // Nothing is sent before the first line is complete.
      if (number > 1) this.#isSuspect = true;
      return;
    }
    const repeated = findRepeatedIn(line, entry);
    if (repeated !== undefined) throw invalid(number, repeated);
    if (Object.hasOwn(entry, "journal")) {
      this.#judgeHeader(entry, number);
      return;
    }
    const step = getOwn(entry, "step");
    const change = typeof step === "number" ? this.#changes.get(step) : undefined;
    if (typeof step !== "number" || change === undefined)
      throw invalid(number, "it names no step of these changes");
    const print = getOwn(entry, "change");
    if (print !== undefined && print !== fingerprint(change))
      throw invalid(number, `its step ${step} is of another change`);
    const record = this.#next(this.#records.get(step), entry, number);
    this.#isSuspect = false;
    if (record === undefined) this.#records.delete(step);
    else this.#records.set(step, record);
  }

  #next(before: StepRecord | undefined, entry: JsonObject, number: number): StepRecord | undefined {
    const written = getOwn(entry, "state");
    const state = typeof written === "string" ? written : "";
    const run = getOwn(entry, "run");
    switch (state) {
      case "intent":
        // Of two concurrent runs, the first one has the step.
        if (before?.state === "open" || before?.state === "done" || before?.state === "skipped")
          return before;
        return { state: "open", run: typeof run === "string" ? run : "" };
      case "done":
        return { state: "done", result: getOwn(entry, "result") ?? null };
      case "failed":
        return before?.state === "open" && before.run !== run ? before : { state: "failed" };
      case "decided": {
        const as = getOwn(entry, "as");
        if (as === "done") return { state: "done", result: getOwn(entry, "result") ?? null };
        if (as === "skip") return { state: "skipped" };
        if (as === "retry") return undefined;
        throw invalid(number, "it decides what is not known");
      }
      default:
        throw invalid(number, "its state is not known");
    }
  }

  #judgeHeader(entry: JsonObject, number: number): void {
    if (getOwn(entry, "journal") !== VERSION) throw invalid(number, "it was written by a later mcp-codegen");
    const environment = getOwn(entry, "environment");
    if (environment !== this.#environment)
      throw invalid(number, `it is about the environment ${JSON.stringify(environment)}`);
  }
}

function invalid(line: number, problem: string): McpCodegenError {
  const message = `Line ${line} of the journal does not belong here: ${problem}.`;
  return new McpCodegenError("JOURNAL_INVALID", message, { hint: HINT });
}

/** Distinguishes changes at the same position of two files. Not for protection against attacks. */
function fingerprint({ server, tool, args, at }: RecordedCall): string {
  const text = JSON.stringify([server, tool, args, at]);
  return [0x811c9dc5, 0x01234567].map((basis) => quickDigest(text, basis)).join("");
}
