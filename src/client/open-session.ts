import { McpCodegenError } from "../core/errors.js";
import { type JsonObject, findText, getOwn, listOrEmpty } from "../core/json.js";
import type { AbortSignalLike } from "../core/abort-signal.js";
import { isModernVersion } from "../core/connection.js";
import { limitSignal } from "./abort-signal.js";
import type { Session } from "./session.js";
import type { Endpoint, HttpEndpoint } from "./endpoint.js";
import { explainInstall } from "../core/packages.js";
import { negotiate } from "./negotiate.js";
import { RpcSession } from "./rpc-session.js";
import type { OpenChannel } from "./sdk-transport.js";
import { HttpStatusError, timeoutError } from "./server-errors.js";
import { oneLine } from "../core/printable.js";

export type { Session } from "./session.js";

export interface SessionOptions {
  /** Milliseconds until the server is started and a protocol version is agreed on. Default: 60,000 for a command, 5,000 for a URL. */
  readonly connectTimeout?: number | undefined;
  /** Milliseconds for each request after that. Default: 60,000. */
  readonly callTimeout?: number | undefined;
  /** Client capabilities to declare. */
  readonly capabilities?: JsonObject | undefined;
  /** Aborts the connection attempt. */
  readonly signal?: AbortSignalLike | undefined;
  /** Receives each line that a started server writes to stderr, without the secrets that we gave it. */
  readonly onStderr?: ((line: string) => void) | undefined;
  /** Opens the channel to a server in this process, in place of the endpoint's. */
  readonly open?: OpenChannel | undefined;
}

/**
 * Connects to a server and agrees on a protocol version.
 *
 * @throws McpCodegenError `SERVER_UNREACHABLE`, `SERVER_REFUSED`, `SERVER_TIMEOUT` or `PROTOCOL_INVALID`; the signal's
 * reason when it aborts.
 */
export async function openSession(endpoint: Endpoint, options: SessionOptions = {}): Promise<Session> {
  const { capabilities = {}, callTimeout = 60_000 } = options;
  const timeout = options.connectTimeout ?? (endpoint.kind === "stdio" ? 60_000 : 5_000);
  const limit = limitSignal(options.signal, timeout, () =>
    timeoutError(endpoint, "connect", { limitedBy: "timeouts.connect", timeout }),
  );
  let failure: unknown;
  try {
    // Another process may have the lock of a token that must be refreshed: waiting for it is not connecting.
    if (endpoint.kind === "http") await limit.race(Promise.resolve(endpoint.tokens?.prepare?.()));
    limit.start();
    for (const { open, isSse } of await transportsOf(endpoint, options.open)) {
      const session = new RpcSession(endpoint, callTimeout);
      const opening = open({ ...session.events, onStderr: options.onStderr });
      try {
        session.attach(await limit.race(opening));
        await limit.race(negotiate(session, { endpoint, isSse, capabilities, timeout }));
        return session;
      } catch (error) {
        // Close the channel even when it opens too late. Nothing waits for it.
        void opening.then((channel) => channel.close()).catch(() => undefined);
        void session.close();
        // If both transports failed, the error of Streamable HTTP fits the configured endpoint better.
        if (failure === undefined || limit.signal.aborted) failure = explainTimeout(error, endpoint, session);
        if (!isOlderServer(failure)) break;
      }
    }
  } finally {
    limit.release();
  }
  throw failure;
}

interface Transport {
  readonly open: OpenChannel;
  /** Whether it is HTTP with server-sent events. */
  readonly isSse: boolean;
}

/** Returns the transports to try, one after the other. */
async function transportsOf(endpoint: Endpoint, open?: OpenChannel): Promise<readonly Transport[]> {
  if (open !== undefined) return [{ open, isSse: false }];
  if (endpoint.kind === "stdio") {
    const { openStdio } = await import("#stdio");
    return [{ open: (events) => openStdio(endpoint, events), isSse: false }];
  }
  const { openHttp, openSse } = await import("./http.js");
  const http: Transport = { open: (events) => openHttp(endpoint, events), isSse: false };
  const sse: Transport = { open: (events) => openSse(endpoint, events), isSse: true };
  if (endpoint.transport === "sse") return [sse];
  return maySpeakSse(endpoint) ? [http, sse] : [http];
}

/** Whether the older transport is tried after a client error (specification, "Backwards Compatibility"). */
function maySpeakSse({ transport, protocol }: HttpEndpoint): boolean {
  return (
    transport === "auto" && (protocol === undefined || (protocol !== "modern" && !isModernVersion(protocol)))
  );
}

function isOlderServer(error: unknown): boolean {
  if (!(error instanceof HttpStatusError)) return false;
  return error.status >= 400 && error.status < 500 && ![401, 403, 407, 429].includes(error.status);
}

/** Adds to a time-out what the server wrote meanwhile, and what it may still be doing. */
function explainTimeout(error: unknown, endpoint: Endpoint, session: RpcSession): unknown {
  if (!(error instanceof McpCodegenError) || error.code !== "SERVER_TIMEOUT") return error;
  const { code, message, hint } = error;
  const stderr = session.lastLines();
  if (session.noise !== "")
    return new McpCodegenError(
      "PROTOCOL_INVALID",
      `${message} It wrote ${JSON.stringify(session.noise)}, which is not an MCP message.`,
      { hint: "Check that this is an MCP server.", stderr },
    );
  const install = endpoint.kind === "stdio" ? explainInstall(endpoint.command, endpoint.args) : undefined;
  if (install !== undefined)
    return new McpCodegenError(code, `${message.slice(0, -1)}: ${session.scrub(install)}.`, {
      hint: "Try again: the files fetched so far are kept.",
      stderr,
    });
  return stderr.length === 0 ? error : new McpCodegenError(code, message, { hint, stderr });
}

/**
 * Makes the calls that a server needs before it lists its tools.
 *
 * @throws McpCodegenError `SERVER_REFUSED` for a call that fails, and request errors
 */
export async function runPrelude(
  session: Session,
  { prelude = [] }: Endpoint,
  signal?: AbortSignalLike,
): Promise<void> {
  for (const { tool, arguments: input } of prelude) {
    const result = await session.request("tools/call", { name: tool, arguments: input }, { signal });
    if (getOwn(result, "isError") !== true) continue;
    const message = `The call of ${JSON.stringify(tool)} in "prelude" failed: ${session.scrub(textOf(result))}`;
    throw new McpCodegenError("SERVER_REFUSED", message, { hint: "Correct the arguments of the call." });
  }
}

function textOf(result: JsonObject): string {
  const blocks = listOrEmpty(getOwn(result, "content"));
  const words = blocks.flatMap((block) => findText(block, "text") ?? []).join(" ");
  return oneLine(
    words.trim() === "" ? JSON.stringify(getOwn(result, "structuredContent") ?? null) : words,
    400,
  );
}
