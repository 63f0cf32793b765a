/** How often a call reaches a server that loses its sessions, or that refuses calls as if it had lost them. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { sample } from "../../sample.js";
import { type Tool, defineServer } from "../../../src/runtime/index.js";

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
    JSON.stringify({
      error: 'Error POSTing to endpoint (HTTP 400): {"error":{"message":"No valid session ID provided"}}',
    }),
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

const cases: Case[] = [];
let base = "";
const server = createServer((request, response) => {
  void respond(request, response);
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

interface Message {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: {
    readonly arguments?: { readonly delay?: number };
    readonly _meta?: { readonly progressToken?: unknown };
  };
}

const IDENTITY = { capabilities: { tools: {} }, serverInfo: { name: "forgetful", version: "1" } };

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", base);
  const known = cases[Number(pathname.split("/")[1])];
  if (known === undefined) throw new Error("There is no such case.");
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
  const { id, method, params } = JSON.parse(await text(request)) as Message;
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
    const notification = JSON.stringify({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: progress,
    });
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

type Tools = Readonly<Record<string, Tool<Record<string, unknown>>>>;

function addCase({ era, status, form, refuses }: Pick<Case, "era" | "status" | "form" | "refuses">) {
  const state: Case = {
    ...{ era, status, form, refuses },
    sessions: new Set(),
    streams: new Map(),
    ...{ calls: 0, executed: 0, opened: 0, ending: undefined },
  };
  const url = `${base}/${cases.push(state) - 1}/mcp`;
  const definition = defineServer({
    name: "forgetful",
    contract: "1.0.0",
    url,
    transport: era === "events" ? "sse" : "http",
    // Many connections are opened at once.
    timeouts: { connect: 50_000 },
  });
  const tools: Tools = Object.fromEntries(
    Object.entries(ANNOTATIONS).map(([name, annotations]) => [
      name,
      defineTool({
        ...{ server: definition, name, annotations },
        input: z.looseObject({}),
        inputSchema: () => ({ type: "object" }),
      }),
    ]),
  );
  return { state, connection: connectTools(definition, tools) };
}

const kinds = Object.keys(ANNOTATIONS);
const isRepeatable = (kind: string): boolean => kind === "a read" || kind === "an idempotent write";

describe("a call after the server has lost the session", () => {
  const STATUSES = [400, 401, 403, 404, 409, 410, 412, 422, 500, 502, 503];
  const losses = (["sessions", "events"] as const).flatMap((era) =>
    STATUSES.map((status) => [era, status] as const),
  );

  test.each(sample(losses, 5))("is done once, in one new session (%s, HTTP %i)", async (era, status) => {
    const forms = status === 404 || status === 410 ? FORMS : WORDS;
    await Promise.all(
      Object.keys(forms).map(async (form) => {
        const { state, connection } = addCase({ era, status, form, refuses: "unknown" });
        await using tools = connection;
        for (const kind of form === "a text" ? kinds : ["a write"]) {
          expect(await tools[kind]?.safe({}), `${form}, before ${kind}`).toMatchObject({ ok: true });
          const { calls, executed, opened } = state;
          state.sessions.clear();
          expect(await tools[kind]?.safe({}), `${form}, ${kind}`).toMatchObject({ ok: true });
          expect(
            [state.calls - calls, state.executed - executed, state.opened - opened],
            `calls, done, sessions: ${form}, ${kind}`,
          ).toEqual([2, 1, 1]);
        }
      }),
    );
  });

  test.each(["sessions", "events"] as const)("is one of ten that share one new session (%s)", async (era) => {
    const { state, connection } = addCase({ era, status: 404, form: "a text", refuses: "unknown" });
    await using tools = connection;
    await tools["a write"]?.({});
    state.sessions.clear();
    const results = await Promise.all(
      Array.from({ length: 10 }, async () => (await tools["a write"]?.safe({}))?.ok),
    );
    expect(results).toEqual(Array.from({ length: 10 }, () => true));
    expect([state.calls, state.executed, state.opened]).toEqual([21, 11, 2]);
  });

  test.each(Object.entries(WORDS).filter(([form]) => form.startsWith("a") || form.startsWith("JSON")))(
    "is done once when the words come with HTTP 200 (%s)",
    async (form) => {
      const { state, connection } = addCase({ era: "sessions", status: 200, form, refuses: "unknown" });
      await using tools = connection;
      await tools["a write"]?.({});
      state.sessions.clear();
      expect(await tools["a write"]?.safe({})).toMatchObject({ ok: true });
      expect([state.calls, state.executed, state.opened]).toEqual([3, 2, 2]);
    },
  );
});

describe("a call that the server has begun", () => {
  test.each([
    ["a write", false, "ended the session while it worked on the call"],
    ["a read", true, ""],
  ] as const)("is sent again only if it is %s: %s", async (kind, isSentAgain, words) => {
    const { state, connection } = addCase({ era: "events", status: 404, form: "a text", refuses: "unknown" });
    await using tools = connection;
    await tools[kind]?.({});
    state.ending = "progress";
    const result = await tools[kind]?.safe({}, { onProgress: () => undefined, retry: 5 });
    expect(result?.ok).toBe(isSentAgain);
    if (result?.ok === false) expect(result.error.message).toContain(words);
    expect(state.calls).toBe(isSentAgain ? 3 : 2);
  });

  test("is not sent again when its stream breaks and cannot be resumed", async () => {
    const { state, connection } = addCase({
      era: "sessions",
      status: 404,
      form: "a text",
      refuses: "unknown",
    });
    await using tools = connection;
    await tools["a write"]?.({});
    state.ending = "cut";
    expect(await tools["a write"]?.safe({}, { retry: 5 })).toMatchObject({ ok: false });
    expect([state.calls, state.executed]).toEqual([2, 2]);
    expect(await tools["a write"]?.safe({})).toMatchObject({ ok: true });
  });

  test.each(["sessions", "events"] as const)(
    "ends although another finds the session lost (%s)",
    async (era) => {
      const { state, connection } = addCase({ era, status: 404, form: "a text", refuses: "unknown" });
      await using tools = connection;
      await tools["a write"]?.({});
      const slow = tools["a write"]?.safe({ delay: 200 });
      await expect.poll(() => state.calls).toBe(2);
      state.sessions.clear();
      expect(await tools["a write"]?.safe({})).toMatchObject({ ok: true });
      expect(await slow).toMatchObject({ ok: true });
      expect([state.calls, state.executed, state.opened]).toEqual([4, 3, 2]);
    },
  );
});

describe("a call that the server refuses as if it had lost the session", () => {
  const STATUSES = [400, 401, 403, 404, 405, 408, 409, 410, 422, 425, 429, 500, 502, 503, 504];
  const refusals = ERAS.flatMap((era) => STATUSES.map((status) => [era, status] as const));

  const formsOf = (status: number): readonly string[] => (status === 404 ? Object.keys(FORMS) : FEW);

  /** Beyond the first attempt: two repetitions of what may pass, and one call in a new session. */
  const most = (era: Era, status: number, form: string, kind: string): number => {
    const hasSession = era === "sessions" || era === "events";
    if (!isRepeatable(kind)) return 1;
    const mayPass = (status >= 500 && !form.includes("JSON-RPC")) || [408, 425, 429].includes(status);
    return 1 + (mayPass || form.includes("JSON-RPC") ? 2 : 0) + (hasSession ? 1 : 0);
  };

  test.each(sample(refusals, 7))(
    "is sent at most once if it is not repeatable (%s, HTTP %i)",
    async (era, status) => {
      await Promise.all(
        formsOf(status).flatMap((form) =>
          (status === 404 ? kinds : ["a read", "a write"]).map(async (kind) => {
            const { state, connection } = addCase({ era, status, form, refuses: "calls" });
            await using tools = connection;
            expect(await tools[kind]?.safe({}), `${form}, ${kind}`).toMatchObject({ ok: false });
            expect(state.calls, `${form}, ${kind}`).toBeGreaterThan(0);
            expect(state.calls, `${form}, ${kind}`).toBeLessThanOrEqual(most(era, status, form, kind));
          }),
        ),
      );
    },
  );

  test.each([408, 425, 429, 500, 502, 503, 504])(
    "is sent three times if it is repeatable and the status passes, whatever the body is (HTTP %i)",
    async (status) => {
      const forms = Object.keys(SILENT).filter((form) => form !== "other JSON-RPC");
      const all = ERAS.flatMap((era) => forms.map((form) => [era, form] as const));
      await Promise.all(
        all.map(async ([era, form]) => {
          const { state, connection } = addCase({ era, status, form, refuses: "calls" });
          await using tools = connection;
          expect(await tools["a read"]?.safe({}), `${era}, ${form}`).toMatchObject({
            error: { code: "TOOL_UNAVAILABLE", retryable: true },
          });
          expect(state.calls, `${era}, ${form}`).toBe(3);
        }),
      );
    },
  );

  test.each(sample(refusals, 7))(
    "is sent at most twice if all is refused (%s, HTTP %i)",
    async (era, status) => {
      await Promise.all(
        formsOf(status).map(async (form) => {
          const { state, connection } = addCase({ era, status, form, refuses: "all" });
          await using tools = connection;
          expect(await tools["a write"]?.safe({}, { retry: 5 }), form).toMatchObject({ ok: false });
          expect(state.calls, form).toBeLessThanOrEqual(era === "modern" ? 1 : 2);
          expect(state.opened, form).toBeLessThanOrEqual(2);
        }),
      );
    },
  );
});
