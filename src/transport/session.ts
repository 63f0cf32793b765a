import type { JsonObject } from "../contract/json.js";
import type { ServerIdentity } from "../contract/snapshot.js";
import type { AbortSignalLike } from "./abort-signal.js";
import type { Progress, ProgressWatch } from "./progress.js";

export interface RequestOptions {
  readonly signal?: AbortSignalLike;
  /** Milliseconds; default: the session's. */
  readonly timeout?: number;
  /** Receives the text of the message that answers, as the server wrote it. */
  readonly onText?: (text: string) => void;
}

/** An initialized connection to one MCP server. */
export interface Session {
  readonly identity: ServerIdentity;
  /** True once nothing more can be sent. */
  readonly isClosed: boolean;
  /** Called for every notification of the server's. */
  onNotification?: (method: string, params: JsonObject) => void;
  /**
   * Asks for the notification that the list of tools has changed, where the server sends it and the transport has to ask:
   * over HTTP, while requests are in flight and for a second after.
   */
  listen(): void;
  /**
   * The raw `result` that a request is answered with.
   *
   * @throws RpcError for a JSON-RPC error; McpCodegenError `SERVER_TIMEOUT`, `SERVER_UNREACHABLE`,
   * `SERVER_REFUSED`, `PROTOCOL_INVALID`; the signal's reason when it aborts.
   */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /**
   * Hands over the progress that is told under the token, which is for `_meta.progressToken` of a request. What the
   * listener throws is ignored. `release` ends it.
   */
  watchProgress(listener: (progress: Progress) => void): ProgressWatch;
  /** A text of the server's without the secrets that we sent it. */
  scrub(text: string): string;
  /** Keeps the connection, and the process, alive between requests. Call what it returns to let go. */
  hold(): () => void;
  /** Ends the session. What is in flight is rejected. Never rejects itself. */
  close(): Promise<void>;
}
