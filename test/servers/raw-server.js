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
import { URL } from "node:url";
import { parseArgs } from "node:util";

/**
 * @typedef {Record<string, unknown>} Json
 * @typedef {{ clientCapabilities: Json, clientInfo: Json, headers: Record<string, string | string[] | undefined>,
 *   send: (message: Json) => void, isSubscribed?: boolean, isLegacy?: boolean }} Connection
 * @typedef {(params: Json, connection: Connection) => unknown} Handler
 *   A string is sent unchanged, as the raw JSON text of the result; undefined sends no answer.
 * @typedef {{ name: string, version?: string, title?: string, instructions?: string, capabilities?: Json,
 *   list?: Handler, call?: Handler, methods?: Record<string, Handler>,
 *   era?: "both" | "modern" | undefined, receive?: (message: any) => void,
 *   http?: (request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => boolean }} Behaviour
 *   `http` returns true when it has answered the HTTP request. `receive` gets the client's answers to requests.
 */

const MODERN_VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const PROTOCOL_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

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
 * @param {T} own
 * @returns {T & Record<string, string | undefined>}
 */
export function readOptions(own) {
  const names = [
    ...Object.keys(own),
    "http",
    "sse",
    "answer",
    "basic",
    "bearer",
    "header",
    "forget-after",
    "era",
  ];
  const options = Object.fromEntries(names.map((name) => [name, { type: /** @type {const} */ ("string") }]));
  return { ...own, .../** @type {any} */ (parseArgs({ options }).values) };
}

/**
 * Serves until stdin ends; over HTTP, until the process is killed.
 * @param {Behaviour} behaviour
 * @param {Record<string, string | undefined>} [options]
 */
export function serve(behaviour, options = readOptions({})) {
  if (options["era"] === "modern" || options["era"] === "both") behaviour.era = options["era"];
  if (options["http"] !== undefined) serveHttp(behaviour, options, Number(options["http"]));
  else if (options["sse"] !== undefined) serveSse(behaviour, options, Number(options["sse"]));
  else serveStdio(behaviour);
}

/** The connections that stay open between messages. @type {Set<Connection>} */
const connections = new Set();

/** Notifies every client: each connection, and each stream that subscribed. @param {string} method */
export function notifyAll(method) {
  const message = { jsonrpc: "2.0", method };
  for (const connection of connections) {
    if (connection.isLegacy === true || connection.isSubscribed === true) connection.send(message);
  }
  for (const stream of subscriptions) stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** @param {(message: Json) => void} send @param {Connection["headers"]} [headers] @returns {Connection} */
function newConnection(send, headers = {}) {
  return { clientCapabilities: {}, clientInfo: {}, headers, send };
}

/**
 * Returns the raw text of the answer; undefined for a notification, an answer of the client or a silent handler.
 * @param {Behaviour} behaviour
 * @param {any} message
 * @param {Connection} connection
 * @returns {Promise<string | undefined>}
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

/**
 * @param {Behaviour} behaviour @param {string} method @param {any} params @param {Connection} connection
 * @returns {Promise<unknown>}
 */
async function handle(behaviour, method, params, connection) {
  const own = behaviour.methods?.[method];
  const version = params._meta?.[`${META}protocolVersion`];
  if (behaviour.era && version !== undefined)
    return await handleModern(behaviour, method, params, connection);
  if (behaviour.era === "modern") throw unsupported(params.protocolVersion);
  connection.isLegacy ??= true;
  if (method === "initialize") {
    connection.clientCapabilities = params.capabilities ?? {};
    connection.clientInfo = params.clientInfo ?? {};
    const replaced = await own?.(params, connection);
    if (replaced !== undefined) return replaced;
    const { name, version = "1.0.0", title, instructions, capabilities = { tools: {} } } = behaviour;
    return {
      protocolVersion: PROTOCOL_VERSIONS.includes(params.protocolVersion)
        ? params.protocolVersion
        : "2025-11-25",
      capabilities,
      serverInfo: { name, ...(title && { title }), version },
      ...(instructions && { instructions }),
    };
  }
  if (own) return await own(params, connection);
  if (method === "ping") return {};
  if (method === "tools/list" && behaviour.list) return await behaviour.list(params, connection);
  if (method === "tools/call" && behaviour.call) return await behaviour.call(params, connection);
  throw new RpcError(-32601, `Method not found: ${method}`);
}

/**
 * @param {Behaviour} behaviour @param {string} method @param {any} params @param {Connection} connection
 * @returns {Promise<unknown>}
 */
async function handleModern(behaviour, method, params, connection) {
  const version = params._meta[`${META}protocolVersion`];
  if (version !== MODERN_VERSION) throw unsupported(version);
  const { name, title, instructions, capabilities = { tools: {} } } = behaviour;
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
  if (method === "server/discover") {
    const replaced = await behaviour.methods?.[method]?.(params, request);
    if (replaced !== undefined) return replaced;
    return {
      resultType: "complete",
      supportedVersions: behaviour.era === "both" ? [MODERN_VERSION, ...PROTOCOL_VERSIONS] : [MODERN_VERSION],
      capabilities,
      ...(instructions && { instructions }),
      ttlMs: 0,
      cacheScope: "private",
      _meta: {
        [`${META}serverInfo`]: { name, ...(title && { title }), version: behaviour.version ?? "1.0.0" },
      },
    };
  }
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
  return {
    resultType: "complete",
    ...(method === "tools/list" && { ttlMs: 5_000, cacheScope: "private" }),
    ...result,
  };
}

/** @param {unknown} requested */
function unsupported(requested) {
  return new RpcError(-32022, "Unsupported protocol version", { supported: [MODERN_VERSION], requested });
}

/** @param {Behaviour} behaviour */
function serveStdio(behaviour) {
  const connection = newConnection((message) => process.stdout.write(`${JSON.stringify(message)}\n`));
  connection.isSubscribed = false;
  connections.add(connection);
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    // Node's readline also ends a line at U+2028 since Node 24.
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      void answer(behaviour, JSON.parse(line), connection).then((text) => {
        if (text !== undefined) process.stdout.write(`${text}\n`);
      });
    }
  });
  process.stdin.on("end", () => process.exit(0));
}

/** @param {import("node:http").IncomingMessage} request */
async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {Record<string, string | undefined>} options
 */
function isAllowed(request, options) {
  const { basic, bearer, header } = options;
  const given = request.headers.authorization;
  if (basic && given !== `Basic ${Buffer.from(basic).toString("base64")}`) return false;
  if (bearer && given !== `Bearer ${bearer}`) return false;
  if (!header) return true;
  const at = header.indexOf("=");
  return request.headers[header.slice(0, at).toLowerCase()] === header.slice(at + 1);
}

/** @param {import("node:http").ServerResponse} response @param {number} status @param {unknown} body */
export function respondJson(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** WordPress's answer to a wrong application password: a REST body, not JSON-RPC. */
const UNAUTHORIZED = {
  code: "rest_forbidden",
  message: "Sorry, you are not allowed to do that.",
  data: { status: 401 },
};

/**
 * @param {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => Promise<void>} respond
 * @param {Behaviour} behaviour
 * @param {Record<string, string | undefined>} options
 * @param {number} port
 */
function listen(respond, behaviour, options, port) {
  const server = createServer((request, response) => {
    if (behaviour.http?.(request, response)) return;
    if (!isAllowed(request, options)) respondJson(response, 401, UNAUTHORIZED);
    else void respond(request, response);
  });
  server.listen(port, "127.0.0.1", () => {
    const address = server.address();
    if (address && typeof address === "object") process.stdout.write(`${String(address.port)}\n`);
  });
}

/** @param {Behaviour} behaviour @param {Record<string, string | undefined>} options @param {number} port */
function serveHttp(behaviour, options, port) {
  /** @type {Map<string, HttpSession>} */
  const sessions = new Map();
  const forgetAfter = Number(options["forget-after"] ?? Infinity);
  listen(
    async (request, response) => {
      const id = request.headers["mcp-session-id"];
      if (request.method === "DELETE") {
        const ended = sessions.get(String(id));
        if (ended !== undefined) connections.delete(ended.connection);
        sessions.delete(String(id));
        response.writeHead(200).end();
        return;
      }
      const listening = request.method === "GET" ? sessions.get(String(id)) : undefined;
      if (listening !== undefined && behaviour.capabilities !== undefined) {
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        listening.stream = response;
        for (const text of listening.unsent.splice(0)) response.write(text);
        response.once("close", () => {
          if (listening.stream === response) listening.stream = undefined;
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
        return respondModern(behaviour, message, request, response, options);
      if (!isFirst && id === undefined) return respondJson(response, 400, "Missing Mcp-Session-Id");
      const found = isFirst ? newSession(request.headers) : sessions.get(String(id));
      if (!found || (!isFirst && ++found.requests > forgetAfter)) {
        const body = {
          jsonrpc: "2.0",
          id: message.id ?? null,
          error: { code: -32001, message: "Session not found" },
        };
        return respondJson(response, 404, body);
      }
      found.connection.headers = request.headers;
      const streams = options["answer"] === "sse";
      // Messages during a request go into its stream; two streams have no common order.
      const send = (/** @type {Json} */ extra) =>
        void response.write(`event: message\ndata: ${JSON.stringify(extra)}\n\n`);
      const connection = streams && !isFirst ? { ...found.connection, send } : found.connection;
      if (streams && message.id !== undefined && message.method !== undefined) {
        const session = isFirst ? open(sessions, found) : {};
        response.writeHead(200, { "content-type": "text/event-stream", ...session });
      }
      const text = await answer(behaviour, message, connection);
      if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
      else if (text === undefined) response.flushHeaders();
      else if (streams) response.end(`event: message\ndata: ${text}\n\n`);
      else {
        const session = isFirst ? open(sessions, found) : {};
        response.writeHead(200, { "content-type": "application/json", ...session });
        response.end(text);
      }
    },
    behaviour,
    options,
    port,
  );
}

/** The open streams of `subscriptions/listen`. @type {Set<import("node:http").ServerResponse>} */
const subscriptions = new Set();

/**
 * Answers one request of revision 2026-07-28, which has no session.
 * @param {Behaviour} behaviour
 * @param {any} message
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {Record<string, string | undefined>} options
 */
async function respondModern(behaviour, message, request, response, options) {
  const version = message.params?._meta?.[`${META}protocolVersion`];
  const { headers } = request;
  const isMirrored = headers["mcp-protocol-version"] === version && headers["mcp-method"] === message.method;
  if (version !== undefined && (!isMirrored || headers["mcp-session-id"] !== undefined)) {
    const error = { code: -32020, message: "Header mismatch" };
    return respondJson(response, 400, { jsonrpc: "2.0", id: message.id, error });
  }
  const write = (/** @type {Json} */ extra) =>
    void response.write(`event: message\ndata: ${JSON.stringify(extra)}\n\n`);
  if (message.method === "subscriptions/listen") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    write({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: message.params });
    subscriptions.add(response);
    response.once("close", () => subscriptions.delete(response));
    return;
  }
  const streams = options["answer"] === "sse";
  const connection = newConnection((extra) => {
    const isChange = String(extra["method"]).endsWith("list_changed");
    for (const stream of isChange ? subscriptions : []) {
      stream.write(`event: message\ndata: ${JSON.stringify(extra)}\n\n`);
    }
    if (!isChange && streams) write(extra);
  }, headers);
  if (streams) response.writeHead(200, { "content-type": "text/event-stream" });
  const text = await answer(behaviour, message, connection);
  if (text === undefined) response.flushHeaders();
  else if (streams) response.end(`event: message\ndata: ${text}\n\n`);
  else {
    const code = JSON.parse(text).error?.code;
    respondJson(response, code === -32601 ? 404 : code === -32022 ? 400 : 200, text);
  }
}

/**
 * A session. Its notifications wait for the stream that a GET opens.
 * @typedef {{ connection: Connection, requests: number, unsent: string[],
 *   stream?: import("node:http").ServerResponse | undefined }} HttpSession
 * @param {Connection["headers"]} headers @returns {HttpSession}
 */
function newSession(headers) {
  /** @type {HttpSession} */
  const session = { connection: newConnection(send, headers), requests: 0, unsent: [] };
  /** @param {Json} message */
  function send(message) {
    const text = `event: message\ndata: ${JSON.stringify(message)}\n\n`;
    if (session.stream === undefined) session.unsent.push(text);
    else session.stream.write(text);
  }
  return session;
}

/**
 * @param {Map<string, HttpSession>} sessions
 * @param {HttpSession} session
 */
function open(sessions, session) {
  const id = randomUUID();
  sessions.set(id, session);
  connections.add(session.connection);
  return { "mcp-session-id": id };
}

/** @param {Behaviour} behaviour @param {Record<string, string | undefined>} options @param {number} port */
function serveSse(behaviour, options, port) {
  /** @type {Map<string, { connection: Connection, stream: import("node:http").ServerResponse }>} */
  const sessions = new Map();
  listen(
    async (request, response) => {
      const url = new URL(request.url ?? "/", "http://127.0.0.1");
      if (request.method === "GET" && url.pathname === "/sse") {
        const id = randomUUID();
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`event: endpoint\ndata: /messages?session=${id}\n\n`);
        const send = (/** @type {Json} */ message) =>
          void response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
        const connection = newConnection(send, request.headers);
        sessions.set(id, { connection, stream: response });
        connections.add(connection);
        response.on("close", () => {
          sessions.delete(id);
          connections.delete(connection);
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
      if (text !== undefined) session.stream.write(`event: message\ndata: ${text}\n\n`);
    },
    behaviour,
    options,
    port,
  );
}

/**
 * Returns a valid tool.
 * @param {string} name
 * @param {Json} [more]
 */
export function plainTool(name, more = {}) {
  return {
    name,
    description: `Does what ${name} says.`,
    inputSchema: {
      type: "object",
      properties: { id: { type: "integer", description: "Which one." } },
      required: ["id"],
    },
    ...more,
  };
}

/** Returns the answer of a tool without data. @param {string} text */
export function textResult(text) {
  return { content: [{ type: "text", text }] };
}
