import { McpCodegenError, messageOf } from "../../core/errors.js";
import { findOwn, getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { printable } from "../../core/printable.js";
import type { AbortSignalLike } from "../../core/abort-signal.js";
import type { RequestHandler, ServerRequest, ServerRequestAnswer } from "../../client/session.js";
import type { InputAnswer, InputQuestion, OnInput } from "../../core/input-question.js";
import { InputRequiredError, MOST_ROUNDS, rpcDataOf, rpcErrorOf } from "../fail-call.js";
import type { RequestOrigin } from "./caller.js";

const ELICITATION = "elicitation/create";
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const UNANSWERED = "requires input, and the call has no onInput";
const MOST_QUESTIONS = 8;

/** Most calls have no question. */
const loadQuestions = async () => import("./questions.js");

interface Asking {
  readonly signal: AbortSignalLike | undefined;
  /** The id with which a legacy server reports that a person has finished at an address. */
  readonly elicitationId?: JsonValue | undefined;
}

/** Answers the questions of one call. An answer never reaches another call. */
export class InputAsker implements RequestHandler {
  readonly #origin: RequestOrigin;
  readonly #onInput: OnInput | undefined;
  #rounds = 0;
  /** The previous question. A person answers one question at a time. */
  #last: Promise<unknown> = Promise.resolve();
  /** The questions that were refused because there is no handler. */
  readonly #refused: InputQuestion[] = [];
  readonly #waiting = new Map<string, () => void>();
  #capabilities: JsonObject = {};
  #scrub: (text: string) => string = (text) => text;

  constructor(origin: RequestOrigin, onInput: OnInput | undefined) {
    this.#origin = origin;
    this.#onInput = onInput;
  }

  /** The handler. It receives a question that may belong to several calls only if all of them have the same handler. */
  get owner(): OnInput | undefined {
    return this.#onInput;
  }

  /** Whether the handler was asked, so that repeating the call would ask it again. */
  get hasAsked(): boolean {
    return this.#rounds > 0;
  }

  /** Whether a legacy server may still ask for the call, since this error gave it up. */
  mayBeAskedLater(error: unknown): boolean {
    return this.hasAsked && !(error instanceof Error && "rpcCode" in error);
  }

  /** Sets the session whose questions follow. */
  enter(capabilities: JsonObject, scrub: (text: string) => string): void {
    this.#capabilities = capabilities;
    this.#scrub = scrub;
  }

  /** Answers a request of a legacy server. Rejects with the error that ends the call. */
  async answer({ method, params, signal, isShared }: ServerRequest): Promise<ServerRequestAnswer> {
    if (method !== ELICITATION) return refuse(METHOD_NOT_FOUND, `This client does not support ${method}.`);
    const read = await this.#read(params, isShared);
    if (typeof read === "string") return refuse(INVALID_PARAMS, `The question is invalid: ${read}.`);
    const declared = getOwn(this.#capabilities, "elicitation");
    const mayAsk = declared !== undefined && isDeclared(declared, read.kind);
    if (!mayAsk || this.#onInput === undefined) this.#refused.push(read);
    if (declared === undefined) return refuse(METHOD_NOT_FOUND, "This client does not support elicitation.");
    if (!mayAsk)
      return refuse(INVALID_PARAMS, `This client does not support elicitation in the mode "${read.kind}".`);
    if (this.#onInput === undefined) return { result: { action: "cancel" } };
    this.beginRound([read]);
    return { result: await this.#ask(read, { signal, elicitationId: getOwn(params, "elicitationId") }) };
  }

  /**
   * Answers the requests of an `input_required` result (specification 2026-07-28, "Multi Round-Trip Requests").
   *
   * @returns the `inputResponses` by the keys of the requests
   * @throws InputRequiredError when a question stays unanswered, and for requests other than questions
   */
  async answerAll(requests: JsonObject, signal: AbortSignalLike | undefined): Promise<JsonObject> {
    const entries = Object.entries(requests);
    const asked = await Promise.all(
      entries.map(async ([key, request]) => [key, await this.#readRequest(request)] as const),
    );
    const questions = asked.map(([, question]) => question);
    if (this.#onInput === undefined) throw new InputRequiredError(UNANSWERED, questions);
    this.beginRound(questions);
    const responses: [string, JsonValue][] = [];
    for (const [key, question] of asked) responses.push([key, await this.#ask(question, { signal })]);
    return Object.fromEntries(responses);
  }

  /**
   * Asks the questions of an error of revision 2025-11-25 that requires visits of addresses first.
   *
   * @throws InputRequiredError unless the person accepts all of them
   */
  async visitAll(
    elicitations: readonly JsonValue[],
    cause: Error,
    signal: AbortSignalLike | undefined,
  ): Promise<void> {
    const asked = await Promise.all(
      elicitations.map(
        async (params) => [await this.#readRequest({ method: ELICITATION, params }), params] as const,
      ),
    );
    const questions = asked.map(([question]) => question);
    if (this.#onInput === undefined || questions.length === 0)
      throw new InputRequiredError(UNANSWERED, questions, { cause });
    this.beginRound(questions);
    for (const [question, params] of asked) {
      const elicitationId = findOwn(params, "elicitationId");
      const { action } = await this.#ask(question, { signal, elicitationId });
      if (action === "accept") continue;
      const why =
        action === "decline" ? "requires input that was declined" : "requires input that was cancelled";
      throw new InputRequiredError(why, questions, { cause });
    }
  }

  /** Receives the report of the server that a person has finished at an address. */
  complete(elicitationId: JsonValue | undefined): void {
    if (typeof elicitationId === "string") this.#waiting.get(elicitationId)?.();
  }

  /** Returns the error of a call that failed after a question was refused; undefined without such a question. */
  explainFailure(cause: unknown): InputRequiredError | undefined {
    if (this.#refused.length === 0) return undefined;
    return new InputRequiredError(UNANSWERED, this.#refused, { cause });
  }

  async #readRequest(request: JsonValue | undefined): Promise<InputQuestion> {
    const method = findOwn(request, "method");
    const params = findOwn(request, "params");
    if (method !== ELICITATION) {
      const name = printable(JSON.stringify(method ?? null), 100);
      throw new InputRequiredError(`requires ${name}, which this client does not support`, []);
    }
    const read = isJsonObject(params) ? await this.#read(params, false) : "it has no parameters";
    if (typeof read === "string")
      throw new McpCodegenError("PROTOCOL_INVALID", `The server asks an invalid question: ${read}.`);
    return read;
  }

  /** Returns the question, or why it is invalid. */
  async #read(params: JsonObject, isShared: boolean): Promise<InputQuestion | string> {
    const { readQuestion, InvalidQuestionError } = await loadQuestions();
    const { server } = this.#origin;
    try {
      return readQuestion(params, isShared ? { server } : this.#origin, this.#scrub);
    } catch (error) {
      if (error instanceof InvalidQuestionError) return error.message;
      throw error;
    }
  }

  /** Counts a round. A server asks for one without questions to gain time. */
  beginRound(questions: readonly InputQuestion[]): void {
    this.#rounds += 1;
    if (this.#rounds > MOST_ROUNDS)
      throw new InputRequiredError(`asks for input more than ${MOST_ROUNDS} times`, questions);
    if (questions.length > MOST_QUESTIONS)
      throw new InputRequiredError(`asks more than ${MOST_QUESTIONS} questions at once`, questions);
  }

  async #ask(question: InputQuestion, asking: Asking): Promise<JsonObject> {
    const asked = this.#last.then(() => this.#askNow(question, asking));
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  async #askNow(question: InputQuestion, { signal, elicitationId }: Asking): Promise<JsonObject> {
    const onInput = this.#onInput;
    if (onInput === undefined) throw new InputRequiredError(UNANSWERED, [question]);
    const id = typeof elicitationId === "string" ? elicitationId : undefined;
    const over = new AbortController();
    let settle: (answer: InputAnswer) => void = () => undefined;
    const elsewhere = new Promise<InputAnswer>((resolve) => {
      settle = resolve;
    });
    const endWith = (action: "accept" | "cancel") => (): void => {
      settle({ action });
      over.abort();
    };
    const onAbort = endWith("cancel");
    if (signal?.aborted === true) return { action: "cancel" };
    signal?.addEventListener("abort", onAbort);
    if (id !== undefined) this.#waiting.set(id, endWith("accept"));
    try {
      const answering = Promise.resolve().then(() => onInput(question, { signal: over.signal }));
      const answer = await Promise.race([answering, elsewhere]);
      const { checkAnswer } = await loadQuestions();
      const checked = checkAnswer(question, answer);
      if ("result" in checked) return checked.result;
      throw new InputRequiredError("got an answer that does not fit its question", [question], checked);
    } catch (error) {
      if (error instanceof InputRequiredError) throw error;
      const words = messageOf(error);
      throw new InputRequiredError(`requires input: ${words.replace(/\.$/, "")}`, [question], {
        cause: error,
      });
    } finally {
      signal?.removeEventListener("abort", onAbort);
      if (id !== undefined) this.#waiting.delete(id);
    }
  }
}

/** Whether a mode was declared. An empty capability means forms, the only mode of revision 2025-06-18. */
function isDeclared(capability: JsonValue, kind: InputQuestion["kind"]): boolean {
  if (!isJsonObject(capability)) return false;
  if (getOwn(capability, kind) !== undefined) return true;
  return kind === "form" && getOwn(capability, "url") === undefined;
}

function refuse(code: number, message: string): ServerRequestAnswer {
  return { error: { code, message } };
}

/** The error code of revision 2025-11-25 for a call that requires visits of addresses first. */
const URL_ELICITATION_REQUIRED = -32042;

/** Returns the addresses that an error of our session or of an SDK requires to be visited; undefined for another. */
export function elicitationsOf(error: unknown): readonly JsonValue[] | undefined {
  if (rpcErrorOf(error)?.code !== URL_ELICITATION_REQUIRED) return undefined;
  const elicitations = findOwn(rpcDataOf(error), "elicitations");
  return Array.isArray(elicitations) ? elicitations : undefined;
}
