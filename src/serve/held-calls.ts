import {
  inputRequired,
  inputResponse,
  isSpecType,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../contract/json.js";
import type { InputAnswer, InputQuestion, InputValues, OnInput } from "../runtime/input-question.js";

/** The key of the question in a request for input. */
const KEY = "answer";
/** Milliseconds that a client may take to answer: as long as its sealed state is valid. */
const EXPIRY = 600_000;
/** Calls that wait for answers. The oldest is given up first: clients need not answer. */
const MOST_HELD = 100;

/** What a call has come to: its answer, or a question that the client has to put to its user. */
export type HeldOutcome<T> =
  | { readonly kind: "done"; readonly answer: T }
  | { readonly kind: "asks"; readonly request: InputRequiredResult["inputRequests"] };

/** A call that runs on while its client is asked. The client's next request has the answer. */
export class HeldCall<T> {
  readonly #stop = new AbortController();
  readonly #canAsk: (kind: InputQuestion["kind"]) => boolean;
  readonly #answer: Promise<HeldOutcome<T>>;
  #open: { readonly question: InputQuestion; readonly settle: (answer: InputAnswer) => void } | undefined;
  #onQuestion: () => void = () => undefined;

  /** @param start makes the call, with the handler of its questions and the signal that aborts it */
  constructor(
    canAsk: (kind: InputQuestion["kind"]) => boolean,
    start: (onInput: OnInput, signal: AbortSignal) => Promise<T>,
  ) {
    this.#canAsk = canAsk;
    this.#answer = start(this.#ask, this.#stop.signal).then((answer) => ({ kind: "done", answer }));
    // It is awaited by the request of the client, which may come later.
    this.#answer.catch(() => undefined);
  }

  readonly #ask: OnInput = async (question, { signal }) => {
    if (!this.#canAsk(question.kind)) {
      const what = question.kind === "url" ? "open an address" : "fill in a form";
      throw new Error(`the client cannot ask its user to ${what}`);
    }
    return new Promise((resolve) => {
      const settle = (answer: InputAnswer): void => {
        this.#open = undefined;
        resolve(answer);
      };
      signal.addEventListener("abort", () => {
        settle({ action: "cancel" });
      });
      this.#open = { question, settle };
      this.#onQuestion();
    });
  };

  /** Takes what the client's user said, if the client sent it. */
  take(context: ServerContext): void {
    const said = inputResponse(context.mcpReq.inputResponses, KEY);
    if (said.kind !== "elicit") return;
    const { action } = said;
    // The runtime validates the values against the question.
    this.#open?.settle(
      action === "accept" ? { action, values: (said.content ?? {}) as InputValues } : { action },
    );
  }

  /** Waits for the answer or the next question. A signal that aborts meanwhile aborts the call. */
  async next(signal: AbortSignal): Promise<HeldOutcome<T>> {
    const onAbort = (): void => {
      this.#stop.abort(signal.reason);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort);
    const asked = new Promise<void>((resolve) => {
      this.#onQuestion = resolve;
      if (this.#open !== undefined) resolve();
    });
    try {
      return await Promise.race([this.#answer, asked.then(() => this.#request())]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #request(): HeldOutcome<T> | Promise<HeldOutcome<T>> {
    if (this.#open === undefined) return this.#answer;
    return { kind: "asks", request: { [KEY]: toRequest(this.#open.question) } };
  }

  abort(): void {
    this.#stop.abort();
  }
}

function toRequest(question: InputQuestion): ReturnType<typeof inputRequired.elicitUrl> {
  const message = `${JSON.stringify(question.server)} asks: ${question.message}`;
  if (question.kind === "url") return inputRequired.elicitUrl({ message, url: question.url });
  const params: unknown = { mode: "form", message, requestedSchema: question.schema };
  if (!isSpecType.ElicitRequestFormParams(params)) throw new TypeError("The form does not fit the protocol.");
  return inputRequired.elicit(params);
}

/** The calls that wait for answers of clients, by sealed ids. */
export class HeldCalls<T> {
  readonly #calls = new Map<
    string,
    { readonly call: HeldCall<T>; readonly digest: string; readonly timer: ReturnType<typeof setTimeout> }
  >();

  /** Keeps a call until its client answers. */
  keep(id: string, digest: string, call: HeldCall<T>): void {
    const timer = setTimeout(() => {
      this.#giveUp(id);
    }, EXPIRY);
    // A question must not keep the process alive.
    const handle: unknown = timer;
    if (isJsonObject(handle) && typeof handle["unref"] === "function")
      Reflect.apply(handle["unref"], timer, []);
    this.#calls.set(id, { call, digest, timer });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MOST_HELD && oldest !== undefined) this.#giveUp(oldest);
  }

  /** Returns a call for good; undefined if it was given up, or is not the call that was asked about. */
  release(id: string, digest: string): HeldCall<T> | undefined {
    const held = this.#calls.get(id);
    if (held?.digest !== digest) return undefined;
    clearTimeout(held.timer);
    this.#calls.delete(id);
    return held.call;
  }

  #giveUp(id: string): void {
    const held = this.#calls.get(id);
    clearTimeout(held?.timer);
    this.#calls.delete(id);
    held?.call.abort();
  }
}
