import { Worker } from "node:worker_threads";
import { releaseThread, THREAD } from "./threads.js";
import { codeOf, McpCodegenError } from "../core/errors.js";
import { INSTALL_PEER } from "../core/packages.js";
import type { CodeExecutor, CodeOutcome, CodeTask } from "./executor.js";

/** From this thread to the one of a script. */
export type ScriptMessage =
  | ({ readonly kind: "run" } & Pick<CodeTask, "code" | "functions" | "limits">)
  | { readonly kind: "answer"; readonly id: number; readonly json: string };

/** `isBroken`: the thread cannot run another script. */
export type WorkerMessage =
  | {
      readonly kind: "call";
      readonly id: number;
      readonly path: string;
      readonly json: string;
      readonly stack: string;
    }
  | { readonly kind: "log"; readonly text: string }
  | { readonly kind: "done"; readonly outcome: CodeOutcome; readonly isBroken?: boolean };

/** The memory of a thread beside that of its scripts. */
const HEAP_MB = 128;

/**
 * Runs scripts in QuickJS, compiled to WebAssembly, in threads: without network, disk, environment and modules. A thread is
 * kept for the next script.
 */
export class QuickJsExecutor implements CodeExecutor {
  #spare: Worker | undefined;

  async execute(task: CodeTask): Promise<CodeOutcome> {
    const { code, functions, limits, signal } = task;
    if (signal.aborted) return CANCELLED;
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB };
    const worker =
      this.#spare ??
      new Worker(new URL("../code-mode/quickjs-worker.js", import.meta.url), { ...THREAD, resourceLimits });
    this.#spare = undefined;
    worker.ref();
    return new Promise((resolve, reject) => {
      const end = (outcome: CodeOutcome, isReusable = false): void => {
        releaseThread(worker);
        signal.removeEventListener("abort", onAbort);
        if (isReusable && this.#spare === undefined) this.#spare = worker;
        else void worker.terminate();
        resolve(outcome);
      };
      const onAbort = (): void => {
        end(CANCELLED);
      };
      signal.addEventListener("abort", onAbort);
      worker.on("message", (message: WorkerMessage) => {
        if (message.kind === "log") {
          task.log(message.text);
        } else if (message.kind === "done") {
          end(message.outcome, message.isBroken !== true);
        } else {
          const { id } = message;
          void task.callTool(message.path, message.json, message.stack).then((json) => {
            const answer: ScriptMessage = { kind: "answer", id, json };
            worker.postMessage(answer);
          });
        }
      });
      worker.on("error", (error: unknown) => {
        const reason = codeOf(error);
        if (reason === "ERR_MODULE_NOT_FOUND") reject(missing(error));
        const message = error instanceof Error ? error.message : String(error);
        end({
          ok: false,
          name: "Error",
          message,
          stopped: reason === "ERR_WORKER_OUT_OF_MEMORY" ? "memoryBytes" : undefined,
        });
      });
      worker.on("exit", () => {
        end(ENDED);
      });
      const start: ScriptMessage = { kind: "run", code, functions, limits };
      worker.postMessage(start);
    });
  }
}

const CANCELLED: CodeOutcome = { ok: false, name: "AbortError", message: "The script was cancelled." };

const ENDED: CodeOutcome = {
  ...{ ok: false, name: "Error", message: "The thread of the script has ended.", stopped: "memoryBytes" },
};

/** @throws McpCodegenError `DEPENDENCY_MISSING` without the packages that run scripts */
export async function loadQuickJs(): Promise<void> {
  try {
    await Promise.all([import("quickjs-emscripten-core"), import("@jitl/quickjs-wasmfile-release-sync")]);
  } catch (error) {
    throw codeOf(error) === "ERR_MODULE_NOT_FOUND" ? missing(error) : error;
  }
}

function missing(cause: unknown): McpCodegenError {
  const message = "Scripts run in QuickJS, which is not installed.";
  const [core, wasm] = ["quickjs-emscripten-core", "@jitl/quickjs-wasmfile-release-sync"] as const;
  const hint = `Run "${INSTALL_PEER[core]}" and "${INSTALL_PEER[wasm]}".`;
  return new McpCodegenError("DEPENDENCY_MISSING", message, { cause, hint });
}
