import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { connectTools, defineTool } from "../../../src/runtime/index.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { type CallOptions } from "../../../src/runtime/call-options.js";
import { type OnInput } from "../../../src/runtime/input-question.js";
import { fixtureCommand, startFixture } from "../../servers/start-fixture.js";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A connection to the server of tasks over a transport. */
async function connectBuild(
  transport: "stdio" | "http",
  options: CallOptions = {},
  ...args: readonly string[]
) {
  const fixture = transport === "http" ? await startFixture("tasks", { args }) : undefined;
  if (fixture !== undefined) open.push(() => fixture.close());
  const server = defineServer({
    name: "tasks",
    protocol: "2026-07-28",
    ...(fixture === undefined ? fixtureCommand("tasks", ...args) : { url: fixture.url }),
  });
  const tool = { server, input: z.looseObject({}), inputSchema: () => ({}) };
  const build = defineTool({ ...tool, name: "build", taskSupport: "required" });
  const connection = connectTools(server, { build, log: defineTool({ ...tool, name: "log" }) }, options);
  open.push(() => connection.close());
  return connection;
}

describe.each(["stdio", "http"] as const)("a call that is answered with a task, over %s", (transport) => {
  test.each([
    ["complete", { ok: true, value: { text: "built" } }],
    ["broken", { error: { code: "TOOL_EXECUTION_FAILED" } }],
    ["fail", { error: { message: expect.stringContaining("The disk is full") as string } }],
    ["cancel", { error: { message: expect.stringContaining("The server cancelled the task") as string } }],
    [
      "odd",
      { error: { message: expect.stringContaining("a status that the protocol does not know") as string } },
    ],
    ["empty", { error: { message: expect.stringContaining("a completed task without a result") as string } }],
    ["ask", { error: { code: "INPUT_REQUIRED", questions: [{ message: "Which branch?" }] } }],
  ])("%s", async (how, expected) => {
    const { build } = await connectBuild(transport);
    expect(await build.safe({ how })).toMatchObject(expected);
  });

  test("answers the questions of the task, each once", async () => {
    const asked: string[] = [];
    const onInput: OnInput = (question) => {
      asked.push(question.message);
      return {
        action: "accept",
        values: { [question.message === "Which branch?" ? "branch" : "target"]: "main" },
      };
    };
    const { build, log } = await connectBuild(transport, { onInput });
    expect((await build({ how: "again" })) as unknown).toMatchObject({ text: "built main main" });
    expect(asked).toEqual(["Which branch?", "Which target?"]);
    const { text } = (await log({})) as { readonly text: string };
    expect(text.split(" ").filter((method) => method === "update")).toHaveLength(2);
  });

  test("is cancelled after the time limit, and when it is aborted", async () => {
    const { build, log } = await connectBuild(transport);
    expect(await build.safe({ how: "never" }, { timeout: 150 })).toMatchObject({
      error: {
        message: expect.stringContaining(
          "The task did not end within 150 ms. Raise the option timeout if it needs longer.",
        ) as string,
      },
    });
    const abort = new AbortController();
    const aborted = build.safe({ how: "never" }, { signal: abort.signal });
    setTimeout(() => {
      abort.abort();
    }, 150);
    expect(await aborted).toMatchObject({ error: { message: expect.stringContaining("abort") as string } });
    const { text } = (await log({})) as { readonly text: string };
    expect(text.split(" ").filter((method) => method === "cancel")).toHaveLength(2);
  });
});

test.each(["0", "-1", "1e308"])("an interval of %s milliseconds is limited", async (interval) => {
  const { build, log } = await connectBuild("stdio", {}, `--interval=${interval}`);
  expect(await build.safe({ how: "never" }, { timeout: 200 })).toMatchObject({
    error: { message: expect.stringContaining("The task did not end within") as string },
  });
  const { text } = (await log({})) as { readonly text: string };
  expect(text.split(" ").length).toBeLessThan(40);
});
