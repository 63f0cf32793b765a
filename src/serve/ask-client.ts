import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type ClientCapabilities,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
  isSpecType,
} from "@modelcontextprotocol/server";
import { digestOf } from "../core/digest.js";
import { findOwn, isJsonObject, type JsonObject } from "../core/json.js";
import { printable } from "../core/printable.js";
import { EFFECT_WORDS, readStatedEffect } from "../core/describe-tool.js";
import { NOT_LOCKED } from "../agent/policy/decide.js";
import type { RegisteredTool } from "../agent/registry/registered-tool.js";
import type { InputAnswer, InputQuestion, InputValues, OnInput } from "../runtime/input-question.js";

/** The sealed state of a question to the client's user. */
export interface ConsentRequest {
  /** The digest of the name and arguments of the call. */
  readonly call: string;
  /** The id of a call that waits for the answer. */
  readonly held?: string;
}

export type ConsentSeal = RequestStateCodec<ConsentRequest>;

interface Consent {
  /** Whether the user consented to exactly this call. If the user was not asked yet, {@link question} asks. */
  readonly confirm: (tool: RegisteredTool, args: JsonObject) => Promise<boolean>;
  /** The question to send instead of an answer. */
  readonly question: () => InputRequiredResult | undefined;
}

const CONSENT_KEY = "consent";
const MOST_SHOWN = 2_000;

/**
 * Whether the client can ask its user a question (specification, "Elicitation"). A client that declares no mode supports
 * forms.
 */
export function canAsk(
  { mcpReq }: ServerContext,
  declared: () => ClientCapabilities | undefined,
  kind: "form" | "url" = "form",
): boolean {
  const envelope: { readonly [key: string]: unknown } = mcpReq.envelope ?? {};
  const elicitation = findOwn(envelope[CLIENT_CAPABILITIES_META_KEY] ?? declared(), "elicitation");
  if (elicitation === undefined) return false;
  if (findOwn(elicitation, kind) !== undefined) return true;
  return kind === "form" && findOwn(elicitation, "url") === undefined;
}

/**
 * Asks the client's user before a call. The request is answered with the question, and the client sends it again with the
 * user's answer (specification 2026-07-28, "Multi round-trip requests"; the SDK does this for older clients). The answer
 * is valid only for the tool and the arguments that were shown.
 */
export function askForConsent(context: ServerContext, seal: ConsentSeal): Consent {
  const { mcpReq } = context;
  let question: InputRequiredResult | undefined;
  return {
    confirm: async (tool, args) => {
      const call = digestOf({ tool: tool.name, args });
      const said = inputResponse(mcpReq.inputResponses, CONSENT_KEY);
      const asked = mcpReq.requestState<ConsentRequest>();
      if (said.kind === "elicit" && asked?.held === undefined && asked?.call === call)
        return said.action === "accept" && said.content?.["run"] === true;
      question = inputRequired({
        inputRequests: { [CONSENT_KEY]: inputRequired.elicit(formFor(tool, args)) },
        requestState: await seal.mint({ call }, context),
      });
      return false;
    },
    question: () => question,
  };
}

function formFor(
  { name, server, annotations, isLocked }: RegisteredTool,
  args: JsonObject,
): Parameters<typeof inputRequired.elicit>[0] {
  const where = server === undefined ? "" : ` of ${JSON.stringify(server)}`;
  const shown = printable(JSON.stringify(args), MOST_SHOWN);
  const effect = isLocked ? EFFECT_WORDS[readStatedEffect(annotations)] : NOT_LOCKED;
  return {
    message: `Run ${printable(JSON.stringify(name))}${where} (${effect})? Arguments: ${shown}`,
    requestedSchema: {
      type: "object",
      properties: { run: { type: "boolean", title: "Run it", default: false } },
      required: ["run"],
    },
  };
}

const ANSWER_KEY = "answer";
/** Milliseconds that a client may take to answer: its sealed state is valid for the same time. */
const EXPIRY = 600_000;
/** The maximum number of waiting calls. The oldest is aborted first, since clients may not answer. */
const MOST_HELD = 100;

type HeldOutcome<T> =
  | { readonly kind: "done"; readonly answer: T }
  | { readonly kind: "asks"; readonly request: InputRequiredResult["inputRequests"] };

/** A call that keeps running while its client is asked. The client's next request has the answer. */
export class HeldCall<T> {
  readonly #stop = new AbortController();
  readonly #canAsk: (kind: InputQuestion["kind"]) => boolean;
  readonly #answer: Promise<HeldOutcome<T>>;
  #open: { readonly question: InputQuestion; readonly settle: (answer: InputAnswer) => void } | undefined;
  #onQuestion: () => void = () => undefined;

  /** @param start starts the call with a handler for its questions and a signal that aborts it */
  constructor(
    canAsk: (kind: InputQuestion["kind"]) => boolean,
    start: (onInput: OnInput, signal: AbortSignal) => Promise<T>,
  ) {
    this.#canAsk = canAsk;
    this.#answer = start(this.#ask, this.#stop.signal).then((answer) => ({ kind: "done", answer }));
    // A later request of the client may await it.
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

  /** Passes on the answer of the client's user, if the request has one. */
  take(context: ServerContext): void {
    const said = inputResponse(context.mcpReq.inputResponses, ANSWER_KEY);
    if (said.kind !== "elicit") return;
    const { action } = said;
    // The runtime validates the values against the question.
    this.#open?.settle(
      action === "accept" ? { action, values: (said.content ?? {}) as InputValues } : { action },
    );
  }

  /** Waits for the answer or the next question. The signal aborts the call. */
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
    return { kind: "asks", request: { [ANSWER_KEY]: toRequest(this.#open.question) } };
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

/** The calls that wait for clients, by sealed ids. */
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

  /** Removes a call and returns it; undefined if it was aborted, or the digest is of another call. */
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

/** Returns an id of a session or of a waiting call, which cannot be guessed. */
export function newSessionId(): string {
  return crypto.randomUUID();
}

/** Returns a key that is valid until the process ends. */
export function newKey(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}
