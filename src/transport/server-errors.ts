import { McpCodegenError, type ErrorCode } from "../contract/errors.js";

/** The server answered a request with a JSON-RPC error. */
export class RpcError extends McpCodegenError {
  /** The `code` of the JSON-RPC error object. */
  readonly rpcCode: number;
  /** The `message` of the JSON-RPC error object, scrubbed and as one line. */
  readonly rpcMessage: string;

  constructor(request: string, error: { readonly code: number; readonly message: string }) {
    super("SERVER_REFUSED", `The server refused ${request}: ${error.message} (${error.code}).`);
    this.rpcCode = error.code;
    this.rpcMessage = error.message;
  }
}

/** The server does not know the session any more, so the request did nothing and may be sent again in a new one. */
export class SessionLostError extends McpCodegenError {
  readonly isSessionLost = true;

  constructor(label: string) {
    super("SERVER_REFUSED", `The server at ${JSON.stringify(label)} has ended the session.`, {
      hint: "Try again: a new session is opened by the next call.",
    });
  }
}

/** No connection was made, so nothing was sent. */
export class UnsentError extends McpCodegenError {
  readonly isUnsent = true;
}

/** An HTTP answer that is no MCP answer. */
export class HttpStatusError extends McpCodegenError {
  readonly status: number;

  constructor(code: ErrorCode, message: string, options: { readonly status: number; readonly hint: string }) {
    super(code, message, { hint: options.hint });
    this.status = options.status;
  }
}
