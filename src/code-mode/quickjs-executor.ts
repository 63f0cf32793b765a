import { Worker } from "node:worker_threads";
import { McpCodegenError } from "../core/errors.js";
import { INSTALL_PEER } from "../core/packages.js";
import type { CodeExecutor, CodeOutcome, CodeTask } from "./executor.js";
import { Threads } from "./threads.js";

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
