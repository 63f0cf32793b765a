import { parentPort, workerData } from "node:worker_threads";
import type { Formatter } from "./format-text.js";
import { renderBatch } from "./fill-file.js";
import { type FileToRender, describeError, type WorkerReply } from "./render-task.js";

// Both ends are in this package: see render-files.ts.
const format = workerData as Formatter;

async function answer(message: string): Promise<WorkerReply> {
  try {
    const files = JSON.parse(message) as readonly FileToRender[];
    return { rendered: await renderBatch(files, format) };
  } catch (error) {
    return { error: describeError(error) };
  }
}

parentPort?.on("message", (message: string) => {
  void answer(message).then((reply) => parentPort?.postMessage(reply));
});
