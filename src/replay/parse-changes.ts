import { findOwn, getOwn, isJsonObject, type JsonValue } from "../contract/json.js";
import type { RecordedCall } from "../runtime/call-recorder.js";

/** Parsed lines of JSON, and the damaged ones. */
export interface ParsedChanges<Recorded> {
  readonly changes: readonly Recorded[];
  /** For each change, the number of its line, from 1. */
  readonly lines: readonly number[];
  readonly damaged: readonly DamagedLine[];
  /** Calls of agents whose outcome is not known (yet), such as those that wait for an approval. */
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
  /** Whether it is the last, which is what a process leaves that ends while it writes. */
  readonly isLast: boolean;
  /** What is wrong with it. */
  readonly problem: string;
}

/**
 * Changes from their lines. Lines that are empty are passed over; a line that is not a change is reported, never guessed at.
 * Keys that a change does not have are kept: they are the user's own.
 */
export function parseChanges<Recorded extends RecordedCall = RecordedCall>(
  lines: readonly string[],
): ParsedChanges<Recorded> {
  const changes: RecordedCall[] = [];
  const numbers: number[] = [];
  const damaged: DamagedLine[] = [];
  const unresolved = new Map<string, UnresolvedCall>();
  const last = lines.findLastIndex((line) => line.trim() !== "");
  lines.forEach((line, index) => {
    if (line.trim() === "") return;
    const value = parse(line);
    const mark = findOwn(value, "outcome");
    const isMarked = isJsonObject(value) && (mark === "waits" || mark === "none");
    const change = isMarked ? { ...value, outcome: "unknown" } : value;
    if (isChange(change)) {
      const { toolCallId } = change;
      if (mark === "waits") {
        unresolved.set(toolCallId ?? "", { line: index + 1, change });
        return;
      }
      if (toolCallId !== undefined) unresolved.delete(toolCallId);
      if (mark === "none") return;
      changes.push(change);
      numbers.push(index + 1);
    } else damaged.push({ line: index + 1, isLast: index === last, problem: findProblem(change) ?? "" });
  });
  // Which tools were recorded is the caller's word, as it is of any file that one reads.
  return {
    changes: changes as Recorded[],
    lines: numbers,
    damaged,
    unresolved: [...unresolved.values()] as UnresolvedCall<Recorded>[],
  };
}

/** The line of a call whose outcome may come later: the line with the same `toolCallId` that follows has it. */
export function toWaitingLine(change: RecordedCall & { readonly toolCallId: string }): string {
  return JSON.stringify({ ...change, result: null, outcome: "waits" });
}

/** The line of a call that waited and was not made. */
export function toEndedLine(change: RecordedCall): string {
  return JSON.stringify({ ...change, result: null, outcome: "none" });
}

function parse(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return undefined;
  }
}

function isChange(value: unknown): value is RecordedCall {
  return findProblem(value) === undefined;
}

/** Why a value is not a change; undefined for a change. */
export function findProblem(value: unknown): string | undefined {
  if (value === undefined) return "it is not JSON";
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

/** Where lines of JSON are kept: in memory, or in a file (`mcp-codegen/node`). */
export interface Lines {
  /** Adds a line, which is kept once this returns. What it throws is why it was not. */
  append(line: string): void;
  /** Every line in its order. Where the last one was cut off while it was written, what there is of it. */
  read(): readonly string[];
  /** Forgets every line. */
  clear(): void;
}

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
