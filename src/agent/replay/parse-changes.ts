import {
  AWAIT,
  checkArgument,
  isPromise,
  listOf,
  type OptionKind,
  TEXT,
  withMethods,
} from "../../core/check-options.js";
import { McpCodegenError } from "../../core/errors.js";
import { tryParseExactly, writeExactly } from "../../core/exact-json.js";
import { formatKeyPath } from "../../core/json-pointer.js";
import { findRepeatedKey } from "../../core/json-text.js";
import { findOwn, getOwn, isEqual, isJsonObject, objectOrEmpty } from "../../core/json.js";
import type { RecordedCall } from "../../runtime/call-recorder.js";

/** The changes in a file, and its damaged lines. */
export interface ParsedChanges<Recorded> {
  readonly changes: readonly Recorded[];
  /** For each change, the number of its line, from 1. */
  readonly lines: readonly number[];
  readonly damaged: readonly DamagedLine[];
  /** Calls of agents without a known outcome, such as those that wait for an approval. */
  readonly unresolved: readonly UnresolvedCall<Recorded>[];
}

export interface UnresolvedCall<Recorded = RecordedCall> {
  /** From 1. */
  readonly line: number;
  /** The call, with the outcome `unknown`. */
  readonly change: Recorded;
}

export interface DamagedLine {
  /** From 1. */
  readonly line: number;
  /** Whether it is the last line, which a process may leave incomplete. */
  readonly isLast: boolean;
  /** Why the line is not a change. */
  readonly problem: string;
}

const TEXT_LINES = listOf(TEXT, 'an array of lines, such as text.split("\\n")');

/**
 * Parses the lines of a file of changes. Empty lines are ignored; lines that are not changes are reported. Additional keys are
 * kept, since they are the user's own.
 *
 * @throws McpCodegenError `USAGE` for anything but an array of strings
 */
export function parseChanges<Recorded extends RecordedCall = RecordedCall>(
  lines: readonly string[],
): ParsedChanges<Recorded> {
  checkArgument("parseChanges", "lines", lines, TEXT_LINES);
  const damaged: DamagedLine[] = [];
  const calls = new Map<string, CallLine & { readonly line: number }>();
  const last = lines.findLastIndex((line) => line.trim() !== "");
  for (const [index, text] of lines.entries()) {
    if (text.trim() === "") continue;
    const line = index + 1;
    const refuse = (problem: string): unknown => damaged.push({ line, isLast: index === last, problem });
    const call = readLine(text);
    if (typeof call === "string") {
      refuse(call);
      continue;
    }
    const { toolCallId, server, tool, args } = call.change;
    const key = JSON.stringify(toolCallId === undefined ? line : [toolCallId, server, tool, args]);
    const earlier = calls.get(key);
    const hasEnded = earlier !== undefined && earlier.mark !== "waits";
    if (hasEnded && call.mark !== "waits") {
      // Two branches may each have an outcome of a call that waited: their merge has both.
      if (!isSameOutcome(earlier, call)) refuse(explainContradiction(earlier.line));
      continue;
    }
    // Some models use an id again.
    if (hasEnded) calls.set(String(earlier.line), earlier);
    calls.set(key, { ...call, line });
  }
  const sorted = [...calls.values()].sort((a, b) => a.line - b.line);
  const changes = sorted.filter(({ mark }) => mark === undefined);
  // The caller knows which tools were recorded.
  return {
    changes: changes.map(({ change }) => change as Recorded),
    lines: changes.map(({ line }) => line),
    damaged,
    unresolved: sorted
      .filter(({ mark }) => mark === "waits")
      .map(({ line, change }) => ({ line, change: change as Recorded })),
  };
}

/** The state of a call that is not a change: it waits for its outcome, was not made, or a person skipped it. */
const MARKS = ["waits", "none", "skipped"] as const;
export type CallMark = (typeof MARKS)[number];

/** A line of a file of changes or of a journal. Lines with one `toolCallId` are one call. */
export interface CallLine {
  /** With the outcome `unknown` if it has a mark. */
  readonly change: RecordedCall;
  /** Absent for a change. */
  readonly mark?: CallMark | undefined;
}

/** The problem of a line that a process or a disk has cut off. */
export const CUT_OFF = "it is not JSON";

/** Returns the call of a line, or why it has none. */
export function readLine(line: string): CallLine | string {
  const value = tryParseExactly(line);
  if (value === undefined) return CUT_OFF;
  // JSON.parse keeps the last value of a key.
  const repeated = findRepeatedKey(line, value);
  if (repeated !== undefined) return `it has ${formatKeyPath(repeated)} twice`;
  const mark = MARKS.find((each) => each === findOwn(value, "outcome"));
  const change = mark === undefined ? value : { ...objectOrEmpty(value), outcome: "unknown" };
  return isChange(change) ? { change, mark } : (findChangeProblem(change) ?? "");
}

/** Returns the line of a call, which has `null` for absent arguments or an absent result: JSON has no `undefined`. */
export function writeLine(call: Partial<RecordedCall>, mark?: CallMark): string {
  const { args = null, result = null } = call;
  return writeExactly(
    mark === undefined ? { ...call, args, result } : { ...call, args, result: null, outcome: mark },
  );
}

export function isSameOutcome(left: CallLine, other: CallLine): boolean {
  const outcomeOf = ({ mark, change: { outcome, result, answer } }: CallLine): readonly unknown[] => [
    mark,
    outcome,
    result,
    answer,
  ];
  return isEqual(outcomeOf(left), outcomeOf(other));
}

export function explainContradiction(earlier: number): string {
  return `line ${earlier} has another answer to the same call; keep one of the two`;
}

function isChange(value: unknown): value is RecordedCall {
  return findChangeProblem(value) === undefined;
}

function findChangeProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return "it is not an object";
  for (const key of ["tool", "server", "at"])
    if (typeof getOwn(value, key) !== "string") return `its "${key}" is not a string`;
  for (const key of ["args", "result"]) if (!Object.hasOwn(value, key)) return `it has no "${key}"`;
  const outcome = getOwn(value, "outcome");
  if (outcome !== undefined && outcome !== "unfit" && outcome !== "unknown")
    return 'its "outcome" is neither "unfit" nor "unknown"';
  const odd = ["environment", "contract", "toolCallId"].find(
    (key) => !["string", "undefined"].includes(typeof getOwn(value, key)),
  );
  return odd === undefined ? undefined : `its "${odd}" is not a string`;
}

/** @throws McpCodegenError `CHANGES_INVALID` for a value that is not a change */
export function assertChange(name: string, value: unknown, hint: string): void {
  const isForgotten = isPromise(value);
  const problem = isForgotten ? "it is a promise" : findChangeProblem(value);
  if (problem === undefined) return;
  throw new McpCodegenError("CHANGES_INVALID", `${name} is invalid: ${problem}.`, {
    hint: isForgotten ? AWAIT : hint,
  });
}

/** A store of lines of JSON: in memory, or in a file (`mcp-codegen/node`). */
export interface Lines {
  /** Adds a line. It is stored when this returns; otherwise this throws. */
  append(line: string): void;
  /** Returns all lines in order. The last one may be incomplete. */
  read(): readonly string[];
  /** Removes all lines. */
  clear(): void;
}

export const LINES: OptionKind = withMethods(
  "memoryLines(), or openChangeFile() or openJournal() of mcp-codegen/node",
  "append",
  "read",
  "clear",
);

export function memoryLines(): Lines {
  const lines: string[] = [];
  return {
    append: (line) => {
      lines.push(line);
    },
    read: () => [...lines],
    clear: () => {
      lines.length = 0;
    },
  };
}
