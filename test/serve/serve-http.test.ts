import { request as send } from "node:http";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { serveHttp, type ServingHttp } from "../../src/serve/index.js";
import type { Toolset, ToolsetCallOptions } from "../../src/agent/toolset/toolset.js";
import { CLIENTS, connectTo, serveTools, TOKEN, type TestClient } from "./clients.js";
import { saying, stubToolset } from "./stub-toolset.js";

const echo = stubToolset((args) => Promise.resolve(saying({ args })));
const connect = async (name: string, toolset: Toolset = echo): Promise<TestClient> =>
  connectTo(name, (await serveTools(toolset)).url);

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

/** A request with any headers at all: `fetch` sets some itself. */
function post(
  { url }: ServingHttp,
  headers: Record<string, string>,
  body = INITIALIZE,
  path = "/mcp",
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(url);
    const all = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    };
    const request = send({ port, hostname, path, method: "POST", headers: all }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += String(chunk)));
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      });
    });
    // A server that has refused need not read on.
    request.on("error", reject);
    request.end(body);
  });
}

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };

describe.each(Object.keys(CLIENTS))("streamable HTTP for the SDK's client of %s", (name) => {
  it("lists the tools and answers calls", async () => {
    const client = await connect(name);
    expect(await client.listTools()).toEqual(["execute"]);
    const answer = await client.call("execute", { tool: "a", args: { b: [1, null] } });
    expect(answer["structuredContent"]).toEqual({ args: { tool: "a", args: { b: [1, null] } } });
  });

  it("answers many calls at once, each with its own answer", async () => {
    const toolset = stubToolset(async (args) => {
      await setTimeout(Number(args["n"]) % 7);
      return saying({ n: args["n"] ?? null });
    });
    const client = await connect(name, toolset);
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    const answers = await Promise.all(numbers.map((n) => client.call("execute", { n })));
    expect(answers.map(({ structuredContent }) => structuredContent)).toEqual(numbers.map((n) => ({ n })));
  });

  it("hands on progress", async () => {
    const toolset = stubToolset((_args, { onProgress }) => {
      onProgress?.({ progress: 1, total: 2 });
      onProgress?.({ progress: 2, total: 2 });
      return Promise.resolve(saying({}));
    });
    const client = await connect(name, toolset);
    const heard: number[] = [];
    await client.call("execute", {}, { onprogress: ({ progress }) => heard.push(progress) });
    expect(heard).toEqual([1, 2]);
  });

  it("aborts a call that the client cancels, and those of a client that is gone", async () => {
    const { toolset, begun, ended } = hanging();
    const client = await connect(name, toolset);
    const controller = new AbortController();
    const cancelled = client.call("execute", {}, { signal: controller.signal }).catch(() => "cancelled");
    await begun();
    controller.abort();
    expect(await cancelled).toBe("cancelled");
    await ended(1);
    const left = client.call("execute", {}).catch(() => "left");
    await begun();
    await client.close();
    expect(await left).toBe("left");
    await ended(2);
  });
});

/** A toolset whose calls last until they are aborted. */
function hanging() {
  const waiting: (() => void)[] = [];
  let aborted = 0;
  const toolset = stubToolset(
    (_args, { signal }: ToolsetCallOptions) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => {
          aborted += 1;
          reject(new Error("aborted"));
        });
        waiting.shift()?.();
      }),
  );
  const begun = () => new Promise<void>((resolve) => waiting.push(resolve));
  const ended = (count: number) => vi.waitUntil(() => aborted === count, { timeout: 60_000 });
  return { toolset, begun, ended };
}

describe("the door of streamable HTTP", () => {
  it.each([
    ["without a token", {}, 401],
    ["with another token", { authorization: `Bearer ${TOKEN.slice(1)}` }, 401],
    ["with the token and more", { authorization: `Bearer ${TOKEN}0` }, 401],
    ["with the token under another scheme", { authorization: `Basic ${TOKEN}` }, 401],
    ["with an endless token", { authorization: `Bearer ${"a".repeat(12_000)}` }, 401],
    ["with another Host", { ...AUTHORIZED, host: "evil.example" }, 403],
    ["with a Host that only begins right", { ...AUTHORIZED, host: "localhost.evil.example" }, 403],
    ["with another Origin", { ...AUTHORIZED, origin: "https://evil.example" }, 403],
    ["with an Origin that hides", { ...AUTHORIZED, origin: "null" }, 403],
    ["as it should be", AUTHORIZED, 200],
    ["from a page of this machine", { ...AUTHORIZED, origin: "http://localhost:5173" }, 200],
    ["with the scheme in capitals", { authorization: `BEARER ${TOKEN}` }, 200],
  ])("answers a request %s", async (_, headers, status) => {
    const answer = await post(await serveTools(echo), headers);
    expect(answer.status).toBe(status);
    if (status === 401) expect(answer.headers["www-authenticate"]).toMatch(/^Bearer realm="mcp-codegen"/);
    expect(answer.body).not.toContain(TOKEN.slice(1, 20));
  });

  it("takes no body that is too large, and none at all from strangers", async () => {
    const serving = await serveTools(echo);
    const large = JSON.stringify({ padding: "a".repeat(5_000_000) });
    for (const [headers, status] of [
      [AUTHORIZED, 413],
      [{}, 401],
    ] as const) {
      const refused = await post(serving, headers, large).catch((error: unknown) => error);
      // The connection may end before all is sent.
      if (!(refused instanceof Error)) expect(refused).toMatchObject({ status });
    }
    expect((await post(serving, AUTHORIZED)).status).toBe(200);
  });

  const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}';
  const unknown = { "mcp-session-id": "00000000-0000-0000-0000-000000000000" };
  it.each([
    ["a session of its own", 404, unknown, list, "/mcp"],
    ["a session", 400, {}, list, "/mcp"],
    ["JSON", 400, {}, "no JSON", "/mcp"],
    ["the path", 404, {}, INITIALIZE, "/"],
  ])("refuses a request without %s with %i", async (_what, status, headers, body, path) => {
    const answer = await post(await serveTools(echo), { ...AUTHORIZED, ...headers }, body, path);
    expect(answer.status).toBe(status);
  });

  it("answers the same if the listener of errors throws", async () => {
    const answersOf = async (onError?: (error: Error) => void): Promise<readonly Partial<Answer>[]> => {
      const serving = await serveTools(echo, { onError });
      const opened = await post(serving, AUTHORIZED);
      const session = { ...AUTHORIZED, "mcp-session-id": String(opened.headers["mcp-session-id"]) };
      const modern = { ...AUTHORIZED, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
      const answers = [
        await post(serving, session, "no JSON"),
        await post(serving, session, '{"jsonrpc":"2.0"}'),
        await post(serving, session),
        await post(serving, { ...session, accept: "text/html" }),
        await post(serving, session, '{"jsonrpc":"2.0","id":9,"result":{}}'),
        await post(serving, modern, "no JSON"),
        await post(serving, modern, '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'),
      ];
      return answers.map(({ status, body }) => ({ status, body }));
    };
    const onError = vi.fn();
    const answers = await answersOf(onError);
    expect(onError.mock.calls.length).toBeGreaterThan(2);
    const throwing = await answersOf(() => {
      throw new Error("The listener failed.");
    });
    expect(throwing).toEqual(answers);
  });

  it("says where it cannot listen", async () => {
    const { url } = await serveTools(echo);
    const port = Number(new URL(url).port);
    await expect(serveHttp(echo, { port, token: TOKEN })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});
