import { Worker } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import type { Formatter } from "./format-text.js";
import type { FileToRender, Rendered } from "./render-task.js";
import { reviveError, type WorkerReply } from "./worker-messages.js";

/** Below this a worker costs more to start than it saves. */
const FILES_PER_WORKER = 30;
/** Few enough that the workers end together, enough that messages cost little. */
const BATCH = 12;

export interface RenderOptions {
  readonly format: Formatter;
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
  format: Formatter,
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
  format: Formatter,
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
  const threads = Array.from({ length: count }, () => startThread(format));
  const work = threads.map(async (thread) => {
    for (let batch = takeBatch(); batch.files.length > 0; batch = takeBatch()) {
      // A bundle, or a host that is not Node, may have no such thread. Its work is done here.
      const asked = thread === undefined ? undefined : await ask(thread, batch.files);
      const rendered = asked ?? (await renderHere(batch.files, format, () => undefined));
      rendered.forEach((result, at) => results.set(batch.first + at, result));
      onRender(results.size, files.length);
    }
  });
  try {
    await Promise.all(work);
  } finally {
    await Promise.all(threads.map(async (thread) => thread?.worker.terminate()));
  }
  return files.map((file, at) => {
    const result = results.get(at);
    if (result === undefined) throw new Error(`No worker rendered "${file.path}".`);
    return result;
  });
}

interface RenderThread {
  readonly worker: Worker;
  /** False once the thread has ended or was silent for too long. It may end between two batches. */
  isAlive: boolean;
}

/** A thread that renders; undefined where none can be started. */
function startThread(format: Formatter): RenderThread | undefined {
  try {
    const worker = new Worker(fileURLToPath(new URL("./render-worker.js", import.meta.url)), {
      workerData: format,
      // The flags of a program that is run by `node -e` make every thread of it fail.
      execArgv: [],
      // Much of the work is short-lived syntax trees: room for them costs less than collecting them often.
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    });
    const thread: RenderThread = { worker, isAlive: true };
    // Listening keeps the error from ending this thread; `exit` follows it.
    worker.on("error", () => undefined);
    worker.on("exit", () => {
      thread.isAlive = false;
    });
    return thread;
  } catch {
    return undefined;
  }
}

/** A batch takes a fraction of a second; a thread that is silent for this long, in milliseconds, is given up. */
const SILENCE = 60_000;

/** What a thread has rendered; undefined when it failed to start, ended or was silent. Rejects with an error of a file. */
function ask(thread: RenderThread, files: readonly FileToRender[]): Promise<readonly Rendered[] | undefined> {
  const { worker } = thread;
  if (!thread.isAlive) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const stopListening = (): void => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("exit", onEnd);
    };
    const onEnd = (): void => {
      stopListening();
      thread.isAlive = false;
      resolve(undefined);
    };
    const onMessage = (reply: WorkerReply): void => {
      stopListening();
      if ("rendered" in reply) resolve(reply.rendered);
      else reject(reviveError(reply.error));
    };
    const timer = setTimeout(onEnd, SILENCE);
    worker.on("message", onMessage).on("exit", onEnd);
    // As text: a structured clone would give `__proto__` keys another meaning.
    worker.postMessage(JSON.stringify(files));
  });
}
