import { parentPort, workerData } from "node:worker_threads";
import type { Formatter } from "./format-text.js";
import { renderBatch } from "./fill-file.js";
import type { FileToRender } from "./render-task.js";

// Both ends are in this package: see render-files.ts.
const format = workerData as Formatter;

// An error ends the thread: the main thread renders the batch again, and reports the error with its class.
parentPort?.on("message", (message: string) => {
  void renderBatch(JSON.parse(message) as readonly FileToRender[], format).then((rendered) =>
    parentPort?.postMessage(rendered),
  );
});
