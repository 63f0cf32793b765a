/** Approval loops of the real AI SDK: a call that was approved has its result in the messages of the next run. */
import * as v6 from "ai-6";
import * as v7 from "ai-7";
import { MockLanguageModelV3 } from "ai-6/test";
import { MockLanguageModelV4 } from "ai-7/test";
import { afterEach, describe, expect, test } from "vitest";
import { connect } from "../../../generated/example/index.js";
import { toAiSdkTools } from "../../../src/agent/index.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import { createChangeTracker } from "../../../src/agent/replay/change-tracker.js";
import { memoryLines, parseChanges, type Lines } from "../../../src/agent/replay/parse-changes.js";
import { planReplay, replay } from "../../../src/agent/replay/plan.js";
import { type AgentResult, type StreamedAgentResult } from "../../../src/agent/replay/agent-result.js";
import { startBakery, type Bakery } from "../adapters/start-bakery.js";

const servers: Bakery[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.end()));
});

async function start(): Promise<Bakery> {
  const server = await startBakery();
  servers.push(server);
  return server;
}

/** One step of a scripted model: its calls, by tool. The last step has none. */
type Turn = readonly (readonly [tool: string, input: object])[];

const post = (title: string) => ["create-post", { title, content: "<p>Words.</p>" }] as const;

/** Six writes with reads between them, some of them in one step. The sandbox and the target start with posts 1 to 3. */
const SIX_WRITES: readonly Turn[] = [
  [["list-posts", {}], post("A"), post("B")],
  [["get-post", { id: 4 }]],
  [["update-post", { id: 4, title: "A, revised" }]],
  [
    ["delete-post", { id: 5 }],
    ["list-posts", { status: "draft" }],
  ],
  [
    [
      "create-order",
      {
        lines: [{ sku: "BRE-001", quantity: 2 }],
        customer: { name: "Ada", email: "ada@example.com" },
        payment: { method: "invoice" },
      },
    ],
  ],
  [["cancel-order", { id: 1, reason: "mistake" }]],
  [],
];
const WRITES = ["create-post", "create-post", "update-post", "delete-post", "create-order", "cancel-order"];

type AgentTools = v6.ToolSet & v7.ToolSet;
type Result = AgentResult | StreamedAgentResult;

/** What an SDK does with a conversation that may go on from approvals. */
interface Run {
  readonly result: Result;
  readonly messages: readonly object[];
  readonly requests: readonly {
    readonly approvalId: string;
    readonly toolCall: { readonly toolName: string };
  }[];
}

const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
const usage = { inputTokens: tokens, outputTokens: tokens };
let ids = 0;

function contentOf(turn: Turn) {
  if (turn.length === 0) return [{ type: "text" as const, text: "Done." }];
  return turn.map(([toolName, input]) => ({
    ...{
      type: "tool-call" as const,
      toolCallId: `call-${(ids += 1)}`,
      toolName,
      input: JSON.stringify(input),
    },
  }));
}

function reasonOf(turn: Turn) {
  return { unified: turn.length === 0 ? ("stop" as const) : ("tool-calls" as const), raw: undefined };
}

const generated = (turn: Turn) => ({
  content: contentOf(turn),
  finishReason: reasonOf(turn),
  usage,
  warnings: [],
});

function streamed(turn: Turn) {
  const calls = contentOf(turn);
  const parts = [...calls].flatMap<StreamPart>((part) =>
    part.type === "text"
      ? [
          { type: "text-start" as const, id: "1" },
          { type: "text-delta" as const, id: "1", delta: part.text },
          { type: "text-end" as const, id: "1" },
        ]
      : [part],
  );
  const all = [
    { type: "stream-start" as const, warnings: [] },
    ...parts,
    { type: "finish" as const, finishReason: reasonOf(turn), usage },
  ];
  return {
    stream: new ReadableStream({
      start(controller) {
        for (const part of all) controller.enqueue(part);
        controller.close();
      },
    }),
  };
}

type StreamPart =
  | Extract<ReturnType<typeof contentOf>[number], { readonly type: "tool-call" }>
  | { readonly type: "text-start" | "text-end"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string };

/** Makes the runs of one conversation: the model goes on in its script. */
type OpenConversation = (
  tools: AgentTools,
  turns: readonly Turn[],
) => (messages: readonly object[]) => Promise<Run>;

const WAYS: readonly (readonly [name: string, open: OpenConversation])[] = [
  [
    "generateText of ai 6",
    (tools, turns) => {
      const model = new MockLanguageModelV3({ doGenerate: turns.map(generated) });
      return async (messages) => {
        const result = await v6.generateText({
          model,
          tools,
          messages: messages as v6.ModelMessage[],
          stopWhen: v6.stepCountIs(20),
        });
        return {
          result,
          messages: result.response.messages,
          requests: result.content.filter((part) => part.type === "tool-approval-request"),
        };
      };
    },
  ],
  [
    "streamText of ai 6",
    (tools, turns) => {
      const model = new MockLanguageModelV3({ doStream: turns.map(streamed) });
      return async (messages) => {
        const result = v6.streamText({
          model,
          tools,
          messages: messages as v6.ModelMessage[],
          stopWhen: v6.stepCountIs(20),
        });
        await result.consumeStream();
        const { messages: made } = await result.response;
        return {
          result,
          messages: made,
          requests: (await result.content).filter((part) => part.type === "tool-approval-request"),
        };
      };
    },
  ],
  [
    "generateText of ai 7",
    (tools, turns) => {
      const model = new MockLanguageModelV4({ doGenerate: turns.map(generated) });
      return async (messages) => {
        const result = await v7.generateText({
          model,
          tools,
          messages: messages as v7.ModelMessage[],
          stopWhen: v7.isStepCount(20),
        });
        return {
          result,
          messages: result.responseMessages,
          requests: result.content.filter((part) => part.type === "tool-approval-request"),
        };
      };
    },
  ],
  [
    "streamText of ai 7",
    (tools, turns) => {
      const model = new MockLanguageModelV4({ doStream: turns.map(streamed) });
      return async (messages) => {
        const result = v7.streamText({
          model,
          tools,
          messages: messages as v7.ModelMessage[],
          stopWhen: v7.isStepCount(20),
        });
        await result.consumeStream();
        return {
          result,
          messages: await result.responseMessages,
          requests: (await result.content).filter((part) => part.type === "tool-approval-request"),
        };
      };
    },
  ],
];

type Approve = (tool: string) => boolean;

/** The loop of docs/agents.md. Resolves to the results of its runs. */
async function converse(
  run: (messages: readonly object[]) => Promise<Run>,
  approve: Approve,
  each: (result: Result) => unknown,
): Promise<number> {
  const messages: object[] = [{ role: "user", content: "Go." }];
  for (let runs = 1; ; runs += 1) {
    const { result, messages: made, requests } = await run(messages);
    await each(result);
    messages.push(...made);
    if (requests.length === 0) return runs;
    messages.push({
      role: "tool",
      content: requests.map(({ approvalId, toolCall }) => ({
        type: "tool-approval-response",
        approvalId,
        approved: approve(toolCall.toolName),
      })),
    });
  }
}

/** Replays changes on a second server, and returns what it has then. */
async function replayed(store: Lines): Promise<unknown> {
  const target = await start();
  const tools = connect({ client: target });
  const plan = await planReplay(parseChanges(store.read()).changes, {
    environment: "production",
    tools,
    accept: ["foreign-id"],
    options: {},
  });
  expect(plan.conflicts.filter(({ blocks }) => blocks)).toEqual([]);
  const report = await replay(plan, { journal: memoryLines() });
  expect(report.status).toBe("complete");
  return target.state();
}

const yes: Approve = () => true;

describe.each(WAYS)("%s", (_name, open) => {
  test.each(["all of them wait", "destructive ones wait"])(
    "records six writes, replayed with the same end state: %s",
    async (which) => {
      const sandbox = await start();
      const site = connect({ client: sandbox });
      const tools = (await toAiSdkTools(
        site,
        which.startsWith("all") ? { approval: "writes" } : {},
      )) as AgentTools;
      const [store, warnings]: [Lines, string[]] = [memoryLines(), []];
      const tracker = createChangeTracker({
        store,
        tools: site,
        environment: "sandbox",
        onWarning: (message) => void warnings.push(message),
      });
      const runs = await converse(open(tools, SIX_WRITES), yes, (result) =>
        tracker.trackFromAgentResult(result),
      );
      expect(runs).toBeGreaterThan(2);
      expect(sandbox.called.filter((name) => WRITES.includes(name))).toEqual(WRITES);
      const changes = tracker.changes();
      expect(changes.map(({ tool }) => tool)).toEqual(WRITES);
      expect(changes.map(({ result }) => (result as { id?: number }).id)).toEqual([4, 5, 4, undefined, 1, 1]);
      expect(warnings).toEqual([]);
      expect(await replayed(store)).toEqual(await sandbox.state());
    },
  );

  test.each([
    ["the toolset", "toolset"],
    ["its registry", "registry"],
  ] as const)("unwraps what a toolset executes, known by %s", async (_what, given) => {
    const sandbox = await start();
    const registry = createRegistry({ servers: [connect({ client: sandbox })] });
    const toolset = createToolset(registry, {
      policy: { writes: true },
      ...(given === "toolset" && { prefix: "site_" }),
    });
    const prefix = given === "toolset" ? "site_" : "";
    const tools = (await toAiSdkTools(toolset)) as AgentTools;
    const turns = SIX_WRITES.map((turn) =>
      turn.map(
        ([tool, args], at) =>
          [`${prefix}execute`, { tool: at === 0 ? `example__${tool}` : tool, args }] as const,
      ),
    );
    const reads: readonly Turn[] = [
      [
        [`${prefix}search_tools`, { query: "create a post" }],
        [`${prefix}describe_tools`, { tools: ["example__create-post"] }],
      ],
      [
        [`${prefix}introspect`, {}],
        [`${prefix}context`, {}],
      ],
    ];
    const [store, warnings]: [Lines, string[]] = [memoryLines(), []];
    const tracker = createChangeTracker({
      ...{ store, environment: "sandbox", onWarning: (message: string) => void warnings.push(message) },
      tools: given === "toolset" ? toolset : registry,
    });
    await converse(open(tools, [...reads, ...turns]), yes, (result) => tracker.trackFromAgentResult(result));
    expect(tracker.changes().map(({ tool, server }) => `${server} ${tool}`)).toEqual(
      WRITES.map((name) => `example ${name}`),
    );
    expect(tracker.changes()[2]?.args).toEqual({ id: 4, title: "A, revised" });
    expect(warnings).toEqual([]);
    expect(await replayed(store)).toEqual(await sandbox.state());
  });

  test("records nothing for a refused call, and for one that the tool says failed", async () => {
    const sandbox = await start();
    const site = connect({ client: sandbox });
    const warnings: string[] = [];
    const tracker = createChangeTracker({ tools: site, onWarning: (message) => void warnings.push(message) });
    const turns: readonly Turn[] = [
      [
        ["delete-post", { id: 1 }],
        ["update-post", { id: 99, title: "?" }],
      ],
      [],
    ];
    const approve: Approve = (tool) => tool === "update-post";
    await converse(open(await toAiSdkTools(site), turns), approve, (result) =>
      tracker.trackFromAgentResult(result),
    );
    expect(sandbox.called).toEqual(["update-post"]);
    expect(tracker.changes()).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test("records an approved call without an answer as unknown", async () => {
    const lost = { callTool: () => Promise.reject(new Error("socket hang up")) };
    const site = connect({ client: lost });
    const tracker = createChangeTracker({ tools: site });
    await converse(open(await toAiSdkTools(site), [[["delete-post", { id: 1 }]], []]), yes, (result) =>
      tracker.trackFromAgentResult(result),
    );
    expect(tracker.changes()).toMatchObject([{ tool: "delete-post", result: null, outcome: "unknown" }]);
  });

  test("warns of a call whose outcome never comes, and of an outcome whose call never came", async () => {
    const sandbox = await start();
    const site = connect({ client: sandbox });
    const tools = (await toAiSdkTools(site)) as AgentTools;
    const results: Result[] = [];
    await converse(open(tools, [[["delete-post", { id: 1 }]], []]), yes, (result) => results.push(result));
    const [first, second] = results;
    const early: string[] = [];
    const tracker = createChangeTracker({ tools: site, onWarning: (message) => void early.push(message) });
    if (first) await tracker.trackFromAgentResult(first);
    expect(tracker.changes()).toEqual([]);
    tracker.changes();
    expect(early).toHaveLength(1);
    expect(early[0]).toMatch(/^The outcome of a call of tool "delete-post" is not known/);
    const late: string[] = [];
    const other = createChangeTracker({ tools: site, onWarning: (message) => void late.push(message) });
    if (second) expect(await other.trackFromAgentResult(second)).toBe(0);
    expect(late).toHaveLength(1);
    expect(late[0]).toMatch(/^A result of tool "delete-post" belongs to a call that was not recorded/);
  });

  test("finds the call in the store when another process has the second run", async () => {
    const sandbox = await start();
    const site = connect({ client: sandbox });
    const store = memoryLines();
    await converse(open(await toAiSdkTools(site), [[["delete-post", { id: 1 }]], []]), yes, (result) =>
      createChangeTracker<{ user: string }>({ store, tools: site }).trackFromAgentResult(result as never, {
        user: "ada",
      }),
    );
    expect(parseChanges(store.read())).toMatchObject({
      changes: [{ tool: "delete-post", args: { id: 1 }, user: "ada", result: { deleted: true } }],
      unresolved: [],
      damaged: [],
    });
  });
});

test("a session's search is not a change, and a call of what it found is one", async () => {
  const sandbox = await start();
  const registry = createRegistry({ servers: [connect({ client: sandbox })] });
  const session = createToolset(registry, { show: "found", prefix: "my_" });
  await session.getTools();
  const tracker = createChangeTracker({ tools: session });
  const call = (toolCallId: string, toolName: string, input: object, output: object) => ({
    toolCalls: [{ type: "tool-call", toolCallId, toolName, input }],
    toolResults: [{ type: "tool-result", toolCallId, toolName, input, output }],
  });
  tracker.trackFromAgentResult({
    steps: [
      call("1", "my_search_tools", { query: "delete a post" }, { tools: [] }),
      call("2", "example__delete-post", { id: 1 }, { deleted: true }),
      call("3", "example__get-post", { id: 1 }, { id: 1 }),
    ],
  });
  expect(tracker.changes().map(({ tool }) => tool)).toEqual(["delete-post"]);
});
