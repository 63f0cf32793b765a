import { getOwn, isJsonObject, tryParseJson } from "../../core/json.js";
import type { AnyTool } from "../../core/tool.js";
import type { RecordedCall } from "../../runtime/call-recorder.js";
import type { Clock } from "../../runtime/events.js";
import type { AbortSignalLike } from "../../core/abort-signal.js";
import type { ToolError, CallOptions } from "../../core/call.js";
import type { Lines } from "./parse-changes.js";

/** The path of a value in arguments or in a result. */
export type ValuePath = readonly (string | number)[];

export interface ReplayTarget {
  /** The environment in which calls are made. A journal is valid for one environment. */
  readonly environment: string;
  /**
   * The tools of the target: a registry, whose tools in `environment` are used; the result of `connect()`, or a server's index; or a
   * list of these for several servers.
   */
  readonly tools: ToolSet | readonly ToolSet[];
  readonly references?: References | undefined;
  /** Kinds of conflicts that do not block the replay. */
  readonly accept?: readonly ConflictKind[] | undefined;
  /** Numbers of steps to skip. */
  readonly skip?: readonly number[] | undefined;
  /** Options of the calls. Default: `environment`. The tools of a registry are always called in `environment`. */
  readonly options?: CallOptions | undefined;
}

/** A registry, or an object of tools: the result of `connect()`, or a server's index. Values that are not tools are ignored. */
export type ToolSet = object;

/**
 * Declares arguments that are ids of objects which earlier calls created: by tool and argument, the tool that created the object and
 * the path of the id in its result. `{ "create-comment": { post_id: "create-post.id" } }`. In a path, `.` separates keys, and
 * `[]` stands for every item of a list: `"line_items[].product_id": "create-product.id"`. Several sources are a list. With
 * several servers, a tool is `server__tool`. `"same"` declares that a value is the same in every environment.
 */
export interface References {
  readonly [tool: string]: { readonly [argument: string]: string | readonly string[] };
}

/** A call to replay. */
export interface ReplayStep {
  /** From 1, in the order of recording, with skipped steps. */
  readonly number: number;
  readonly change: RecordedCall;
  /** The ids in its arguments that differ in the target. */
  readonly references: readonly Reference[];
  readonly isSkipped: boolean;
  /** Absent if the target does not have the tool. */
  readonly tool?: AnyTool | undefined;
}

/** An id in the arguments that is replaced by the one in an earlier step's result in the target. */
export interface Reference {
  readonly path: ValuePath;
  /** The recorded id. */
  readonly value: string | number;
  /** The step that created the object. */
  readonly from: number;
  /** The path of the id in the result of that step. */
  readonly at: ValuePath;
  readonly how: "declared" | "inferred";
}

/**
 * A reason why a plan cannot be replayed unchanged.
 *
 * - `ambiguous-id`: an argument may be the id of an object that the changes created, and its name is not conclusive. Declare
 *   the reference.
 * - `foreign-id`: an argument is the id of an object that the changes did not create. In the target, the id may belong to
 *   another object, or to none. Declare the reference, or `"same"`.
 * - `unknown-outcome`: it is unknown whether the recorded call was made. Skip the step, or accept the conflict to make the call.
 * - `contract-differs`: the call was recorded under another version of the contract. Blocks only if the
 *   major version differs.
 * - `same-environment`: the change was recorded in the target itself.
 * - `tool-missing`: the target does not have the tool, or its server could not be listed or does not have
 *   the environment. Skip the step.
 * - `input-invalid`: the arguments do not fit the tool's input schema. Skip the step.
 * - `source-skipped`: the step needs an id of a skipped step. Skip it too.
 */
export type ConflictKind =
  | "ambiguous-id"
  | "foreign-id"
  | "unknown-outcome"
  | "contract-differs"
  | "same-environment"
  | "tool-missing"
  | "input-invalid"
  | "source-skipped";

export interface Conflict {
  readonly kind: ConflictKind;
  /** Number of the step. */
  readonly step: number;
  readonly message: string;
  /** The path of the argument, as in `References`. */
  readonly argument?: string;
  /** Whether it blocks the replay. */
  readonly blocks: boolean;
}

export interface ReplayPlan {
  readonly environment: string;
  readonly steps: readonly ReplayStep[];
  readonly conflicts: readonly Conflict[];
  /** Whether no conflict blocks it. */
  readonly isReady: boolean;
  readonly target: ReplayTarget;
}

/** A person's decision about a step with an unknown outcome: it was done, is to be called again, or is to be skipped. */
export type Decision = { readonly as: "done"; readonly result?: unknown } | { readonly as: "retry" | "skip" };

export interface ReplayOptions {
  /**
   * Records each call before and after it is made, so that the replay can be continued: `memoryLines()`, or a file opened by
   * `openJournal` of `mcp-codegen/node`.
   */
  readonly journal: Lines;
  /** Decisions about steps with an unknown outcome, by their numbers. */
  readonly decisions?: ReadonlyMap<number, Decision> | undefined;
  /** Stops the replay before its next call. */
  readonly signal?: AbortSignalLike | undefined;
  /** Called after each step that was done. */
  readonly onStep?: ((step: StepReport) => void) | undefined;
  readonly clock?: Clock | undefined;
}

export interface StepReport {
  readonly number: number;
  readonly server: string;
  readonly tool: string;
  /**
   * `done` by this run or an earlier one; `skipped`; `failed` with an error; `unknown`, if the call may have been sent and its
   * outcome is unknown; `pending`, if it was not sent yet.
   */
  readonly state: "done" | "skipped" | "failed" | "unknown" | "pending";
  /** Whether this run made the call. */
  readonly isNew: boolean;
}

export interface ReplayReport {
  /**
   * `complete`; `refused`, if a conflict of the plan blocks it, so that nothing was sent; `stopped` at a step that failed, from
   * which another replay continues; `undecided`, if a person must decide about a step with an unknown outcome.
   */
  readonly status: "complete" | "refused" | "stopped" | "undecided";
  readonly steps: readonly StepReport[];
  /** Why the replay is not complete. */
  readonly reason?: string;
  /** The number of the step at which the replay ended. */
  readonly at?: number;
  /** The error of the last call. */
  readonly error?: ToolError;
}

export interface Leaf {
  readonly path: ValuePath;
  readonly value: string | number;
}

/** Deeper than any arguments and answers. */
const DEEPEST = 64;

/** Returns every text and number in a value, in order. */
export function leavesOf(value: unknown, path: ValuePath = []): readonly Leaf[] {
  if (typeof value === "string" || typeof value === "number") return [{ path, value }];
  if (path.length > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}

/** Returns a copy of a value with a replacement at an existing path. */
export function withValueAt(value: unknown, path: ValuePath, replacement: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return replacement;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item, index) => (index === step ? withValueAt(item, rest, replacement) : item));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === step ? withValueAt(item, rest, replacement) : item,
    ]),
  );
}

/** Writes a path as in `References`: `lines[].product_id`. */
export function spellPath(path: ValuePath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}

/** Returns the value of an answer. Without an output schema, that is the structured content, or the text if it is JSON. */
export function readRecordedResult(call: RecordedCall): unknown {
  const result = call.result ?? call.answer;
  if (!isJsonObject(result)) return result;
  const text = getOwn(result, "text");
  const content = getOwn(result, "content");
  if (typeof text !== "string" || !Array.isArray(content)) return result;
  return getOwn(result, "structuredContent") ?? tryParseJson(text) ?? result;
}

/** Whether two values are the same id, which may be a text in one tool and a number in another. */
export function isSameId(left: string | number, other: string | number): boolean {
  return String(left) === String(other);
}
