import { McpCodegenError } from "../../contract/errors.js";
import type { EndpointSettings } from "../../contract/connection.js";
import { getOwn, type JsonObject } from "../../contract/json.js";
import type { Session } from "../../transport/session.js";
import type { ConnectionOptions } from "../call-options.js";
import type { Caller, CallerOptions, ToolRequest } from "./caller.js";
import type { ServerDefinition } from "../server-definition.js";
import { lookUpVariable } from "./look-up-variable.js";
import { waitUnlessAborted } from "./wait-unless-aborted.js";

/**
 * A connection to a server that is made when it is needed. Calls that come while it is being made share it; one that
 * could not be made, or broke, is made anew by the next call.
 */
export class LazyClient implements Caller {
  readonly #server: ServerDefinition;
  readonly #options: ConnectionOptions;
  #opening: Promise<Session> | undefined;
  /** What `#opening` came to. */
  #session: Session | undefined;
  #inFlight = 0;
  #isRetired = false;
  #isClosed = false;

  constructor(server: ServerDefinition, options: ConnectionOptions) {
    this.#server = server;
    this.#options = options;
  }

  call(request: ToolRequest, options: CallerOptions): Promise<unknown> {
    return this.use((session) => callTool(session, request, options), options);
  }

  /** Work with the session itself, which may have to be begun anew: one that the server forgot is replaced once. */
  async use<T>(work: (session: Session) => Promise<T>, options: CallerOptions): Promise<T> {
    this.#inFlight += 1;
    try {
      return await this.#workInSession(work, options);
    } finally {
      this.#inFlight -= 1;
      if (this.#isRetired && this.#inFlight === 0) void this.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const opening = this.#opening;
    this.#opening = undefined;
    await opening?.then((session) => session.close()).catch(() => undefined);
  }

  /** Closes as soon as nothing is in flight. */
  retire(): void {
    this.#isRetired = true;
    if (this.#inFlight === 0) void this.close();
  }

  async #workInSession<T>(work: (session: Session) => Promise<T>, options: CallerOptions): Promise<T> {
    const session = await this.#connect(options);
    try {
      return await work(session);
    } catch (error) {
      if (!isSessionLost(error)) throw error;
      // The server forgot the session and so has not done anything: once more in a new one.
      this.#forget(session);
      return await work(await this.#connect(options));
    }
  }

  async #connect({ signal }: CallerOptions): Promise<Session> {
    if (this.#isClosed) {
      const name = JSON.stringify(this.#server.name);
      const message = `The connection to ${name} was closed.`;
      throw new McpCodegenError("SERVER_UNREACHABLE", message, { hint: "Connect again." });
    }
    if (this.#session?.isClosed === true) this.#forget(this.#session);
    const opening = (this.#opening ??= this.#open());
    return waitUnlessAborted(opening, signal);
  }

  #forget(session: Session): void {
    // Of several calls that find a session gone, only the first is right to drop it.
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#opening = undefined;
    void session.close();
  }

  #open(): Promise<Session> {
    const opening = openServer(this.#server, this.#options);
    opening.then(
      (session) => {
        this.#session = session;
      },
      () => {
        if (this.#opening === opening) this.#opening = undefined;
      },
    );
    return opening;
  }
}

async function callTool(session: Session, request: ToolRequest, options: CallerOptions): Promise<unknown> {
  const params = { name: request.name, arguments: request.arguments };
  const result = request.isTask
    ? await (await import("./call-as-task.js")).callAsTask(session, params, options)
    : await session.request("tools/call", params, options);
  // A failure becomes an error, errors are written to logs, and some servers repeat what they were sent.
  return getOwn(result, "isError") === true ? scrubTexts(result, session) : result;
}

function scrubTexts(result: JsonObject, session: Session): unknown {
  return JSON.parse(JSON.stringify(result), (_key, value: unknown) =>
    typeof value === "string" ? session.scrub(value) : value,
  );
}

async function openServer(server: ServerDefinition, options: ConnectionOptions): Promise<Session> {
  const [{ resolveEndpoint }, { openSession }] = await Promise.all([
    import("../../transport/resolve-endpoint.js"),
    import("../../transport/open-session.js"),
  ]);
  const { environment, url, auth, headers } = options;
  const overrides: EndpointSettings = {
    ...(url !== undefined && { url }),
    ...(auth !== undefined && { auth }),
    ...(headers !== undefined && { headers }),
  };
  const endpoint = resolveEndpoint(server, {
    lookup: lookUpVariable,
    where: `servers.${server.name}`,
    overrides,
    ...(environment !== undefined && { environment }),
  });
  const { connect, call } = server.timeouts ?? {};
  return openSession(endpoint, {
    ...(connect !== undefined && { connectTimeout: connect }),
    ...(call !== undefined && { callTimeout: call }),
    ...(server.capabilities !== undefined && { capabilities: server.capabilities }),
  });
}

/** By its mark, since the transport's classes are not loaded before the first call. */
function isSessionLost(error: unknown): boolean {
  return error instanceof McpCodegenError && "isSessionLost" in error;
}
