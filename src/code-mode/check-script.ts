import { Worker } from "node:worker_threads";
import pLimit from "p-limit";
import { limitSignal } from "../client/abort-signal.js";
import { McpCodegenError } from "../core/errors.js";
import { findOwn } from "../core/json.js";
import { INSTALL_PEER } from "../core/packages.js";
import { LimitHit } from "./limits.js";
import { Threads } from "./threads.js";

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

/** Megabytes of memory of a check: types that compute take any amount. */
const MOST_MB = 512;
const SIMPLER = "Use simpler types";

export const checkers: Threads<CheckRequest, CheckedScript> = new Threads({
  create: (options) => new Worker(new URL("../code-mode/check-worker.js", import.meta.url), options),
  heapMb: MOST_MB,
  explainMissing: (error) => {
    const version = findOwn(error, "version");
    const { typescript, "ts-morph": morph } = INSTALL_PEER;
    const [problem, hint] =
      typeof version === "string"
        ? [
            `TypeScript ${version} has no interface for this yet`,
            `Run "${morph}", which brings TypeScript 6 and works beside it; or "${typescript}" instead of it.`,
          ]
        : ["TypeScript is not installed", `Run "${typescript}".`];
    return new McpCodegenError("DEPENDENCY_MISSING", `Scripts are type-checked, and ${problem}.`, { hint });
  },
});

const oneByOne = pLimit(1);

/**
 * Type-checks a script in a thread, one at a time.
 *
 * @throws LimitHit if the check takes too long, or too much memory
 * @throws McpCodegenError `DEPENDENCY_MISSING` without TypeScript
 */
export function checkScript(request: CheckRequest, checkMs: number): Promise<CheckedScript> {
  return oneByOne(() => check(request, checkMs));
}

async function check(request: CheckRequest, checkMs: number): Promise<CheckedScript> {
  // To load the compiler is not part of the check.
  await checkers.load();
  const time = limitSignal(
    undefined,
    checkMs,
    () => new LimitHit("checkMs", checkMs, `The check of the script takes too long. ${SIMPLER}`),
  );
  time.start();
  try {
    return await checkers.run(request, time.signal, (checked) => checked);
  } catch {
    time.signal.throwIfAborted();
    // The end of the memory: the thread answers everything else.
    throw new LimitHit("checkBytes", MOST_MB * 2 ** 20, `The check of the script ended. ${SIMPLER}`);
  } finally {
    time.release();
  }
}
