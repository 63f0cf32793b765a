import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { getOwn, isJsonObject, type JsonObject } from "../../src/core/json.js";
import { LineSplitter } from "../../src/client/streams.js";
import { fixtureCommand, startFixture } from "./start-fixture.js";

interface Message extends JsonObject {
  readonly result: JsonObject;
  readonly error: JsonObject;
}

/** Returns the answers of a fixture to consecutive requests over stdio; `initialize` is the first. */
async function ask(
  name: string,
  args: readonly string[],
  ...requests: readonly JsonObject[]
): Promise<Message[]> {
  const { command, args: all } = fixtureCommand(name, ...args);
  const child = spawn(command, all, { stdio: ["pipe", "pipe", "ignore"] });
  const answers: Message[] = [];
  const waiting = [initialize({}), ...requests];
  const next = (): void => {
    const request = waiting[answers.length];
    if (request) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: answers.length, ...request })}\n`);
    else child.stdin.end();
  };
  next();
  const lines = new LineSplitter((line) => {
    if (!line.startsWith("{")) return;
    const message = JSON.parse(line) as Message;
    if (message["method"] !== undefined) return;
    answers.push(message);
    next();
  });
  for await (const chunk of child.stdout.setEncoding("utf8")) lines.push(String(chunk));
  return answers.slice(1);
}

function initialize(capabilities: JsonObject): JsonObject {
  return {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "test", version: "0" } },
  };
}

function list(cursor?: string): JsonObject {
  return { method: "tools/list", params: cursor === undefined ? {} : { cursor } };
}

function call(name: string, more: JsonObject = {}): JsonObject {
  return { method: "tools/call", params: { name, arguments: {}, ...more } };
}

function names(message: Message | undefined): unknown[] {
  const tools = message?.result["tools"];
  if (!Array.isArray(tools)) throw new Error(`Not a list: ${JSON.stringify(message)}`);
  return tools.map((tool: unknown) => (isJsonObject(tool) ? getOwn(tool, "name") : tool));
}

describe("over stdio", () => {
  test("paged has an empty cursor between its pages", async () => {
    const pages = await ask("paged", [], list(), list("second"), list(""), list("fourth"), list("fifth"));
    expect(pages.slice(0, 4).map((page) => page.result["nextCursor"])).toEqual([
      "second",
      "",
      "fourth",
      undefined,
    ]);
    expect(names(pages[2])).toEqual(["page-3-tool-1", "page-3-tool-2"]);
    expect(pages[4]?.error).toMatchObject({ code: -32602 });
  });

  test("dies-midway answers only the first page", async () => {
    const pages = await ask("dies-midway", [], list(), list("more"));
    expect(pages).toHaveLength(1);
    expect(pages[0]?.result["nextCursor"]).toBe("more");
  });

  test("endless-cursor and repeating-cursor always have another page", async () => {
    const endless = await ask("endless-cursor", [], list(), list("2"), list("3"));
    expect(endless.map((page) => page.result["nextCursor"])).toEqual(["2", "3", "4"]);
    const repeating = await ask("repeating-cursor", [], list(), list("a"), list("b"));
    expect(repeating.map((page) => page.result["nextCursor"])).toEqual(["a", "b", "a"]);
  });

  test("hostile-names lists no name twice", async () => {
    const [page] = await ask("hostile-names", [], list());
    expect(new Set(names(page)).size).toBe(names(page).length);
    expect(names(page)).toContain("__proto__");
    expect(JSON.stringify(page)).toContain('{"__proto__":{"type":"string"');
  });

  test("colliding-names and duplicate-names", async () => {
    const [colliding] = await ask("colliding-names", [], list());
    expect(names(colliding)).toEqual(["get-user", "get_user", "GetUser", "list-users"]);
    const [duplicate] = await ask("duplicate-names", [], list());
    expect(names(duplicate)).toEqual(["differs", "repeats", "differs", "once", "repeats"]);
  });

  test("odd-schemas is valid JSON and can be narrowed", async () => {
    const [all] = await ask("odd-schemas", [], list());
    expect(names(all)).toContain("number-beyond-precision");
    const [some] = await ask("odd-schemas", ["--only", "good,proto-keys"], list());
    expect(names(some)).toEqual(["good", "proto-keys"]);
    expect(JSON.stringify(some)).toContain('"__proto__":{"polluted":true}');
  });

  test("huge-list lists the requested number of tools and bytes", async () => {
    const [page] = await ask("huge-list", ["--tools", "100", "--megabytes", "2"], list());
    expect(names(page)).toHaveLength(100);
    expect(JSON.stringify(page).length).toBeGreaterThan(1_900_000);
    const pages = await ask("huge-list", ["--tools", "10", "--pages", "3"], list(), list("1"), list("2"));
    expect(pages.map((one) => names(one).length)).toEqual([4, 4, 2]);
  });

  test("lists-by-capability follows the capabilities of the client", async () => {
    const [plain, , more] = await ask(
      "lists-by-capability",
      [],
      list(),
      initialize({ elicitation: {} }),
      list(),
    );
    expect(names(plain)).toEqual(["always"]);
    expect(names(more)).toEqual(["always", "ask-user"]);
  });

  test("rich-content, slow, chatty and secret-echo answer", async () => {
    const [image] = await ask("rich-content", [], call("image"));
    expect(image?.result["content"]).toMatchObject([{ type: "image", mimeType: "image/png" }]);
    const [slow] = await ask("slow", ["--delay", "1"], list());
    expect(names(slow)).toEqual(["wait"]);
    const [chatty] = await ask("chatty", [], list());
    expect(names(chatty)).toEqual(["talk"]);
    const [refused] = await ask("secret-echo", [], list());
    expect(refused?.error["message"]).toContain("refused");
  });

  test("drifted changes as --drift names", async () => {
    const [before] = await ask("drifted", [], list());
    const [after] = await ask("drifted", ["--drift", "tool-removed"], list());
    expect(names(before)).toEqual(["find-orders", "cancel-order"]);
    expect(names(after)).toEqual(["find-orders"]);
  });

  test("changes-list changes its list, and counts", async () => {
    const [before, changed, after] = await ask("changes-list", [], list(), call("change"), list());
    expect(names(before)).toEqual(["act", "change", "tally"]);
    expect(changed?.result["content"]).toEqual([{ type: "text", text: '{"listed":1,"acted":0}' }]);
    expect(names(after)).toEqual(["act", "change", "tally", "new"]);
  });
});

describe("over HTTP", () => {
  async function post(
    url: string,
    body: JsonObject,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const accept = "application/json, text/event-stream";
    return fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/json", accept, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
    });
  }

  test.each([["json"], ["sse"]])("a session answers as %s, and expires on request", async (answer) => {
    const server = await startFixture("paged", { args: ["--answer", answer, "--forget-after", "1"] });
    try {
      const first = await post(server.url, initialize({}));
      const session = { "mcp-session-id": first.headers.get("mcp-session-id") ?? "" };
      expect(await (await post(server.url, list(), session)).text()).toContain("page-1-tool-1");
      expect((await post(server.url, list(), session)).status).toBe(404);
      expect((await post(server.url, list())).status).toBe(400);
    } finally {
      await server.close();
    }
  });

  test("a request without credentials gets the 401 of WordPress", async () => {
    const server = await startFixture("paged", { args: ["--basic", "ada:secret"] });
    try {
      const refused = await post(server.url, initialize({}));
      expect([refused.status, await refused.text()]).toEqual([
        401,
        expect.stringContaining("rest_forbidden"),
      ]);
      const authorization = `Basic ${Buffer.from("ada:secret").toString("base64")}`;
      expect((await post(server.url, initialize({}), { authorization })).status).toBe(200);
    } finally {
      await server.close();
    }
  });

  test.each([
    ["unauthorized", 401, "rest_forbidden"],
    ["login-page", 200, "loginform"],
    ["redirect", 302, ""],
    ["error-500", 500, "Internal"],
    ["php-error", 200, "Fatal error"],
    ["garbage", 200, "not json"],
    ["json-rpc-error", 200, "The plugin is not active"],
  ])("rejects with %s", async (how, status, text) => {
    const server = await startFixture("refuses", { args: ["--how", how] });
    try {
      const response = await post(server.url, initialize({}));
      expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(text)]);
    } finally {
      await server.close();
    }
  });

  test("legacy SSE sends the endpoint first and answers on the stream", async () => {
    const server = await startFixture("paged", { transport: "sse" });
    try {
      const stream = await fetch(server.url, { headers: { accept: "text/event-stream" } });
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
      const opening = await reader?.read();
      const path = /data: (\S+)/u.exec(opening?.value ?? "")?.[1] ?? "";
      expect((await post(new URL(path, server.url).href, initialize({}))).status).toBe(202);
      expect((await reader?.read())?.value).toContain('"serverInfo":{"name":"paged"');
      await reader?.cancel();
    } finally {
      await server.close();
    }
  });
});
