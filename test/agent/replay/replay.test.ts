import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { createChangeTracker } from "../../../src/agent/replay/change-tracker.js";
import { memoryLines, type Lines } from "../../../src/agent/replay/parse-changes.js";
import { planReplay } from "../../../src/agent/replay/make-plan.js";
import type { Decision, ReplayPlan } from "../../../src/agent/replay/plan.js";
import { replay } from "../../../src/agent/replay/run-replay.js";
import type { AnyTool, RecordedCall, ToolCaller } from "../../../src/runtime/index.js";
import { act, connectModel, modelSite, type Action, type ModelSite } from "./model-site.js";
import { runs } from "../../sample.js";

const action: fc.Arbitrary<Action> = fc.tuple(fc.nat(5), fc.nat(20), fc.lorem({ maxCount: 1 }));

async function record(
  actions: readonly Action[],
): Promise<{ changes: readonly RecordedCall[]; sandbox: ModelSite }> {
  const sandbox = modelSite((_kind, count) => count + 1);
  const changes = createChangeTracker();
  await act(actions, connectModel({ client: sandbox.client, changes, environment: "sandbox" }));
  return { changes: changes.changes(), sandbox };
}

/** Ids of production are ids of the sandbox as well, and of other things. */
const production = (): ModelSite =>
  modelSite((kind, count) => ({ post: 7, comment: 2, category: 4 }[kind] ?? 0) + count * 2);

/** What is recorded of a session, and its plan for a site. */
async function open({
  actions = SESSION,
  site = production(),
  client = site.client,
}: { readonly actions?: readonly Action[]; readonly site?: ModelSite; readonly client?: ToolCaller } = {}) {
  const { changes, sandbox } = await record(actions);
  return { changes, sandbox, site, journal: memoryLines(), plan: await planFor(changes, client) };
}

const calling = (plan: ReplayPlan, safe: AnyTool["safe"]): ReplayPlan => ({
  ...plan,
  steps: plan.steps.map((step) => ({ ...step, tool: step.tool && { ...step.tool, safe } })),
});

const planFor = (changes: readonly RecordedCall[], client: ToolCaller) =>
  planReplay(changes, { environment: "production", tools: connectModel({ client }) });

describe("replaying", () => {
  test("anything that users do gives the same site up to ids", async () => {
    let calls = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40, size: "max" }), async (actions) => {
        const { changes, sandbox, site, plan, journal } = await open({ actions });
        expect(plan.conflicts).toEqual([]);
        expect(await replay(plan, { journal })).toMatchObject({ status: "complete" });
        expect(site.shape()).toEqual(sandbox.shape());
        calls += changes.length;
      }),
      { numRuns: runs(300, 4) },
    );
    expect(calls).toBeGreaterThan(runs(1_000, 4));
  });

  test("goes on after a refusal at any step, and repeats nothing", async () => {
    const refusal = { content: [{ type: "text", text: "Not now." }], isError: true };
    for (let failing = 0; failing < SESSION.length; failing++) {
      const site = production();
      let isDown = true;
      const client = interfering(site, (call) => (isDown && call === failing ? refusal : undefined));
      const { changes, sandbox, journal, plan } = await open({ site, client });
      const first = await replay(plan, { journal });
      expect(first).toMatchObject({
        status: "stopped",
        at: failing + 1,
        error: { code: "TOOL_EXECUTION_FAILED" },
      });
      expect(first.steps.map(({ state }) => state)).toEqual(
        changes.map((_change, at) => (at < failing ? "done" : at === failing ? "failed" : "pending")),
      );
      isDown = false;
      expect(await replay(plan, { journal })).toMatchObject({ status: "complete" });
      expect(await replay(plan, { journal })).toMatchObject({ status: "complete" });
      expect(site.calls).toHaveLength(changes.length);
      expect(site.shape()).toEqual(sandbox.shape());
    }
  });

  test.each([true, false])(
    "asks what became of a call that was not answered, done: %s, and sends it again only if told to",
    async (isDone) => {
      for (let failing = 0; failing < SESSION.length; failing++) {
        const site = production();
        let isDown = true;
        const client = interfering(site, async (call, run) => {
          if (!isDown || call !== failing) return undefined;
          isDown = false;
          if (isDone) await run();
          throw new Error("The connection was reset.");
        });
        const { changes, sandbox, journal, plan } = await open({ site, client });
        const undecided = { status: "undecided", at: failing + 1 };
        expect(await replay(plan, { journal })).toMatchObject(undecided);
        expect(await replay(plan, { journal })).toMatchObject(undecided);
        const result = site.calls.at(-1)?.result;
        const decision: Decision = isDone ? { as: "done", result } : { as: "retry" };
        const decisions = new Map([[failing + 1, decision]]);
        expect(await replay(plan, { journal, decisions })).toMatchObject({ status: "complete" });
        expect(site.calls).toHaveLength(changes.length);
        expect(site.shape()).toEqual(sandbox.shape());
      }
    },
  );

  test.each([
    [undefined, { output: "warn", environment: "production" }],
    [{ timeout: 5 }, { output: "warn", timeout: 5 }],
  ])("with the options %j of the target calls tools with %j", async (options, passed) => {
    const { plan, journal } = await open({ actions: SESSION.slice(0, 1) });
    const safe = vi.fn<AnyTool["safe"]>(() => Promise.resolve({ ok: true, value: { id: 1 } }));
    await replay({ ...calling(plan, safe), target: { ...plan.target, options } }, { journal });
    expect(safe.mock.calls.map(([, passedOptions]) => passedOptions)).toEqual([passed]);
  });

  test("is undecided where the tool asked a question, since it may have run", async () => {
    const { plan, journal } = await open({ actions: SESSION.slice(0, 1) });
    const asks = { code: "INPUT_REQUIRED", message: "Which?", retryable: false } as const;
    const error = { ...asks, tool: "", server: "" };
    const asking = calling(plan, () => Promise.resolve({ ok: false, error }));
    expect(await replay(asking, { journal })).toMatchObject({ status: "undecided", at: 1, error });
    const unknown = { status: "undecided", steps: [{ state: "unknown" }] };
    expect(await replay(plan, { journal })).toMatchObject(unknown);
  });

  test("ended anywhere in the journal repeats and loses nothing", async () => {
    const { changes, sandbox } = await record(SESSION.slice(0, 6));
    const whole = textLines();
    const { client } = production();
    await replay(await planFor(changes, client), { journal: whole.lines, clock: () => 0 });
    const size = whole.text().length;
    let unsure = 0;
    // Every fifth byte, and the ends of lines.
    const ends = [...whole.text().matchAll(/\n/g)].flatMap(({ index }) => [index, index + 1]);
    for (const budget of new Set([...Array.from({ length: size / 5 }, (_, at) => at * 5), ...ends])) {
      const site = production();
      const plan = await planFor(changes, site.client);
      const journal = textLines();
      journal.endAfter(budget);
      if (budget < size) await expect(replay(plan, { journal: journal.lines })).rejects.toThrow("killed");
      journal.endAfter(Infinity);
      let report = await replay(plan, { journal: journal.lines });
      if (report.status === "undecided") {
        unsure += 1;
        // Somebody looks.
        const at = report.at ?? 0;
        const made = site.calls[at - 1];
        const decision: Decision = made === undefined ? { as: "retry" } : { as: "done", result: made.result };
        report = await replay(plan, { journal: journal.lines, decisions: new Map([[at, decision]]) });
      }
      expect(report.status).toBe("complete");
      expect(site.calls).toHaveLength(changes.length);
      expect(site.shape()).toEqual(sandbox.shape());
    }
    expect(unsure).toBeGreaterThan(0);
  });

  test("with one journal, by two at a time, makes each call once", async () => {
    const { changes, sandbox, site, journal, plan } = await open();
    const reports = await Promise.all([replay(plan, { journal }), replay(plan, { journal })]);
    expect(reports.map(({ status }) => status)).toContain("complete");
    expect(site.calls).toHaveLength(changes.length);
    expect(site.shape()).toEqual(sandbox.shape());
  });

  test("stops before the next call when it is interrupted", async () => {
    const { site, journal, plan } = await open();
    const controller = new AbortController();
    const onStep = ({ number }: { readonly number: number }): void => {
      if (number === 2) controller.abort();
    };
    const report = await replay(plan, { journal, signal: controller.signal, onStep });
    expect(report).toMatchObject({ status: "stopped", at: 3, reason: "It was interrupted." });
    expect(site.calls).toHaveLength(2);
  });
});

describe("a journal", () => {
  test("of another environment, of other changes or of something else is refused", async () => {
    const { changes, site, journal, plan } = await open();
    await replay(plan, { journal });
    const tools = connectModel({ client: site.client });
    const elsewhere = await planReplay(changes, { environment: "staging", tools });
    const others = { ...(await planFor(changes.slice(1), site.client)), conflicts: [], isReady: true };
    const odd = memoryLines();
    odd.append('{"tool":"x"}');
    for (const [refused, lines] of [
      [elsewhere, journal],
      [others, journal],
      [plan, odd],
    ] as const)
      await expect(replay(refused, { journal: lines })).rejects.toMatchObject({ code: "JOURNAL_INVALID" });
    expect(site.calls).toHaveLength(changes.length);
  });

  test("with two answers to one call, which a merge of two branches left, is refused with both lines", async () => {
    const { journal, plan } = await open();
    await replay(plan, { journal });
    const [intent = "", done = ""] = journal.read();
    journal.append(done);
    // Another run announced the call too, and did not make it.
    journal.append(JSON.stringify({ ...(JSON.parse(intent) as object), run: "other" }));
    expect(await replay(plan, { journal })).toMatchObject({ status: "complete" });
    journal.append(JSON.stringify({ ...(JSON.parse(done) as object), result: { category_id: "other" } }));
    const problem = "line 2 has another answer to the same call; keep one of the two";
    const message = `Line ${journal.read().length} of the journal does not belong here: ${problem}.`;
    await expect(replay(plan, { journal })).rejects.toMatchObject({ code: "JOURNAL_INVALID", message });
  });

  test("takes decisions about unknown outcomes alone", async () => {
    const { journal, plan } = await open();
    const decisions = new Map<number, Decision>([[1, { as: "done" }]]);
    await expect(replay(plan, { journal, decisions })).rejects.toMatchObject({ code: "USAGE" });
  });

  test("goes on with changes that were recorded later", async () => {
    const { changes, site, journal, plan } = await open();
    await replay(await planFor(changes.slice(0, 3), site.client), { journal });
    await replay(plan, { journal });
    expect(site.calls).toHaveLength(changes.length);
  });
});

test("nothing is sent without a journal to write to", async () => {
  const { site, plan, journal } = await open();
  const append = (): never => {
    throw new Error("the disk is full");
  };
  await expect(replay(plan, { journal: { ...journal, append } })).rejects.toThrow("the disk is full");
  expect(site.calls).toEqual([]);
});

/** Everything once, with ids that are those of other things. */
const SESSION: readonly Action[] = [
  [1, 0, "News"],
  [0, 0, "Hello"],
  [2, 0, "First!"],
  [0, 0, "World"],
  [2, 1, "Second"],
  [3, 1, "Worlds"],
  [5, 0, ""],
  [4, 0, ""],
];

function interfering(
  site: ModelSite,
  interfere: (call: number, run: () => Promise<unknown>) => unknown,
): ToolCaller {
  let calls = 0;
  return {
    callTool: async (params) => {
      const run = (): Promise<unknown> => site.client.callTool(params);
      const answer = await interfere(calls, run);
      if (answer !== undefined) return answer;
      calls += 1;
      return run();
    },
  };
}

/** Lines as a file has them, which ends the process after so many characters. */
function textLines(): { readonly lines: Lines; text(): string; endAfter(budget: number): void } {
  let text = "";
  let left = Infinity;
  return {
    text: () => text,
    endAfter: (budget) => {
      left = budget;
    },
    lines: {
      append: (line) => {
        const more = `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`;
        text += more.slice(0, left);
        if (more.length > left) throw new Error("killed");
        left -= more.length;
      },
      read: () => text.split("\n").slice(0, text.endsWith("\n") || text === "" ? -1 : undefined),
      clear: () => {
        text = "";
      },
    },
  };
}
