import type { Worker, WorkerOptions } from "node:worker_threads";
import { codeOf, type McpCodegenError } from "../core/errors.js";

/** What a thread runs. It sends a message when it is ready, and ends with `ERR_MODULE_NOT_FOUND` without its packages. */
interface Program {
  /** Bundlers follow the address of a thread only where it is created. */
  readonly create: (options: WorkerOptions) => Worker;
  readonly heapMb: number;
  readonly explainMissing: (error: unknown) => McpCodegenError;
}

/** Threads that do one piece of work at a time. An idle one is kept for the next, since starting takes longest. */
export class Threads<Request, Message> {
  readonly #program: Program;
  readonly #idle: Worker[] = [];

  constructor(program: Program) {
    this.#program = program;
  }

  /** Starts a thread for the next work. Throws `DEPENDENCY_MISSING`. */
  async load(): Promise<void> {
    if (this.#idle.length === 0) this.#idle.push(await this.#start());
  }

  /**
   * Sends a request to a thread, and returns what `onMessage` returns for the last of its messages.
   *
   * @param signal ends the thread
   * @throws Error if the thread ends before
   */
  async run<T>(
    request: Request,
    signal: AbortSignal,
    onMessage: (message: Message, reply: (answer: Request) => void) => T | undefined,
  ): Promise<T> {
    const idle = this.#idle.pop();
    // A thread may end after its last work, such as without memory: its number is then -1.
    const worker = idle === undefined || idle.threadId === -1 ? await this.#start() : idle;
    const stop = (): void => {
      void worker.terminate();
    };
    let isOver = false;
    // Later, the thread may work for others.
    const reply = (answer: Request): void => {
      if (!isOver) worker.postMessage(answer);
    };
    worker.ref();
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    try {
      const result = await new Promise<T>((resolve, reject) => {
        worker.on("error", reject);
        worker.on("exit", () => {
          reject(new Error("The thread has ended."));
        });
        worker.on("message", (message: Message) => {
          const last = onMessage(message, reply);
          if (last !== undefined) resolve(last);
        });
        worker.postMessage(request);
      });
      if (this.#idle.length === 0) this.#idle.push(worker);
      else stop();
      return result;
    } finally {
      isOver = true;
      signal.removeEventListener("abort", stop);
      release(worker);
    }
  }

  async #start(): Promise<Worker> {
    const { create, heapMb, explainMissing } = this.#program;
    const worker = create({
      // Nothing of this process reaches a thread, and nothing that it prints reaches the output.
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    await new Promise((resolve, reject) => {
      worker.on("message", resolve);
      worker.on("error", (error) => {
        reject(codeOf(error) === "ERR_MODULE_NOT_FOUND" ? explainMissing(error) : error);
      });
    });
    release(worker);
    return worker;
  }
}

/** Lets the process end while a thread is idle. An error without a listener would end it too. */
function release(worker: Worker): void {
  // Not all listeners: Node has its own.
  for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
  worker.on("error", () => undefined);
  worker.unref();
}
