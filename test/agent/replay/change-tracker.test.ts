import { describe, expect, test } from "vitest";
import * as z from "zod";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { defineServer, type ToolCaller } from "../../../src/runtime/index.js";
import { type RecordedToolCall } from "../../../src/runtime/call-recorder.js";
import { createChangeTracker } from "../../../src/agent/replay/change-tracker.js";
import { READS } from "../adapters/fake-tool.js";
import { lockedTool } from "../registry/fake-server.js";

const server = defineServer({ name: "site", contract: "1.2.0", url: "http://localhost:1/${SECRET}" });
const PostInput = z.looseObject({ title: z.string(), draft: z.boolean().optional() });
const Post = z.looseObject({ id: z.number(), title: z.string() });
const common = { server, output: Post, inputSchema: () => ({}) };
const writes = { annotations: { readOnlyHint: false } };
const createPost = defineTool({ ...common, ...writes, name: "create-post", input: PostInput });
const getPost = defineTool({
  ...common,
  ...READS,
  name: "get-post",
  input: z.looseObject({ id: z.number() }),
});
const note = lockedTool(server, "note");
const tools = { createPost, getPost, note };

type RecordedCalls =
  | RecordedToolCall<"site", "create-post", typeof createPost>
  | RecordedToolCall<"site", "note", typeof note>;

const clock = (): number => Date.UTC(2026, 0, 2, 3, 4, 5);
const AT = "2026-01-02T03:04:05.000Z";

const noted = [{ type: "text", text: "noted" }];
const client: ToolCaller = {
  callTool: ({ name, arguments: args }) => {
    const structuredContent = { id: 12, title: "", ...args };
    return Promise.resolve(name === "note" ? { content: noted } : { content: [], structuredContent });
  },
};

/** What a tracker recorded of calls that were made at that time, and its warnings. */
function openTracker(options: Parameters<typeof createChangeTracker>[0] = {}) {
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  return { warnings, tracker: createChangeTracker<object, RecordedCalls>({ clock, onWarning, ...options }) };
}

const mcpError = (message: string): Error =>
  Object.assign(new Error(message), { code: -32602, name: "McpError" });

describe("calls of wrappers", () => {
  test("are recorded as they were sent, unless the tool only reads", async () => {
    const tracker = createChangeTracker({ clock, environment: "next" });
    const site = connectTools(server, tools, { client, changes: tracker, environment: "sandbox" });
    await site.createPost({ title: "Hello", draft: undefined });
    await site.getPost({ id: 12 });
    await site.note({});
    await connectTools(server, tools, { client, changes: tracker }).note({ a: 1 });
    const made = { server: "site", at: AT, environment: "sandbox", contract: "1.2.0" };
    const result = { text: "noted", content: noted };
    expect(tracker.changes()).toEqual([
      { ...made, tool: "create-post", args: { title: "Hello" }, result: { id: 12, title: "Hello" } },
      { ...made, tool: "note", args: {}, result },
      // The tracker's environment is that of calls which name none.
      { ...made, tool: "note", args: { a: 1 }, result, environment: "next" },
    ]);
  });

  test("never carry settings of the connection", async () => {
    const tracker = createChangeTracker({ clock });
    const url = "http://127.0.0.1:1/secret-path";
    const secrets = { auth: { bearer: "secret-token" }, headers: { "x-key": "secret-key" } };
    expect(await createPost.safe({ title: "Hello" }, { changes: tracker, url, ...secrets })).toMatchObject({
      ok: false,
    });
    expect(JSON.stringify(tracker.changes())).not.toContain("secret");
  });

  test.each([
    ["a failure that the server reports", { content: [{ type: "text", text: "no" }], isError: true }, []],
    [
      "an answer that does not fit",
      { content: [], structuredContent: { id: "12" } },
      [{ result: null, outcome: "unfit", answer: { id: "12" } }],
    ],
    [
      "an answer that the client of an SDK refuses",
      mcpError("Structured content does not match the tool's output schema: data/id must be number"),
      [{ result: null, outcome: "unfit" }],
    ],
    ["no answer", new Error("reset"), [{ result: null, outcome: "unknown" }]],
    ["a refusal of the server", mcpError("Invalid params"), []],
  ])("%s", async (_what, answer, recorded) => {
    const tracker = createChangeTracker({ clock });
    const failing: ToolCaller = {
      callTool: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)),
    };
    const result = await createPost.safe({ title: "Hello" }, { client: failing, changes: tracker });
    expect(result.ok).toBe(false);
    const made = { tool: "create-post", server: "site", args: { title: "Hello" }, at: AT, contract: "1.2.0" };
    expect(tracker.changes()).toEqual(recorded.map((change) => ({ ...change, ...made })));
  });

  test("that were refused before they were sent are not", async () => {
    const tracker = createChangeTracker({ clock });
    // @ts-expect-error: no title
    await createPost.safe({}, { client, changes: tracker });
    // No server listens there.
    const away = await createPost.safe({ title: "Hello" }, { changes: tracker, url: "http://127.0.0.1:1/" });
    expect(away).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
    expect(tracker.changes()).toEqual([]);
  });

  test("succeed although they cannot be recorded, which is said", async () => {
    const record = (): never => {
      throw new Error("the disk is full");
    };
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const options = { client, changes: { record }, onWarning };
    expect(await createPost.safe({ title: "Hello" }, options)).toMatchObject({ ok: true });
    expect(warnings).toEqual(['A call of tool "create-post" could not be recorded: the disk is full']);
  });
});

describe("a tracker", () => {
  test("has fields of the user's own, and types by tool", async () => {
    const tracker = createChangeTracker<{ user: string }, RecordedCalls>({ clock });
    // @ts-expect-error: its changes need a user
    connectTools(server, tools, { client, changes: tracker });
    const site = connectTools(server, tools, { client, changes: tracker.with({ user: "ada" }) });
    await site.createPost({ title: "Hello" });
    const [change] = tracker.changes();
    expect(change).toMatchObject({ user: "ada", tool: "create-post" });
    if (change?.tool === "create-post") {
      const title: string = change.args.title;
      const id: number | undefined = change.result?.id;
      expect([title, id]).toEqual(["Hello", 12]);
      // @ts-expect-error: no such key
      expect(change.result?.slug).toBeUndefined();
    }
    // @ts-expect-error: no such tool
    expect(change?.tool === "get-post").toBe(false);
    tracker.track({
      ...{ tool: "note", server: "site", args: {}, result: null, at: AT, contract: "1.2.0" },
      user: "grace",
    });
    expect(tracker.changes().map(({ user }) => user)).toEqual(["ada", "grace"]);
    tracker.clear();
    expect(tracker.changes()).toEqual([]);
  });

  test("keeps copies, whatever becomes of the arguments", () => {
    const tracker = createChangeTracker();
    const args = JSON.parse('{ "__proto__": { "a": 1 }, "tags": ["x"] }') as { tags: string[] };
    tracker.track({ tool: "note", server: "site", args, result: undefined, at: AT, contract: "1.2.0" });
    args.tags.push("y");
    const [change] = tracker.changes();
    expect(JSON.stringify(change?.args)).toBe('{"__proto__":{"a":1},"tags":["x"]}');
    expect(change?.result).toBeNull();
  });
});

describe("an agent's steps", () => {
  const timestamp = new Date(Date.UTC(2026, 1, 1));
  const call = (toolCallId: string, toolName: string, input: unknown) =>
    ({ type: "tool-call", toolCallId, toolName, input }) as const;
  const answer = (toolCallId: string, output: unknown) =>
    ({ type: "tool-result", toolCallId, toolName: "", output }) as const;

  test("are matched with their results by id, and read-only tools left out", () => {
    const { warnings, tracker } = openTracker({ tools: { ...tools, server }, environment: "sandbox" });
    const kept = tracker.trackFromAgentResult({
      steps: [
        {
          toolCalls: [
            call("b", "createPost", { title: "B" }),
            call("a", "site__create-post", { title: "A" }),
          ],
          toolResults: [answer("a", { id: 1 }), answer("b", { id: 2 })],
          response: { timestamp },
        },
        { toolCalls: [call("c", "get-post", { id: 1 })], toolResults: [answer("c", { id: 1 })] },
        { toolCalls: [call("d", "createPost", { title: "waits" }), call("e", "createPost", { title: "E" })] },
        { toolCalls: [call("f", "shop__pay", {})], toolResults: [answer("f", "paid")] },
        { toolResults: [answer("e", { id: 3 })] },
      ],
    });
    expect(kept).toBe(4);
    const environment = "sandbox";
    const made = { tool: "create-post", server: "site", contract: "1.2.0", environment };
    expect(tracker.changes()).toEqual([
      { ...made, args: { title: "B" }, result: { id: 2 }, step: 0, at: timestamp.toISOString() },
      { ...made, args: { title: "A" }, result: { id: 1 }, step: 0, at: timestamp.toISOString() },
      { ...made, args: { title: "E" }, result: { id: 3 }, step: 2, at: AT },
      { tool: "pay", server: "shop", environment, args: {}, result: "paid", step: 3, at: AT },
    ]);
    expect(warnings).toHaveLength(1);
  });

  test.each(["responseMessages", "response"])("may be streamed, with results in %s", async (place) => {
    const tracker = createChangeTracker({ clock, tools });
    const content = [{ ...answer("a", { type: "json", value: { id: 1 } }), toolName: "createPost" }];
    const messages = [{ role: "tool", content }];
    await tracker.trackFromAgentResult({
      steps: Promise.resolve([{ toolCalls: [call("a", "createPost", { title: "A" })] }]),
      [place]: Promise.resolve(place === "response" ? { messages } : messages),
    });
    expect(tracker.changes()).toMatchObject([{ args: { title: "A" }, result: { id: 1 } }]);
  });

  test("are recorded once, however often the result is passed, until the tracker is cleared", async () => {
    const { warnings, tracker } = openTracker({ tools });
    const toolCalls = [call("a", "createPost", { title: "A" })];
    const steps = [{ toolCalls, toolResults: [answer("a", { id: 1, title: "A" })] }];
    const result = { steps };
    const stream = { steps: Promise.resolve(steps) };
    expect([1, 2].map(() => tracker.trackFromAgentResult(result))).toEqual([1, 0]);
    expect(await Promise.all([1, 2].map(async () => tracker.trackFromAgentResult(stream)))).toEqual([1, 0]);
    expect(tracker.changes()).toHaveLength(2);
    expect(warnings).toEqual([expect.stringMatching(/^This result of an agent is recorded already/)]);
    tracker.clear();
    expect(tracker.trackFromAgentResult(result)).toBe(1);
  });

  test("that failed are recorded where it is not known what was done", () => {
    const tracker = createChangeTracker({ clock, tools });
    const failed = (toolCallId: string, error: unknown) => ({ type: "tool-error", toolCallId, error });
    const toolCalls = ["a", "b", "c"].map((id) => call(id, "createPost", {}));
    const content = [
      failed("a", Object.assign(new Error("away"), { code: "TOOL_UNAVAILABLE" })),
      failed("b", Object.assign(new Error("no"), { code: "TOOL_EXECUTION_FAILED" })),
      failed("c", "anything"),
    ];
    tracker.trackFromAgentResult({ steps: [{ toolCalls, content }] });
    expect(tracker.changes()).toMatchObject([{ outcome: "unknown", result: null }]);
  });
});
