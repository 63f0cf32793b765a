import { context, trace, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { connectTools, defineTool } from "../../src/codegen.js";
import { defineServer } from "../../src/runtime/tool.js";
import type { Logger } from "../../src/runtime/index.js";
import { defineStaticTool, createRegistry } from "../../src/agent/index.js";
import { findTracer, observeCall, type TracerLike } from "../../src/runtime/observe-call.js";

const server = defineServer({ name: "shop", contract: "2.1.0", environments: { sandbox: {} } });
const input = z.looseObject({ item: z.string() });
const addOrder = defineTool({ server, name: "add-order", input, inputSchema: () => ({}) });
const content = [{ type: "text", text: "bread-secret" }];
const client = { callTool: () => Promise.resolve({ content }) };
const failing = { callTool: () => Promise.resolve({ content, isError: true }) };

const fail = (): never => {
  throw new Error("broken");
};

function record() {
  const events: Parameters<Logger>[] = [];
  const logger: Logger = (...event) => events.push(event);
  return { events, logger };
}

describe("the trace id of a call", () => {
  const idsOf = ({ events }: ReturnType<typeof record>) => events.map(([, { traceId }]) => traceId);

  test.each([
    ["a text", "request-7", ["request-7", "request-7"]],
    ["a function", () => "request-8", ["request-8", "request-8"]],
  ])("may be %s of the program's", async (_what, traceId, expected) => {
    const recorded = record();
    const { logger } = recorded;
    await addOrder.safe({ item: "rye" }, { client, logger, traceId });
    expect(idsOf(recorded)).toEqual(expected);
    const registry = createRegistry({ servers: [Object.assign({ server }, { addOrder })], logger, traceId });
    recorded.events.length = 0;
    await registry.call("shop__add-order", { item: "rye" }, { client });
    await registry.refresh();
    expect(new Set(idsOf(recorded))).toEqual(new Set(expected));
  });

  test.each([
    ["is empty", ""],
    ["comes from a function that throws", fail],
  ])("is a new one where the given one %s", async (_what, traceId) => {
    const recorded = record();
    await addOrder.safe({ item: "rye" }, { client, logger: recorded.logger, traceId });
    expect(idsOf(recorded)[0]).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe("events of a call", () => {
  test("tell that it began and that it succeeded, under one trace id, without arguments and result", async () => {
    const { events, logger } = record();
    const environment = "sandbox";
    const { addOrder: bound } = connectTools(server, { addOrder }, { client, logger, environment });
    await bound({ item: "rye-secret" });
    const traceId = expect.stringMatching(/^[0-9a-f]{32}$/u) as unknown;
    const fields = { traceId, tool: "add-order", server: "shop", contract: "2.1.0", environment };
    expect(events).toEqual([
      ["tool.call.started", fields],
      ["tool.call.succeeded", { ...fields, durationMs: expect.any(Number) as unknown }],
    ]);
    expect(events[0]?.[1]["traceId"]).toBe(events[1]?.[1]["traceId"]);
    await bound({ item: "rye" });
    expect(events[2]?.[1]["traceId"]).not.toBe(events[0]?.[1]["traceId"]);
  });

  test("tell why it failed, without the words of the server", async () => {
    const { events, logger } = record();
    await addOrder.safe({ item: "rye-secret" }, { client: failing, logger });
    expect(events[1]).toEqual([
      "tool.call.failed",
      expect.objectContaining({ code: "TOOL_EXECUTION_FAILED", retryable: false, tool: "add-order" }),
    ]);
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  test("say why the connection ended", async () => {
    const { events, logger } = record();
    await addOrder.safe({ item: "rye" }, { url: "http://127.0.0.1:1/mcp", logger });
    const fields = { code: "TOOL_UNAVAILABLE", reason: "SERVER_UNREACHABLE", retryable: true };
    expect(events[1]?.[1]).toMatchObject(fields);
  });

  test("hold arguments, results and the words of failures when asked", async () => {
    const { events, logger } = record();
    const asked = { logger, logArguments: true, logResults: true };
    await addOrder.safe({ item: "rye" }, { client, ...asked });
    await addOrder.safe({ item: "rye" }, { client: failing, ...asked });
    expect(events.map(([, fields]) => fields)).toMatchObject([
      { arguments: { item: "rye" } },
      { result: { text: "bread-secret" } },
      { arguments: { item: "rye" } },
      { message: expect.stringContaining("bread-secret") as unknown },
    ]);
  });

  test.each([
    ["throws", fail],
    ["rejects", () => Promise.reject(new Error("full disk"))],
  ])("do not matter to a call when the logger %s", async (_what, logger) => {
    expect(await addOrder.safe({ item: "rye" }, { client, logger })).toMatchObject({ ok: true });
  });

  test("measure by the clock they are given, and never below zero", async () => {
    const { events, logger } = record();
    const times = [100, 350, 100, 50];
    const call = { tool: addOrder.definition, input: {}, options: { logger } };
    const clock = (): number => times.shift() ?? 0;
    await observeCall(call, () => Promise.resolve({ ok: true, value: 1 }), clock);
    await observeCall(call, () => Promise.resolve({ ok: true, value: 1 }), clock);
    expect(events.map(([, fields]) => fields["durationMs"])).toEqual([undefined, 250, undefined, 0]);
  });
});

describe("spans", () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  function register(): void {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(provider);
  }
  afterEach(() => {
    trace.disable();
    context.disable();
    exporter.reset();
  });

  test("are made by what @opentelemetry/api registers, and there are none without it", () => {
    expectTypeOf<Tracer>().toExtend<TracerLike>();
    expect(findTracer()).toBeUndefined();
    register();
    expect(findTracer()).toBeDefined();
  });

  test("follow the conventions for MCP, as children of the active span", async () => {
    register();
    const { events, logger } = record();
    await trace.getTracer("agent").startActiveSpan("agent", async (parent) => {
      await addOrder({ item: "rye-secret" }, { client, logger, environment: "sandbox" });
      parent.end();
    });
    const [span, parent] = exporter.getFinishedSpans();
    expect(span).toMatchObject({ name: "tools/call add-order", kind: 2, status: { code: 0 } });
    expect(span?.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "add-order",
      "mcp.method.name": "tools/call",
      "mcp_codegen.server": "shop",
      "mcp_codegen.contract": "2.1.0",
      "mcp_codegen.environment": "sandbox",
    });
    expect(span?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId);
    expect(events.map(([, fields]) => fields["traceId"])).toEqual(
      Array.from({ length: 2 }, () => parent?.spanContext().traceId),
    );
  });

  test("are active during the call", async () => {
    register();
    const active: unknown[] = [];
    const callTool = () => {
      active.push(trace.getActiveSpan()?.spanContext().spanId);
      return client.callTool();
    };
    await addOrder({ item: "rye" }, { client: { callTool } });
    expect(active).toEqual(exporter.getFinishedSpans().map((span) => span.spanContext().spanId));
    expect(active).toHaveLength(1);
  });

  test("say how a call failed", async () => {
    register();
    await addOrder.safe({ item: "rye" }, { client: failing });
    // @ts-expect-error: the item is missing
    await addOrder.safe({});
    const rpcError = Object.assign(new Error("no secret"), { code: -32603 });
    await addOrder.safe({ item: "rye" }, { client: { callTool: () => Promise.reject(rpcError) } });
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ status, attributes }) => [status.code, attributes["error.type"]])).toEqual([
      [2, "tool_error"],
      [2, "TOOL_INVALID_INPUT"],
      [2, "-32603"],
    ]);
    expect(spans[2]?.attributes).toMatchObject({
      "rpc.response.status_code": "-32603",
      "mcp_codegen.error.code": "TOOL_EXECUTION_FAILED",
    });
    expect(
      JSON.stringify(spans.map(({ attributes, status, events }) => [attributes, status, events])),
    ).not.toContain("secret");
  });

  test("hold arguments and results when asked, whatever they are", async () => {
    register();
    const execute = (value: unknown): object => ({ value });
    const circular = defineStaticTool({ name: "circular", input: z.unknown(), execute });
    const all = { logArguments: true, logResults: true };
    await addOrder({ item: "rye" }, { client, ...all });
    await expect(circular({ big: 1n }, all)).rejects.toThrow("BigInt");
    const [first, second] = exporter.getFinishedSpans();
    expect(first?.attributes["gen_ai.tool.call.arguments"]).toBe('{"item":"rye"}');
    expect(first?.attributes["gen_ai.tool.call.result"]).toContain("bread-secret");
    expect(second).toMatchObject({ name: "execute_tool circular", kind: 0 });
  });

  const ROWS: [string, () => unknown][] = [
    ["startActiveSpan", () => ({ startActiveSpan: fail })],
    ["that starts nothing", () => ({ startActiveSpan: () => undefined })],
    ["every method of a span", () => ({ startActiveSpan: (_name: string, _options: unknown, run: (span: unknown) => unknown) => { run({}); fail(); } })],
    ["getTracer", fail],
  ]; // prettier-ignore

  test.each(ROWS)("cannot break a call: %s", async (_what, getTracer) => {
    const key = Symbol.for("opentelemetry.js.api.1");
    const before: unknown = Reflect.get(globalThis, key);
    Reflect.set(globalThis, key, { trace: { getTracer } });
    try {
      let calls = 0;
      const counted = { callTool: () => ((calls += 1), Promise.resolve({ content })) };
      const { events, logger } = record();
      expect(await addOrder.safe({ item: "rye" }, { client: counted, logger })).toMatchObject({ ok: true });
      expect([calls, events.length]).toEqual([1, 2]);
    } finally {
      Reflect.set(globalThis, key, before);
    }
  });
});
