import { describe, expect, onTestFinished, test } from "vitest";
import { omitUndefined } from "../../src/core/collections.js";
import { McpCodegenError } from "../../src/core/errors.js";
import { openSession, type SessionOptions } from "../../src/client/open-session.js";
import { type Session } from "../../src/client/session.js";
import { endpointOf } from "./endpoint.js";
import { respondRpc, startHttp, type Message } from "./start-http.js";

const MODERN = "2026-07-28";
const DISCOVERED = { supportedVersions: [MODERN], capabilities: { tools: {} } };
const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "old" },
};

/** What a server answers to a request: a result, an error, an HTTP status, or nothing. */
type Answer = { readonly result: object } | { readonly error: object } | number | undefined;

/** Starts a server. Returns its URL and the methods and session IDs of the messages that it received. */
async function startServer(answer: (request: Message, count: number) => Answer) {
  const methods: string[] = [];
  const sessions: unknown[] = [];
  const url = await startHttp((message, request, response) => {
    const { id, method } = message;
    sessions.push(request.headers["mcp-session-id"]);
    methods.push(method ?? request.method ?? "");
    const given = id === undefined ? 202 : answer(message, methods.length);
    if (typeof given === "number") response.writeHead(given).end();
    // A modern client ignores the session.
    else if (given !== undefined)
      respondRpc(response, id, given, { "mcp-session-id": `session-${methods.length}` });
  });
  return { url, methods, sessions };
}

async function open(
  url: string,
  options: SessionOptions = {},
  headers?: { readonly [name: string]: string },
  protocol?: string,
): Promise<Session> {
  const session = await openSession(endpointOf({ url, ...omitUndefined({ headers, protocol }) }), options);
  onTestFinished(() => session.close());
  return session;
}

async function failureOf(work: Promise<unknown>): Promise<McpCodegenError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof McpCodegenError) return error;
  throw new Error("It did not fail with a McpCodegenError.");
}

describe("an old server over HTTP costs one request more", () => {
  test.each<[string, Answer]>([
    ["an unknown method", { error: { code: -32601, message: "Method not found" } }],
    ["another error", { error: { code: -32603, message: "Internal error" } }],
    ["no session", 400],
    ["no such path", 404],
    ["no such HTTP method", 405],
    ["an internal error", 500],
    ["an empty answer", 202],
    ["a result of another kind", { result: {} }],
    ["refused credentials", 401],
    ["a refused method", 403],
    ["refused credentials for a proxy", 407],
    ["only old versions", { result: { ...DISCOVERED, supportedVersions: ["2025-11-25"] } }],
    ["only old versions, as an error", { error: { code: -32022, message: "No", data: { supported: ["2025-06-18"] } } }],
  ])("%s", async (_name, refusal) => {
    const { url, methods } = await startServer(({ method }) =>
      method === "server/discover" ? refusal : { result: INITIALIZED },
    );
    const session = await open(url);
    expect(session.identity.protocolVersion).toBe("2025-11-25");
    expect(methods).toEqual(["server/discover", "initialize", "notifications/initialized"]);
  }); // prettier-ignore

  test("that never answers an unknown method is asked in the old way after half of the time", async () => {
    const { url } = await startServer(({ method }) =>
      method === "server/discover" ? undefined : { result: INITIALIZED },
    );
    const session = await open(url, { connectTimeout: 600 });
    expect(session.identity.protocolVersion).toBe("2025-11-25");
  });
});

describe("is not taken for an old server:", () => {
  test.each([429, 502, 503, 504])("HTTP %i", async (status) => {
    const { url, methods } = await startServer(() => status);
    await failureOf(open(url));
    expect(methods).toEqual(["server/discover"]);
  });

  test.each([401, 403])("HTTP %i, which initialize gets too", async (status) => {
    const { url, methods } = await startServer(() => status);
    const error = await failureOf(open(url));
    expect(error.message).toContain(`(HTTP ${status})`);
    expect(error.hint).not.toContain("protocol");
    expect(methods).toEqual(["server/discover", "initialize"]);
    const withToken = await failureOf(open(url, {}, { authorization: "Bearer secret-token" }));
    expect(withToken.message).toContain(`(HTTP ${status})`);
    expect(withToken.hint).toMatch(/If it refuses only "server\/discover", set "protocol": "2025-11-25"\.$/);
  });

  test.each<[string, Answer]>([
    ["an unknown method", { error: { code: -32601, message: "Method not found" } }],
    ["an unsupported version", { error: { code: -32022, message: "No", data: { supported: [MODERN] } } }],
    ["no such path", 404],
    ["a bad request", 400],
  ])("HTTP 401, when initialize is %s", async (_name, refusal) => {
    const { url } = await startServer(({ method }) => (method === "server/discover" ? 401 : refusal));
    const error = await failureOf(open(url, {}, { "x-api-key": "secret-key" }));
    expect(error).toMatchObject({ status: 401, hint: expect.stringContaining('"protocol"') as string });
  });

  test.each([MODERN, "modern"])("HTTP 401 with protocol %s", async (protocol) => {
    const { url, methods } = await startServer(() => 401);
    const error = await failureOf(open(url, {}, { authorization: "Bearer secret-token" }, protocol));
    expect(error).toMatchObject({ code: "SERVER_REFUSED", status: 401 });
    expect(methods).toEqual(["server/discover"]);
  });

  test("a modern server that was too slow", async () => {
    const { url, methods } = await startServer(({ method }, count) => {
      if (count === 1) return undefined;
      return method === "initialize"
        ? { error: { code: -32022, message: "No sessions.", data: { supported: [MODERN] } } }
        : { result: DISCOVERED };
    });
    const session = await open(url, { connectTimeout: 1_000 });
    expect(session.identity.protocolVersion).toBe(MODERN);
    expect(methods).toEqual(["server/discover", "initialize", "server/discover"]);
  });

  test("a modern server that refuses the version and lists it", async () => {
    const error = { code: -32022, message: "No", data: { supported: [MODERN], requested: MODERN } };
    const { url } = await startServer((_request, count) =>
      count === 1 ? { error } : { result: DISCOVERED },
    );
    expect((await open(url)).identity.protocolVersion).toBe(MODERN);
  });
});

describe("a server that contradicts itself", () => {
  test.each([
    ["claims a version that it then refuses", { error: { code: -32022, message: "No" } }, "refused tools/list"],
    ["answers with an unknown type of result", { result: { resultType: "maybe" } }, 'unknown result type "maybe"'],
  ])("%s", async (_name, answer, message) => {
    const { url } = await startServer(({ method }) =>
      method === "server/discover" ? { result: DISCOVERED } : answer,
    );
    const session = await open(url);
    expect((await failureOf(session.request("tools/list", {}))).message).toContain(message);
  }); // prettier-ignore

  test.each([
    [MODERN, `opened a session in protocol version "${MODERN}", which has no sessions.`],
    ["2099-01-01", `speaks protocol version "2099-01-01"; known versions: ${MODERN}, `],
    ["1999-01-01", `speaks protocol version "1999-01-01"; known versions: ${MODERN}, `],
  ])("opens a session in version %s", async (protocolVersion, message) => {
    const { url } = await startServer(({ method }) =>
      method === "initialize" ? { result: { ...INITIALIZED, protocolVersion } } : 404,
    );
    const error = await failureOf(open(url));
    expect(error).toMatchObject({ code: "PROTOCOL_INVALID", exitCode: 3 });
    expect(error.message).toContain(message);
  });

  test("speaks only versions of the future", async () => {
    const supportedVersions = ["2031-01-01", "\u001B[31m2032"];
    const { url, methods } = await startServer(() => ({ result: { ...DISCOVERED, supportedVersions } }));
    const error = await failureOf(open(url));
    expect(error.message).toContain('speaks protocol version "2031-01-01", ');
    expect(error.message).not.toContain("\u001B");
    expect(methods).toEqual(["server/discover"]);
  });

  test("changes the era within a session: the session keeps its own", async () => {
    const { url, methods } = await startServer(({ method }) => {
      if (method === "server/discover") return 404;
      if (method === "initialize") return { result: INITIALIZED };
      if (method === "tools/list") return { result: { resultType: "complete", tools: [] } };
      return { error: { code: -32022, message: "Unsupported version", data: { supported: [MODERN] } } };
    });
    const session = await open(url);
    expect(await session.request("tools/list", {})).toMatchObject({ tools: [] });
    expect((await failureOf(session.request("tools/call", { name: "one" }))).message).toContain(
      "refused tools/call: Unsupported version (-32022)",
    );
    for (const method of ["server/discover", "initialize"])
      expect(methods.filter((one) => one === method)).toHaveLength(1);
  });

  test("gives sessions to a modern client, which uses none", async () => {
    const { url, sessions } = await startServer(() => ({ result: DISCOVERED }));
    const session = await open(url);
    await session.request("tools/list", {});
    expect(sessions).toEqual([undefined, undefined]);
  });
});
