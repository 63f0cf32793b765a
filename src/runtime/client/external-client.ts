import { McpCodegenError } from "../../core/errors.js";
import { getOwn, isJsonObject, type JsonObject } from "../../core/json.js";
import type { RequestContext } from "../../client/session.js";
import type { ToolCaller } from "../../core/call.js";
import {
  type Caller,
  type CallerOptions,
  type CallerRequest,
  type RequestOrigin,
  sleep,
  waitUnlessAborted,
  WeakListeners,
} from "./caller.js";
import { elicitationsOf, InputAsker } from "./input-asker.js";

const LIST_CHANGED = "notifications/tools/list_changed";

const METHODS: { readonly [method: string]: string } = {
  "tools/list": "listTools",
  "prompts/get": "getPrompt",
  "resources/read": "readResource",
};

/**
 * A client that the program connected. Each version of the SDK takes a signal in another place, so an abort or a time-out
 * ends the wait, and not the request.
 */
export class ExternalClient implements Caller {
  readonly #client: ToolCaller;
  readonly #listeners = new WeakListeners<RequestContext>();
  #isListening = false;

  constructor(client: ToolCaller) {
    this.#client = client;
  }

  /**
   * Calls the listener when the list of tools has changed. Uses the SDK's fallback for notifications, so that a handler of
   * the program takes precedence.
   */
  listen(listener: (session: RequestContext) => void): void {
    this.#listeners.add(listener);
    const client: unknown = this.#client;
    if (this.#isListening || typeof client !== "object" || client === null) return;
    if (typeof memberOf(client, "setNotificationHandler") !== "function") return;
    this.#isListening = true;
    const before = memberOf(client, "fallbackNotificationHandler");
    const handle = async (notification: unknown): Promise<void> => {
      if (memberOf(notification, "method") === LIST_CHANGED) this.#listeners.call(this.#session);
      if (typeof before === "function") await Reflect.apply(before, client, [notification]);
    };
    Reflect.set(client, "fallbackNotificationHandler", handle);
  }

  async send({ method, params, origin }: CallerRequest, options: CallerOptions): Promise<unknown> {
    const answer = method === "tools/call" ? this.#call(params) : this.#request(method, params);
    return waitForAnswer(answer, origin, options);
  }

  /** Whether the client can list tools. `ToolCaller` does not require it. */
  get canList(): boolean {
    return typeof memberOf(this.#client, "listTools") === "function";
  }

  use<T>(
    work: (session: RequestContext, options: CallerOptions) => Promise<T>,
    options: CallerOptions,
  ): Promise<T> {
    return work(this.#session, options);
  }

  readonly #session: RequestContext = {
    identity: { serverInfo: {}, protocolVersion: "", capabilities: { tools: {} } },
    request: (method, params, { signal } = {}) => waitUnlessAborted(this.#request(method, params), signal),
    scrub: (text) => text,
  };

  async #request(method: string, params: JsonObject): Promise<JsonObject> {
    const name = METHODS[method] ?? "callTool";
    const ask = memberOf(this.#client, name);
    if (typeof ask !== "function") {
      throw new McpCodegenError("SERVER_REFUSED", `The client that was passed has no ${name}().`);
    }
    const result: unknown = await Reflect.apply(ask, this.#client, [params]);
    if (isJsonObject(result)) return result;
    throw new McpCodegenError("PROTOCOL_INVALID", `The client answers ${name}() with no object.`);
  }

  /** Does nothing: the program that opened the client closes it. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  async #call(params: JsonObject): Promise<unknown> {
    const name = getOwn(params, "name");
    const input = getOwn(params, "arguments");
    return this.#client.callTool({
      name: typeof name === "string" ? name : "",
      arguments: isJsonObject(input) ? { ...input } : {},
    });
  }
}

async function waitForAnswer<T>(
  answer: Promise<T>,
  origin: RequestOrigin,
  options: CallerOptions,
): Promise<T> {
  const work = answer.catch((error: unknown) => explainQuestions(error, origin));
  const { signal, timeout } = options;
  if (timeout === undefined) return waitUnlessAborted(work, signal);
  const answered = new AbortController();
  const late = sleep(timeout, answered.signal).then(() => {
    throw new McpCodegenError("SERVER_TIMEOUT", `The client did not answer within ${timeout} ms.`);
  });
  try {
    return await waitUnlessAborted(Promise.race([work, late]), signal);
  } finally {
    answered.abort();
  }
}

/** Rethrows an error, as `INPUT_REQUIRED` if it names addresses to visit, since only the client can answer. */
async function explainQuestions(error: unknown, origin: RequestOrigin): Promise<never> {
  const elicitations = elicitationsOf(error);
  if (elicitations !== undefined && error instanceof Error)
    await new InputAsker(origin, undefined).visitAll(elicitations, error, undefined);
  throw error;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
