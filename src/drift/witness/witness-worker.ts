import { workerData } from "node:worker_threads";
import { answerQuestions, readingsOf } from "./answer-questions.js";
import { loadCompile } from "./compile-schema.js";
import type { PairQuestion, WorkerSays, WorkerStart } from "./witness-messages.js";

// Both ends are ours: see witness-thread.ts.
const { port, said } = workerData as WorkerStart;

function say(message: WorkerSays): void {
  port.postMessage(JSON.stringify(message));
  Atomics.add(said, 0, 1);
  Atomics.notify(said, 0);
}

function describe(error: unknown): WorkerSays {
  if (!(error instanceof Error)) return { kind: "error", message: String(error) };
  return {
    kind: "error",
    message: error.message,
    ...(error.stack !== undefined && { stack: error.stack }),
    ...("code" in error && typeof error.code === "string" && { code: error.code }),
  };
}

async function answer(text: string): Promise<void> {
  try {
    const questions = JSON.parse(text) as readonly PairQuestion[];
    const compile = await loadCompile(readingsOf(questions));
    say({ kind: "ready" });
    answerQuestions(questions, compile, (id, found) => {
      say({ kind: "answer", id, answer: found });
    });
  } catch (error) {
    say(describe(error));
  }
}

port.on("message", (text: string) => void answer(text));
