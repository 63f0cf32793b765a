/**
 * A minimal MCP server: JSON-RPC over stdio or HTTP, with answers sent exactly as a fixture returns them. The servers of
 * the SDKs refuse to send most of them.
 *
 * Every fixture takes these flags:
 *   --http <port>    streamable HTTP on loopback at /mcp instead of stdio; 0 picks a port. The port is printed.
 *   --sse <port>     legacy HTTP with SSE at /sse
 *   --answer sse     streamable HTTP answers as an event stream instead of JSON
 *   --basic u:p, --bearer t, --header name=value    reject requests without these, like WordPress
 *   --forget-after n    forget each HTTP session after n requests in it
 *   --era both, --era modern    speaks revision 2026-07-28 too, or only that. Default: only the revisions before it.
 */
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import process from "node:process";
import { text as readBody } from "node:stream/consumers";
import { URL } from "node:url";
import { parseArgs } from "node:util";

/**
 * @typedef {Record<string, unknown>} Json
 * @typedef {import("node:http").IncomingMessage} Request
 * @typedef {import("node:http").ServerResponse} Response
 * @typedef {{ stdin: NodeJS.ReadableStream, stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream,
 *   env: Record<string, string | undefined>, exit: (code: number) => void, atEnd?: (() => void)[] }} Host
 *   The process, or what stands for it in the process of a test. `atEnd` closes what a process closes by ending.
 * @typedef {{ clientCapabilities: Json, clientInfo: Json, headers: Record<string, string | string[] | undefined>,
 *   send: (message: Json) => void, isSubscribed?: boolean, isLegacy?: boolean }} Connection
 * @typedef {(params: any, connection: Connection) => unknown} Handler
 *   A string is sent unchanged, as the raw JSON text of the result; undefined sends no answer.
 * @typedef {{ name: string, version?: string, title?: string, instructions?: string, capabilities?: Json,
 *   list?: Handler, call?: Handler, methods?: Record<string, Handler>,
 *   era?: "both" | "modern" | undefined, receive?: (message: any) => void,
 *   http?: (request: Request, response: Response) => boolean }} Behaviour
 *   `http` returns true when it has answered the HTTP request. `receive` gets the client's answers to requests.
 * @typedef {{ connection: Connection, requests: number, unsent: string[], stream?: Response | undefined }} Session
 *   Its notifications wait for the stream that a GET opens.
 */

const MODERN_VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const PROTOCOL_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const FLAGS = ["http", "sse", "answer", "basic", "bearer", "header", "forget-after", "era"];
const STREAM = { "content-type": "text/event-stream" };
/** WordPress's answer to a wrong application password: a REST body, not JSON-RPC. */
const UNAUTHORIZED = {
  code: "rest_forbidden",
  message: "Sorry, you are not allowed to do that.",
  data: { status: 401 },
};

/** A handler throws this to answer with a JSON-RPC error. */
export class RpcError extends Error {
  /** @param {number} code @param {string} message @param {unknown} [data] */
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/**
 * Returns the flags of a fixture: its own with their defaults, and the common ones.
 * @template {Record<string, string>} T
 * @param {T} own @param {string[]} [args] @returns {T & Record<string, string | undefined>}
 */
export function readOptions(own, args = process.argv.slice(2)) {
  const names = [...Object.keys(own), ...FLAGS];
  const options = Object.fromEntries(names.map((name) => [name, { type: /** @type {const} */ ("string") }]));
  return { ...own, .../** @type {any} */ (parseArgs({ args, options }).values) };
}

/** Returns a valid tool. @param {string} name @param {Json} [more] */
export function plainTool(name, more = {}) {
  const properties = { id: { type: "integer", description: "Which one." } };
  const inputSchema = { type: "object", properties, required: ["id"] };
  return { name, description: `Does what ${name} says.`, inputSchema, ...more };
}

/** Returns the answer of a tool without data. @param {string} text */
export function textResult(text) {
  return { content: [{ type: "text", text }] };
}

/** @param {Response} response @param {number} status @param {unknown} body */
export function respondJson(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** @param {unknown} message */
const eventOf = (message) =>
  `event: message\ndata: ${typeof message === "string" ? message : JSON.stringify(message)}\n\n`;

/** @param {(message: Json) => void} send @param {Connection["headers"]} [headers] @returns {Connection} */
const newConnection = (send, headers = {}) => ({ clientCapabilities: {}, clientInfo: {}, headers, send });

/**
 * Returns the raw text of the answer; undefined for a notification, an answer of the client or a silent handler.
 * @param {Behaviour} behaviour @param {any} message @param {Connection} connection
 */
async function answer(behaviour, message, connection) {
  if (message.method === undefined) behaviour.receive?.(message);
  if (message.id === undefined || message.method === undefined) return undefined;
  const id = JSON.stringify(message.id);
  try {
    const result = await handle(behaviour, message.method, message.params ?? {}, connection);
    if (result === undefined) return undefined;
    const text = typeof result === "string" ? result : JSON.stringify(result);
    return `{"jsonrpc":"2.0","id":${id},"result":${text}}`;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const body = { code: error.code, message: error.message, data: error.data };
    return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(body)}}`;
  }
}

/** @param {Behaviour} behaviour @param {string} method @param {any} params @param {Connection} connection @returns {Promise<unknown>} */
async function handle(behaviour, method, params, connection) {
  const version = params._meta?.[`${META}protocolVersion`];
  if (behaviour.era && version !== undefined) return handleModern(behaviour, method, params, connection);
  if (behaviour.era === "modern") throw unsupported(params.protocolVersion);
  connection.isLegacy ??= true;
  const own = behaviour.methods?.[method];
  if (method === "initialize") {
    connection.clientCapabilities = params.capabilities ?? {};
    connection.clientInfo = params.clientInfo ?? {};
    const isKnown = PROTOCOL_VERSIONS.includes(params.protocolVersion);
    return (
      (await own?.(params, connection)) ?? {
        protocolVersion: isKnown ? params.protocolVersion : "2025-11-25",
        serverInfo: serverOf(behaviour),
        ...sayingsOf(behaviour),
      }
    );
  }
  const handler =
    own ?? { ping: () => ({}), "tools/list": behaviour.list, "tools/call": behaviour.call }[method];
  if (handler === undefined) throw new RpcError(-32601, `Method not found: ${method}`);
  return handler(params, connection);
}

/** @param {Behaviour} behaviour */
const serverOf = ({ name, version = "1.0.0", title }) => ({ name, ...(title && { title }), version });
/** @param {Behaviour} behaviour */
const sayingsOf = ({ instructions, capabilities = { tools: {} } }) => ({
  capabilities,
  ...(instructions && { instructions }),
});

/** @param {Behaviour} behaviour @param {string} method @param {any} params @param {Connection} connection */
async function handleModern(behaviour, method, params, connection) {
  const version = params._meta[`${META}protocolVersion`];
  if (version !== MODERN_VERSION) throw unsupported(version);
  const request = {
    ...connection,
    isLegacy: false,
    send: (/** @type {Json} */ extra) => {
      // Over stdio, the client subscribes to changes. Over HTTP, the subscription has a stream.
      const isChange = String(extra["method"]).endsWith("list_changed");
      if (!isChange || connection.isSubscribed !== false) connection.send(extra);
    },
    clientCapabilities: params._meta[`${META}clientCapabilities`] ?? {},
    clientInfo: params._meta[`${META}clientInfo`] ?? {},
  };
  if (method === "server/discover")
    return (
      (await behaviour.methods?.[method]?.(params, request)) ?? {
        resultType: "complete",
        supportedVersions: [MODERN_VERSION, ...(behaviour.era === "both" ? PROTOCOL_VERSIONS : [])],
        ...{ ttlMs: 0, cacheScope: "private" },
        ...sayingsOf(behaviour),
        _meta: { [`${META}serverInfo`]: serverOf(behaviour) },
      }
    );
  if (method === "subscriptions/listen") {
    connection.isSubscribed = true;
    connection.send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params });
    return undefined;
  }
  const { _meta, ...rest } = params;
  const others = Object.entries(_meta).filter(([key]) => !key.startsWith(META));
  const own = { ...rest, ...(others.length > 0 && { _meta: Object.fromEntries(others) }) };
  const result = await handle({ ...behaviour, era: undefined }, method, own, request);
  if (typeof result !== "object" || result === null) return result;
  const fresh = method === "tools/list" && { ttlMs: 5_000, cacheScope: "private" };
  return { resultType: "complete", ...fresh, ...result };
}

/** @param {unknown} requested */
function unsupported(requested) {
  return new RpcError(-32022, "Unsupported protocol version", { supported: [MODERN_VERSION], requested });
}

/** @param {Request} request @param {Record<string, string | undefined>} options */
function isAllowed({ headers }, { basic, bearer, header }) {
  if (basic && headers.authorization !== `Basic ${Buffer.from(basic).toString("base64")}`) return false;
  if (bearer && headers.authorization !== `Bearer ${bearer}`) return false;
  const [, name = "", value] = /^([^=]*)=(.*)$/.exec(header ?? "") ?? [];
  return !header || headers[name.toLowerCase()] === value;
}

/**
 * Serves until stdin ends; over HTTP, until the process is killed. Returns what notifies every client: each connection, and
 * each stream that subscribed.
 * @param {Behaviour} behaviour @param {Record<string, string | undefined>} [options] @param {Host} [host]
 * @returns {(method: string) => void}
 */
export function serve(behaviour, options = readOptions({}), host = process) {
  if (options["era"] === "modern" || options["era"] === "both") behaviour.era = options["era"];
  /** The connections that stay open between messages. @type {Set<Connection>} */
  const connections = new Set();
  /** The open streams of `subscriptions/listen`. @type {Set<Response>} */
  const subscriptions = new Set();
  /** @type {Map<string, Session>} */
  const sessions = new Map();
  const forgetAfter = Number(options["forget-after"] ?? Infinity);
  const isStreaming = options["answer"] === "sse";

  function serveStdio() {
    const connection = newConnection((message) => host.stdout.write(`${JSON.stringify(message)}\n`));
    connection.isSubscribed = false;
    connections.add(connection);
    let rest = "";
    host.stdin.setEncoding("utf8").on("data", (chunk) => {
      // Node's readline also ends a line at U+2028 since Node 24.
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        void answer(behaviour, JSON.parse(line), connection).then((text) => {
          if (text !== undefined) host.stdout.write(`${text}\n`);
        });
      }
    });
    host.stdin.on("end", () => host.exit(0));
  }

  /** @param {string} port @param {(request: Request, response: Response) => Promise<void>} respond */
  function listen(port, respond) {
    const server = createServer((request, response) => {
      if (behaviour.http?.(request, response)) return;
      if (!isAllowed(request, options)) respondJson(response, 401, UNAUTHORIZED);
      else void respond(request, response);
    });
    host.atEnd?.push(() => {
      server.close();
      server.closeAllConnections();
    });
    server.listen(Number(port), "127.0.0.1", () => {
      const address = server.address();
      if (address && typeof address === "object") host.stdout.write(`${String(address.port)}\n`);
    });
  }

  /** @param {Request} request @param {Response} response @returns {Promise<void>} */
  async function respondHttp(request, response) {
    const id = String(request.headers["mcp-session-id"]);
    const session = sessions.get(id);
    if (request.method === "DELETE") {
      if (session !== undefined) connections.delete(session.connection);
      sessions.delete(id);
      response.writeHead(200).end();
      return;
    }
    if (request.method === "GET" && session !== undefined && behaviour.capabilities !== undefined) {
      response.writeHead(200, STREAM).flushHeaders();
      session.stream = response;
      for (const text of session.unsent.splice(0)) response.write(text);
      response.once("close", () => {
        if (session.stream === response) session.stream = undefined;
      });
      return;
    }
    if (request.method !== "POST") {
      response.writeHead(405, { allow: "POST, DELETE" }).end();
      return;
    }
    const message = JSON.parse(await readBody(request));
    const isFirst = message.method === "initialize";
    if (behaviour.era && (behaviour.era === "modern" || message.params?._meta?.[`${META}protocolVersion`]))
      return respondModern(message, request, response);
    if (!isFirst && request.headers["mcp-session-id"] === undefined)
      return respondJson(response, 400, "Missing Mcp-Session-Id");
    const used = isFirst ? newSession(request.headers) : session;
    if (!used || (!isFirst && ++used.requests > forgetAfter)) {
      const error = { code: -32001, message: "Session not found" };
      return respondJson(response, 404, { jsonrpc: "2.0", id: message.id ?? null, error });
    }
    used.connection.headers = request.headers;
    // Messages during a request go into its stream; two streams have no common order.
    const send = (/** @type {Json} */ extra) => void response.write(eventOf(extra));
    const connection = isStreaming && !isFirst ? { ...used.connection, send } : used.connection;
    const isRequest = message.id !== undefined && message.method !== undefined;
    if (isStreaming && isRequest) response.writeHead(200, { ...STREAM, ...(isFirst && open(used)) });
    const text = await answer(behaviour, message, connection);
    if (!isRequest) response.writeHead(202).end();
    else if (text === undefined) response.flushHeaders();
    else if (isStreaming) response.end(eventOf(text));
    else
      response.writeHead(200, { "content-type": "application/json", ...(isFirst && open(used)) }).end(text);
  }

  /** Answers one request of revision 2026-07-28, which has no session. @param {any} message @param {Request} request @param {Response} response */
  async function respondModern(message, { headers }, response) {
    const version = message.params?._meta?.[`${META}protocolVersion`];
    const isMirrored =
      headers["mcp-protocol-version"] === version && headers["mcp-method"] === message.method;
    if (version !== undefined && (!isMirrored || headers["mcp-session-id"] !== undefined)) {
      const error = { code: -32020, message: "Header mismatch" };
      return respondJson(response, 400, { jsonrpc: "2.0", id: message.id, error });
    }
    if (message.method === "subscriptions/listen") {
      const method = "notifications/subscriptions/acknowledged";
      response.writeHead(200, STREAM).write(eventOf({ jsonrpc: "2.0", method, params: message.params }));
      subscriptions.add(response);
      response.once("close", () => subscriptions.delete(response));
      return;
    }
    const connection = newConnection((extra) => {
      const isChange = String(extra["method"]).endsWith("list_changed");
      const streams = isChange ? [...subscriptions] : isStreaming ? [response] : [];
      for (const stream of streams) stream.write(eventOf(extra));
    }, headers);
    if (isStreaming) response.writeHead(200, STREAM);
    const text = await answer(behaviour, message, connection);
    if (text === undefined) response.flushHeaders();
    else if (isStreaming) response.end(eventOf(text));
    else {
      const code = JSON.parse(text).error?.code;
      respondJson(response, code === -32601 ? 404 : code === -32022 ? 400 : 200, text);
    }
  }

  /** @param {Connection["headers"]} headers */
  function newSession(headers) {
    const connection = newConnection((message) => {
      if (session.stream === undefined) session.unsent.push(eventOf(message));
      else session.stream.write(eventOf(message));
    }, headers);
    const session = /** @type {Session} */ ({ connection, requests: 0, unsent: [] });
    return session;
  }

  /** @param {Session} session */
  function open(session) {
    const id = randomUUID();
    sessions.set(id, session);
    connections.add(session.connection);
    return { "mcp-session-id": id };
  }

  /** @param {Request} request @param {Response} response @returns {Promise<void>} */
  async function respondSse(request, response) {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method === "GET" && url.pathname === "/sse") {
      const session = newSession(request.headers);
      session.stream = response;
      const id = open(session)["mcp-session-id"];
      response.writeHead(200, STREAM).write(`event: endpoint\ndata: /messages?session=${id}\n\n`);
      response.on("close", () => {
        sessions.delete(id);
        connections.delete(session.connection);
      });
      return;
    }
    const session = sessions.get(url.searchParams.get("session") ?? "");
    if (request.method !== "POST" || url.pathname !== "/messages" || !session) {
      response.writeHead(404).end();
      return;
    }
    const message = JSON.parse(await readBody(request));
    response.writeHead(202).end();
    const text = await answer(behaviour, message, session.connection);
    if (text !== undefined) session.stream?.write(eventOf(text));
  }

  if (options["http"] !== undefined) listen(options["http"], respondHttp);
  else if (options["sse"] !== undefined) listen(options["sse"], respondSse);
  else serveStdio();
  return (method) => {
    const message = { jsonrpc: "2.0", method };
    for (const connection of connections) {
      if (connection.isLegacy === true || connection.isSubscribed === true) connection.send(message);
    }
    for (const stream of subscriptions) stream.write(eventOf(message));
  };
}
