/** How often a call reaches a server that loses its sessions, or that refuses calls as if it had lost them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { type Message, startHttp } from "../../client/start-http.js";
import { sample } from "../../sample.js";
import { type CallOptions, defineServer } from "../../../src/runtime/index.js";

type Write = (response: ServerResponse, status: number, id: unknown) => void;

const send = (type: string, body: string): Write => {
  return (response, status) => response.writeHead(status, { "content-type": type }).end(body);
};
const sendRpc = (message: string, isOwn: boolean): Write => {
  return (response, status, id) => {
    const error = { code: -32_001, message };
    const body = { jsonrpc: "2.0", id: isOwn ? id : null, error };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
};

const NESTED = '{"error":{"message":"No valid session ID provided"}}';
/** Answers that name the session. */
const WORDS: Readonly<Record<string, Write>> = {
  "a text": send("text/plain; charset=utf-8", "Bad Request: No valid session ID provided"),
  "a line": send("text/plain", "Invalid session ID\n"),
  "no content type": (response, status) => response.writeHead(status).end("session not found"),
  "an error": send("application/json", '{"error":"Invalid session"}'),
  "a code": send("application/json", '{"code":"invalid_session"}'),
  "a detail": send("application/json", '{"detail":"Session has expired"}'),
  "a nested error": send(
    "application/json",
    JSON.stringify({ error: `Error POSTing (HTTP 400): ${NESTED}` }),
  ),
  "a page about it": send("text/html", "<!doctype html><body><pre>Error: Invalid session</pre></body>"),
  "a restarted server": sendRpc("Bad Request: Server not initialized", false),
  "JSON-RPC": sendRpc("Session not found", true),
  "JSON-RPC without the ID": sendRpc("Session terminated", false),
};
/** Answers that do not. */
const SILENT: Readonly<Record<string, Write>> = {
  "an empty body": (response, status) => response.writeHead(status).end(),
  "a page": send("text/html", "<!doctype html><script>sessionStorage.x</script><h1>Not possible</h1>"),
  "another text": send("text/plain", "Not possible"),
  "another error": send("application/json", '{"error":"Not possible"}'),
  "other JSON-RPC": sendRpc("Not possible", true),
};
const FORMS = { ...WORDS, ...SILENT };
/** One of each kind, for statuses that are not about sessions. */
const FEW = ["a text", "JSON-RPC", "an empty body", "a page", "other JSON-RPC"];

const ERAS = ["sessions", "no sessions", "events", "modern"] as const;
type Era = (typeof ERAS)[number];
const ANNOTATIONS = {
  "a read": { readOnlyHint: true },
  "an idempotent write": { readOnlyHint: false, idempotentHint: true },
  "a write": { readOnlyHint: false, destructiveHint: false },
  "a destructive write": { readOnlyHint: false, destructiveHint: true },
  "a tool without annotations": {},
} as const;

interface Case {
  readonly era: Era;
  readonly status: number;
  readonly form: string;
  /** Which requests are refused: those in an unknown session, all but the handshake, or calls alone. */
  readonly refuses: "unknown" | "all" | "calls";
  /** How the first call ends, and the session with it. */
  ending: "progress" | "cut" | undefined;
  readonly sessions: Set<string>;
  readonly streams: Map<string, ServerResponse>;
  calls: number;
  executed: number;
  opened: number;
}

interface Params {
  readonly arguments?: { readonly delay?: number };
  readonly _meta?: { readonly progressToken?: unknown };
}

const IDENTITY = { capabilities: { tools: {} }, serverInfo: { name: "forgetful", version: "1" } };

async function respond(known: Case, message: Message, request: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  if (request.method === "GET" && known.era === "events") {
    const id = `s${++known.opened}`;
    known.sessions.add(id);
    known.streams.set(id, response);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: endpoint\ndata: ${pathname}?session_id=${id}\n\n`);
    return;
  }
  if (request.method !== "POST") {
    // The client resumes the stream of a call.
    response.writeHead(request.headers["last-event-id"] === undefined ? 405 : 404).end();
    return;
  }
  const { id, method = "", params } = message as Message & { readonly params?: Params };
  const session = searchParams.get("session_id") ?? String(request.headers["mcp-session-id"]);
  const answer = (body: object, headers = {}): void => {
    const message = JSON.stringify({ jsonrpc: "2.0", id, ...body });
    if (known.era === "events") {
      if (!response.headersSent) response.writeHead(202).end();
      known.streams.get(session)?.write(`event: message\ndata: ${message}\n\n`);
    } else response.writeHead(200, { "content-type": "application/json", ...headers }).end(message);
  };
  const isCall = method === "tools/call";
  if (isCall) known.calls += 1;
  const isHandshake = ["initialize", "server/discover", "notifications/initialized"].includes(method);
  const isUnknown = ["sessions", "events"].includes(known.era) && !known.sessions.has(session);
  const isRefused = { unknown: isUnknown, all: !isHandshake, calls: isCall }[known.refuses];
  if (method === "initialize" && known.era !== "modern") {
    const result = { protocolVersion: "2025-06-18", ...IDENTITY };
    if (known.era !== "sessions") answer({ result });
    else {
      const name = `s${++known.opened}`;
      known.sessions.add(name);
      answer({ result }, { "mcp-session-id": name });
    }
  } else if (method === "server/discover" && known.era === "modern")
    answer({ result: { supportedVersions: ["2026-07-28"], ...IDENTITY } });
  else if (isCall && known.ending !== undefined) {
    const { ending } = known;
    known.ending = undefined;
    known.sessions.clear();
    known.executed += 1;
    const progress = { progressToken: params?._meta?.progressToken, progress: 1 };
    const message = { jsonrpc: "2.0", method: "notifications/progress", params: progress };
    const notification = JSON.stringify(message);
    if (ending === "cut") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`id: 1\nretry: 1\ndata: ${notification}\n\n`, () => response.destroy());
    } else {
      known.streams.get(session)?.write(`event: message\ndata: ${notification}\n\n`);
      await setTimeout(50);
      FORMS[known.form]?.(response, known.status, id);
    }
  } else if (!isHandshake && isRefused) FORMS[known.form]?.(response, known.status, id);
  else if (id === undefined) response.writeHead(202).end();
  else if (isCall) {
    known.executed += 1;
    if (known.era === "events") response.writeHead(202).end();
    await setTimeout(params?.arguments?.delay ?? 0);
    answer({ result: { content: [{ type: "text", text: "done" }] } });
  } else if (method === "ping") answer({ result: {} });
  else answer({ error: { code: -32_601, message: "Method not found" } });
}

/** Starts a server, and connects to it. */
async function open(era: Era, status: number, form: string, refuses: Case["refuses"] = "unknown") {
  const state: Case = {
    ...{ era, status, form, refuses },
    sessions: new Set(),
    streams: new Map(),
    ...{ calls: 0, executed: 0, opened: 0, ending: undefined },
  };
  const server = defineServer({
    name: "forgetful",
    contract: "1.0.0",
    url: await startHttp((...exchange) => respond(state, ...exchange)),
    transport: era === "events" ? "sse" : "http",
    // Many connections are opened at once.
    timeouts: { connect: 50_000 },
  });
  const tools = Object.fromEntries(
    Object.entries(ANNOTATIONS).map(([name, annotations]) => [
      name,
      defineTool({ server, name, annotations, input: z.looseObject({}), inputSchema: () => ({}) }),
    ]),
  );
  const connection = connectTools(server, tools);
  onTestFinished(() => connection.close());
  const call = async (kind = "a write", input: object = {}, options?: CallOptions) =>
    connection[kind]?.safe({ ...input }, options) ?? Promise.reject(new Error(`There is no tool "${kind}".`));
  return { state, call, counts: () => [state.calls, state.executed, state.opened] };
}

const done = { ok: true };
const kinds = Object.keys(ANNOTATIONS);
const isRepeatable = (kind: string): boolean => kind === "a read" || kind === "an idempotent write";

describe("a call after the server has lost the session", () => {
  const STATUSES = [400, 401, 403, 404, 409, 410, 412, 422, 500, 502, 503];
  const losses = (["sessions", "events"] as const).flatMap((era) =>
    STATUSES.map((status) => [era, status] as const),
  );

  async function expectOneMore(era: Era, status: number, form: string, kind: string): Promise<void> {
    const { state, call, counts } = await open(era, status, form);
    expect(await call(kind), `${form}, before ${kind}`).toMatchObject(done);
    state.sessions.clear();
    expect(await call(kind), `${form}, ${kind}`).toMatchObject(done);
    expect(counts(), `calls, done, sessions: ${form}, ${kind}`).toEqual([3, 2, 2]);
  }

  test.each(sample(losses, 5))("is done once, in one new session (%s, HTTP %i)", async (era, status) => {
    const forms = Object.keys(status === 404 || status === 410 ? FORMS : WORDS);
    await Promise.all([
      ...forms.map((form) => expectOneMore(era, status, form, "a write")),
      ...kinds.map((kind) => expectOneMore(era, status, "a text", kind)),
    ]);
  });

  test.each(Object.keys(WORDS).filter((form) => form.startsWith("a") || form.startsWith("JSON")))(
    "is done once when the words come with HTTP 200 (%s)",
    (form) => expectOneMore("sessions", 200, form, "a write"),
  );

  test.each(["sessions", "events"] as const)("is one of ten that share one new session (%s)", async (era) => {
    const { state, call, counts } = await open(era, 404, "a text");
    await call();
    state.sessions.clear();
    const results = await Promise.all(Array.from({ length: 10 }, () => call()));
    expect(results.filter(({ ok }) => ok)).toHaveLength(10);
    expect(counts()).toEqual([21, 11, 2]);
  });
});

describe("a call that the server has begun", () => {
  const words = "ended the session while it worked on the call";
  const lost = { error: { message: expect.stringContaining(words) as string } };
  test.each([
    ["a write", lost, 2],
    ["a read", done, 3],
  ])("is sent again only if it is a read: %s", async (kind, result, calls) => {
    const { state, call } = await open("events", 404, "a text");
    await call(kind);
    state.ending = "progress";
    expect(await call(kind, {}, { onProgress: () => undefined, retry: 5 })).toMatchObject(result);
    expect(state.calls).toBe(calls);
  });

  test("is not sent again when its stream breaks and cannot be resumed", async () => {
    const { state, call, counts } = await open("sessions", 404, "a text");
    await call();
    state.ending = "cut";
    expect(await call("a write", {}, { retry: 5 })).toMatchObject({ ok: false });
    expect(counts()).toEqual([2, 2, 1]);
    expect(await call()).toMatchObject(done);
  });

  test.each(["sessions", "events"] as const)(
    "ends although another finds the session lost (%s)",
    async (era) => {
      const { state, call, counts } = await open(era, 404, "a text");
      await call();
      const slow = call("a write", { delay: 200 });
      await expect.poll(() => state.calls).toBe(2);
      state.sessions.clear();
      expect([await call(), await slow]).toMatchObject([done, done]);
      expect(counts()).toEqual([4, 3, 2]);
    },
  );
});

describe("a call that the server refuses as if it had lost the session", () => {
  const PASSING = [408, 425, 429, 500, 502, 503, 504];
  const STATUSES = [...PASSING, 400, 401, 403, 404, 405, 409, 410, 422].toSorted();
  const refusals = sample(
    ERAS.flatMap((era) => STATUSES.map((status) => [era, status] as const)),
    7,
  );
  const formsOf = (status: number): readonly string[] => (status === 404 ? Object.keys(FORMS) : FEW);

  /** Beyond the first attempt: two repetitions of what may pass, and one call in a new session. */
  const most = (era: Era, status: number, form: string, kind: string): number => {
    if (!isRepeatable(kind)) return 1;
    const mayPass = form.includes("JSON-RPC") || PASSING.includes(status);
    return 1 + (mayPass ? 2 : 0) + (era === "sessions" || era === "events" ? 1 : 0);
  };

  test.each(refusals)("is sent at most once if it is not repeatable (%s, HTTP %i)", async (era, status) => {
    const tried = status === 404 ? kinds : ["a read", "a write"];
    const cases = formsOf(status).flatMap((form) => tried.map((kind) => [form, kind] as const));
    await Promise.all(
      cases.map(async ([form, kind]) => {
        const { state, call } = await open(era, status, form, "calls");
        expect(await call(kind), `${form}, ${kind}`).toMatchObject({ ok: false });
        expect(state.calls, `${form}, ${kind}`).toBeGreaterThan(0);
        expect(state.calls, `${form}, ${kind}`).toBeLessThanOrEqual(most(era, status, form, kind));
      }),
    );
  });

  test.each(PASSING)(
    "is sent three times if it is repeatable and the status passes, whatever the body is (HTTP %i)",
    async (status) => {
      const forms = Object.keys(SILENT).filter((form) => form !== "other JSON-RPC");
      const all = ERAS.flatMap((era) => forms.map((form) => [era, form] as const));
      await Promise.all(
        all.map(async ([era, form]) => {
          const { state, call } = await open(era, status, form, "calls");
          const error = { code: "TOOL_UNAVAILABLE", retryable: true };
          expect(await call("a read"), `${era}, ${form}`).toMatchObject({ error });
          expect(state.calls, `${era}, ${form}`).toBe(3);
        }),
      );
    },
  );

  test.each(refusals)("is sent at most twice if all is refused (%s, HTTP %i)", async (era, status) => {
    await Promise.all(
      formsOf(status).map(async (form) => {
        const { state, call } = await open(era, status, form, "all");
        expect(await call("a write", {}, { retry: 5 }), form).toMatchObject({ ok: false });
        expect(state.calls, form).toBeLessThanOrEqual(era === "modern" ? 1 : 2);
        expect(state.opened, form).toBeLessThanOrEqual(2);
      }),
    );
  });
});
