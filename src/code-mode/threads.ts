import type { Worker, WorkerOptions } from "node:worker_threads";

/** Nothing of this process reaches a thread, and nothing that a thread prints reaches its output. */
export const THREAD: WorkerOptions = { env: {}, execArgv: [], stdout: true, stderr: true };

/** Lets the process end while a thread is idle. An error without a listener would end it too. */
export function releaseThread(worker: Worker): void {
  // Not all listeners: Node has its own.
  for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
  worker.on("error", () => undefined);
  worker.unref();
}
