/** Approval loops of the real AI SDK: a call that was approved has its result in the messages of the next run. */
import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../../../generated/example/index.js";
import { toAiSdkTools, createRegistry, createToolset } from "../../../src/agent/index.js";
import { createChangeTracker } from "../../../src/agent/replay/change-tracker.js";
import { planReplay } from "../../../src/agent/replay/make-plan.js";
import { replay } from "../../../src/agent/replay/run-replay.js";
import { memoryLines, parseChanges, type Lines } from "../../../src/agent/replay/parse-changes.js";
import { type AgentResult } from "../../../src/agent/replay/agent-result.js";
import { SDKS, type AnyToolSet, type Sdk, type WrittenCall } from "../adapters/run-agent.js";
import { startBakery, type Bakery } from "../adapters/start-bakery.js";

async function start(): Promise<Bakery> {
  const server = await startBakery();
  onTestFinished(() => server.end());
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

let ids = 0;
const written = (turn: Turn): readonly WrittenCall[] | string =>
  turn.length === 0
    ? "Done."
    : turn.map(([tool, input]) => ({ id: `call-${(ids += 1)}`, tool, json: JSON.stringify(input) }));

type Approve = (tool: string) => boolean;

/** The loop of docs/agents.md, in which the model goes on in its script. Resolves to the number of its runs. */
async function converse(
  { run }: Sdk,
  tools: object,
  script: readonly Turn[],
  approve: Approve,
  each: (result: AgentResult) => unknown,
): Promise<number> {
  const turns = script.map(written);
  let messages: readonly object[] = [{ role: "user", content: "Go." }];
  for (let runs = 1; ; runs += 1) {
    const { result, steps, messages: made } = await run(tools as AnyToolSet, turns, { messages });
    turns.splice(0, steps.length);
    await each(result);
    const requests = steps.at(-1)?.filter(({ type }) => type === "tool-approval-request") ?? [];
    if (requests.length === 0) return runs;
    const content = requests.map(({ approvalId, toolCall }) => ({
      ...{ type: "tool-approval-response", approvalId },
      approved: approve((toolCall as { readonly toolName: string }).toolName),
    }));
    messages = [...made, { role: "tool", content }];
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

describe.each(SDKS.filter(({ version }) => version > 5))("ai $version", (sdk) => {
  test.each(["all of them wait", "destructive ones wait"])(
    "records six writes, replayed with the same end state: %s",
    async (which) => {
      const sandbox = await start();
      const site = connect({ client: sandbox });
      const tools = await toAiSdkTools(site, which.startsWith("all") ? { approval: "writes" } : {});
      const [store, warnings]: [Lines, string[]] = [memoryLines(), []];
      const tracker = createChangeTracker({
        store,
        tools: site,
        environment: "sandbox",
        onWarning: (message) => void warnings.push(message),
      });
      const runs = await converse(sdk, tools, SIX_WRITES, yes, (result) =>
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
    const prefix = given === "toolset" ? "site_" : "";
    const toolset = createToolset(registry, { policy: { writes: true }, prefix });
    const tools = await toAiSdkTools(toolset);
    const execute = ([tool, args]: Turn[number], at: number): Turn[number] => [
      `${prefix}execute`,
      { tool: at === 0 ? `example__${tool}` : tool, args },
    ];
    const turns = SIX_WRITES.map((turn) => turn.map(execute));
    const reads: Turn = [
      [`${prefix}search_tools`, { query: "create a post" }],
      [`${prefix}describe_tools`, { tools: ["example__create-post"] }],
      [`${prefix}introspect`, {}],
      [`${prefix}context`, {}],
    ];
    const [store, warnings]: [Lines, string[]] = [memoryLines(), []];
    const tracker = createChangeTracker({
      ...{ store, environment: "sandbox", onWarning: (message: string) => void warnings.push(message) },
      tools: given === "toolset" ? toolset : registry,
    });
    await converse(sdk, tools, [reads, ...turns], yes, (result) => tracker.trackFromAgentResult(result));
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
    const turn: Turn = [
      ["delete-post", { id: 1 }],
      ["update-post", { id: 99, title: "?" }],
    ];
    const approve: Approve = (tool) => tool === "update-post";
    await converse(sdk, await toAiSdkTools(site), [turn, []], approve, (result) =>
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
    await converse(sdk, await toAiSdkTools(site), [[["delete-post", { id: 1 }]], []], yes, (result) =>
      tracker.trackFromAgentResult(result),
    );
    expect(tracker.changes()).toMatchObject([{ tool: "delete-post", result: null, outcome: "unknown" }]);
  });

  test("warns of a call whose outcome never comes, and of an outcome whose call never came", async () => {
    const sandbox = await start();
    const site = connect({ client: sandbox });
    const tools = await toAiSdkTools(site);
    const results: AgentResult[] = [];
    await converse(sdk, tools, [[["delete-post", { id: 1 }]], []], yes, (result) => results.push(result));
    const [first, second] = results;
    const early: string[] = [];
    const tracker = createChangeTracker({ tools: site, onWarning: (message) => void early.push(message) });
    if (first) tracker.trackFromAgentResult(first);
    expect(tracker.changes()).toEqual([]);
    tracker.changes();
    const unknown = /^The outcome of a call of tool "delete-post" is not known/;
    expect(early).toEqual([expect.stringMatching(unknown)]);
    const late: string[] = [];
    const other = createChangeTracker({ tools: site, onWarning: (message) => void late.push(message) });
    if (second) expect(other.trackFromAgentResult(second)).toBe(0);
    const lost = /^A result of tool "delete-post" belongs to a call that was not recorded/;
    expect(late).toEqual([expect.stringMatching(lost)]);
  });

  test("finds the call in the store when another process has the second run", async () => {
    const sandbox = await start();
    const site = connect({ client: sandbox });
    const store = memoryLines();
    const fields = { user: "ada" };
    await converse(sdk, await toAiSdkTools(site), [[["delete-post", { id: 1 }]], []], yes, (result) =>
      createChangeTracker<typeof fields>({ store, tools: site }).trackFromAgentResult(
        result as never,
        fields,
      ),
    );
    expect(parseChanges(store.read())).toMatchObject({
      changes: [{ tool: "delete-post", args: { id: 1 }, user: "ada", result: { deleted: true } }],
      unresolved: [],
      damaged: [],
    });
  });
});
