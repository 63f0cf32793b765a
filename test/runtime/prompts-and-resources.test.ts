import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { definePrompt, defineResource, defineResourceTemplate } from "../../src/runtime/define-entry.js";
import { defineServer } from "../../src/runtime/tool.js";
import { ServerRequestError } from "../../src/runtime/server-entry.js";
import { connectTools } from "../../src/codegen.js";
import type { ServerDefinition } from "../../src/runtime/index.js";
import type { OnInput } from "../../src/core/input-question.js";
import type { ConnectOptions, Logger, ToolCaller } from "../../src/core/call.js";
import type { Fault } from "../servers/fault-proxy.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeFolder } from "../temporary-folder.js";
import { openFixture, openProxy } from "./open-fixture.js";

const FIXTURE = "prompts-and-resources";

/** The wrappers of the fixture, as generated code defines them. */
function wrappersOf(server: ServerDefinition) {
  return {
    codeReview: definePrompt<{ code: string; style?: string | undefined }>({
      server,
      name: "code_review",
      arguments: [{ name: "code", isRequired: true }, { name: "style" }],
    }),
    greeting: definePrompt<Record<string, never>>({ server, name: "greeting", arguments: [] }),
    asks: definePrompt<Record<string, never>>({ server, name: "asks", arguments: [] }),
    unlisted: definePrompt<Record<string, never>>({ server, name: "unlisted", arguments: [] }),
    readme: defineResource({ server, uri: "demo://readme" }),
    logo: defineResource({ server, uri: "demo://logo" }),
    secret: defineResource({ server, uri: "demo://secret" }),
    file: defineResourceTemplate<{ path: string }>({
      server,
      uriTemplate: "demo://files/{+path}",
      arguments: [{ name: "path", isRequired: true }],
    }),
    issue: defineResourceTemplate<{ id: string; labels?: string | readonly string[]; page?: string }>({
      server,
      uriTemplate: "demo://issues/{id}{?labels*,page}",
      arguments: [{ name: "id", isRequired: true }, { name: "labels", isList: true }, { name: "page" }],
    }),
  };
}

const at = (settings: Partial<ServerDefinition>): ServerDefinition =>
  defineServer({ name: "demo", contract: "1.0.0", ...settings });
/** What no server answers. */
const nowhere = at({ url: "http://127.0.0.1:9/mcp" });

/** Connects to a server until the test ends. */
function connect(server: ServerDefinition, options: ConnectOptions = {}) {
  const connection = connectTools(server, {}, options, { all: wrappersOf(server) });
  onTestFinished(() => connection.close());
  return { ...connection.all, close: () => connection.close() };
}
const overStdio = (...args: readonly string[]) => at(fixtureCommand(FIXTURE, ...args));

const containing = (words: string): string => expect.stringContaining(words) as string;

describe.each([
  ["2025-11-25", ["--answer", "sse"]],
  ["2026-07-28", ["--answer", "sse", "--era", "modern"]],
])("in %s", (_version, args) => {
  const open = async () => wrappersOf(at({ url: (await openFixture(FIXTURE, { args })).url }));

  test("prompts and resources are requested with their arguments", async () => {
    const { codeReview, greeting, readme, logo, file, issue } = await open();
    expect(await codeReview({ code: "let x", style: undefined })).toEqual({
      description: "It is code_review.",
      messages: [{ role: "user", content: { type: "text", text: '{"code":"let x"}' } }],
    });
    expect((await greeting()).messages).toHaveLength(1);
    const markdown = { uri: "demo://readme", mimeType: "text/markdown", text: "# Demo" };
    expect(await readme()).toEqual({ contents: [markdown] });
    expect(await logo()).toMatchObject({ contents: [{ blob: "iVBORw0KGgo=" }] });
    const labelled = { id: "7/8", labels: ["bug", "ui&ux"], page: "2" };
    const read = [
      await file({ path: "a b/ç.txt" }),
      await issue(labelled),
      await issue({ id: "7", labels: [] }),
    ];
    expect(read.map(({ contents }) => contents[0]?.uri)).toEqual([
      "demo://files/a%20b/%C3%A7.txt",
      "demo://issues/7%2F8?labels=bug&labels=ui%26ux&page=2",
      "demo://issues/7",
    ]);
  });

  test("a prompt may ask a question before it answers", async () => {
    const onInput = vi.fn<OnInput>(() => ({ action: "accept", values: { name: "Ada" } }));
    expect((await (await open()).asks({}, { onInput })).messages[0]?.content.text).toBe("Hello, Ada");
    const questions = onInput.mock.calls.map(([question]) => question);
    expect(questions).toMatchObject([{ server: "demo", prompt: "asks", message: "Whom?" }]);
    expect(questions[0]).not.toHaveProperty("tool");
  });

  test("unknown prompts and resources are NOT_FOUND", async () => {
    const { unlisted, file } = await open();
    const prompt = {
      ...{ code: "NOT_FOUND", kind: "prompt", target: "unlisted", server: "demo", retryable: false },
      message: containing('does not know prompt "unlisted" of contract 1.0.0'),
    };
    expect(await unlisted.safe()).toMatchObject({ error: prompt });
    const resource = { code: "NOT_FOUND", kind: "resource", target: "demo://files/missing.txt" };
    expect(await file.safe({ path: "missing.txt" })).toMatchObject({ error: resource });
  });
});

test("without a handler, a prompt that asks is INPUT_REQUIRED", async () => {
  const error = { code: "INPUT_REQUIRED", message: containing('Prompt "asks" requires input') };
  expect(await connect(overStdio("--era", "modern")).asks.safe()).toMatchObject({ error });
});

const list = defineResourceTemplate<{ readonly ids: readonly string[] }>({
  server: nowhere,
  uriTemplate: "demo://{ids}",
  arguments: [{ name: "ids", isRequired: true, isList: true }],
});
const { codeReview, file, issue } = wrappersOf(nowhere);

const idAndLabels = "id: expected a string; labels: expected a string or a list of strings";

test.each<[target: string, given: unknown, message: string, request: { safe(given: never): unknown }]>([
  ["prompt", {}, "code: required", codeReview],
  ["prompt", { code: 1 }, "code: expected a string", codeReview],
  ["prompt", { code: ["a"] }, "code: expected a string", codeReview],
  ["prompt", "code", "arguments are an object", codeReview],
  ["template", { path: "a", pth: "b" }, "pth: unknown argument", file],
  ["template", { path: "\ud800" }, "path: holds half of a surrogate pair", file],
  ["template", { path: ["a"] }, "path: expected a string", file],
  ["template", { labels: [] }, "id: required", issue],
  ["template", { id: 1, labels: [1] }, idAndLabels, issue],
  ["template", { ids: [] }, "ids: required", list],
])("a %s refuses %j before anything is sent: %s", async (_target, given, message, request) => {
  const error = { code: "INVALID_INPUT", message: expect.stringMatching(`: ${message}$`) as string };
  expect(await request.safe(given as never)).toMatchObject({ error });
});

test("a request that fails rejects with an error of its own", async () => {
  await expect(codeReview({ code: 1 as never })).rejects.toThrow(ServerRequestError);
});

test("variables may have the names of Object.prototype's members", async () => {
  const server = overStdio();
  const template = defineResourceTemplate<{ readonly [name: string]: string }>({
    server,
    uriTemplate: "demo://files/{?constructor,toString}",
    arguments: [{ name: "constructor" }, { name: "toString" }],
  });
  await using connection = connectTools(server, {}, {}, { resources: { template } });
  const own = await connection.resources.template(Object.fromEntries([["toString", "x"]]));
  expect(own.contents[0]?.uri).toBe("demo://files/?toString=x");
});

test("answers that are not a prompt or contents are INVALID_OUTPUT, without secrets", async () => {
  const server = at({ ...overStdio("--broken", "yes"), env: { DEMO_TOKEN: "${DEMO_TOKEN}" } });
  const { greeting, readme } = connect(server, { variables: () => "tok-123456789" });
  const code = "INVALID_OUTPUT";
  const results = [await greeting.safe(), await readme.safe()];
  const bad = "contents[0] needs a uri and either text or blob.";
  expect(results).toMatchObject([
    {
      error: {
        ...{ code, cause: { messages: expect.anything() as unknown } },
        message: 'The answer of prompt "greeting" is not valid: it has no list of messages.',
      },
    },
    { error: { code, message: `The answer of resource "demo://readme" is not valid: ${bad}` } },
  ]);
  expect(JSON.stringify(results)).not.toContain("tok-123456789");
});

test("a connection binds wrappers to its options, and its secrets reach no error", async () => {
  const server = at({ ...overStdio(), env: { DEMO_TOKEN: "${DEMO_TOKEN}" } });
  const wrappers = { resources: wrappersOf(server), other: { text: "not a wrapper" } };
  const connection = connectTools(server, {}, { variables: () => "tok-123456789" }, wrappers);
  expect(Object.keys(connection)).toEqual([]);
  expect(connection.other).toEqual({});
  const failed = await connection.resources.secret.safe();
  expect(failed).toMatchObject({ error: { code: "FAILED", kind: "resource" } });
  expect(!failed.ok && failed.error.message).not.toContain("tok-123456789");
  await connection.close();
  const closed = { code: "UNAVAILABLE", message: containing("was closed") };
  expect(await connection.resources.readme.safe()).toMatchObject({ error: closed });
});

test("a request is retried like the call of a read-only tool, times out, and can be aborted", async () => {
  const faults: Fault[] = ["error-500", "reset-mid-answer"];
  const { url } = await openProxy((await openFixture(FIXTURE)).url, ({ method }) =>
    method === "prompts/get" || method === "resources/read" ? (faults.shift() ?? "none") : "none",
  );
  const { codeReview, readme, logo } = connect(at({ url }));
  expect((await codeReview({ code: "x" })).messages).toHaveLength(1);
  const error = { code: "UNAVAILABLE", retryable: true };
  faults.push("error-500");
  expect(await readme.safe({ retry: false })).toMatchObject({ error });
  faults.push("hang");
  expect(await logo.safe({ timeout: 200 })).toMatchObject({ error });
  const message = 'The request for resource "demo://readme" was aborted.';
  const aborted = { error: { code: "UNAVAILABLE", message } };
  expect(await readme.safe({ signal: AbortSignal.abort() })).toMatchObject(aborted);
});

test("events name prompts and resources, and hold arguments only on request", async () => {
  const events: Parameters<Logger>[] = [];
  const { codeReview, file } = connect(overStdio(), { logger: (...event) => events.push(event) });
  await codeReview({ code: "secret code" });
  await file({ path: "a" }, { logArguments: true });
  const prompt = expect.not.objectContaining({ arguments: expect.anything() as unknown }) as object;
  const resource = { server: "demo", resource: "demo://files/{+path}" };
  expect(events).toMatchObject([
    ["prompt.get.started", prompt],
    ["prompt.get.succeeded", { prompt: "code_review", server: "demo" }],
    ["resource.read.started", { ...resource, arguments: { path: "a" } }],
    ["resource.read.succeeded", resource],
  ]);
});

test("a cassette records requests and answers them without a server", async () => {
  const record = await makeFolder();
  const requests = (all: ReturnType<typeof wrappersOf>): Promise<unknown>[] => [
    all.codeReview.safe({ code: "x" }),
    all.readme.safe(),
    all.issue.safe({ id: "7", labels: ["a", "b"] }),
    all.unlisted.safe(),
  ];
  const live = connect(overStdio(), { record });
  const answers = await Promise.all(requests(live));
  await live.close();
  const events: string[] = [];
  const replayed = connect(nowhere, { replay: record, logger: (event) => events.push(event) });
  const again = await Promise.all(requests(replayed));
  expect(again.slice(0, 3)).toEqual(answers.slice(0, 3));
  expect(again[3]).toMatchObject({ error: { code: "NOT_FOUND" } });
  expect(events.filter((event) => event.endsWith(".replayed")).sort()).toEqual([
    ...["prompt.get.replayed", "prompt.get.replayed", "resource.read.replayed", "resource.read.replayed"],
  ]);
  const code = "CALL_NOT_RECORDED";
  const message = containing('Prompt "code_review" of server "demo" was requested with');
  expect(await replayed.codeReview.safe({ code: "y" })).toMatchObject({ error: { code, message } });
  expect(await replayed.logo.safe()).toMatchObject({ error: { code } });
  const files = await readdir(join(record, "demo"));
  expect(files.map((name) => name.replace(/\..*/, "")).sort()).toEqual([
    ...["prompt-code-review", "prompt-unlisted"],
    ...["resource-demo-issues-id-labels-page", "resource-demo-readme"],
  ]);
});

const { command, args } = fixtureCommand(FIXTURE);
const ofVersion1 = new Client1({ name: "app", version: "1" });
const ofVersion2 = new Client2({ name: "app", version: "1" });
test.each([
  ["version 1", ofVersion1, () => ofVersion1.connect(new Stdio1({ command, args }))],
  ["version 2", ofVersion2, () => ofVersion2.connect(new Stdio2({ command, args }))],
])("the program's own client of the SDK, %s, is used", async (_version, client, open) => {
  await open();
  const { codeReview, readme, unlisted, file } = wrappersOf(nowhere);
  const passed: ToolCaller = client;
  expect((await codeReview({ code: "x" }, { client: passed })).description).toBe("It is code_review.");
  expect((await readme({ client: passed })).contents).toHaveLength(1);
  const error = { code: "NOT_FOUND" };
  expect(await unlisted.safe({}, { client: passed })).toMatchObject({ error });
  expect(await file.safe({ path: "missing" }, { client: passed })).toMatchObject({ error });
  await client.close();
});

test("a client that cannot get prompts is named", async () => {
  const client: ToolCaller = { callTool: () => Promise.resolve({}) };
  const error = { code: "UNAVAILABLE", message: containing("has no getPrompt()") };
  expect(await wrappersOf(nowhere).greeting.safe({}, { client })).toMatchObject({ error });
});
