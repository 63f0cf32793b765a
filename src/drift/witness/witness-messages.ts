import type { MessagePort } from "node:worker_threads";
import type { JsonValue } from "../../contract/json.js";
import type { WitnessAnswer, WitnessRequest } from "../finding.js";

/** What the worker is asked about one pair of schemas. */
export interface PairQuestion extends Pick<WitnessRequest, "accepts" | "rejects" | "dialect" | "formats"> {
  /** How many changes between the two are looked for in all. */
  readonly changes: number;
  readonly asked: readonly {
    /** Which request this is. */
    readonly id: number;
    readonly at: string;
    readonly value?: JsonValue;
  }[];
}

/** What the worker says: that it has loaded what it needs, an answer, or that it cannot go on. */
export type WorkerSays =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly id: number; readonly answer: WitnessAnswer }
  | { readonly kind: "error"; readonly message: string; readonly stack?: string; readonly code?: string };

/** What the worker is started with. All messages are JSON text: a structured clone would give `__proto__` keys another meaning. */
export interface WorkerStart {
  readonly port: MessagePort;
  /** Counts what the worker has said, and wakes who waits for it. */
  readonly said: Int32Array;
}
