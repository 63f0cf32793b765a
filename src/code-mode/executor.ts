import { Worker } from "node:worker_threads";
import { McpCodegenError } from "../core/errors.js";
import { INSTALL_PEER } from "../core/packages.js";
import { Threads } from "./threads.js";

/** Runs scripts in isolation. Limits of calls, results and time are enforced outside of it as well. */
export interface CodeExecutor {
  /** Runs a script. Rejects only if it cannot run any script. */
  execute(task: CodeTask): Promise<CodeOutcome>;
}

export interface CodeTask {
  /** JavaScript: an expression whose value is an async function without parameters. */
  readonly code: string;
  /** The functions that the script may call, by the global object that has them. */
  readonly functions: { readonly [server: string]: readonly string[] };
  /**
   * Calls a tool: the only capability of a script. Returns `{"ok":true,"value":…}` or `{"ok":false,"error":{…}}`, whose
   * members an error in the script has.
   *
   * @param path such as `shop.createOrder`
   * @param json the arguments
   * @param stack the stack of the call in the script, for its line
   */
  readonly callTool: (path: string, json: string, stack: string) => Promise<string>;
  /** Receives each line that the script logs. */
  readonly log: (text: string) => void;
  readonly limits: {
    /** Milliseconds that the script may compute without waiting for a call. */
    readonly timeMs: number;
    readonly memoryBytes: number;
    readonly calls: number;
    readonly logBytes: number;
  };
  /** Aborts when the script must end at once, also in an endless loop. */
  readonly signal: AbortSignal;
}

/** The result of a script: the JSON of its value, or the error that ended it. Both are text that the script made. */
export type CodeOutcome =
  | { readonly ok: true; readonly json: string }
  | {
      readonly ok: false;
      readonly name: string;
      readonly message: string;
      readonly stack?: string | undefined;
      /** The limit that ended the script. */
      readonly stopped?: "timeMs" | "memoryBytes" | undefined;
    };

/** From this thread to the one of a script. */
export type ScriptMessage =
  | ({ readonly kind: "run" } & Pick<CodeTask, "code" | "functions" | "limits">)
  | { readonly kind: "answer"; readonly id: number; readonly json: string };

export type WorkerMessage =
  | {
      readonly kind: "call";
      readonly id: number;
      readonly path: string;
      readonly json: string;
      readonly stack: string;
    }
  | { readonly kind: "log"; readonly text: string }
  | { readonly kind: "done"; readonly outcome: CodeOutcome };

export const engines: Threads<ScriptMessage, WorkerMessage> = new Threads({
  create: (options) => new Worker(new URL("../code-mode/quickjs-worker.js", import.meta.url), options),
  // Beside the memory of its scripts.
  heapMb: 128,
  explainMissing: (cause) => {
    const message = "Scripts run in QuickJS, which is not installed.";
    const [core, wasm] = ["quickjs-emscripten-core", "@jitl/quickjs-wasmfile-release-sync"] as const;
    const hint = `Run "${INSTALL_PEER[core]}" and "${INSTALL_PEER[wasm]}".`;
    return new McpCodegenError("DEPENDENCY_MISSING", message, { cause, hint });
  },
});

/** Runs scripts in QuickJS, compiled to WebAssembly, in threads: without network, disk, environment and modules. */
export const quickJs: CodeExecutor = {
  execute: async ({ code, functions, limits, signal, callTool, log }) => {
    try {
      return await engines.run({ kind: "run", code, functions, limits }, signal, (message, reply) => {
        if (message.kind === "done") return message.outcome;
        if (message.kind === "log") {
          log(message.text);
        } else {
          const { id, path, json, stack } = message;
          void callTool(path, json, stack).then((answer) => {
            reply({ kind: "answer", id, json: answer });
          });
        }
        return undefined;
      });
    } catch (error) {
      if (error instanceof McpCodegenError) throw error;
      // A thread ends only when it has no memory left.
      const stopped = signal.aborted ? undefined : "memoryBytes";
      return { ok: false, name: "Error", message: "The thread of the script has ended.", stopped };
    }
  },
};
