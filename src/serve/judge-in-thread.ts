import { Worker } from "node:worker_threads";
import { judgeTool, type ToolToJudge } from "./judge-tool.js";

/**
 * Judges in a thread: a hostile schema takes seconds, in which other calls are answered and signals are received. Where no
 * thread can be started, judges here.
 */
export function judgeInThread(tool: ToolToJudge): Promise<readonly string[]> {
  return new Promise<readonly string[] | undefined>((resolve) => {
    try {
      // As JSON, since a structured clone changes the meaning of `__proto__` keys.
      const worker = new Worker(new URL("./judge-worker.js", import.meta.url), {
        workerData: JSON.stringify(tool),
        // With the flags of `node -e`, every thread would fail.
        execArgv: [],
      });
      worker.once("message", resolve);
      // A listener prevents the error from ending this thread; `exit` follows it.
      worker.once("error", () => undefined);
      worker.once("exit", () => {
        resolve(undefined);
      });
    } catch {
      resolve(undefined);
    }
  }).then((rules) => rules ?? judgeTool(tool));
}
