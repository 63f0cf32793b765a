import { expect, onTestFinished, test } from "vitest";
import { LineSplitter } from "../../src/client/streams.js";
import type { JsonObject } from "../../src/core/json.js";
import spawn from "./in-process.js";
import { fixtureCommand, startFixture } from "./start-fixture.js";

interface Answer {
  readonly method?: string;
  readonly result?: { readonly tools?: readonly { readonly name: string }[]; readonly nextCursor?: string };
  readonly error?: { readonly code: number };
}

const initialize = (capabilities: JsonObject): JsonObject => ({
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "test", version: "0" } },
});
const list = (cursor?: string): JsonObject => ({
  method: "tools/list",
  params: cursor === undefined ? {} : { cursor },
});
const LIST = [list()];
const CHANGE = { method: "tools/call", params: { name: "change", arguments: {} } };

/** Returns the raw answers of a fixture to consecutive requests over stdio, after that to `initialize`. */
async function ask(command: string, ...requests: readonly JsonObject[]): Promise<string[]> {
  const [name = "", ...args] = command.split(" ");
  const server = fixtureCommand(name, ...args);
  const { stdin, stdout } = spawn(server.command, server.args, { stdio: "pipe" });
  const answers: string[] = [];
  const waiting = [initialize({}), ...requests];
  const next = (): void => {
    const request = waiting[answers.length];
    if (request) stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: answers.length, ...request })}\n`);
    else stdin?.end();
  };
  next();
  const lines = new LineSplitter((line) => {
    if (!line.startsWith("{") || (JSON.parse(line) as Answer).method !== undefined) return;
    answers.push(line);
    next();
  });
  for await (const chunk of stdout ?? []) lines.push(String(chunk));
  return answers.slice(1);
}

/** What no other test would notice, since it would then test less: the names on each page, and the next cursor if any. */
const PAGES: readonly (readonly [command: string, requests: readonly JsonObject[], pages: readonly unknown[]])[] = [
  [
    "paged --page-size 1",
    [list(), list("second"), list(""), list("fourth"), list("fifth")],
    [["page-1-tool-1", "second"], ["page-2-tool-1", ""], ["page-3-tool-1", "fourth"], ["page-4-tool-1", undefined], -32602],
  ],
  ["dies-midway", [list(), list("more")], [["first", "more"]]],
  ["endless-cursor --empty yes", [list(), list("2"), list("3")], [["", "2"], ["", "3"], ["", "4"]]],
  ["repeating-cursor", [list(), list("a"), list("b")], [["tool-first", "a"], ["tool-a", "b"], ["tool-b", "a"]]],
  ["colliding-names", LIST, [["get-user get_user GetUser list-users", undefined]]],
  ["duplicate-names", LIST, [["differs repeats differs once repeats", undefined]]],
  ["odd-schemas --only good,proto-keys", LIST, [["good proto-keys", undefined]]],
  ["huge-list --tools 2 --pages 2", [list(), list("1")], [["record-00000-get", "1"], ["record-00001-get", undefined]]],
  ["slow --delay 1", LIST, [["wait", undefined]]],
  ["chatty", LIST, [["talk", undefined]]],
  ["secret-echo", LIST, [-32000]],
  ["drifted", LIST, [["find-orders cancel-order", undefined]]],
  ["drifted --drift tool-removed", LIST, [["find-orders", undefined]]],
  ["lists-by-capability", [list(), initialize({ elicitation: {} }), list()], [["always", undefined], [undefined, undefined], ["always ask-user", undefined]]],
  ["changes-list", [list(), CHANGE, list()], [["act change tally", undefined], [undefined, undefined], ["act change tally new", undefined]]],
]; // prettier-ignore

test.each(PAGES)("%s", async (command, requests, pages) => {
  const answers = (await ask(command, ...requests)).map((line) => JSON.parse(line) as Answer);
  const read = answers.map(
    ({ result, error }) =>
      error?.code ?? [result?.tools?.map(({ name }) => name).join(" "), result?.nextCursor],
  );
  expect(read).toEqual(pages);
});

test("hostile-names and odd-schemas have keys and names that JavaScript takes for others", async () => {
  const [hostile = ""] = await ask("hostile-names", list());
  const names = (JSON.parse(hostile) as Answer).result?.tools?.map(({ name }) => name) ?? [];
  expect(names).toContain("__proto__");
  expect(new Set(names).size).toBe(names.length);
  expect(hostile).toContain('{"__proto__":{"type":"string"');
  expect(await ask("odd-schemas", list())).toEqual([
    expect.stringContaining('"__proto__":{"polluted":true}'),
  ]);
});

test.each(["json", "sse"])(
  "an HTTP session answers as %s, expires on request, and needs credentials as WordPress does",
  async (answer) => {
    const args = ["--answer", answer, "--forget-after", "1", "--basic", "ada:secret"];
    const server = await startFixture("paged", { args });
    onTestFinished(() => server.close());
    const authorization = `Basic ${Buffer.from("ada:secret").toString("base64")}`;
    const post = async (
      body: JsonObject,
      headers: Record<string, string>,
    ): Promise<[number, string, string | undefined]> => {
      const init = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }) };
      const response = await fetch(server.url, {
        ...init,
        headers: { "content-type": "application/json", ...headers },
      });
      return [response.status, await response.text(), response.headers.get("mcp-session-id") ?? undefined];
    };
    expect(await post(initialize({}), {})).toEqual([
      401,
      expect.stringContaining("rest_forbidden"),
      undefined,
    ]);
    const [status, , id = ""] = await post(initialize({}), { authorization });
    const session = { authorization, "mcp-session-id": id };
    expect(status).toBe(200);
    expect(await post(list(), session)).toEqual([200, expect.stringContaining("page-1-tool-1"), undefined]);
    expect((await post(list(), session))[0]).toBe(404);
    expect((await post(list(), { authorization }))[0]).toBe(400);
  },
);
