import { Worker } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import type { Formatter } from "./format-text.js";
import type { FileToRender, Rendered } from "./render-task.js";
import { renderBatch } from "./fill-file.js";

export { diagnoseTool } from "./tool-schemas.js";

/** Each worker loads and compiles the same code again, which takes as long as rendering this many files. */
const FILES_PER_WORKER = 1500;
/** Small enough that threads finish together, large enough that messages are cheap. */
const BATCH = 12;

export interface RenderOptions {
  readonly format: Formatter;
  /** The most worker threads; none by default. */
  readonly workers?: number | undefined;
  /** Called from time to time with the number of rendered files and the total. */
  readonly onRender?: ((done: number, total: number) => void) | undefined;
}

/** Returns the outcome of every file, in order. Rejects with the first error that does not concern a single tool. */
export async function renderFiles(
  files: readonly FileToRender[],
  { format, workers = 0, onRender = () => undefined }: RenderOptions,
): Promise<readonly Rendered[]> {
  const results = new Map<number, Rendered>();
  let next = 0;
  const work = async (thread?: RenderThread): Promise<void> => {
    while (next < files.length) {
      const first = next;
      next += BATCH;
      const batch = files.slice(first, next);
      const received = thread === undefined ? undefined : await requestBatch(thread, batch);
      const rendered = received ?? (await renderBatch(batch, format));
      rendered.forEach((result, at) => results.set(first + at, result));
      onRender(results.size, files.length);
      // Other threads' messages arrive between turns, and Prettier never ends one.
      if (threads.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const threads = startThreads(format, Math.min(workers, Math.floor(files.length / FILES_PER_WORKER)));
  try {
    await Promise.all([work(), ...threads.map(work)]);
  } finally {
    await Promise.all(threads.map(async ({ worker }) => worker.terminate()));
  }
  return files.map((file, at) => {
    const result = results.get(at);
    if (result === undefined) throw new Error(`"${file.path}" was not rendered.`);
    return result;
  });
}

interface RenderThread {
  readonly worker: Worker;
  /** False once the thread has ended or timed out. It may end between two batches. */
  isAlive: boolean;
}

/** Returns fewer threads, or none, where they are unavailable: in a bundle or outside Node. */
function startThreads(format: Formatter, count: number): readonly RenderThread[] {
  const threads: RenderThread[] = [];
  try {
    // In a test runner this module is TypeScript, which a worker cannot load; a bundle may have no URL.
    while (threads.length < count && !import.meta.url.endsWith(".ts")) threads.push(startThread(format));
  } catch {
    // The work is done in this thread.
  }
  return threads;
}

function startThread(format: Formatter): RenderThread {
  const worker = new Worker(fileURLToPath(new URL("../emit/render-worker.js", import.meta.url)), {
    workerData: format,
    // With the flags of `node -e`, every thread would fail.
    execArgv: [],
    // Rendering creates many short-lived syntax trees. A larger young generation takes more memory and hardly less time.
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
  });
  const thread: RenderThread = { worker, isAlive: true };
  // A listener prevents the error from ending this thread; `exit` follows it.
  worker.on("error", () => undefined);
  worker.on("exit", () => {
    thread.isAlive = false;
  });
  return thread;
}

/** The time limit for a batch, in milliseconds. A batch normally takes a fraction of a second. */
const SILENCE = 60_000;

function requestBatch(
  thread: RenderThread,
  files: readonly FileToRender[],
): Promise<readonly Rendered[] | undefined> {
  const { worker } = thread;
  if (!thread.isAlive) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const stopListening = (): void => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("exit", onEnd);
    };
    const onEnd = (): void => {
      stopListening();
      thread.isAlive = false;
      resolve(undefined);
    };
    const onMessage = (rendered: readonly Rendered[]): void => {
      stopListening();
      resolve(rendered);
    };
    const timer = setTimeout(onEnd, SILENCE);
    worker.on("message", onMessage).on("exit", onEnd);
    // As JSON, since a structured clone changes the meaning of `__proto__` keys.
    worker.postMessage(JSON.stringify(files));
  });
}
