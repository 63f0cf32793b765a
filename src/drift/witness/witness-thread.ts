import { fileURLToPath } from "node:url";
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from "node:worker_threads";
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
    hear: (limit) => hear(near, said, limit),
    stop: () => {
      near.close();
      void worker.terminate();
    },
  };
}

function hear(port: MessagePort, said: Int32Array, limit: number): WorkerSays | undefined {
  const seen = Atomics.load(said, 0);
  const received = receiveMessageOnPort(port) ?? waitFor(port, said, seen, limit);
  // Both ends are ours: see witness-worker.ts.
  return received === undefined ? undefined : (JSON.parse(received.message as string) as WorkerSays);
}

function waitFor(
  port: MessagePort,
  said: Int32Array,
  seen: number,
  limit: number,
): { readonly message: unknown } | undefined {
  Atomics.wait(said, 0, seen, limit);
  return receiveMessageOnPort(port);
}

/** Under a test runner this module is TypeScript, which a worker cannot load: the built one stands for it. */
function workerUrl(): URL {
  const isSource = import.meta.url.endsWith(".ts");
  return new URL(
    isSource ? "../../../dist/drift/witness/witness-worker.js" : "./witness-worker.js",
    import.meta.url,
  );
}
