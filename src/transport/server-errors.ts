import { McpCodegenError, type ErrorCode } from "../contract/errors.js";
import type { JsonValue } from "../contract/json.js";

/** A JSON-RPC error that the server answered a request with. */
export class RpcError extends McpCodegenError {
  /** The `code` of the JSON-RPC error object; 0 if it has none. */
  readonly rpcCode: number;
  /** The `message` of the JSON-RPC error object, in one line and without secrets. */
  readonly rpcMessage: string;
  /** The `data` of the JSON-RPC error object as the server sent it: it may hold secrets. */
  declare readonly rpcData: JsonValue | undefined;

  constructor(
    request: string,
    error: { readonly code: number; readonly message: string; readonly data?: JsonValue },
  ) {
    super(
      "SERVER_REFUSED",
      `The server refused ${request}: ${error.message}${error.code === 0 ? "" : ` (${error.code})`}.`,
    );
    this.rpcCode = error.code;
    this.rpcMessage = error.message;
    // Loggers print enumerable properties.
    Object.defineProperty(this, "rpcData", { value: error.data, enumerable: false });
  }
}

/** The session has ended. The request had no effect, and may be sent again in a new session. */
export class SessionLostError extends McpCodegenError {
  readonly isSessionLost = true;

  constructor(label: string) {
    super("SERVER_REFUSED", `The server at ${JSON.stringify(label)} has ended the session.`, {
      hint: "Try again: the next call opens a new session.",
    });
  }
}

/** No connection was made, so the request was not sent. */
export class UnsentError extends McpCodegenError {
  readonly isUnsent = true;
}

/** An HTTP answer that is not an MCP answer. */
export class HttpStatusError extends McpCodegenError {
  readonly status: number;

  constructor(code: ErrorCode, message: string, options: { readonly status: number; readonly hint: string }) {
    super(code, message, { hint: options.hint });
    this.status = options.status;
  }
}
