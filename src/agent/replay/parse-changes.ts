import { checkArgument, type OptionKind, TEXTS, withMethods } from "../../core/check-options.js";
import { McpCodegenError } from "../../core/errors.js";
import { tryParseExactly } from "../../core/exact-json.js";
import { formatKeyPath } from "../../core/json-pointer.js";
import { findRepeatedKey } from "../../core/json-text.js";
import { findOwn, getOwn, isJsonObject, type JsonValue } from "../../core/json.js";
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

/**
 * Parses the lines of a file of changes. Empty lines are ignored; lines that are not changes are reported. Additional keys are
 * kept, since they are the user's own.
 *
 * @throws McpCodegenError `USAGE` for anything but an array of strings
 */
export function parseChanges<Recorded extends RecordedCall = RecordedCall>(
  lines: readonly string[],
): ParsedChanges<Recorded> {
  checkArgument("parseChanges", "lines", lines, TEXTS, 'Pass an array of lines, such as text.split("\\n").');
  const changes: RecordedCall[] = [];
  const numbers: number[] = [];
  const damaged: DamagedLine[] = [];
  const unresolved = new Map<string, UnresolvedCall>();
  const last = lines.findLastIndex((line) => line.trim() !== "");
  lines.forEach((line, index) => {
    if (line.trim() === "") return;
    const value = tryParseExactly(line);
    const repeated = findRepeatedIn(line, value);
    const mark = findOwn(value, "outcome");
    const isMarked = isJsonObject(value) && (mark === "waits" || mark === "none");
    const change = isMarked ? { ...value, outcome: "unknown" } : value;
    if (repeated === undefined && isChange(change)) {
      const { toolCallId } = change;
      if (mark === "waits") {
        unresolved.set(toolCallId ?? "", { line: index + 1, change });
        return;
      }
      if (toolCallId !== undefined) unresolved.delete(toolCallId);
      if (mark === "none") return;
      changes.push(change);
      numbers.push(index + 1);
    } else
      damaged.push({
        line: index + 1,
        isLast: index === last,
        problem: repeated ?? findChangeProblem(change) ?? "",
      });
  });
  // The caller knows which tools were recorded.
  return {
    changes: changes as Recorded[],
    lines: numbers,
    damaged,
    unresolved: [...unresolved.values()] as UnresolvedCall<Recorded>[],
  };
}

/** Returns words for a key that a line has twice, of which `JSON.parse` keeps the last; undefined without such a key. */
export function findRepeatedIn(line: string, value: JsonValue | undefined): string | undefined {
  const path = value === undefined ? undefined : findRepeatedKey(line, value);
  return path && `it has ${formatKeyPath(path)} twice`;
}

/** Returns the line of a call whose outcome may be in a later line with the same `toolCallId`. */
export function toWaitingLine(change: RecordedCall & { readonly toolCallId: string }): string {
  return JSON.stringify({ ...change, result: null, outcome: "waits" });
}

/** Returns the line of a call that waited and was not made. */
export function toEndedLine(change: RecordedCall): string {
  return JSON.stringify({ ...change, result: null, outcome: "none" });
}

function isChange(value: unknown): value is RecordedCall {
  return findChangeProblem(value) === undefined;
}

/** Explains why a value is not a change; undefined for a change. */
function findChangeProblem(value: unknown): string | undefined {
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

/** @throws McpCodegenError `CHANGES_INVALID` for a value that is not a change */
export function assertChange(name: string, value: unknown, hint: string): void {
  const problem = findChangeProblem(value);
  if (problem === undefined) return;
  throw new McpCodegenError("CHANGES_INVALID", `${name} is invalid: ${problem}.`, { hint });
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
