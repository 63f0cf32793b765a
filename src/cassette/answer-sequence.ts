import { canonicalJson } from "../contract/canonical-json.js";
import type { CassetteCall } from "./cassette-file.js";

/** An answer that is recorded, or that a call waits for. */
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
  /** What was recorded for these arguments before. */
  #before: readonly CassetteCall[] | undefined;
  /** What was written last. */
  #written: readonly CassetteCall[] = [];

  /** @param keepsLonger whether answers stay that begin with these, such as those of another connection of the program */
  constructor(keepsLonger: boolean) {
    this.#keepsLonger = keepsLonger;
  }

  /** Takes the place of a call that is about to be made. */
  begin(): SequenceEntry {
    const entry: SequenceEntry = { call: undefined, text: "", times: 1 };
    this.#entries.push(entry);
    return entry;
  }

  /** The call has no answer that can be recorded. */
  drop(entry: SequenceEntry): void {
    const index = this.#entries.indexOf(entry);
    if (index !== -1) this.#entries.splice(index, 1);
    this.#merge();
  }

  /** The call was answered. */
  end(entry: SequenceEntry, call: CassetteCall): void {
    entry.call = call;
    entry.text = textOfAnswer(call);
    this.#merge();
  }

  /** Equal answers in a row become one: a program may poll for hours. */
  #merge(): void {
    for (let at = this.#entries.length - 1; at > 0; at -= 1) {
      const [earlier, later] = [this.#entries[at - 1], this.#entries[at]];
      if (earlier?.call === undefined || later?.call === undefined || earlier.text !== later.text) continue;
      earlier.times += later.times;
      this.#entries.splice(at, 1);
    }
  }

  /** Which answer comes next, from 1. */
  get count(): number {
    return this.#entries.reduce((sum, { times }) => sum + times, 0);
  }

  /**
   * The calls to write in place of those that are recorded now. Undefined if those stay.
   *
   * @param keepsOthers whether what another recorder has added stays
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
      return [{ ...call, duration, ...(times > 1 && !isLast && { times }) }];
    });
    const rest = before.slice(answers.length);
    const isBeginning =
      this.#keepsLonger && answers.every((call, index) => isSameAnswer(call, before[index]));
    this.#written = isBeginning && rest.length > 0 ? before : answers;
    return this.#written;
  }

  /** Whether an answer was recorded before in place of another. */
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
