import { Worker } from "node:worker_threads";
import { TimeLimit } from "../../client/abort-signal.js";
import { codeOf, McpCodegenError } from "../../core/errors.js";
import { INSTALL_PEER } from "../../core/peer-packages.js";
import { releaseThread } from "./threads.js";
import { LimitHit, type CodeLimits } from "./limits.js";

/** A script, and declarations of what it can call, by path. */
export interface CheckRequest {
  readonly code: string;
  readonly declarations: { readonly [path: string]: string };
}

/** A place in a script that is wrong. */
export interface ScriptIssue {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A script without types, with its line for each line of the code; or what is wrong. */
export type CheckedScript =
  | { readonly ok: true; readonly code: string; readonly lines: readonly number[] }
  | { readonly ok: false; readonly issues: readonly ScriptIssue[] };

export type CheckerMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "missing" }
  | { readonly kind: "checked"; readonly script: CheckedScript };

interface Pending {
  readonly resolve: (script: CheckedScript) => void;
  readonly reject: (error: Error) => void;
}

/** Type-checks scripts in a thread, one at a time. The thread is kept, since its first check takes longest. */
export class ScriptChecker {
  readonly #limits: CodeLimits;
  #worker: Promise<Worker> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(limits: CodeLimits) {
    this.#limits = limits;
  }

  /**
   * @throws LimitHit if the check takes too long
   * @throws McpCodegenError `DEPENDENCY_MISSING` without TypeScript
   */
  check(request: CheckRequest): Promise<CheckedScript> {
    const checked = this.#last.then(() => this.#check(request));
    this.#last = checked.catch(() => undefined);
    return checked;
  }

  async #check(request: CheckRequest): Promise<CheckedScript> {
    this.#worker ??= startChecker(this.#limits);
    const started = this.#worker;
    try {
      const worker = await started;
      return await this.#ask(worker, request);
    } catch (error) {
      this.#worker = undefined;
      void started.then((worker) => worker.terminate()).catch(() => undefined);
      throw error;
    }
  }

  async #ask(worker: Worker, request: CheckRequest): Promise<CheckedScript> {
    worker.ref();
    let time: TimeLimit | undefined;
    try {
      return await new Promise((resolve, reject) => {
        const pending: Pending = { resolve, reject };
        time = new TimeLimit(this.#limits.checkMs, () => {
          reject(
            new LimitHit(
              "checkMs",
              this.#limits,
              "The check of the script takes too long. Use simpler types",
            ),
          );
        });
        listen(worker, pending, this.#limits);
        worker.postMessage(request);
      });
    } finally {
      time?.clear();
      releaseThread(worker);
    }
  }

  async close(): Promise<void> {
    const worker = await this.#worker?.catch(() => undefined);
    this.#worker = undefined;
    await worker?.terminate();
  }
}

function listen(worker: Worker, { resolve, reject }: Pending, limits: CodeLimits): void {
  worker.on("message", (message: CheckerMessage) => {
    if (message.kind === "checked") resolve(message.script);
  });
  worker.on("error", (error: unknown) => {
    const isMemory = codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY";
    reject(isMemory ? new LimitHit("checkBytes", limits, TOO_LARGE) : toError(error));
  });
  worker.on("exit", () => {
    reject(new LimitHit("checkBytes", limits, TOO_LARGE));
  });
}

const TOO_LARGE = "The check of the script takes too much memory. Use simpler types";

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Resolves when the thread has loaded the compiler, which does not count as a check. */
async function startChecker({ checkBytes }: CodeLimits): Promise<Worker> {
  const worker = new Worker(new URL("./check-worker.js", import.meta.url), {
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: checkBytes / 2 ** 20 },
  });
  const isReady = await new Promise<boolean>((resolve, reject) => {
    worker.on("message", (message: CheckerMessage) => {
      resolve(message.kind === "ready");
    });
    worker.on("error", reject);
  });
  releaseThread(worker);
  if (isReady) return worker;
  await worker.terminate();
  throw new McpCodegenError(
    "DEPENDENCY_MISSING",
    "Scripts are type-checked, and TypeScript is not installed.",
    {
      hint: `Run "${INSTALL_PEER.typescript}".`,
    },
  );
}
