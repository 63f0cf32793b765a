/** Answers of servers that break JSON-RPC or HTTP in small ways: read where they are clear, and named where they are not. */
import { describe, expect, it } from "vitest";
import type { ConnectionSettings } from "../../src/core/connection-settings.js";
import { messageOf } from "../../src/core/errors.js";
import { listTools } from "./session.js";
import { INITIALIZED, respondRpc, startHttp } from "./start-http.js";

/** Returns what a request for tools gives, or the words of its failure. */
const answerOf = (settings: ConnectionSettings): Promise<unknown> =>
  listTools({ ...settings, timeouts: { connect: 5000, call: 5000 } }).catch(messageOf);

interface Answer {
  readonly type?: string;
  readonly body: string;
}

type Write = (message: { readonly id: number; readonly method: string }) => Answer;

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
  return answerOf({ url });
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
  return answerOf({ command: process.execPath, args: ["-e", program] });
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

  it.each<[form: string, idOf: (id: number) => unknown]>([
    ["a text", String],
    ["null", () => null],
    ["absent", () => undefined],
  ])("of errors over HTTP may be %s, as JSON and as an event", async (_form, idOf) => {
    for (const type of ["application/json", "text/event-stream"]) {
      const answer = await overHttp(({ id, method }) => {
        if (method === "initialize") return { type: "application/json", body: rpc(id, resultOf(method)) };
        const body = rpc(idOf(id), quota);
        return { type, body: type === "application/json" ? body : `data: ${body}\n\n` };
      });
      expect(answer).toContain("The quota is used up (-32000)");
    }
  });
});

describe("content types", () => {
  const TYPES = ["text/plain", "text/plain; charset=utf-8", "application/octet-stream", "text/html"];
  it.each([...TYPES, undefined])("%s with a valid message is read", async (type) => {
    const answer = await overHttp(({ id, method }) => {
      const body = rpc(id, resultOf(method));
      return type === undefined ? { body } : { type, body };
    });
    expect(answer).toEqual([]);
  });

  const needs = "MCP needs application/json or text/event-stream";
  const notMcp = "an answer that is not an MCP message";
  it.each([
    ["text/plain", '{"ok":true}', `an answer of type text/plain; ${needs}`],
    ["text/csv", "a,b", `an answer of type text/csv; ${needs}`],
    ["application/json", '{"ok":true}', notMcp],
    ["application/json", "[]", notMcp],
    ["application/json", rpc(99, { result: {} }), notMcp],
    ["application/json", "no JSON", notMcp],
  ])("%s with %s is named", async (type, body, words) => {
    expect(await overHttp(() => ({ type, body }))).toContain(words);
  });
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
