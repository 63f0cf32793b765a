import { fileURLToPath } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";
import { hear } from "./hear.js";
import type { PairQuestion, WorkerSays, WorkerStart } from "./witness-messages.js";

/** A thread that looks for witnesses while this one waits: what a server's pattern costs to run has no limit. */
export interface WitnessThread {
  readonly ask: (questions: readonly PairQuestion[]) => void;
  /** What the thread says next; undefined when it says nothing for so many milliseconds. */
  readonly hear: (limit: number) => WorkerSays | undefined;
  readonly stop: () => void;
}

/** What a thread may fill before it is ended, in megabytes. */
const MEMORY = 256;

export function startWitnessThread(): WitnessThread {
  const { port1: near, port2: far } = new MessageChannel();
  const said = new Int32Array(new SharedArrayBuffer(4));
  const start: WorkerStart = { port: far, said };
  const worker = new Worker(fileURLToPath(workerUrl()), {
    workerData: start,
    transferList: [far],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY },
  });
  // A thread that fails says nothing more, and whoever waits for it notices that. It keeps no process alive.
  worker.on("error", () => undefined).unref();
  near.unref();
  return {
    ask: (questions) => {
      near.postMessage(JSON.stringify(questions));
    },
    hear: (limit) => {
      const message = hear(near, said, limit);
      // Both ends are ours: see witness-worker.ts.
      return message === undefined ? undefined : (JSON.parse(message as string) as WorkerSays);
    },
    stop: () => {
      near.close();
      void worker.terminate();
    },
  };
}

/** Under a test runner this module is TypeScript, which a worker cannot load: the built one stands for it. */
function workerUrl(): URL {
  const isSource = import.meta.url.endsWith(".ts");
  return new URL(
    isSource ? "../../../dist/drift/witness/witness-worker.js" : "./witness-worker.js",
    import.meta.url,
  );
}
