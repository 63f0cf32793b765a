import { expect, test } from "vitest";
import * as z from "zod";
import { connectTools, defineTool } from "../../../src/runtime/index.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { startFaultProxy, type Fault } from "../../servers/fault-proxy.js";
import { startFixture } from "../../servers/start-fixture.js";

const FAULTS_OF_POLLS: readonly Fault[] = ["session-loss", "reset", "error-500", "cut"];

test.each(FAULTS_OF_POLLS)("a task that had begun is not begun again after %s", async (fault) => {
  const fixture = await startFixture("task-required", { args: ["--polls", "3"] });
  const proxy = await startFaultProxy(fixture.url, ({ method }) => (method === "tasks/get" ? fault : "none"));
  try {
    const server = defineServer({ name: "tasks", contract: "1.0.0", url: proxy.url });
    const render = defineTool({
      server,
      name: "render",
      taskSupport: "required",
      input: z.looseObject({}),
      inputSchema: () => ({}),
    });
    await using connection = connectTools(server, { render });
    expect(await connection.render.safe({}, { retry: 5 })).toMatchObject({
      error: { code: "TOOL_UNAVAILABLE", retryable: true },
    });
    expect(proxy.requests.filter(({ method }) => method === "tools/call")).toHaveLength(1);
  } finally {
    await proxy.close();
    await fixture.close();
  }
});

test("a task that had begun is not begun again when the server refuses connections meanwhile", async () => {
  const fixture = await startFixture("task-required", { args: ["--polls", "1000"] });
  const proxy = await startFaultProxy(fixture.url, () => "none");
  try {
    const server = defineServer({ name: "tasks", contract: "1.0.0", url: proxy.url });
    const render = defineTool({
      server,
      name: "render",
      taskSupport: "required",
      input: z.looseObject({}),
      inputSchema: () => ({}),
    });
    const result = render.safe({}, { retry: 5 });
    await expect.poll(() => proxy.requests.some(({ method }) => method === "tasks/get")).toBe(true);
    await proxy.fall();
    await proxy.rise();
    expect(await result).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
    expect(proxy.requests.filter(({ method }) => method === "tools/call")).toHaveLength(1);
  } finally {
    await proxy.close();
    await fixture.close();
  }
});
