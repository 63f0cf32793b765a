/** A thread that runs scripts in QuickJS, one at a time, each in an instance of its own. See quickjs-executor.ts. */
import { parentPort } from "node:worker_threads";
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
} from "quickjs-emscripten-core";
import type { CodeOutcome, UnreadName } from "./executor.js";
import type { ScriptMessage, WorkerMessage } from "./quickjs-executor.js";

/** Written again, since an import would make each thread load more. */
const UNREAD: UnreadName = "UnreadCall";

/** Makes the globals of a script, and returns the function that runs it. Runs before the script can change anything. */
const PRELUDE = `(({ parse, stringify }, host, log, finish, functions) => {
  const { freeze, entries } = Object;
  class ToolError extends Error {
    constructor({ error, message, suggestion, tool }) {
      super(message);
      this.name = "ToolError";
      this.code = error;
      this.suggestion = suggestion;
      this.tool = tool;
    }
  }
  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: false, configurable: false });
  const started = new Set();
  const failed = new Set();
  // Whatever a script does to Promise.
  const follow = Function.prototype.call.bind(Promise.prototype.then);
  // A call, or what follows it. It is read once something waits for it.
  class Call extends Promise {
    then(onValue, onError) {
      started.delete(this);
      failed.delete(this);
      this.isRead = true;
      const next = follow(this, onValue, (error) => {
        if (typeof onError === "function") return onError(error);
        next.fail(error);
        throw error;
      });
      next.path = this.path;
      next.stack = this.stack;
      return next;
    }
    fail({ message }) {
      started.delete(this);
      this.message = String(message);
      if (!this.isRead) failed.add(this);
    }
  }
  const call = async (path, stack, args) => {
    const json = stringify(args ?? {});
    const answer = parse(await host(path, json ?? "null", stack));
    if (answer.ok) return answer.value;
    throw new ToolError(answer.error);
  };
  for (const [server, names] of entries(parse(functions))) {
    const api = {};
    for (const name of names)
      api[name] = (args) => {
        const path = server + "." + name;
        const stack = new Error().stack ?? "";
        const made = call(path, stack, args);
        const own = new Call((resolve, reject) => {
          follow(
            made,
            (value) => { started.delete(own); resolve(value); },
            (error) => { own.fail(error); reject(error); },
          );
        });
        started.add(Object.assign(own, { path, stack }));
        return own;
      };
    define(server, freeze(api));
  }
  const text = (value) => {
    try {
      return typeof value === "string" ? value : value instanceof Error ? String(value) : stringify(value) ?? String(value);
    } catch {
      return "[unreadable]";
    }
  };
  const print = (...values) => { log(values.map(text).join(" ")); };
  define("console", freeze({ log: print, info: print, warn: print, error: print, debug: print }));
  define("ToolError", ToolError);
  define("parse", (answer) => {
    if (typeof answer !== "string") return answer;
    try { return parse(answer); } catch { return answer; }
  });
  const fail = (error) => {
    try {
      const { name, message, stack } = error instanceof Error ? error : { name: "Error", message: text(error) };
      finish(false, stringify({ name: String(name), message: String(message), stack: String(stack ?? "") }));
    } catch {
      finish(false, '{"name":"Error","message":"The script threw a value that cannot be read."}');
    }
  };
  return async (script) => {
    try {
      const value = await script();
      for (const { path, stack, message } of [...failed, ...started]) {
        const what = message === undefined ? "the script ended before its answer" : "it failed: " + message;
        return finish(false, stringify({ name: "${UNREAD}", message: path + " was called and not awaited, and " + what, stack }));
      }
      finish(true, stringify(value === undefined ? null : value) ?? "null");
    } catch (error) {
      fail(error);
    }
  };
})`;

/** Stack of QuickJS: below that of the thread, so that a deep recursion is an error in the script. */
const STACK_BYTES = 256 * 1024;
const JOBS_AT_ONCE = 500;

const STARVED: CodeOutcome = {
  ok: false,
  name: "Error",
  message: "The script waits for a promise that never settles.",
};

class Run {
  readonly #waiting = new Map<number, (json: string) => void>();
  #outcome: CodeOutcome | undefined;
  #calls = 0;
  #logged = 0;
  #deadline = 0;
  #drain: () => number = () => 0;

  async start({ code, functions, limits }: Extract<ScriptMessage, { readonly kind: "run" }>): Promise<void> {
    const engine = await newQuickJSWASMModuleFromVariant(variant);
    const runtime = engine.newRuntime();
    runtime.setMemoryLimit(limits.memoryBytes);
    runtime.setMaxStackSize(STACK_BYTES);
    runtime.setInterruptHandler(() => performance.now() > this.#deadline);
    const context = runtime.newContext();
    this.#drain = () => {
      const done = runtime.executePendingJobs(JOBS_AT_ONCE);
      if (!("error" in done) || done.error === undefined) return done.value;
      this.#fail(context, done.error, limits.timeMs);
      return 0;
    };
    this.#timeMs = limits.timeMs;
    this.#extend();
    const host = context.newFunction("host", (path, json, stack) => {
      const promise = context.newPromise();
      this.#calls += 1;
      // The host ends the script at the first call over the limit.
      if (this.#calls > limits.calls + 1) return promise.handle;
      const id = this.#calls;
      this.#waiting.set(id, (answer) => {
        context.newString(answer).consume((text) => {
          promise.resolve(text);
        });
      });
      const [name, args, trace] = [path, json, stack].map((handle) => context.getString(handle));
      send({ kind: "call", id, path: name ?? "", json: args ?? "", stack: trace ?? "" });
      return promise.handle;
    });
    const log = context.newFunction("log", (handle) => {
      if (this.#logged > limits.logBytes) return;
      const text = context.getString(handle).slice(0, limits.logBytes + 1);
      this.#logged += text.length + 1;
      send({ kind: "log", text });
    });
    const finish = context.newFunction("finish", (isOk, handle) => {
      const json = context.getString(handle);
      this.#outcome ??=
        context.dump(isOk) === true
          ? { ok: true, json }
          : { ok: false, ...(JSON.parse(json) as { name: string; message: string }) };
    });
    const json = context.unwrapResult(context.evalCode("JSON", "prelude.js"));
    const prelude = context.unwrapResult(context.evalCode(PRELUDE, "prelude.js"));
    const names = context.newString(JSON.stringify(functions));
    const start = context.unwrapResult(
      context.callFunction(prelude, context.undefined, json, host, log, finish, names),
    );
    const script = context.evalCode(code, "script.js");
    if (script.error !== undefined) {
      this.#fail(context, script.error, limits.timeMs);
    } else {
      const called = context.callFunction(start, context.undefined, script.value);
      if (called.error !== undefined) this.#fail(context, called.error, limits.timeMs);
    }
    this.pump();
  }

  #timeMs = 0;

  #extend(): void {
    this.#deadline = performance.now() + this.#timeMs;
  }

  answer(id: number, json: string): void {
    const settle = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#extend();
    settle?.(json);
    this.pump();
  }

  /** Runs what the script can do now. Sends the outcome if it has ended. */
  pump(): void {
    while (this.#outcome === undefined && this.#drain() > 0) {
      if (performance.now() > this.#deadline) this.#outcome = overtime(this.#timeMs);
    }
    if (this.#outcome === undefined && this.#waiting.size === 0) this.#outcome = STARVED;
    if (this.#outcome === undefined) return;
    run = undefined;
    send({ kind: "done", outcome: this.#outcome });
  }

  /** Handles are not released: the whole instance is dropped after the run. */
  #fail(context: QuickJSContext, error: QuickJSHandle, timeMs: number): void {
    const read = (key: string): string => {
      const value: unknown = context.dump(context.getProp(error, key));
      return typeof value === "string" ? value : "";
    };
    const [name, message, stack] = ["name", "message", "stack"].map(read);
    this.#outcome ??=
      message === "interrupted"
        ? { ...overtime(timeMs), stack }
        : { ok: false, name: name ?? "", message: message ?? "", stack };
  }
}

function overtime(timeMs: number): Extract<CodeOutcome, { readonly ok: false }> {
  return { ok: false, name: "Error", message: `The script computed for ${timeMs} ms.`, stopped: "timeMs" };
}

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

/** The engine itself failed: it has no memory or stack left. */
function crash(error: unknown): void {
  run = undefined;
  const message = error instanceof Error ? error.message : String(error);
  send({
    kind: "done",
    outcome: { ok: false, name: "Error", message, stopped: "memoryBytes" },
    isBroken: true,
  });
}

let run: Run | undefined;
// If it is missing, the thread ends with an error that says so.
const variant = import("@jitl/quickjs-wasmfile-release-sync");
await variant;

// Both ends are in this package: see quickjs-executor.ts.
parentPort?.on("message", (message: ScriptMessage) => {
  if (message.kind === "run") {
    run = new Run();
    run.start(message).catch(crash);
    return;
  }
  try {
    run?.answer(message.id, message.json);
  } catch (error) {
    crash(error);
  }
});
