import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
  isSpecType,
} from "@modelcontextprotocol/server";
import { findOwn } from "../core/json.js";
import { printable } from "../core/printable.js";
import { joinMembers, showArguments } from "../core/show-arguments.js";
import { EFFECT_WORDS, readStatedEffect } from "../core/snapshot.js";
import { hasReviewedHints, NOT_LOCKED } from "../core/decide.js";
import type { RegisteredTool } from "../core/tool.js";
import type { Approve } from "../agent/registry/approval.js";
import type { ToolAnswer } from "../agent/toolset/toolset.js";
import type { AbortSignalLike } from "../core/abort-signal.js";
import type { InputAnswer, InputQuestion, InputValues, OnInput } from "../core/input-question.js";
import { MOST_ROUNDS } from "../runtime/fail-call.js";

/** Characters of the arguments in a question. */
const MOST_SHOWN = 2_000;

/** Whether the client can ask its user (specification, "Elicitation"). A client that declares no mode supports forms. */
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

function formFor(
  tool: RegisteredTool,
  args: unknown,
  line?: number,
): Parameters<typeof inputRequired.elicit>[0] {
  const { name, server, annotations } = tool;
  const place = line === undefined ? "" : `, at line ${line} of the script`;
  const where = server === undefined ? "" : ` of ${JSON.stringify(server)}`;
  const shown = `{${joinMembers(showArguments(args, MOST_SHOWN))}}`;
  const effect = hasReviewedHints(tool) ? EFFECT_WORDS[readStatedEffect(annotations)] : NOT_LOCKED;
  return {
    message: `Run ${printable(JSON.stringify(name))}${where} (${effect})${place}? Arguments: ${shown}`,
    requestedSchema: {
      type: "object",
      properties: { run: { type: "boolean", title: "Run it", default: false } },
      required: ["run"],
    },
  };
}

const ANSWER_KEY = "answer";
const CONSENT_KEY = "consent";
/** Milliseconds that a client may take to answer: its sealed state is valid for the same time. */
const EXPIRY = 600_000;
/** The maximum number of waiting calls. The oldest is aborted first, since clients may not answer. */
const MOST_HELD = 100;

interface OpenQuestion {
  readonly key: string;
  readonly request: NonNullable<InputRequiredResult["inputRequests"]>[string];
  readonly settle: (answer: InputAnswer) => void;
}

export type HeldCall = ReturnType<typeof holdCall>;

/**
 * Starts a call that keeps running while its client is asked (specification 2026-07-28, "Multi round-trip requests"; the SDK does
 * this for older clients). The client's next request has the answer. Questions are asked one at a time, in their order.
 *
 * @param start starts the call with handlers for its questions and a signal that aborts it
 */
export function holdCall(
  canAskFor: (kind: InputQuestion["kind"]) => boolean,
  start: (
    questions: { readonly onInput: OnInput; readonly approve: Approve },
    signal: AbortSignal,
  ) => Promise<ToolAnswer>,
) {
  const stop = new AbortController();
  const open = new Set<OpenQuestion>();
  let asked: OpenQuestion | undefined;
  let rounds = 0;
  let onQuestion = (): void => undefined;

  const ask = (
    key: string,
    request: OpenQuestion["request"],
    signal: AbortSignalLike,
  ): Promise<InputAnswer> => {
    // The clients of the SDK give up after more.
    if (rounds + open.size >= MOST_ROUNDS)
      throw new Error(`the user was already asked ${MOST_ROUNDS} times during this request`);
    return new Promise((resolve) => {
      const question: OpenQuestion = {
        key,
        request,
        settle: (answer) => {
          open.delete(question);
          resolve(answer);
        },
      };
      const cancel = (): void => {
        question.settle({ action: "cancel" });
      };
      open.add(question);
      signal.addEventListener("abort", cancel);
      if (signal.aborted) cancel();
      else onQuestion();
    });
  };
  const onInput: OnInput = async (question, { signal }) => {
    if (!canAskFor(question.kind)) {
      const what = question.kind === "url" ? "open an address" : "fill in a form";
      throw new Error(`the client cannot ask its user to ${what}`);
    }
    return ask(ANSWER_KEY, toRequest(question), signal);
  };
  /** Asks whether to make exactly this call. */
  const approve: Approve = async ({ tool, input, line }) => {
    const said = await ask(CONSENT_KEY, inputRequired.elicit(formFor(tool, input, line)), stop.signal);
    stop.signal.throwIfAborted();
    return said.action === "accept" && said.values?.["run"] === true;
  };
  const done = start({ onInput, approve }, stop.signal).then((answer) => ({ kind: "done", answer }) as const);
  // A later request of the client may await it.
  done.catch(() => undefined);

  const nextQuestion = async () => {
    let [question] = open;
    while (question === undefined) {
      await new Promise<void>((resolve) => {
        onQuestion = resolve;
      });
      // The question may have been withdrawn meanwhile.
      [question] = open;
    }
    rounds += asked === question ? 0 : 1;
    asked = question;
    return { kind: "asks", request: { [question.key]: question.request } } as const;
  };
  return {
    /** Passes on the answer of the client's user, if the request has one. */
    take: (context: ServerContext): void => {
      if (asked === undefined) return;
      const said = inputResponse(context.mcpReq.inputResponses, asked.key);
      if (said.kind !== "elicit") return;
      const { action } = said;
      // The runtime validates the values against the question.
      asked.settle(
        action === "accept" ? { action, values: (said.content ?? {}) as InputValues } : { action },
      );
    },
    /** Waits for the answer or the next question. The signal aborts the call. */
    next: async (signal: AbortSignal) => {
      const onAbort = (): void => {
        stop.abort(signal.reason);
      };
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort);
      try {
        return await Promise.race([done, nextQuestion()]);
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    },
    abort: (): void => {
      stop.abort();
    },
  };
}

function toRequest(question: InputQuestion): ReturnType<typeof inputRequired.elicitUrl> {
  const message = `${JSON.stringify(question.server)} asks: ${question.message}`;
  if (question.kind === "url") return inputRequired.elicitUrl({ message, url: question.url });
  const params: unknown = { mode: "form", message, requestedSchema: question.schema };
  if (!isSpecType.ElicitRequestFormParams(params)) throw new TypeError("The form does not fit the protocol.");
  return inputRequired.elicit(params);
}

/** The calls that wait for clients, by sealed ids. */
export function createHeldCalls() {
  const calls = new Map<
    string,
    { readonly call: HeldCall; readonly digest: string; readonly timer: ReturnType<typeof setTimeout> }
  >();
  /** Removes a call and returns it; undefined if it was aborted, or the digest is of another call. */
  const release = (id: string, digest: string): HeldCall | undefined => {
    const held = calls.get(id);
    if (held?.digest !== digest) return undefined;
    clearTimeout(held.timer);
    calls.delete(id);
    return held.call;
  };
  return {
    release,
    /** Keeps a call until its client answers. */
    keep: (id: string, digest: string, call: HeldCall): void => {
      const timer = setTimeout(() => release(id, digest)?.abort(), EXPIRY);
      const handle: { unref?(): void } = timer;
      // A question must not keep the process alive.
      handle.unref?.();
      calls.set(id, { call, digest, timer });
      const [oldest] = calls;
      if (calls.size > MOST_HELD && oldest !== undefined) release(oldest[0], oldest[1].digest)?.abort();
    },
  };
}

/** Returns an id of a session or of a waiting call, which cannot be guessed. */
export function newSessionId(): string {
  return crypto.randomUUID();
}

/** Returns a key that is valid until the process ends. */
export function newKey(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}
