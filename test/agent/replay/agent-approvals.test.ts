/** Approval loops of the real AI SDK: a call that was approved has its result in the messages of the next run. */
import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../../../generated/example/index.js";
import { toAiSdkTools, createRegistry, createToolset } from "../../../src/agent/index.js";
import { createChangeTracker } from "../../../src/agent/replay/change-tracker.js";
import { memoryLines, parseChanges } from "../../../src/agent/replay/parse-changes.js";
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

/** Writes with a read between them, some of them in one step. The site starts with posts 1 to 3. */
const WRITES: readonly Turn[] = [
  [["list-posts", {}], post("A"), post("B")],
  [["update-post", { id: 4, title: "A, revised" }]],
  [["delete-post", { id: 5 }]],
  [],
];
/** What is recorded of them. */
const MADE = [
  { server: "example", tool: "create-post", result: { id: 4 } },
  { server: "example", tool: "create-post", result: { id: 5 } },
  { server: "example", tool: "update-post", args: { id: 4, title: "A, revised" }, result: { id: 4 } },
  { server: "example", tool: "delete-post", args: { id: 5 }, result: { deleted: true } },
];
const DELETION: readonly Turn[] = [[["delete-post", { id: 1 }]], []];

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

const yes: Approve = () => true;

/** A tracker of a site in memory, the lines that it wrote, and its warnings. */
async function open(tools?: object) {
  const sandbox = await start();
  const site = connect({ client: sandbox });
  const warnings: string[] = [];
  const [store, onWarning] = [memoryLines(), (message: string): void => void warnings.push(message)];
  const tracker = createChangeTracker({ store, tools: tools ?? site, environment: "sandbox", onWarning });
  return { sandbox, site, store, tracker, warnings };
}

describe.each(SDKS.filter(({ version }) => version > 5))("ai $version", (sdk) => {
  test("records writes that wait for approval, once", async () => {
    const { sandbox, site, tracker, warnings } = await open();
    const tools = await toAiSdkTools(site, { approval: "writes" });
    const runs = await converse(sdk, tools, WRITES, yes, (result) => tracker.trackFromAgentResult(result));
    expect(runs).toBeGreaterThan(2);
    expect(sandbox.called).toEqual([
      "list-posts",
      "create-post",
      "create-post",
      "update-post",
      "delete-post",
    ]);
    expect(tracker.changes()).toMatchObject(MADE);
    expect(warnings).toEqual([]);
  });

  test.each(["toolset", "registry"] as const)(
    "unwraps what a toolset executes, known by its %s",
    async (kind) => {
      const sandbox = await start();
      const registry = createRegistry({ servers: [connect({ client: sandbox })] });
      const prefix = kind === "toolset" ? "site_" : "";
      const toolset = createToolset(registry, { policy: { writes: true }, prefix });
      const { tracker, warnings } = await open(kind === "toolset" ? toolset : registry);
      const execute = ([tool, args]: Turn[number], at: number): Turn[number] => [
        `${prefix}execute`,
        { tool: at === 0 ? `example__${tool}` : tool, args },
      ];
      const reads: Turn = [
        [`${prefix}search_tools`, { query: "create a post" }],
        [`${prefix}describe_tools`, { tools: ["example__create-post"] }],
        [`${prefix}introspect`, {}],
        [`${prefix}context`, {}],
      ];
      const turns = [reads, ...WRITES.map((turn) => turn.map(execute))];
      await converse(sdk, await toAiSdkTools(toolset), turns, yes, (result) =>
        tracker.trackFromAgentResult(result),
      );
      expect(tracker.changes()).toMatchObject(MADE);
      expect(warnings).toEqual([]);
    },
  );

  test("records nothing for a refused call, and for one that the tool says failed", async () => {
    const { sandbox, site, tracker, warnings } = await open();
    const turn: Turn = [
      ["delete-post", { id: 1 }],
      ["update-post", { id: 99, title: "?" }],
    ];
    const approve: Approve = (tool) => tool === "update-post";
    await converse(sdk, await toAiSdkTools(site), [turn, []], approve, (result) =>
      tracker.trackFromAgentResult(result),
    );
    expect(sandbox.called).toEqual(["update-post"]);
    expect([tracker.changes(), warnings]).toEqual([[], []]);
  });

  test("records an approved call without an answer as unknown", async () => {
    const lost = { callTool: () => Promise.reject(new Error("socket hang up")) };
    const site = connect({ client: lost });
    const tracker = createChangeTracker({ tools: site });
    await converse(sdk, await toAiSdkTools(site), DELETION, yes, (result) =>
      tracker.trackFromAgentResult(result),
    );
    expect(tracker.changes()).toMatchObject([{ tool: "delete-post", result: null, outcome: "unknown" }]);
  });

  test("warns of a call whose outcome never comes, and of an outcome whose call never came", async () => {
    const early = await open();
    const results: AgentResult[] = [];
    await converse(sdk, await toAiSdkTools(early.site), DELETION, yes, (result) => results.push(result));
    const [first = { steps: [] }, second = { steps: [] }] = results;
    early.tracker.trackFromAgentResult(first);
    expect([early.tracker.changes(), early.tracker.changes()]).toEqual([[], []]);
    const unknown = /^The outcome of a call of tool "delete-post" is not known/;
    expect(early.warnings).toEqual([expect.stringMatching(unknown)]);
    const late = await open();
    expect(late.tracker.trackFromAgentResult(second)).toBe(0);
    const lost = /^A result of tool "delete-post" belongs to a call that was not recorded/;
    expect(late.warnings).toEqual([expect.stringMatching(lost)]);
  });

  test("finds the call in the store when another process has the second run", async () => {
    const { site, store } = await open();
    const fields = { user: "ada" };
    await converse(sdk, await toAiSdkTools(site), DELETION, yes, (result) =>
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
