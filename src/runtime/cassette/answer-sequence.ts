import { canonicalJson } from "../../core/json.js";
import type { CassetteCall } from "./cassette-file.js";

/** An answer that is recorded, or expected by a call. */
export interface SequenceEntry {
  /** Undefined while the call is under way. */
  call: CassetteCall | undefined;
  /** The answer as text, to compare it. */
  text: string;
  times: number;
}

/** The answers to equal calls of one connection, in the order in which the calls were made. */
export class AnswerSequence {
  readonly #entries: SequenceEntry[] = [];
  readonly #keepsLonger: boolean;
  /** The calls that were recorded for these arguments before. */
  #before: readonly CassetteCall[] | undefined;
  /** The calls that were written last. */
  #written: readonly CassetteCall[] = [];

  /** @param keepsLonger whether to keep a longer recording that begins with these answers, such as one of another connection */
  constructor(keepsLonger: boolean) {
    this.#keepsLonger = keepsLonger;
  }

  /** Reserves the place of a call that will be made. */
  begin(): SequenceEntry {
    const entry: SequenceEntry = { call: undefined, text: "", times: 1 };
    this.#entries.push(entry);
    return entry;
  }

  /** Removes a call without an answer that can be recorded. */
  drop(entry: SequenceEntry): void {
    const index = this.#entries.indexOf(entry);
    if (index !== -1) this.#entries.splice(index, 1);
    this.#merge();
  }

  /** Adds the answer of a call. */
  end(entry: SequenceEntry, call: CassetteCall): void {
    entry.call = call;
    entry.text = textOfAnswer(call);
    this.#merge();
  }

  /** Merges equal answers in a row, since a program may poll for hours. */
  #merge(): void {
    for (let at = this.#entries.length - 1; at > 0; at -= 1) {
      const [earlier, later] = [this.#entries[at - 1], this.#entries[at]];
      if (earlier?.call === undefined || later?.call === undefined || earlier.text !== later.text) continue;
      earlier.times += later.times;
      this.#entries.splice(at, 1);
    }
  }

  /** The number of the next answer, from 1. */
  get count(): number {
    return this.#entries.reduce((sum, { times }) => sum + times, 0);
  }

  /**
   * Returns the calls to write instead of the recorded ones; undefined to keep them.
   *
   * @param keepsOthers whether to keep calls that another recorder has added
   */
  replace(recorded: readonly CassetteCall[], keepsOthers: boolean): readonly CassetteCall[] | undefined {
    this.#before ??= recorded;
    if (keepsOthers && recorded.length > 0 && !isSame(recorded, this.#written)) return undefined;
    const answered = this.#entries.filter(({ call }) => call !== undefined);
    const before = this.#before;
    const answers = answered.flatMap(({ call, text, times }, index): readonly CassetteCall[] => {
      if (call === undefined) return [];
      const isLast = index === answered.length - 1;
      const known = before[index];
      // A file does not change when the same calls get the same answers.
      const duration = known !== undefined && textOfAnswer(known) === text ? known.duration : call.duration;
      return [times > 1 && !isLast ? { ...call, duration, times } : { ...call, duration }];
    });
    const rest = before.slice(answers.length);
    const isBeginning =
      this.#keepsLonger && answers.every((call, index) => isSameAnswer(call, before[index]));
    this.#written = isBeginning && rest.length > 0 ? before : answers;
    return this.#written;
  }

  /** Whether a different answer was recorded before. */
  get hasReplaced(): boolean {
    const before = this.#before ?? [];
    return before.some((call, index) => {
      const now = this.#written[index];
      return now !== undefined && !isSameAnswer(call, now);
    });
  }
}

function isSame(a: readonly CassetteCall[], b: readonly CassetteCall[]): boolean {
  return (
    a.length === b.length &&
    a.every((call, index) => {
      const other = b[index];
      return other !== undefined && call.times === other.times && textOfAnswer(call) === textOfAnswer(other);
    })
  );
}

function isSameAnswer(call: CassetteCall, other: CassetteCall | undefined): boolean {
  return other !== undefined && textOfAnswer(call) === textOfAnswer(other);
}

function textOfAnswer(call: CassetteCall): string {
  return canonicalJson("result" in call ? { result: call.result } : { error: { ...call.error } });
}

/** Goes through recorded answers in their order. The last one repeats. */
export class AnswerCursor {
  #index = 0;
  #used = 0;

  next(recorded: readonly CassetteCall[]): CassetteCall | undefined {
    const last = recorded.length - 1;
    if (this.#index < last && this.#used >= (recorded[this.#index]?.times ?? 1)) {
      this.#index += 1;
      this.#used = 0;
    }
    this.#used += 1;
    return recorded[Math.min(this.#index, last)];
  }
}
