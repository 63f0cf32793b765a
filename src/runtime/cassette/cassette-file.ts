import { groupBy, omitUndefined } from "../../core/collections.js";
import * as f from "../../core/format.js";
import { spellNumbers } from "../../core/exact-json.js";
import { byCodeUnit, canonicalJson, type JsonObject } from "../../core/json.js";
import { printJson } from "../../core/printable.js";
import { parseFormat, positionIn, readFormatted } from "../../files/parse-json.js";

export const CASSETTE_VERSION = 1;

// A later mcp-codegen may write more keys.
const error = f.record(
  { code: f.anyNumber, message: f.anyText, data: f.optional(f.anyJson) },
  { isOpen: true },
);

/** The raw result of the request, also of a tool that reports a failure, or the error of JSON-RPC. */
export type CassetteAnswer = { readonly result: JsonObject } | { readonly error: f.ValueOf<typeof error> };

const call = f.record(
  {
    arguments: f.jsonObject,
    /** Of the different answers to equal calls, the number of this one, from 2; absent for the first. */
    n: f.optional(f.wholeNumber(2)),
    result: f.optional(f.jsonObject),
    error: f.optional(error),
    /** Milliseconds. Not updated when the same call gets the same answer. */
    duration: f.anyNumber,
    /** How often in a row the call got this answer before another one; absent for once. */
    times: f.optional(f.wholeNumber(1)),
  },
  { isOpen: true, either: ["result", "error"] },
);

/** A recorded call: its arguments without secrets, and what the server answered. */
export type CassetteCall = CassetteAnswer & Omit<f.SettingsOf<typeof call>, "result" | "error">;

const cassetteFile = f.record(
  {
    cassetteVersion: f.oneOf(CASSETTE_VERSION),
    server: f.anyText,
    tool: f.optional(f.anyText),
    /** Instead of `tool`: the name of a prompt. */
    prompt: f.optional(f.anyText),
    /** Instead of `tool`: a URI, or a URI template whose variables are the arguments. */
    resource: f.optional(f.anyText),
    /** The version of the server's contract when the file was written; absent for a server without a lock. */
    contract: f.optional(f.anyText),
    /** By canonical arguments, and calls with the same arguments by `n`. */
    calls: f.nonEmpty(f.list<CassetteCall>(call), "expected at least one call"),
  },
  { isOpen: true, either: ["tool", "prompt", "resource"] },
);

/** The recorded calls of one tool: the file `<server>/<tool>.json` of a cassette. */
export type CassetteFile = f.SettingsOf<typeof cassetteFile>;
export const CASSETTE_FORMAT: f.FileFormat<CassetteFile> = {
  code: "CASSETTE_INVALID",
  newer: "CASSETTE_NEWER",
  hint: "Correct the line, or delete the file and record it again.",
  version: ["cassetteVersion", CASSETTE_VERSION],
  format: cassetteFile,
};

/** The tool, prompt or resource of a file. */
export interface CassetteTool {
  readonly server: string;
  readonly kind?: "prompt" | "resource" | undefined;
  /** Its name, URI or URI template. */
  readonly tool: string;
}

/** Prints the text of a file: calls by their canonical arguments, keys of arguments in order, a final line end. */
export function printCassetteFile({ calls, ...head }: CassetteFile): string {
  const sorted = calls
    .map((call) => ({ call, key: keyOf(call) }))
    .sort((a, b) => byCodeUnit(a.key, b.key))
    .map(({ call, key }) => ({ ...call, arguments: JSON.parse(key) as JsonObject }));
  return `${printJson({ ...head, calls: sorted })}\n`;
}

/** Returns the answers to each call, by its canonical arguments and in the order in which they were given. */
export function groupCalls(calls: readonly CassetteCall[]): Map<string, readonly CassetteCall[]> {
  const ordered = [...calls].sort((a, b) => numberOf(a) - numberOf(b));
  // A merge of two branches may leave the same answer twice.
  const isRepeated = (call: CassetteCall, earlier: CassetteCall | undefined): boolean =>
    earlier !== undefined && numberOf(earlier) === numberOf(call);
  return new Map(
    [...groupBy(ordered, keyOf)].map(([key, group]) => [
      key,
      group.filter((call, index) => !isRepeated(call, group[index - 1])),
    ]),
  );
}

function numberOf({ n = 1 }: CassetteCall): number {
  return n;
}

/** Returns a key that is equal for calls with equal arguments. */
export function keyOf(call: { readonly arguments: JsonObject }): string {
  return canonicalJson(call.arguments);
}

/**
 * Returns the calls in the text of a file.
 *
 * @param name names the file in errors
 * @param expected the tool that the file is read for; any tool by default
 * @throws McpCodegenError `CASSETTE_INVALID`, with line and column; `CASSETTE_NEWER` for a later `cassetteVersion`
 */
export function parseCassetteFile(text: string, name: string, expected?: CassetteTool): CassetteFile {
  return parseFormat(CASSETTE_FORMAT, text, name, (file, json) => {
    const kind = expected?.kind ?? "tool";
    for (const [key, actual, wanted] of [
      ["server", file.server, expected?.server],
      [kind, file[kind], expected?.tool],
    ] as const) {
      if (wanted === undefined || actual === wanted) continue;
      const suffix = actual === undefined ? "" : `, found ${JSON.stringify(actual)}`;
      return { path: [key], text: `expected ${JSON.stringify(wanted)}${suffix}` };
    }
    return findContradiction(file, json);
  });
}

/** As {@link parseCassetteFile}, but returns the problem. */
export function readCassetteFile(text: string): ReturnType<typeof readFormatted<CassetteFile>> {
  return readFormatted(CASSETTE_FORMAT, text, findContradiction);
}

/** Two branches may each record another answer to the same call: their merge has both, and neither is the right one. */
function findContradiction({ calls }: CassetteFile, text: string): f.FormatProblem | undefined {
  const earlier = new Map<string, number>();
  for (const [index, call] of calls.entries()) {
    const key = `${numberOf(call)} ${keyOf(call)}`;
    const other = earlier.get(key) ?? index;
    earlier.set(key, other);
    if (other === index || isSameAnswer(call, calls[other])) continue;
    const { line } = positionIn(text, `/calls/${other}`);
    const message = `line ${line} has another answer to the same call; keep one of the two, or give the later one the next "n"`;
    return { path: ["calls", index], text: message };
  }
  return undefined;
}

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
      const earlier = this.#entries[at - 1];
      const later = this.#entries[at];
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
      const earlier = before[index];
      // A file does not change when the same calls get the same answers.
      const duration =
        earlier !== undefined && textOfAnswer(earlier) === text ? earlier.duration : call.duration;
      const n = index === 0 ? undefined : index + 1;
      const { arguments: args, ...answer } = call;
      const repeats = times > 1 && !isLast ? times : undefined;
      return [omitUndefined({ arguments: args, n, ...answer, duration, times: repeats })];
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
    return this.#written.some((now, index) => index < before.length && !isSameAnswer(now, before[index]));
  }
}

function isSame(a: readonly CassetteCall[], b: readonly CassetteCall[]): boolean {
  const isSameCall = (call: CassetteCall, index: number): boolean =>
    call.times === b[index]?.times && isSameAnswer(call, b[index]);
  return a.length === b.length && a.every(isSameCall);
}

function isSameAnswer(call: CassetteCall, other: CassetteCall | undefined): boolean {
  return other !== undefined && textOfAnswer(call) === textOfAnswer(other);
}

function textOfAnswer(call: CassetteCall): string {
  return canonicalJson(
    "result" in call ? { result: spellNumbers(call.result) } : { error: { ...call.error } },
  );
}

/** Returns a function that goes through recorded answers in their order. The last one repeats. */
export function createCursor(): (recorded: readonly CassetteCall[]) => CassetteCall | undefined {
  let index = 0;
  let used = 0;
  return (recorded) => {
    const last = recorded.length - 1;
    if (index < last && used >= (recorded[index]?.times ?? 1)) {
      index += 1;
      used = 0;
    }
    used += 1;
    return recorded[Math.min(index, last)];
  };
}
