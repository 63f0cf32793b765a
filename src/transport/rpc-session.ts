import { McpCodegenError } from "../contract/errors.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { PROTOCOL_VERSIONS } from "../contract/connection.js";
import type { ServerIdentity } from "../contract/snapshot.js";
import { abortReason, type AbortSignalLike } from "./abort-signal.js";
import type { Channel, ChannelEvents } from "./channel.js";
import type { Endpoint } from "./endpoint.js";
import { excerpt } from "./excerpt.js";
import { tryParseJson } from "./try-parse-json.js";
import { ProgressListeners, type Progress, type ProgressWatch } from "./progress.js";
import { scrubSecrets } from "./scrub-secrets.js";
import { RpcError, SessionLostError } from "./server-errors.js";
import type { RequestOptions, Session } from "./session.js";

const CLIENT_INFO: JsonObject = { name: "mcp-codegen", version: "0.1.0" };
/** Milliseconds until a ping fails. */
const PING_TIMEOUT = 5_000;
const METHOD_NOT_FOUND = -32601;

interface Pending {
  readonly what: string;
  readonly onText: ((text: string) => void) | undefined;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/** A JSON-RPC session over a channel: matches answers to requests. */
export class RpcSession implements Session {
  identity: ServerIdentity = { serverInfo: {}, protocolVersion: "", capabilities: {} };
  isClosed = false;
  onNotification?: (method: string, params: JsonObject) => void;
  readonly #endpoint: Endpoint;
  readonly #timeout: number;
  readonly #pending = new Map<number, Pending>();
  readonly #progress = new ProgressListeners();
  #channel: Channel | undefined;
  #nextId = 0;
  #holds = 0;
  /** The beginning of the first output that is not a message. */
  noise = "";

  constructor(endpoint: Endpoint, timeout: number) {
    this.#endpoint = endpoint;
    this.#timeout = timeout;
  }

  /** The event handlers to open a channel with, for {@link start}. */
  get events(): ChannelEvents {
    return {
      onText: (text) => {
        this.#receive(text);
      },
      onDead: (error) => {
        this.#fail(error);
      },
    };
  }

  /**
   * Initializes the connection (specification, "Lifecycle").
   *
   * @throws McpCodegenError `PROTOCOL_INVALID` for an answer that is not an `initialize` result or for an
   *   unknown protocol version, and the errors of {@link request}.
   */
  async start(channel: Channel, capabilities: JsonObject, options: RequestOptions): Promise<void> {
    this.#channel = channel;
    const [latest = ""] = PROTOCOL_VERSIONS;
    const params: JsonObject = { protocolVersion: latest, capabilities, clientInfo: CLIENT_INFO };
    const result = await this.request("initialize", params, options);
    const version = getOwn(result, "protocolVersion");
    if (typeof version !== "string") throw this.#invalid("answered initialize without a protocol version");
    if (!PROTOCOL_VERSIONS.includes(version)) {
      const known = PROTOCOL_VERSIONS.join(", ");
      throw this.#invalid(
        `speaks protocol version ${JSON.stringify(excerpt(version))}; known versions: ${known}`,
      );
    }
    const instructions = getOwn(result, "instructions");
    this.identity = {
      serverInfo: objectOr(getOwn(result, "serverInfo")),
      protocolVersion: version,
      capabilities: objectOr(getOwn(result, "capabilities")),
      ...(typeof instructions === "string" && { instructions }),
    };
    channel.setProtocolVersion?.(version);
    await channel.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  async request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    try {
      return await this.#exchange(method, params, options);
    } catch (error) {
      if (method === "initialize" || !this.#mentionsSession(error) || !(await this.#isLost(options.signal)))
        throw error;
      throw new SessionLostError(this.#endpoint.label);
    }
  }

  /**
   * Whether an error may mean that the session has ended. WordPress adapters 0.4 and 0.5 report it as the
   * answer to a request. A tool with its own sessions may use the same words.
   */
  #mentionsSession(error: unknown): boolean {
    return (
      this.#endpoint.kind === "http" && error instanceof RpcError && /\bsession\b/i.test(error.rpcMessage)
    );
  }

  /**
   * Whether the session has ended, by a ping. A lost session rejects the ping too, and then the request had
   * no effect.
   */
  async #isLost(signal: AbortSignalLike | undefined): Promise<boolean> {
    try {
      await this.#exchange("ping", {}, { timeout: PING_TIMEOUT, ...(signal && { signal }) });
      return false;
    } catch (error) {
      return error instanceof SessionLostError || this.#mentionsSession(error);
    }
  }

  async #exchange(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const channel = this.#channel;
    if (this.isClosed || channel === undefined) throw this.#unreachable("is closed");
    const { signal, timeout = this.#timeout } = options;
    if (signal?.aborted === true) throw abortReason(signal);
    const id = this.#nextId++;
    const exchange = new AbortController();
    let cleanUp = (): void => undefined;
    this.#hold(1);
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        const abort = (error: unknown): void => {
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- an abort's reason is whatever the caller gave
          reject(error);
          this.#cancel(id, method);
          exchange.abort();
        };
        const timer = setTimeout(() => {
          abort(this.#timedOut(method, timeout));
        }, timeout);
        const onAbort = (): void => {
          abort(signal === undefined ? undefined : abortReason(signal));
        };
        signal?.addEventListener("abort", onAbort);
        cleanUp = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
        };
        this.#pending.set(id, { what: method, onText: options.onText, resolve, reject });
        const onEnd = (): void => {
          reject(this.#unreachable(`ended the exchange without answering ${method}`));
        };
        channel
          .send({ jsonrpc: "2.0", id, method, params }, { signal: exchange.signal, onEnd })
          .catch(reject);
      });
    } finally {
      cleanUp();
      this.#pending.delete(id);
      this.#hold(-1);
    }
  }

  listen(): void {
    const tools = getOwn(this.identity.capabilities, "tools");
    if (isJsonObject(tools) && getOwn(tools, "listChanged") === true) this.#channel?.listen?.();
  }

  watchProgress(listener: (progress: Progress) => void): ProgressWatch {
    return this.#progress.watch(listener);
  }

  scrub(text: string): string {
    return scrubSecrets(text, this.#endpoint.secrets);
  }

  hold(): () => void {
    let isHeld = true;
    this.#hold(1);
    return () => {
      if (isHeld) this.#hold(-1);
      isHeld = false;
    };
  }

  async close(): Promise<void> {
    this.#fail(this.#unreachable("was closed"));
    await this.#channel?.close().catch(() => undefined);
  }

  /** Counts the holders of the channel. */
  #hold(by: 1 | -1): void {
    this.#holds += by;
    if (this.#holds === (by === 1 ? 1 : 0)) this.#channel?.setBusy?.(by === 1);
  }

  /** Cancels a request. `initialize` must not be cancelled (specification, "Cancellation"). */
  #cancel(id: number, method: string): void {
    if (method === "initialize") return;
    this.#sendIgnoringErrors({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: id },
    });
  }

  #sendIgnoringErrors(message: JsonObject): void {
    // A broken channel rejects the requests in flight, so this error adds nothing.
    this.#channel?.send(message).catch(() => undefined);
  }

  #receive(text: string): void {
    const message = tryParseJson(text);
    // Some servers log to standard output. A line that is not a message is not an answer.
    if (message === undefined && this.noise === "") this.noise = excerpt(this.scrub(text));
    for (const item of Array.isArray(message) ? message : [message]) {
      if (isJsonObject(item)) this.#handle(item, text);
    }
  }

  #handle(message: JsonObject, text: string): void {
    const method = getOwn(message, "method");
    const id = getOwn(message, "id");
    if (typeof method !== "string") {
      this.#settle(message, id, text);
    } else if (id === undefined) {
      const params = objectOr(getOwn(message, "params"));
      if (method === "notifications/progress") {
        this.#progress.notify(params, (text) => this.scrub(text));
      }
      this.onNotification?.(method, params);
    } else if (method === "ping") {
      this.#sendIgnoringErrors({ jsonrpc: "2.0", id, result: {} });
    } else {
      const error = { code: METHOD_NOT_FOUND, message: "This client only calls tools." };
      this.#sendIgnoringErrors({ jsonrpc: "2.0", id, error });
    }
  }

  #settle(message: JsonObject, id: JsonValue | undefined, text: string): void {
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined;
    if (pending === undefined) return;
    const error = getOwn(message, "error");
    const result = getOwn(message, "result");
    if (isJsonObject(error)) {
      pending.reject(this.#refused(pending.what, error));
    } else if (isJsonObject(result)) {
      pending.onText?.(text);
      pending.resolve(result);
    } else {
      pending.reject(this.#invalid(`answered ${pending.what} with neither a result nor an error`));
    }
  }

  #refused(what: string, error: JsonObject): McpCodegenError {
    const code = getOwn(error, "code");
    const message = getOwn(error, "message");
    const reason = typeof message === "string" ? message : "no reason given";
    return new RpcError(what, {
      code: typeof code === "number" ? code : 0,
      message: excerpt(this.scrub(reason)),
    });
  }

  #fail(error: Error): void {
    this.isClosed = true;
    for (const pending of this.#pending.values()) pending.reject(error);
  }

  #invalid(what: string): McpCodegenError {
    return new McpCodegenError("PROTOCOL_INVALID", `${this.#name} ${what}.`, {
      hint: "Check that this is an MCP server.",
    });
  }

  #unreachable(what: string): McpCodegenError {
    return new McpCodegenError("SERVER_UNREACHABLE", `${this.#name} ${what}.`);
  }

  #timedOut(method: string, timeout: number): McpCodegenError {
    const [what, key] = method === "initialize" ? ["connect", "connect"] : [`answer ${method}`, "call"];
    const message = `${this.#name} did not ${what} within ${timeout} ms.`;
    return new McpCodegenError("SERVER_TIMEOUT", message, {
      hint: `Raise timeouts.${key} if it needs longer.`,
    });
  }

  get #name(): string {
    return `The server ${this.#endpoint.kind === "http" ? "at " : ""}${JSON.stringify(this.#endpoint.label)}`;
  }
}

function objectOr(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
