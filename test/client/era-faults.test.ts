import { describe, expect, test } from "vitest";
import { failureOf, listTools, open } from "./session.js";
import { INITIALIZED, respondRpc, startHttp, type Message } from "./start-http.js";

const MODERN = "2026-07-28";
const DISCOVERED = { supportedVersions: [MODERN], capabilities: { tools: {} } };
const refusalOf = (supported?: readonly string[]) => ({
  error: { code: -32022, message: "No", data: { supported } },
});
const headers = { authorization: "Bearer secret-token" };
const containing = (words: string): string => expect.stringContaining(words) as string;

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
/** Starts a server that answers `server/discover` so, and `initialize` so. */
const startWith = (discover: Answer, initialize: Answer = { result: INITIALIZED }) =>
  startServer(({ method }) => (method === "server/discover" ? discover : initialize));

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
    ["only old versions, as an error", refusalOf(["2025-06-18"])],
  ])("%s", async (_name, refusal) => {
    const { url, methods } = await startWith(refusal);
    const session = await open({ url });
    expect(session.identity.protocolVersion).toBe("2025-11-25");
    expect(methods).toEqual(["server/discover", "initialize", "notifications/initialized"]);
  });

  test("that never answers an unknown method is asked in the old way after half of the time", async () => {
    const { url } = await startWith(undefined);
    const session = await open({ url }, { connectTimeout: 600 });
    expect(session.identity.protocolVersion).toBe("2025-11-25");
  });
});

describe("is not taken for an old server:", () => {
  test.each([429, 502, 503, 504])("HTTP %i", async (status) => {
    const { url, methods } = await startServer(() => status);
    await failureOf(open({ url }));
    expect(methods).toEqual(["server/discover"]);
  });

  test.each([401, 403])("HTTP %i, which initialize gets too", async (status) => {
    const { url, methods } = await startServer(() => status);
    const error = await failureOf(open({ url }));
    expect(error.message).toContain(`(HTTP ${status})`);
    expect(error.hint).not.toContain("protocol");
    expect(methods).toEqual(["server/discover", "initialize"]);
    const hint = containing('If it refuses only "server/discover", set "protocol": "2025-11-25".');
    const withToken = { message: containing(`(HTTP ${status})`), hint };
    expect(await failureOf(open({ url, headers }))).toMatchObject(withToken);
  });

  test.each<[string, Answer]>([
    ["an unknown method", { error: { code: -32601, message: "Method not found" } }],
    ["an unsupported version", refusalOf([MODERN])],
    ["no such path", 404],
    ["a bad request", 400],
  ])("HTTP 401, when initialize is %s", async (_name, refusal) => {
    const { url } = await startWith(401, refusal);
    const error = await failureOf(open({ url, headers: { "x-api-key": "secret-key" } }));
    expect(error).toMatchObject({ status: 401, hint: containing('"protocol"') });
  });

  test.each([MODERN, "modern"])("HTTP 401 with protocol %s", async (protocol) => {
    const { url, methods } = await startServer(() => 401);
    const error = { code: "SERVER_REFUSED", status: 401 };
    expect(await failureOf(open({ url, headers, protocol }))).toMatchObject(error);
    expect(methods).toEqual(["server/discover"]);
  });

  test.each<[string, first: Answer, methods: readonly string[]]>([
    ["was too slow", undefined, ["server/discover", "initialize", "server/discover"]],
    ["refuses the version and lists it", refusalOf([MODERN]), ["server/discover", "server/discover"]],
  ])("a modern server that %s", async (_name, first, expected) => {
    const { url, methods } = await startServer(({ method }, count) => {
      if (count === 1) return first;
      return method === "initialize" ? refusalOf([MODERN]) : { result: DISCOVERED };
    });
    const session = await open({ url }, { connectTimeout: 1_000 });
    expect(session.identity.protocolVersion).toBe(MODERN);
    expect(methods).toEqual(expected);
  });
});

describe("a server that contradicts itself", () => {
  test.each<[string, Answer, message: string]>([
    ["claims a version that it then refuses", refusalOf(), "refused tools/list"],
    ["answers with an unknown type", { result: { resultType: "maybe" } }, 'unknown result type "maybe"'],
  ])("%s", async (_name, answer, message) => {
    const { url } = await startWith({ result: DISCOVERED }, answer);
    expect((await failureOf(listTools({ url }))).message).toContain(message);
  });

  test.each([
    [MODERN, `opened a session in protocol version "${MODERN}", which has no sessions.`],
    ["2099-01-01", `speaks protocol version "2099-01-01"; known versions: ${MODERN}, `],
    ["1999-01-01", `speaks protocol version "1999-01-01"; known versions: ${MODERN}, `],
  ])("opens a session in version %s", async (protocolVersion, words) => {
    const { url } = await startWith(404, { result: { ...INITIALIZED, protocolVersion } });
    const error = { code: "PROTOCOL_INVALID", exitCode: 3, message: containing(words) };
    expect(await failureOf(open({ url }))).toMatchObject(error);
  });

  test("speaks only versions of the future", async () => {
    const supportedVersions = ["2031-01-01", "\u001B[31m2032"];
    const { url, methods } = await startServer(() => ({ result: { ...DISCOVERED, supportedVersions } }));
    const { message } = await failureOf(open({ url }));
    expect(message).toContain('speaks protocol version "2031-01-01", ');
    expect(message).not.toContain("\u001B");
    expect(methods).toEqual(["server/discover"]);
  });

  test("changes the era within a session: the session keeps its own", async () => {
    const answers: Record<string, Answer> = {
      "server/discover": 404,
      initialize: { result: INITIALIZED },
      "tools/list": { result: { resultType: "complete", tools: [] } },
    };
    const { url, methods } = await startServer(({ method = "" }) => answers[method] ?? refusalOf([MODERN]));
    const session = await open({ url });
    expect(await session.request("tools/list", {})).toMatchObject({ tools: [] });
    const { message } = await failureOf(session.request("tools/call", { name: "one" }));
    expect(message).toContain("refused tools/call: No (-32022)");
    for (const method of ["server/discover", "initialize"])
      expect(methods.filter((one) => one === method)).toHaveLength(1);
  });

  test("gives sessions to a modern client, which uses none", async () => {
    const { url, sessions } = await startServer(() => ({ result: DISCOVERED }));
    await listTools({ url });
    expect(sessions).toEqual([undefined, undefined]);
  });
});
