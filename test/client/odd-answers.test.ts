/** Answers of servers that break JSON-RPC or HTTP in small ways: read where they are clear, and named where they are not. */
import { describe, expect, it } from "vitest";
import type { ConnectionSettings } from "../../src/core/connection-settings.js";
import { openSession } from "../../src/client/open-session.js";
import { endpointOf } from "./endpoint.js";
import { respondRpc, startHttp } from "./start-http.js";

/** Returns what a request for tools gives, or the words of its failure. */
async function listTools(settings: ConnectionSettings): Promise<unknown> {
  try {
    const session = await openSession(
      endpointOf({ ...settings, timeouts: { connect: 5000, call: 5000 } }, {}),
    );
    try {
      return (await session.request("tools/list", {}))["tools"];
    } finally {
      await session.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

interface Answer {
  readonly type?: string;
  readonly body: string;
}

type Write = (message: { readonly id: number; readonly method: string }) => Answer;

const INITIALIZED = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "odd", version: "1" },
};
const rpc = (id: unknown, body: object): string => JSON.stringify({ jsonrpc: "2.0", id, ...body });
const resultOf = (method: string): object => ({
  result: method === "initialize" ? INITIALIZED : { tools: [] },
});
const quota = { error: { code: -32000, message: "The quota is used up" } };

/** Answers `tools/list` with this text, and everything else correctly. */
async function overHttp(write: Write): Promise<unknown> {
  const url = await startHttp(({ id, method = "" }, request, response) => {
    if (request.method !== "POST") response.writeHead(405).end();
    else if (id === undefined) response.writeHead(202).end();
    else if (method === "server/discover")
      respondRpc(response, id, { error: { code: -32601, message: "Method not found" } });
    else {
      const { type, body } = write({ id, method });
      response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(body);
    }
  });
  return listTools({ url });
}

/** Starts a program that answers with the ID and the body of an expression about `m`, the request. */
function overStdio(id: string, body: string): Promise<unknown> {
  const program = `
    const initialized = ${JSON.stringify(INITIALIZED)};
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const m = JSON.parse(line);
      if (m.id === undefined) return;
      const isKnown = m.method === "initialize" || m.method === "tools/list";
      const answer = isKnown ? ${body} : { error: { code: -32601, message: "Method not found" } };
      console.log(JSON.stringify({ jsonrpc: "2.0", id: isKnown ? ${id} : m.id, ...answer }));
    });`;
  return listTools({ command: process.execPath, args: ["-e", program] });
}

const RESULT = '{ result: m.method === "initialize" ? initialized : { tools: [] } }';
const FAILS = `m.method === "initialize" ? { result: initialized } : ${JSON.stringify(quota)}`;

describe("IDs", () => {
  it.each([
    ["as a text", "String(m.id)"],
    ["as they were sent", "m.id"],
  ])("of answers over stdio %s are matched", async (_form, id) => {
    expect(await overStdio(id, RESULT)).toEqual([]);
    expect(await overStdio(id, FAILS)).toContain("The quota is used up");
  });

  it.each(["null", "undefined"])("of errors over stdio may be %s", async (id) => {
    const idOfErrors = `m.method === "initialize" ? m.id : ${id}`;
    expect(await overStdio(idOfErrors, FAILS)).toContain("The quota is used up (-32000)");
  });

  it.each([
    ["a text", (id: number) => String(id)],
    ["null", () => null],
    ["absent", () => undefined],
  ])("of errors over HTTP may be %s, as JSON and as an event", async (_form, idOf) => {
    for (const event of [false, true]) {
      const answer = await overHttp(({ id, method }) => {
        const text = method === "initialize" ? rpc(id, resultOf(method)) : rpc(idOf(id), quota);
        return event
          ? { type: "text/event-stream", body: `data: ${text}\n\n` }
          : { type: "application/json", body: text };
      });
      expect(answer).toContain("The quota is used up (-32000)");
    }
  });
});

describe("content types", () => {
  const TYPES = [
    "text/plain",
    "text/plain; charset=utf-8",
    "application/octet-stream",
    "text/html",
    undefined,
  ];
  it.each(TYPES)("%s with a valid message is read", async (type) => {
    const answer = await overHttp(({ id, method }) => ({
      ...(type !== undefined && { type }),
      body: rpc(id, resultOf(method)),
    }));
    expect(answer).toEqual([]);
  });

  it.each([
    ["text/plain", '{"ok":true}', "an answer of type text/plain; MCP needs application/json or text/event-stream"],
    ["text/csv", "a,b", "an answer of type text/csv; MCP needs application/json or text/event-stream"],
    ["application/json", '{"ok":true}', "an answer that is not an MCP message"],
    ["application/json", "[]", "an answer that is not an MCP message"],
    ["application/json", rpc(99, { result: {} }), "an answer that is not an MCP message"],
    ["application/json", "no JSON", "an answer that is not an MCP message"],
  ])("%s with %s is named", async (type, body, words) => {
    expect(await overHttp(() => ({ type, body }))).toContain(words);
  }); // prettier-ignore
});

describe("events named error", () => {
  it.each([
    ["JSON-RPC", (id: number) => rpc(id, quota)],
    ["JSON-RPC without an ID", () => rpc(null, quota)],
    ["words", () => "The quota is used up"],
  ])("keep the server's words: %s", async (_form, dataOf) => {
    const answer = await overHttp(({ id, method }) =>
      method === "initialize"
        ? { type: "application/json", body: rpc(id, resultOf(method)) }
        : { type: "text/event-stream", body: `event: error\ndata: ${dataOf(id)}\n\n` },
    );
    expect(answer).toContain("The quota is used up");
  });
});
