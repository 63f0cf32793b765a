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

const list = (cursor?: string): JsonObject => ({
  method: "tools/list",
  params: cursor === undefined ? {} : { cursor },
});
const CALL = { method: "tools/call", params: { name: "change", arguments: {} } };

function names(message: Message | undefined): unknown[] {
  const tools = message?.result["tools"];
  if (!Array.isArray(tools)) throw new Error(`Not a list: ${JSON.stringify(message)}`);
  return tools.map((tool: unknown) => (isJsonObject(tool) ? getOwn(tool, "name") : tool));
}

const LIST = [list()];

/** What no other test would notice, since it would then test less: the names on each page, and where the next one is. */
test.each<
  [name: string, args: readonly string[], requests: readonly JsonObject[], pages: readonly unknown[]]
>([
  [
    "paged",
    ["--page-size", "1"],
    [list(), list("second"), list(""), list("fourth"), list("fifth")],
    [
      [["page-1-tool-1"], "second"],
      [["page-2-tool-1"], ""],
      [["page-3-tool-1"], "fourth"],
      [["page-4-tool-1"], undefined],
      -32602,
    ],
  ],
  ["dies-midway", [], [list(), list("more")], [[["first"], "more"]]],
  [
    "endless-cursor",
    ["--empty", "yes"],
    [list(), list("2"), list("3")],
    [
      [[], "2"],
      [[], "3"],
      [[], "4"],
    ],
  ],
  [
    "repeating-cursor",
    [],
    [list(), list("a"), list("b")],
    [
      [["tool-first"], "a"],
      [["tool-a"], "b"],
      [["tool-b"], "a"],
    ],
  ],
  ["colliding-names", [], LIST, [[["get-user", "get_user", "GetUser", "list-users"], undefined]]],
  ["duplicate-names", [], LIST, [[["differs", "repeats", "differs", "once", "repeats"], undefined]]],
  ["odd-schemas", ["--only", "good,proto-keys"], LIST, [[["good", "proto-keys"], undefined]]],
  [
    "huge-list",
    ["--tools", "2", "--pages", "2"],
    [list(), list("1")],
    [
      [["record-00000-get"], "1"],
      [["record-00001-get"], undefined],
    ],
  ],
  ["slow", ["--delay", "1"], LIST, [[["wait"], undefined]]],
  ["chatty", [], LIST, [[["talk"], undefined]]],
  ["secret-echo", [], LIST, [-32000]],
  ["drifted", [], LIST, [[["find-orders", "cancel-order"], undefined]]],
  ["drifted", ["--drift", "tool-removed"], LIST, [[["find-orders"], undefined]]],
])("%s %j", async (name, args, requests, pages) => {
  const answers = await ask(name, args, ...requests);
  const read = answers.map((page) => {
    const error = getOwn(page, "error");
    return isJsonObject(error) ? error["code"] : [names(page), page.result["nextCursor"]];
  });
  expect(read).toEqual(pages);
});

test("hostile-names and odd-schemas have keys and names that JavaScript takes for others", async () => {
  const [hostile] = await ask("hostile-names", [], list());
  expect(new Set(names(hostile)).size).toBe(names(hostile).length);
  expect(names(hostile)).toContain("__proto__");
  expect(JSON.stringify(hostile)).toContain('{"__proto__":{"type":"string"');
  const [odd] = await ask("odd-schemas", [], list());
  expect(JSON.stringify(odd)).toContain('"__proto__":{"polluted":true}');
});

test("lists-by-capability follows the client, and changes-list its calls", async () => {
  const elicits = initialize({ elicitation: {} });
  const [plain, , more] = await ask("lists-by-capability", [], list(), elicits, list());
  expect([names(plain), names(more)]).toEqual([["always"], ["always", "ask-user"]]);
  const [before, changed, after] = await ask("changes-list", [], list(), CALL, list());
  expect(changed?.result["content"]).toEqual([{ type: "text", text: '{"listed":1,"acted":0}' }]);
  expect([names(before), names(after)]).toEqual([
    ["act", "change", "tally"],
    ["act", "change", "tally", "new"],
  ]);
});

describe("over HTTP", () => {
  const post = (url: string, body: JsonObject, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
    });

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
      expect(refused.status).toBe(401);
      expect(await refused.text()).toContain("rest_forbidden");
      const authorization = `Basic ${Buffer.from("ada:secret").toString("base64")}`;
      expect((await post(server.url, initialize({}), { authorization })).status).toBe(200);
    } finally {
      await server.close();
    }
  });
});
