import pLimit, { type LimitFunction } from "p-limit";
import { TimeLimit } from "../client/abort-signal.js";
import { groupBy, omitUndefined } from "../core/collections.js";
import { messageOf } from "../core/errors.js";
import { tryParseExactly } from "../core/exact-json.js";
import { isJsonObject, type JsonObject } from "../core/json.js";
import { oneLine } from "../core/printable.js";
import type { CallOptions } from "../core/call.js";
import { findRoundedPlaces, quotePlaces } from "../runtime/validate-call.js";
import { effectOf } from "../core/decide.js";
import type { RegisteredTool } from "../core/tool.js";
import { runTool } from "../agent/toolset/execute-tool.js";
import type { MetaCall } from "../agent/toolset/meta-tool.js";
import {
  answerWith,
  answerWithError,
  answerWithText,
  readCallResult,
  refuseName,
  type ToolsetError,
  toolsetError,
} from "../agent/toolset/toolset-error.js";
import type { Approve } from "../agent/registry/approval.js";
import { judge } from "../agent/toolset/toolset-catalog.js";
import type { ToolAnswer } from "../agent/toolset/toolset.js";
import { nameFunctions } from "./declare-tools.js";
import type { CodeExecutor, CodeOutcome, CodeTask } from "./executor.js";
import { LimitHit, parseBounded, sizeHit, type CodeLimits } from "./limits.js";

export interface ScriptToRun extends Pick<CodeTask, "code" | "functions"> {
  /** The line of the script for each line of the code. */
  readonly lines: readonly number[];
  readonly executor: CodeExecutor;
  readonly limits: CodeLimits;
  /** The call of the meta-tool that runs the script. */
  readonly call: MetaCall;
}

/** A call that does more than read. */
interface MadeCall {
  readonly path: string;
  readonly line: number;
  state: "running" | "made" | "failed";
}

/** The codes of errors of calls that were not sent. */
const UNSENT: ReadonlySet<string> = new Set([
  "TOOL_INVALID_INPUT",
  "TOOL_NOT_FOUND",
  "TOOL_NOT_ALLOWED",
  "WRITES_DISABLED",
  "CONTRACT_DRIFT",
]);

/** Runs a script. Each of its calls is validated and allowed like any other. */
export async function runScript(script: ScriptToRun): Promise<ToolAnswer> {
  return new ScriptRun(script).run();
}

class ScriptRun {
  readonly #script: ScriptToRun;
  readonly #limits: CodeLimits;
  /** Its reason is a limit, or that the caller has cancelled the script. */
  readonly #stop = new AbortController();
  readonly #time: TimeLimit;
  /** The queue of the calls. */
  readonly #atOnce: LimitFunction;
  /** The queue of the questions. */
  readonly #oneByOne = pLimit(1);
  /** The ends of the calls. */
  readonly #calls: Promise<unknown>[] = [];
  readonly #made = new Set<MadeCall>();
  readonly #logs: string[] = [];
  #length = 0;
  /** The errors of failed calls, by their messages, which the script may pass on. */
  readonly #failed = new Map<string, { readonly error: ToolsetError; readonly line: number }>();
  readonly #refused = new Set<string>();

  constructor(script: ScriptToRun) {
    this.#script = script;
    this.#limits = script.limits;
    const { timeMs, atOnce } = script.limits;
    this.#atOnce = pLimit(atOnce);
    this.#time = new TimeLimit(timeMs, () => {
      this.#stop.abort(new LimitHit("timeMs", timeMs, "The script takes too long"));
    });
  }

  async run(): Promise<ToolAnswer> {
    const { code, functions, executor, call } = this.#script;
    const { signal } = call.options;
    const onAbort = (): void => {
      this.#stop.abort();
    };
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener("abort", onAbort);
    try {
      const running = executor.execute({
        code,
        functions,
        signal: this.#stop.signal,
        // Ends a script itself before the limit outside does, so that it says at which line.
        limits: { ...this.#limits, timeMs: this.#limits.timeMs * 0.95 },
        callTool: (path, json, stack) => this.#call(path, json, this.#lineOf(stack) ?? 1),
        log: (text) => {
          this.#log(text);
        },
      });
      const outcome = await running.catch((error: unknown): CodeOutcome => {
        // Otherwise, nothing has happened yet.
        if (this.#made.size === 0) throw error;
        return { ok: false, name: "Error", message: messageOf(error) };
      });
      const ended = new Set([...this.#made].filter(({ state }) => state !== "running"));
      if (outcome.ok || outcome.stopped === undefined) await this.#settled();
      // An executor may not know which calls are not awaited: the script has not read how these ended.
      const late = outcome.ok ? [...this.#made].find((made) => !ended.has(made)) : undefined;
      if (late === undefined || this.#hit !== undefined) return this.#answer(outcome);
      const words = `line ${late.line}: ${late.path} was called and not awaited: the script ended before its answer. Await each call.`;
      return this.#fail("SCRIPT_FAILED", words, {});
    } finally {
      this.#time.clear();
      signal?.removeEventListener("abort", onAbort);
      this.#stop.abort();
    }
  }

  get #hit(): LimitHit | undefined {
    const reason: unknown = this.#stop.signal.reason;
    return reason instanceof LimitHit ? reason : undefined;
  }

  /** Resolves when the calls that the script did not await have ended, or the script must. */
  async #settled(): Promise<void> {
    const { signal } = this.#stop;
    const stopped = new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
    if (!signal.aborted) await Promise.race([Promise.all(this.#calls), stopped]);
  }

  #log(text: string): void {
    const { logBytes } = this.#limits;
    const rest = logBytes - this.#length;
    if (rest <= 0) return;
    this.#length += text.length + 1;
    this.#logs.push(text.length <= rest ? text : `${text.slice(0, rest)}… (limit logBytes: ${logBytes})`);
  }

  /** Makes a call of the script. Returns its result or its error as JSON. Never rejects. */
  async #call(path: string, json: string, line: number): Promise<string> {
    const { calls } = this.#limits;
    if (this.#calls.length >= calls)
      this.#stop.abort(new LimitHit("calls", calls, `Line ${line} makes another call`));
    const call = this.#atOnce(() => this.#make(path, json, line)).catch((thrown: unknown) => {
      const words = messageOf(thrown);
      // A limit, or a source that cannot list its tools.
      if (thrown instanceof LimitHit) return toolsetError("VALIDATION_ERROR", words, SMALLER);
      return toolsetError("TOOL_UNAVAILABLE", words, "The same call may succeed later.");
    });
    this.#calls.push(call.then(() => undefined));
    const answered = await call;
    if (typeof answered === "string") return `{"ok":true,"value":${answered}}`;
    this.#failed.set(answered.message, { error: answered, line });
    return JSON.stringify({ ok: false, error: { ...answered, tool: path } });
  }

  /** Returns the JSON of a result, or an error. */
  async #make(path: string, json: string, line: number): Promise<string | ToolsetError> {
    const { call } = this.#script;
    const { source, view, options } = call;
    const { approve, onInput } = options;
    if (this.#stop.signal.aborted) return toolsetError("SCRIPT_STOPPED", "The script was stopped.", "");
    const args = parseBounded(json, "answerBytes", this.#limits, `The argument of ${path}`);
    if (!isJsonObject(args))
      return toolsetError("VALIDATION_ERROR", `The argument of ${path} is not an object.`, "Pass an object.");
    const { policy } = view;
    const functions = nameFunctions(await source.getTools());
    const tool = functions.find((entry) => entry.path === path)?.tool;
    const resolution = tool === undefined ? ({ kind: "none", nearest: [] } as const) : judge(tool, policy);
    if (resolution.kind !== "tool") {
      const serverName = functions.find(({ server }) => path.startsWith(`${server}.`))?.tool.server;
      const servers = source.servers.filter(({ name }) => serverName === undefined || name === serverName);
      return refuseName(path, resolution, call.names, servers);
    }
    const isRead = effectOf(resolution.tool, policy) === "reads";
    let result = "null";
    const answer = await runTool(
      {
        tool: isRead ? resolution.tool : this.#remember(resolution.tool, path, line),
        name: path,
        args,
      },
      {
        ...call,
        options: {
          ...options,
          line,
          signal: this.#stop.signal,
          approve: approve && this.#approveAt(line, approve),
          onInput: onInput && (async (...question) => this.#paused(async () => onInput(...question))),
        },
      },
      (value, beside) => {
        const { result: read, blocks } = readCallResult(resolution.tool, value, beside);
        // A script has no use for images.
        const isBlock = read === null && blocks.length > 0;
        // A script may parse a text.
        const rounded = findRoundedPlaces(typeof read === "string" ? tryParseExactly(read) : read);
        if (rounded.length > 0)
          this.#log(`line ${line}: ${path} answers with rounded numbers at ${quotePlaces(rounded)}`);
        result = JSON.stringify(isBlock ? blocks.map(({ type }) => `[${type}]`).join(" ") : read);
        return answerWithText("");
      },
    );
    // Every error answer has this form.
    if (answer.isError) return withIssues(answer.structuredContent as ToolsetError);
    if (result.length <= this.#limits.answerBytes) return result;
    const { message } = sizeHit("answerBytes", this.#limits, `The answer of ${path}`, result.length);
    return toolsetError("TOOL_EXECUTION_FAILED", message, `The tool ran. ${SMALLER}`);
  }

  /** Keeps a list of the calls that may have changed something, so that a model does not repeat them. */
  #remember(tool: RegisteredTool, path: string, line: number): RegisteredTool {
    return {
      ...tool,
      call: async (input: unknown, options?: CallOptions) => {
        const made: MadeCall = { path, line, state: "running" };
        this.#made.add(made);
        const result = await tool.call(input, options);
        made.state = result.ok ? "made" : "failed";
        if (!result.ok && UNSENT.has(result.error.code)) this.#made.delete(made);
        return result;
      },
    };
  }

  /** Asks about one call at a time, while the time of the script stands still, and about a refused call once. */
  #approveAt(line: number, approve: Approve): Approve {
    return (request) =>
      this.#oneByOne(async () => {
        const key = JSON.stringify([request.tool.name, request.input]);
        if (this.#refused.has(key) || this.#stop.signal.aborted) return false;
        const said: unknown = await this.#paused(async () => approve({ ...request, line }));
        if (said !== true) this.#refused.add(key);
        // Who was asked may answer after the script has ended.
        return said === true && !this.#stop.signal.aborted;
      });
  }

  /** Stops the time of the script while a person is asked. */
  async #paused<T>(ask: () => Promise<T>): Promise<T> {
    const resume = this.#time.pause();
    try {
      return await ask();
    } finally {
      resume();
    }
  }

  #lineOf(stack = ""): number | undefined {
    // At the end of a line: before it, there are names of functions, which the script chooses.
    const at = /script\.js:(\d+)(?::\d+)?\)?$/m.exec(stack.slice(0, LONGEST_STACK))?.[1];
    return at === undefined ? undefined : this.#script.lines[Number(at) - 1];
  }

  #answer(outcome: CodeOutcome): ToolAnswer {
    if (this.#hit !== undefined) return this.#refuse(this.#hit);
    if (outcome.ok) {
      try {
        const result = parseBounded(outcome.json, "resultBytes", this.#limits, "The result of the script");
        return answerWith({ result, ...this.#logged() });
      } catch (error) {
        if (error instanceof LimitHit) return this.#refuse(error);
        return this.#fail("SCRIPT_FAILED", "The result of the script is not JSON.", {});
      }
    }
    if (this.#stop.signal.aborted)
      return this.#fail("SCRIPT_STOPPED", "The script was cancelled.", { limit: "cancelled" });
    const { name, message, stack, stopped: limit } = outcome;
    const failed = this.#failed.get(message);
    const line = failed?.line ?? this.#lineOf(stack);
    if (limit !== undefined) {
      const what = limit === "timeMs" ? "The script takes too long" : "The script takes too much memory";
      const where = line === undefined ? "" : ` at line ${line}`;
      return this.#refuse(new LimitHit(limit, this.#limits[limit], `${what}${where}`));
    }
    const words = failed?.error.message ?? oneLine(name === "Error" ? message : `${name}: ${message}`, 1_000);
    return this.#fail(
      "SCRIPT_FAILED",
      line === undefined ? words : `line ${line}: ${words}`,
      omitUndefined({ cause: failed?.error.error, hint: failed?.error["hint"] }),
      failed?.error.suggestion,
    );
  }

  #refuse({ message, limit }: LimitHit): ToolAnswer {
    return this.#fail("SCRIPT_STOPPED", message, { limit });
  }

  #fail(
    code: "SCRIPT_FAILED" | "SCRIPT_STOPPED",
    message: string,
    more: JsonObject,
    suggestion = "Change the script and run it again.",
  ): ToolAnswer {
    const made = describeMade([...this.#made]);
    const advice = made.length > 0 ? `${suggestion} Do not repeat the calls in "made".` : suggestion;
    const beside = { ...more, ...(made.length > 0 && { made }), ...this.#logged() };
    return answerWithError(toolsetError(code, message, advice, beside));
  }

  #logged(): { readonly logs?: readonly string[] } {
    return this.#logs.length > 0 ? { logs: this.#logs } : {};
  }
}

/** Names calls that may have changed something, equal ones together: `50 × shop.createPost, lines 3 to 9`. */
function describeMade(calls: readonly MadeCall[]): readonly string[] {
  return [...groupBy(calls, ({ path, state }) => `${path} ${state}`).values()].map((equal) => {
    const [{ path, state }] = equal;
    const lines = equal.map(({ line }) => line);
    const first = Math.min(...lines);
    const last = Math.max(...lines);
    const how = state === "made" ? "" : ` (${STATES[state]})`;
    if (equal.length === 1) return `line ${first}: ${path}${how}`;
    const where = first === last ? `line ${first}` : `lines ${first} to ${last}`;
    return `${equal.length} × ${path}, ${where}${how}`;
  });
}

const MOST_ISSUES = 5;
const LONGEST_STACK = 10_000;

/** Writes the issues of arguments into the message: a script reads nothing else of an error. */
function withIssues(error: ToolsetError): ToolsetError {
  // Every issue has this form.
  const issues = error["issues"] as
    | readonly { readonly path: string; readonly message: string }[]
    | undefined;
  if (issues === undefined) return error;
  const texts = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const more = texts.length > MOST_ISSUES ? [`and ${texts.length - MOST_ISSUES} more`] : [];
  const about = error.message.replace(/\.$/, "");
  const words = `${about}: ${[...texts.slice(0, MOST_ISSUES), ...more].join("; ")}`;
  return { ...error, message: oneLine(words, 1_000) };
}

const SMALLER = "Ask for less: a page, a range, a filter.";
const STATES = {
  running: "was still running, and may have been made",
  failed: "failed, and may have been made",
} as const;
