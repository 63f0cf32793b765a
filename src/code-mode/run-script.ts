import { TimeLimit } from "../client/abort-signal.js";
import { omitUndefined } from "../core/collections.js";
import { findOwn, isJsonArray, isJsonObject, type JsonObject } from "../core/json.js";
import { oneLine } from "../core/printable.js";
import type { CallOptions } from "../runtime/call-options.js";
import { effectOf } from "../agent/policy/decide.js";
import type { RegisteredTool } from "../agent/registry/registered-tool.js";
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
import { judge } from "../agent/toolset/toolset-catalog.js";
import type { Confirm, ToolsetAnswer } from "../agent/toolset/toolset.js";
import { nameFunctions } from "./declare-tools.js";
import type { CodeExecutor, CodeOutcome, CodeTask } from "./executor.js";
import { LimitHit, parseBounded, sizeHit, type CodeLimits } from "./limits.js";

/** A checked script, and what runs it. */
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
export function runScript(script: ScriptToRun): Promise<ToolsetAnswer> {
  return new ScriptRun(script).run();
}

class ScriptRun {
  readonly #script: ScriptToRun;
  readonly #limits: CodeLimits;
  readonly #stop = new AbortController();
  readonly #time: TimeLimit;
  readonly #made: MadeCall[] = [];
  readonly #logs: string[] = [];
  readonly #open = new Set<Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  /** The errors of failed calls, by their messages, which the script may pass on. */
  readonly #failed = new Map<string, { readonly error: ToolsetError; readonly line: number }>();
  readonly #refused = new Set<string>();
  #asking: Promise<unknown> = Promise.resolve();
  #hit: LimitHit | undefined;
  #calls = 0;
  #running = 0;
  #logged = 0;

  constructor(script: ScriptToRun) {
    this.#script = script;
    this.#limits = script.limits;
    this.#time = new TimeLimit(this.#limits.timeMs, () => {
      this.#halt(new LimitHit("timeMs", this.#limits.timeMs, "The script takes too long"));
    });
  }

  async run(): Promise<ToolsetAnswer> {
    const { code, functions, executor, call } = this.#script;
    const { signal } = call.options;
    const onAbort = (): void => {
      this.#stop.abort();
    };
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener("abort", onAbort);
    try {
      const outcome = await executor.execute({
        ...{ code, functions, signal: this.#stop.signal },
        // Ends a script itself before the limit outside does, so that it says at which line.
        limits: { ...this.#limits, timeMs: this.#limits.timeMs * 0.95 },
        callTool: (path, json, stack) => this.#track(this.#call(path, json, stack)),
        log: (text) => {
          this.#log(text);
        },
      });
      const ended = new Set(this.#made.filter(({ state }) => state !== "running"));
      // Calls that were started and not awaited.
      if (outcome.ok || outcome.stopped === undefined)
        while (this.#open.size > 0 && !this.#stop.signal.aborted) await this.#settled();
      // An executor may not know which calls are not awaited: the script has not read how these ended.
      const late = outcome.ok ? this.#made.find((made) => !ended.has(made)) : undefined;
      if (late === undefined || this.#hit !== undefined) return this.#answer(outcome);
      const words = `line ${late.line}: ${late.path} was called and not awaited: the script ended before its answer`;
      return this.#fail("SCRIPT_FAILED", words, {}, AWAIT);
    } finally {
      this.#time.clear();
      signal?.removeEventListener("abort", onAbort);
      this.#stop.abort();
    }
  }

  #halt(hit: LimitHit): void {
    this.#hit ??= hit;
    this.#stop.abort();
  }

  #track<T>(call: Promise<T>): Promise<T> {
    const open = call.catch(() => undefined).finally(() => this.#open.delete(open));
    this.#open.add(open);
    return call;
  }

  /** Resolves when a call has ended, or the script must. */
  #settled(): Promise<unknown> {
    const stopped = new Promise((resolve) => {
      this.#stop.signal.addEventListener("abort", resolve);
    });
    return Promise.race([...this.#open, stopped]);
  }

  #log(text: string): void {
    const { logBytes } = this.#limits;
    const rest = logBytes - this.#logged;
    if (rest <= 0) return;
    this.#logged += text.length + 1;
    this.#logs.push(text.length <= rest ? text : `${text.slice(0, rest)}… (limit logBytes: ${logBytes})`);
  }

  /** Makes a call of the script. Returns its result or its error as JSON. Never rejects. */
  async #call(path: string, json: string, stack: string): Promise<string> {
    const line = this.#lineOf(stack) ?? 1;
    this.#calls += 1;
    if (this.#calls > this.#limits.calls)
      this.#halt(new LimitHit("calls", this.#limits.calls, `Line ${line} makes another call`));
    if (this.#running >= this.#limits.atOnce)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    this.#running += 1;
    const answered = await this.#make(path, json, line).catch((thrown: unknown) => {
      const words = thrown instanceof Error ? thrown.message : String(thrown);
      // A limit, or a source that cannot list its tools.
      if (thrown instanceof LimitHit) return toolsetError("VALIDATION_ERROR", words, SMALLER);
      return toolsetError("TOOL_UNAVAILABLE", words, "The same call may succeed later.");
    });
    this.#running -= 1;
    this.#waiting.shift()?.();
    if (typeof answered === "string") return `{"ok":true,"value":${answered}}`;
    this.#failed.set(answered.message, { error: answered, line });
    return JSON.stringify({ ok: false, error: { ...answered, tool: path } });
  }

  /** Returns the JSON of a result, or an error. */
  async #make(path: string, json: string, line: number): Promise<string | ToolsetError> {
    const { names: meta, source, viewAgain, writesHint, options } = this.#script.call;
    const { confirm, onInput } = options;
    if (this.#stop.signal.aborted) return toolsetError("SCRIPT_STOPPED", "The script was stopped.", "");
    const args = parseBounded(json, "answerBytes", this.#limits, `The argument of ${path}`);
    if (!isJsonObject(args))
      return toolsetError("VALIDATION_ERROR", `The argument of ${path} is not an object.`, "Pass an object.");
    const { policy } = viewAgain();
    const tool = nameFunctions(await source.getTools()).find((one) => one.path === path)?.tool;
    const found = tool === undefined ? ({ kind: "none", nearest: [] } as const) : judge(tool, policy);
    if (found.kind !== "tool") return refuseName(path, found, meta, source.servers);
    let result = "null";
    const answer = await runTool(
      {
        tool: effectOf(found.tool, policy) === "reads" ? found.tool : this.#remember(found.tool, path, line),
        name: path,
        args,
        policy,
        meta,
        writesHint,
        environment: source.environment,
        options: {
          ...options,
          line,
          signal: this.#stop.signal,
          confirm: confirm && this.#confirmAt(line, confirm),
          onInput: onInput && (async (...given) => this.#paused(async () => onInput(...given))),
        },
      },
      (value, beside) => {
        const { result: read, blocks } = readCallResult(found.tool, value, beside);
        // A script has no use for images.
        const isBlock = read === null && blocks.length > 0;
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
        this.#made.push(made);
        const result = await tool.call(input, options);
        made.state = result.ok ? "made" : "failed";
        if (!result.ok && UNSENT.has(result.error.code)) this.#made.splice(this.#made.indexOf(made), 1);
        return result;
      },
    };
  }

  /** Asks about one call at a time, while the time of the script stands still, and about a refused call once. */
  #confirmAt(line: number, confirm: Confirm): Confirm {
    return (tool, args) => {
      const key = JSON.stringify([tool.name, args]);
      const asked = this.#asking.then(async () => {
        if (this.#refused.has(key) || this.#stop.signal.aborted) return false;
        const said: unknown = await this.#paused(() => confirm(tool, args, { line }));
        if (said !== true) this.#refused.add(key);
        // Who was asked may answer after the script has ended.
        return said === true && !this.#stop.signal.aborted;
      });
      this.#asking = asked.catch(() => undefined);
      return asked;
    };
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
    const at = /script\.js:(\d+)/.exec(stack)?.[1];
    return at === undefined ? undefined : this.#script.lines[Number(at) - 1];
  }

  #answer(outcome: CodeOutcome): ToolsetAnswer {
    const logs = this.#logs.length > 0 ? { logs: this.#logs } : {};
    if (this.#hit !== undefined) return this.#refuse(this.#hit);
    if (outcome.ok) {
      try {
        const result = parseBounded(outcome.json, "resultBytes", this.#limits, "The result of the script");
        return answerWith({ result, ...logs });
      } catch (error) {
        if (error instanceof LimitHit) return this.#refuse(error);
        return this.#fail("SCRIPT_FAILED", "The result of the script is not JSON.", {});
      }
    }
    const { name, message, stack, stopped, suggestion } = outcome;
    if (this.#stop.signal.aborted)
      return this.#fail("SCRIPT_STOPPED", "The script was cancelled.", { limit: "cancelled" });
    if (stopped !== undefined || (name === "InternalError" && message === "out of memory")) {
      const limit = stopped ?? "memoryBytes";
      const line = this.#lineOf(stack);
      const what = limit === "timeMs" ? "The script takes too long" : "The script takes too much memory";
      return this.#refuse(
        new LimitHit(limit, this.#limits[limit], line === undefined ? what : `${what} at line ${line}`),
      );
    }
    const failed = this.#failed.get(message);
    const line = failed?.line ?? this.#lineOf(stack);
    const words = failed?.error.message ?? oneLine(name === "Error" ? message : `${name}: ${message}`, 1_000);
    return this.#fail(
      "SCRIPT_FAILED",
      line === undefined ? words : `line ${line}: ${words}`,
      omitUndefined({ cause: failed?.error.error, hint: failed?.error["hint"] }),
      failed?.error.suggestion ?? suggestion,
    );
  }

  #refuse({ message, limit }: LimitHit): ToolsetAnswer {
    return this.#fail("SCRIPT_STOPPED", message, { limit });
  }

  #fail(
    code: "SCRIPT_FAILED" | "SCRIPT_STOPPED",
    message: string,
    more: JsonObject,
    suggestion = "Change the script and run it again.",
  ): ToolsetAnswer {
    const made = this.#made.map(
      ({ path, line, state }) => `line ${line}: ${path}${state === "made" ? "" : ` (${STATES[state]})`}`,
    );
    const advice = made.length > 0 ? `${suggestion} Do not repeat the calls in "made".` : suggestion;
    return answerWithError(
      toolsetError(code, message, advice, {
        ...more,
        ...(made.length > 0 && { made }),
        ...(this.#logs.length > 0 && { logs: this.#logs }),
      }),
    );
  }
}

const MOST_ISSUES = 5;

/** Writes the issues of arguments into the message: a script reads nothing else of an error. */
function withIssues(error: ToolsetError): ToolsetError {
  const { issues } = error;
  if (!isJsonArray(issues)) return error;
  const texts = issues.slice(0, MOST_ISSUES).flatMap((issue) => {
    const [path, message] = [findOwn(issue, "path"), findOwn(issue, "message")];
    if (typeof message !== "string") return [];
    return typeof path === "string" && path !== "" ? `${path}: ${message}` : message;
  });
  const more = issues.length > texts.length ? [`and ${issues.length - texts.length} more`] : [];
  const about = error.message.replace(/\.$/, "");
  return { ...error, message: oneLine(`${about}: ${[...texts, ...more].join("; ")}`, 1_000) };
}

const AWAIT = "Await each call.";
const SMALLER = "Ask for less: a page, a range, a filter.";
const STATES = {
  running: "was still running, and may have been made",
  failed: "failed, and may have been made",
} as const;
