import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { definePrompt, defineResource, defineResourceTemplate } from "../../src/runtime/define-entry.js";
import { defineServer } from "../../src/runtime/tool.js";
import { ServerRequestError } from "../../src/runtime/server-entry.js";
import { connectTools } from "../../src/codegen.js";
import type { ServerDefinition } from "../../src/runtime/index.js";
import type { InputQuestion, OnInput } from "../../src/core/input-question.js";
import type { CallOptions, Logger, ToolCaller } from "../../src/core/call.js";
import { startFaultProxy, type Fault } from "../servers/fault-proxy.js";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { makeFolder } from "../temporary-folder.js";
import { openFixture } from "./open-fixture.js";

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

function overStdio(...args: readonly string[]): ServerDefinition {
  return defineServer({ name: "demo", contract: "1.0.0", ...fixtureCommand(FIXTURE, ...args) });
}

const containing = (words: string): string => expect.stringContaining(words) as string;
/** What no server answers. */
const nowhere = defineServer({ name: "demo", contract: "1.0.0", url: "http://127.0.0.1:9/mcp" });

describe.each(["2025-11-25", "2026-07-28"])("in %s", (protocol) => {
  const era = protocol === "2026-07-28" ? "modern" : "legacy";
  let http: Awaited<ReturnType<typeof startFixture>>;
  let wrappers: ReturnType<typeof wrappersOf>;
  beforeAll(async () => {
    http = await startFixture(FIXTURE, {
      args: ["--answer", "sse", ...(era === "modern" ? ["--era", "modern"] : [])],
    });
    wrappers = wrappersOf(defineServer({ name: "demo", contract: "1.0.0", url: http.url }));
  });
  afterAll(() => http.close());

  test("a prompt is requested with its arguments", async () => {
    const { codeReview, greeting } = wrappers;
    expect(await codeReview({ code: "let x", style: undefined })).toEqual({
      description: "It is code_review.",
      messages: [{ role: "user", content: { type: "text", text: '{"code":"let x"}' } }],
    });
    expect((await greeting()).messages).toHaveLength(1);
  });

  test("resources are read by URI and by template", async () => {
    const { readme, logo, file, issue } = wrappers;
    expect(await readme()).toEqual({
      contents: [{ uri: "demo://readme", mimeType: "text/markdown", text: "# Demo" }],
    });
    expect((await logo()).contents).toEqual([expect.objectContaining({ blob: "iVBORw0KGgo=" })]);
    expect((await file({ path: "a b/ç.txt" })).contents[0]?.uri).toBe("demo://files/a%20b/%C3%A7.txt");
    const labelled = await issue({ id: "7/8", labels: ["bug", "ui&ux"], page: "2" });
    expect(labelled.contents[0]?.uri).toBe("demo://issues/7%2F8?labels=bug&labels=ui%26ux&page=2");
    expect((await issue({ id: "7", labels: [] })).contents[0]?.uri).toBe("demo://issues/7");
  });

  test("a prompt may ask a question before it answers", async () => {
    const questions: InputQuestion[] = [];
    const onInput: OnInput = (question) => {
      questions.push(question);
      return { action: "accept", values: { name: "Ada" } };
    };
    const asked = await wrappers.asks({}, { onInput });
    expect(asked.messages[0]?.content.text).toBe("Hello, Ada");
    expect(questions).toMatchObject([{ server: "demo", prompt: "asks", message: "Whom?" }]);
    expect(questions[0]).not.toHaveProperty("tool");
  });

  test("unknown prompts and resources are NOT_FOUND", async () => {
    const prompt = await wrappers.unlisted.safe();
    expect(prompt).toMatchObject({
      error: {
        ...{ code: "NOT_FOUND", kind: "prompt", target: "unlisted", server: "demo", retryable: false },
        message: containing('does not know prompt "unlisted" of contract 1.0.0'),
      },
    });
    const error = { code: "NOT_FOUND", kind: "resource", target: "demo://files/missing.txt" };
    expect(await wrappers.file.safe({ path: "missing.txt" })).toMatchObject({ error });
  });
});

test("without a handler, a prompt that asks is INPUT_REQUIRED", async () => {
  const prompts = wrappersOf(overStdio());
  await using connection = connectTools(overStdio("--era", "modern"), {}, {}, { prompts });
  const error = { code: "INPUT_REQUIRED", message: containing('Prompt "asks" requires input') };
  expect(await connection.prompts.asks.safe()).toMatchObject({ error });
});

test.each([
  ["a missing argument", {}, "code: required"],
  ["an argument that is not a text", { code: 1 }, "code: expected a string"],
  ["a list for an argument that takes none", { code: ["a"] }, "code: expected a string"],
  ["no object", "code", "arguments are an object"],
])("a prompt refuses %s before anything is sent", async (_what, given, message) => {
  const { codeReview } = wrappersOf(nowhere);
  const call = (codeReview as (given: unknown) => Promise<unknown>)(given);
  await expect(call).rejects.toThrow(ServerRequestError);
  await expect(call).rejects.toMatchObject({ code: "INVALID_INPUT", message: containing(message) });
});

test.each<[name: "file" | "issue", given: unknown, message: string]>([
  ["file", { path: "a", pth: "b" }, "pth: unknown argument"],
  ["file", { path: "\ud800" }, "path: holds half of a surrogate pair"],
  ["file", { path: ["a"] }, "path: expected a string"],
  ["issue", { labels: [] }, "id: required"],
  ["issue", { id: 1, labels: [1] }, "id: expected a string; labels: expected a string or a list of strings"],
])("the template %s refuses %j", async (name, given, message) => {
  const error = { code: "INVALID_INPUT", message: containing(`: ${message}`) };
  expect(await wrappersOf(nowhere)[name].safe(given as never)).toMatchObject({ error });
});

test("an empty list does not count as a required argument", async () => {
  const list = defineResourceTemplate<{ readonly ids: readonly string[] }>({
    server: nowhere,
    uriTemplate: "demo://{ids}",
    arguments: [{ name: "ids", isRequired: true, isList: true }],
  });
  const { resources } = connectTools(nowhere, {}, {}, { resources: { list } });
  expect(await resources.list.safe({ ids: [] })).toMatchObject({
    error: { message: containing("ids: required") },
  });
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

test("answers that are not a prompt or contents are INVALID_OUTPUT", async () => {
  const server = overStdio("--broken", "yes");
  const { greeting, readme } = wrappersOf(server);
  await using connection = connectTools(server, {}, {}, { all: { greeting, readme } });
  const results = [await connection.all.greeting.safe(), await connection.all.readme.safe()];
  expect(results.map((result) => !result.ok && [result.error.code, result.error.message])).toEqual([
    ["INVALID_OUTPUT", 'The answer of prompt "greeting" is not valid: it has no list of messages.'],
    [
      "INVALID_OUTPUT",
      'The answer of resource "demo://readme" is not valid: contents[0] needs a uri and either text or blob.',
    ],
  ]);
});

test("a connection binds wrappers to its options, and its secrets reach no error", async () => {
  const server = defineServer({ ...overStdio(), env: { DEMO_TOKEN: "${DEMO_TOKEN}" } });
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

test("secrets in an answer that is not valid reach no error", async () => {
  const server = defineServer({ ...overStdio("--broken", "yes"), env: { DEMO_TOKEN: "${DEMO_TOKEN}" } });
  const prompts = wrappersOf(server);
  await using connection = connectTools(server, {}, { variables: () => "tok-123456789" }, { prompts });
  const failed = await connection.prompts.greeting.safe();
  const cause = { messages: expect.anything() as unknown };
  expect(failed).toMatchObject({ error: { code: "INVALID_OUTPUT", cause } });
  expect(JSON.stringify(failed)).not.toContain("tok-123456789");
});

test("a request is retried like the call of a read-only tool, and times out", async () => {
  const faults: Fault[] = ["error-500", "reset-mid-answer"];
  const http = await openFixture(FIXTURE);
  const proxy = await startFaultProxy(http.url, ({ method }) =>
    method === "prompts/get" || method === "resources/read" ? (faults.shift() ?? "none") : "none",
  );
  onTestFinished(() => proxy.close());
  const server = defineServer({ name: "demo", contract: "1.0.0", url: proxy.url });
  const { codeReview, readme, logo } = wrappersOf(server);
  await using connection = connectTools(server, {}, {}, { all: { codeReview, readme, logo } });
  expect((await connection.all.codeReview({ code: "x" })).messages).toHaveLength(1);
  const error = { code: "UNAVAILABLE", retryable: true };
  faults.push("error-500");
  expect(await connection.all.readme.safe({ retry: false })).toMatchObject({ error });
  faults.push("hang");
  expect(await connection.all.logo.safe({ timeout: 200 })).toMatchObject({ error });
});

test("an aborted request is UNAVAILABLE", async () => {
  const { readme } = wrappersOf(nowhere);
  const error = { code: "UNAVAILABLE", message: 'The request for resource "demo://readme" was aborted.' };
  expect(await readme.safe({ signal: AbortSignal.abort() })).toMatchObject({ error });
});

test("events name prompts and resources, and hold arguments only on request", async () => {
  const server = overStdio();
  const { codeReview, file } = wrappersOf(server);
  const events: Parameters<Logger>[] = [];
  const logger: Logger = (...event) => events.push(event);
  await using connection = connectTools(server, {}, { logger }, { all: { codeReview, file } });
  await connection.all.codeReview({ code: "secret code" });
  await connection.all.file({ path: "a" }, { logArguments: true });
  expect(events.map(([event]) => event)).toEqual([
    ...["prompt.get.started", "prompt.get.succeeded", "resource.read.started", "resource.read.succeeded"],
  ]);
  expect(events[0]?.[1]).toMatchObject({ prompt: "code_review", server: "demo" });
  expect(JSON.stringify(events.slice(0, 2))).not.toContain("secret code");
  expect(events[2]?.[1]).toMatchObject({ resource: "demo://files/{+path}", arguments: { path: "a" } });
});

test("a cassette records requests and answers them without a server", async () => {
  const record = await makeFolder();
  const live = connectTools(overStdio(), {}, { record }, { all: wrappersOf(overStdio()) });
  const requests = ({ all }: typeof live): Promise<unknown>[] => [
    all.codeReview.safe({ code: "x" }),
    all.readme.safe(),
    all.issue.safe({ id: "7", labels: ["a", "b"] }),
    all.unlisted.safe(),
  ];
  const answers = await Promise.all(requests(live));
  await live.close();
  const events: string[] = [];
  const options: CallOptions = { replay: record, logger: (event) => events.push(event) };
  const replayed = connectTools(nowhere, {}, options, { all: wrappersOf(nowhere) });
  const again = await Promise.all(requests(replayed));
  expect(again.slice(0, 3)).toEqual(answers.slice(0, 3));
  expect(again[3]).toMatchObject({ error: { code: "NOT_FOUND" } });
  expect(events.filter((event) => event.endsWith(".replayed")).sort()).toEqual([
    ...["prompt.get.replayed", "prompt.get.replayed", "resource.read.replayed", "resource.read.replayed"],
  ]);
  const code = "CALL_NOT_RECORDED";
  const message = containing('Prompt "code_review" of server "demo" was requested with');
  expect(await replayed.all.codeReview.safe({ code: "y" })).toMatchObject({ error: { code, message } });
  expect(await replayed.all.logo.safe()).toMatchObject({ error: { code } });
  const files = await readdir(join(record, "demo"));
  expect(files.map((file) => file.replace(/\..*/, "")).sort()).toEqual([
    "prompt-code-review",
    "prompt-unlisted",
    "resource-demo-issues-id-labels-page",
    "resource-demo-readme",
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
  const { codeReview, readme, unlisted, file } = wrappersOf(overStdio());
  const passed: ToolCaller = client;
  expect((await codeReview({ code: "x" }, { client: passed })).description).toBe("It is code_review.");
  expect((await readme({ client: passed })).contents).toHaveLength(1);
  const error = { code: "NOT_FOUND" };
  expect(await unlisted.safe({}, { client: passed })).toMatchObject({ error });
  expect(await file.safe({ path: "missing" }, { client: passed })).toMatchObject({ error });
  await client.close();
});

test("a client that cannot get prompts is named", async () => {
  const { greeting } = wrappersOf(overStdio());
  const client: ToolCaller = { callTool: () => Promise.resolve({}) };
  const error = { code: "UNAVAILABLE", message: containing("has no getPrompt()") };
  expect(await greeting.safe({}, { client })).toMatchObject({ error });
});
