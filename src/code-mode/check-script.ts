import { Worker } from "node:worker_threads";
import { TimeLimit } from "../client/abort-signal.js";
import { McpCodegenError } from "../core/errors.js";
import { INSTALL_PEER } from "../core/packages.js";
import { releaseThread, THREAD } from "./threads.js";
import { LimitHit } from "./limits.js";

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
  /** With the version of a TypeScript that has no interface for this. */
  | { readonly kind: "missing"; readonly version: string | undefined }
  | { readonly kind: "checked"; readonly script: CheckedScript };

/** Bytes of memory of a check: types that compute take any amount. */
const MOST_BYTES = 512 * 2 ** 20;
const SIMPLER = "Use simpler types";

let thread: Promise<Worker> | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Type-checks a script in a thread, one at a time. The thread is kept, since its first check takes longest.
 *
 * @throws LimitHit if the check takes too long, or too much memory
 * @throws McpCodegenError `DEPENDENCY_MISSING` without TypeScript
 */
export function checkScript(request: CheckRequest, checkMs: number): Promise<CheckedScript> {
  const checked = last.then(async () => {
    thread ??= startThread();
    const started = thread;
    try {
      return await ask(await started, request, checkMs);
    } catch (error) {
      thread = undefined;
      void started.then((worker) => worker.terminate()).catch(() => undefined);
      throw error;
    }
  });
  last = checked.catch(() => undefined);
  return checked;
}

async function ask(worker: Worker, request: CheckRequest, checkMs: number): Promise<CheckedScript> {
  worker.ref();
  let time: TimeLimit | undefined;
  try {
    return await new Promise((resolve, reject) => {
      time = new TimeLimit(checkMs, () => {
        reject(new LimitHit("checkMs", checkMs, `The check of the script takes too long. ${SIMPLER}`));
      });
      worker.on("message", (message: CheckerMessage) => {
        if (message.kind === "checked") resolve(message.script);
      });
      // An error is the end of the memory: the thread answers everything else.
      for (const event of ["error", "exit"])
        worker.on(event, () => {
          reject(new LimitHit("checkBytes", MOST_BYTES, `The check of the script ended. ${SIMPLER}`));
        });
      worker.postMessage(request);
    });
  } finally {
    time?.clear();
    releaseThread(worker);
  }
}

/**
 * Loads the compiler for the first check.
 *
 * @throws McpCodegenError `DEPENDENCY_MISSING` without TypeScript
 */
export async function loadChecker(): Promise<void> {
  thread ??= startThread();
  await thread.catch((error: unknown) => {
    thread = undefined;
    throw error;
  });
}

/** Resolves when the thread has loaded the compiler, which does not count as a check. */
async function startThread(): Promise<Worker> {
  const worker = new Worker(new URL("../code-mode/check-worker.js", import.meta.url), {
    ...THREAD,
    resourceLimits: { maxOldGenerationSizeMb: MOST_BYTES / 2 ** 20 },
  });
  const loaded = await new Promise<CheckerMessage>((resolve, reject) => {
    worker.on("message", resolve);
    worker.on("error", reject);
  });
  releaseThread(worker);
  if (loaded.kind !== "missing") return worker;
  await worker.terminate();
  const { version } = loaded;
  const { typescript, "ts-morph": morph } = INSTALL_PEER;
  const [problem, hint] =
    version === undefined
      ? ["TypeScript is not installed", `Run "${typescript}".`]
      : [
          `TypeScript ${version} has no interface for this yet`,
          `Run "${morph}", which brings TypeScript 6 and works beside it; or "${typescript}" instead of it.`,
        ];
  throw new McpCodegenError("DEPENDENCY_MISSING", `Scripts are type-checked, and ${problem}.`, { hint });
}
