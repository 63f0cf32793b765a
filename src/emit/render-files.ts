import { Worker } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import type { FormatOptions } from "./format-text.js";
import type { FileToRender, Rendered } from "./render-task.js";
import { reviveError, type WorkerReply } from "./worker-messages.js";

/** Below this a worker costs more to start than it saves. */
const FILES_PER_WORKER = 30;
/** Few enough that the workers end together, enough that messages cost little. */
const BATCH = 12;

export interface RenderOptions {
  readonly format: FormatOptions;
  /** At most this many worker threads; none by default. */
  readonly workers?: number;
  /** Called now and then with how many of the files are rendered, and how many there are. */
  readonly onRender?: (done: number, total: number) => void;
}

/** The outcome of every planned file, in the order given. Rejects with the first error that is not one tool's own. */
export async function renderFiles(
  files: readonly FileToRender[],
  { format, workers = 0, onRender = () => undefined }: RenderOptions,
): Promise<readonly Rendered[]> {
  const count = Math.min(workers, Math.floor(files.length / FILES_PER_WORKER));
  // Under a test runner this module is TypeScript, which a worker cannot load.
  if (count < 2 || import.meta.url.endsWith(".ts")) return renderHere(files, format, onRender);
  return renderInWorkers(files, format, count, onRender);
}

async function renderHere(
  files: readonly FileToRender[],
  format: FormatOptions,
  onRender: (done: number, total: number) => void,
): Promise<readonly Rendered[]> {
  const { renderBatch } = await import("./render-batch.js");
  const rendered: Rendered[] = [];
  for (let first = 0; first < files.length; first += BATCH) {
    rendered.push(...(await renderBatch(files.slice(first, first + BATCH), format)));
    onRender(rendered.length, files.length);
  }
  return rendered;
}

async function renderInWorkers(
  files: readonly FileToRender[],
  format: FormatOptions,
  count: number,
  onRender: (done: number, total: number) => void,
): Promise<readonly Rendered[]> {
  const results = new Map<number, Rendered>();
  let next = 0;
  const takeBatch = (): { readonly first: number; readonly files: readonly FileToRender[] } => {
    const first = next;
    next += BATCH;
    return { first, files: files.slice(first, next) };
  };
  const threads = Array.from({ length: count }, () => startWorker(format));
  const work = threads.map(async (thread) => {
    for (let batch = takeBatch(); batch.files.length > 0; batch = takeBatch()) {
      const rendered = await ask(thread, batch.files);
      rendered.forEach((result, at) => results.set(batch.first + at, result));
      onRender(results.size, files.length);
    }
  });
  try {
    await Promise.all(work);
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
  return files.map((file, at) => {
    const result = results.get(at);
    if (result === undefined) throw new Error(`No worker rendered "${file.path}".`);
    return result;
  });
}

function startWorker(format: FormatOptions): Worker {
  return new Worker(fileURLToPath(new URL("./render-worker.js", import.meta.url)), {
    workerData: format,
    // Much of the work is short-lived syntax trees: room for them costs less than collecting them often.
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  });
}

function ask(thread: Worker, files: readonly FileToRender[]): Promise<readonly Rendered[]> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      thread.off("message", onMessage).off("error", onError).off("exit", onExit);
    };
    const onMessage = (reply: WorkerReply): void => {
      settle();
      if ("rendered" in reply) resolve(reply.rendered);
      else reject(reviveError(reply.error));
    };
    const onError = (error: unknown): void => {
      settle();
      reject(error instanceof Error ? error : new Error("A worker failed.", { cause: error }));
    };
    const onExit = (code: number): void => {
      settle();
      reject(new Error(`A worker ended with code ${code}.`));
    };
    thread.on("message", onMessage).on("error", onError).on("exit", onExit);
    // As text: a structured clone would give `__proto__` keys another meaning.
    thread.postMessage(JSON.stringify(files));
  });
}
