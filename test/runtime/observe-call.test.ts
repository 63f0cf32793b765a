import { context, trace, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import * as z from "zod";
import { connectTools, defineTool } from "../../src/codegen.js";
import { defineServer } from "../../src/runtime/tool.js";
import type { CallOptions, Logger } from "../../src/runtime/index.js";
import { defineStaticTool, createRegistry } from "../../src/agent/index.js";
import { findTracer, observeCall, type TracerLike } from "../../src/runtime/observe-call.js";

const server = defineServer({ name: "shop", contract: "2.1.0", environments: { sandbox: {} } });
const input = z.looseObject({ item: z.string() });
const addOrder = defineTool({ server, name: "add-order", input, inputSchema: () => ({}) });
const content = [{ type: "text", text: "bread-secret" }];
const client = { callTool: () => Promise.resolve({ content }) };
const failing = { callTool: () => Promise.resolve({ content, isError: true }) };
const shown = { logArguments: true, logResults: true };

const fail = (): never => {
  throw new Error("broken");
};

function record() {
  const events: Parameters<Logger>[] = [];
  const logger: Logger = (...event) => events.push(event);
  const idsOf = (): unknown[] => events.map(([, { traceId }]) => traceId);
  return { events, logger, idsOf };
}

describe("the trace id of a call", () => {
  const MADE = /^[0-9a-f]{32}$/;
  test.each<[what: string, traceId: string | (() => string) | undefined, expected: RegExp]>([
    ["a text", "request-7", /^request-7$/],
    ["a function", () => "request-8", /^request-8$/],
    ["nothing", undefined, MADE],
    ["an empty text", "", MADE],
    ["a function that throws", fail, MADE],
  ])("is one for all its events, of the program or a new one: %s", async (_what, traceId, expected) => {
    const { logger, idsOf } = record();
    await addOrder.safe({ item: "rye" }, { client, logger, traceId });
    await addOrder.safe({ item: "rye" }, { client, logger, traceId });
    const [first, again, second] = idsOf();
    expect(first).toMatch(expected);
    expect([first === again, first === second]).toEqual([true, expected !== MADE]);
  });

  test("is that of a registry in all of its events", async () => {
    const { logger, idsOf } = record();
    const servers = [Object.assign({ server }, { addOrder })];
    const registry = createRegistry({ servers, logger, traceId: "request-7" });
    await registry.call("shop__add-order", { item: "rye" }, { client });
    await registry.refresh();
    expect(idsOf().length).toBeGreaterThan(2);
    expect(new Set(idsOf())).toEqual(new Set(["request-7"]));
  });
});

describe("events of a call", () => {
  const order = { item: "rye-secret" };
  const code = "TOOL_EXECUTION_FAILED";
  const given = { arguments: order };
  const words = { code, retryable: false, message: expect.stringContaining("bread-secret") as string };
  const result = expect.objectContaining({ text: "bread-secret" }) as object;
  const lost = { code: "TOOL_UNAVAILABLE", reason: "SERVER_UNREACHABLE", retryable: true };

  test.each<[what: string, options: CallOptions, begins: object, end: string, ends: object]>([
    ["that it began and succeeded", { client }, {}, "succeeded", {}],
    ["why it failed", { client: failing }, {}, "failed", { code, retryable: false }],
    ["why the connection ended", { url: "http://127.0.0.1:1/mcp" }, {}, "failed", lost],
    ["arguments and results when asked", { client, ...shown }, given, "succeeded", { result }],
    ["the words of failures when asked", { client: failing, ...shown }, given, "failed", words],
  ])("tell %s", async (_what, options, begins, end, ends) => {
    const { events, logger } = record();
    const environment = "sandbox";
    const { addOrder: bound } = connectTools(server, { addOrder }, { logger, environment, ...options });
    await bound.safe(order);
    const traceId = expect.any(String) as string;
    const durationMs = expect.any(Number) as number;
    const fields = { traceId, tool: "add-order", server: "shop", contract: "2.1.0", environment };
    expect(events).toEqual([
      ["tool.call.started", { ...fields, ...begins }],
      [`tool.call.${end}`, { ...fields, durationMs, ...ends }],
    ]);
  });

  test("measure by the clock they are given, and never below zero", async () => {
    const { events, logger } = record();
    const times = [100, 350, 100, 50];
    const call = { tool: addOrder.definition, input: {}, options: { logger } };
    const clock = (): number => times.shift() ?? 0;
    for (let n = 0; n < 2; n += 1)
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

  test("are children of the active span, and active during the call", async () => {
    register();
    const { logger, idsOf } = record();
    const active: unknown[] = [];
    const callTool = () => {
      active.push(trace.getActiveSpan()?.spanContext().spanId);
      return client.callTool();
    };
    await trace.getTracer("agent").startActiveSpan("agent", async (parent) => {
      await addOrder({ item: "rye" }, { client: { callTool }, logger });
      parent.end();
    });
    const [span, parent] = exporter.getFinishedSpans();
    expect(active).toEqual([span?.spanContext().spanId]);
    expect(span?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId);
    expect(idsOf()).toEqual([parent?.spanContext().traceId, parent?.spanContext().traceId]);
  });

  test("follow the conventions for MCP", async () => {
    register();
    const rpcError = Object.assign(new Error("no secret"), { code: -32603 });
    const rye = { item: "rye" };
    await addOrder.safe(rye, { client, environment: "sandbox" });
    await addOrder.safe(rye, { client, ...shown });
    await addOrder.safe(rye, { client: failing });
    // @ts-expect-error: the item is missing
    await addOrder.safe({});
    await addOrder.safe(rye, { client: { callTool: () => Promise.reject(rpcError) } });
    const spanOf = (code: number, attributes: object): object => ({
      ...{ name: "tools/call add-order", kind: 2, status: { code }, events: [] },
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "add-order",
        "mcp.method.name": "tools/call",
        "mcp_codegen.server": "shop",
        "mcp_codegen.contract": "2.1.0",
        ...attributes,
      },
    });
    const answer = { "gen_ai.tool.call.result": expect.stringContaining("bread-secret") as string };
    const failed = { "mcp_codegen.error.code": "TOOL_EXECUTION_FAILED" };
    const wrong = "TOOL_INVALID_INPUT";
    const spans = exporter.getFinishedSpans();
    expect(
      spans.map(({ name, kind, status, events, attributes }) => ({ name, kind, status, events, attributes })),
    ).toEqual([
      spanOf(0, { "mcp_codegen.environment": "sandbox" }),
      spanOf(0, { "gen_ai.tool.call.arguments": '{"item":"rye"}', ...answer }),
      spanOf(2, { ...failed, "error.type": "tool_error" }),
      spanOf(2, { "mcp_codegen.error.code": wrong, "error.type": wrong }),
      spanOf(2, { ...failed, "error.type": "-32603", "rpc.response.status_code": "-32603" }),
    ]);
  });

  test("are those of a static tool, whatever its arguments are", async () => {
    register();
    const execute = (value: unknown): object => ({ value });
    const circular = defineStaticTool({ name: "circular", input: z.unknown(), execute });
    await expect(circular({ big: 1n }, shown)).rejects.toThrow("BigInt");
    expect(exporter.getFinishedSpans()).toMatchObject([{ name: "execute_tool circular", kind: 0 }]);
  });

  type Start = (name: string, options: unknown, run: (span: unknown) => void) => unknown;
  const startThenFail: Start = (_name, _options, run) => {
    run({});
    fail();
  };
  test.each<[string, () => unknown]>([
    ["startActiveSpan", () => ({ startActiveSpan: fail })],
    ["that starts nothing", () => ({ startActiveSpan: () => undefined })],
    ["every method of a span", () => ({ startActiveSpan: startThenFail })],
    ["getTracer", fail],
  ])("cannot break a call: %s", async (_what, getTracer) => {
    const key = Symbol.for("opentelemetry.js.api.1");
    const before: unknown = Reflect.get(globalThis, key);
    Reflect.set(globalThis, key, { trace: { getTracer } });
    try {
      const callTool = vi.fn(client.callTool);
      const { events, logger } = record();
      expect(await addOrder.safe({ item: "rye" }, { client: { callTool }, logger })).toMatchObject({
        ok: true,
      });
      expect([callTool.mock.calls.length, events.length]).toEqual([1, 2]);
    } finally {
      Reflect.set(globalThis, key, before);
    }
  });
});
