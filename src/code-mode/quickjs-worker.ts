/** A thread that runs scripts in QuickJS, one at a time, each in an instance of its own. See executor.ts. */
import { parentPort } from "node:worker_threads";
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSHandle } from "quickjs-emscripten-core";
import type { CodeOutcome, ScriptMessage, WorkerMessage } from "./executor.js";

/**
 * Makes the globals of a script, and returns the function that runs it. Runs before the script can change anything, and
 * later uses no method and no global that the script can replace. What leaves the engine is text: it passes primitive strings.
 */
const PRELUDE = `(({ parse, stringify }, host, log, finish, functions) => {
  const { freeze, entries, defineProperty, getPrototypeOf } = Object;
  const { call: callAs } = Function.prototype;
  const [Failure, write, follow] = [Error, String, callAs.bind(Promise.prototype.then)];
  const isFailure = callAs.bind(Error[Symbol.hasInstance], Error);
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
    defineProperty(globalThis, name, { value, writable: false, configurable: false });
  // Code in a text was not checked.
  function refuse() { throw new Failure("Code in a text does not run here. Write it in the script."); }
  for (const one of [() => {}, async () => {}, function* () {}, async function* () {}])
    defineProperty(getPrototypeOf(one), "constructor", { value: refuse, writable: false, configurable: false });
  refuse.prototype = Function.prototype;
  define("Function", refuse);
  define("eval", refuse);
  // Calls, and what follows them, that have not succeeded and that nothing waits for, by their numbers.
  const unread = { __proto__: null };
  let count = 0;
  class Call extends Promise {
    #id = 0;
    static watch(promise, path, stack) {
      const id = (promise.#id = count += 1);
      const call = (unread[id] = { path, stack, end: "the script ended before its answer" });
      follow(promise, () => delete unread[id], ({ message }) => { call.end = "it failed: " + text(message); });
      return promise;
    }
    then(onValue, onError) {
      const call = unread[this.#id];
      delete unread[this.#id];
      const next = follow(this, onValue, onError);
      return call === undefined || typeof onError === "function" ? next : watch(next, call.path, call.stack);
    }
  }
  const { watch } = Call;
  delete Call.watch;
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
        const stack = write(new Failure().stack);
        // Outside of the promise, which would catch the end of the time.
        const made = call(path, stack, args);
        return watch(new Call((resolve, reject) => { follow(made, resolve, reject); }), path, stack);
      };
    define(server, freeze(api));
  }
  const text = (value) => {
    try {
      return typeof value === "string" ? value : isFailure(value) ? write(value) : stringify(value) ?? write(value);
    } catch {
      return "[unreadable]";
    }
  };
  const print = (...values) => {
    let line = "";
    for (let at = 0; at < values.length; at += 1) line += (at > 0 ? " " : "") + text(values[at]);
    log(line);
  };
  define("console", freeze({ log: print, info: print, warn: print, error: print, debug: print }));
  define("ToolError", ToolError);
  define("parse", (answer) => {
    if (typeof answer !== "string") return answer;
    try { return parse(answer); } catch { return answer; }
  });
  const fail = (error) => {
    try {
      const { name, message, stack } = isFailure(error) ? error : { name: "Error", message: text(error) };
      finish(false, write(message), write(name), write(stack));
    } catch {
      finish(false, "The script threw a value that cannot be read.", "Error", "");
    }
  };
  return async (script) => {
    try {
      const value = await script();
      for (const id in unread) {
        const { path, stack, end } = unread[id];
        return finish(false, path + " was called and not awaited, and " + end + ". Await each call.", "Error", stack);
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
/** Memory of WebAssembly grows in pages. The engine starts with these, before what scripts may take. */
const FIRST_PAGES = 256;
const PAGE_BYTES = 2 ** 16;
/** No types of Node and of the language have it. */
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => {
    grow: (pages: number) => number;
  };
};

/** The run of this thread: settles a call of its script. */
let answerCall: ((id: number, json: string) => void) | undefined;

async function runScript({
  code,
  functions,
  limits,
}: Extract<ScriptMessage, { kind: "run" }>): Promise<void> {
  // QuickJS in WebAssembly does not count what it allocates, so its own limit holds only for each single allocation.
  const most = FIRST_PAGES + Math.ceil(limits.memoryBytes / PAGE_BYTES);
  const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: most });
  let isFull = false;
  const grow = wasmMemory.grow.bind(wasmMemory);
  // The engine takes the error for "no": without memory for an error of its own, it throws null.
  wasmMemory.grow = (pages) => {
    const hasBeenFull = isFull;
    isFull = true;
    const before = grow(pages);
    // A script that had no memory once may fail later for it, although a smaller growth succeeded since.
    isFull = hasBeenFull;
    return before;
  };
  // By its types, it is a CommonJS module.
  const { default: base } = await variant;
  const limited = newVariant("default" in base ? base.default : base, { wasmMemory });
  const engine = await newQuickJSWASMModuleFromVariant(limited);
  const waiting = new Map<number, (json: string) => void>();
  let outcome: CodeOutcome | undefined;
  let calls = 0;
  let logged = 0;
  let deadline = performance.now() + limits.timeMs;
  const runtime = engine.newRuntime({
    maxStackSizeBytes: STACK_BYTES,
    interruptHandler: () => performance.now() > deadline,
  });
  const context = runtime.newContext();
  const end = (ended: CodeOutcome): void => {
    outcome ??= ended;
  };
  const endLate = (stack?: string): void => {
    const message = `The script computed for ${limits.timeMs} ms.`;
    end({ ok: false, name: "Error", message, stack, stopped: "timeMs" });
  };
  /** The texts are the script's. Only what is measured here says that it hit a limit. */
  const fail = (message: string, name = "Error", stack?: string): void => {
    const isLate = performance.now() > deadline;
    const isOutOfMemory = isFull && (message === "null" || name === "InternalError");
    if (isLate) endLate(stack);
    else end({ ok: false, name, message, stack, stopped: isOutOfMemory ? "memoryBytes" : undefined });
  };
  /** Handles are not released: the whole instance is dropped after the run. */
  const failWith = (error: QuickJSHandle): void => {
    const [message = "", name = "", stack = ""] = ["message", "name", "stack"].map((key) => {
      const value: unknown = context.dump(context.getProp(error, key));
      return typeof value === "string" ? value : "";
    });
    fail(message, name, stack);
  };
  /** Runs what the script can do now. Sends the outcome if it has ended. */
  const pump = (): void => {
    for (let hasJobs = true; hasJobs && outcome === undefined;) {
      const done = runtime.executePendingJobs(JOBS_AT_ONCE);
      if (done.error !== undefined) failWith(done.error);
      else if (performance.now() > deadline) endLate();
      else hasJobs = done.value > 0;
    }
    // Without memory for a job, the engine loses the promise that it would have settled.
    const name = isFull ? "InternalError" : "Error";
    if (waiting.size === 0) fail("The script waits for a promise that never settles.", name);
    if (outcome === undefined) return;
    answerCall = undefined;
    send({ kind: "done", outcome });
  };
  answerCall = (id, json) => {
    const settle = waiting.get(id);
    waiting.delete(id);
    deadline = performance.now() + limits.timeMs;
    settle?.(json);
    pump();
  };
  const host = context.newFunction("host", (...handles) => {
    const promise = context.newPromise();
    calls += 1;
    // The host ends the script at the first call over the limit.
    if (calls > limits.calls + 1) return promise.handle;
    waiting.set(calls, (answer) => {
      context.newString(answer).consume((text) => {
        promise.resolve(text);
      });
    });
    const [path = "", json = "", stack = ""] = handles.map((handle) => context.getString(handle));
    send({ kind: "call", id: calls, path, json, stack });
    return promise.handle;
  });
  const log = context.newFunction("log", (handle) => {
    if (logged > limits.logBytes) return;
    const text = context.getString(handle).slice(0, limits.logBytes + 1);
    logged += text.length + 1;
    send({ kind: "log", text });
  });
  const finish = context.newFunction("finish", (isOk, ...handles) => {
    const [text = "", name, stack] = handles.map((handle) => context.getString(handle));
    if (context.dump(isOk) === true) end({ ok: true, json: text });
    else fail(text, name, stack);
  });
  const evaluate = (text: string): QuickJSHandle =>
    context.unwrapResult(context.evalCode(text, "prelude.js"));
  const names = context.newString(JSON.stringify(functions));
  const { undefined: self } = context;
  const prelude = [evaluate("JSON"), host, log, finish, names];
  const start = context.unwrapResult(context.callFunction(evaluate(PRELUDE), self, ...prelude));
  const script = context.evalCode(code, "script.js");
  const called = script.error === undefined ? context.callFunction(start, self, script.value) : script;
  if (called.error !== undefined) failWith(called.error);
  pump();
}

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

// If it is missing, the thread ends with an error that says so, as it does if the engine has no memory or stack left.
const variant = import("@jitl/quickjs-wasmfile-release-sync");
await variant;
parentPort?.postMessage("ready");
// Both ends are in this package: see executor.ts.
parentPort?.on("message", (message: ScriptMessage) => {
  if (message.kind === "run") void runScript(message);
  else answerCall?.(message.id, message.json);
});
