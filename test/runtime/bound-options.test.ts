import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { connectTools } from "../../src/codegen.js";
import type { AnyTool, CallOptions, ConnectOptions } from "../../src/runtime/index.js";
import { defineStaticTool, toAiSdkTools, createRegistry, createToolset } from "../../src/agent/index.js";
import { type Registry } from "../../src/agent/registry/registry.js";
import { startFaultProxy, type FaultProxy } from "../servers/fault-proxy.js";
import { startFixture } from "../servers/start-fixture.js";
import { countingTools } from "./client/counting-tools.js";
import { openView } from "../../src/agent/registry/tool-view.js";
import { CONNECT_OPTIONS } from "../../src/runtime/tool.js";

/** What a program passes on that has optional settings of its own. */
const undefinedOptions: CallOptions = Object.fromEntries(
  Object.keys(CONNECT_OPTIONS).map((name) => [name, undefined]),
);

let fixture: Awaited<ReturnType<typeof startFixture>>;
let base: FaultProxy;
let production: FaultProxy;
const events: { readonly event: string; readonly fields: { readonly [name: string]: unknown } }[] = [];
const recorded: unknown[] = [];
/** How many requests there were before the test. */
const seen = new Map<FaultProxy, number>();

beforeAll(async () => {
  fixture = await startFixture("counting", { args: ["--answer", "sse"] });
  base = await startFaultProxy(fixture.url, () => "none");
  production = await startFaultProxy(fixture.url, () => "none");
});
afterAll(async () => {
  await base.close();
  await production.close();
  await fixture.close();
});
beforeEach(() => {
  for (const proxy of [base, production]) seen.set(proxy, proxy.requests.length);
  events.length = recorded.length = 0;
});

/** The calls that a server has received in this test. */
const callsOf = (proxy: FaultProxy) =>
  proxy.requests.slice(seen.get(proxy)).filter(({ method }) => method === "tools/call");

function generated() {
  const environments = { production: { url: production.url } };
  const { server, tools } = countingTools({ url: base.url, environments });
  return { server, ...tools };
}

const logger = (event: string, fields: { readonly [name: string]: unknown }): void => {
  events.push({ event, fields });
};
const tenant = { "x-tenant": { value: "acme", public: true } } as const;
const bound: ConnectOptions = {
  environment: "production",
  headers: tenant,
  logger,
  logArguments: true,
  logResults: true,
  changes: { record: (call) => recorded.push(call.tool.name) },
};

const connected = () => connectTools(generated().server, countingToolsOf(generated()), bound);

function countingToolsOf({ read, write, whoami }: ReturnType<typeof generated>) {
  return { read, write, whoami };
}

const registryIn = (environment: string): Registry =>
  createRegistry({ servers: [generated()], logger }).for(environment);

type Call = (options: CallOptions) => Promise<unknown>;

/** Every object that is bound to an environment, as a call of `write` through it. */
const BOUND: { readonly [name: string]: () => Call | Promise<Call> } = {
  "a tool of connect()": () => (options) => connected().write({ id: 1 }, options),
  "`safe` of a tool of connect()": () => (options) => connected().write.safe({ id: 1 }, options),
  "registry.for().call": () => (options) => registryIn("production").call("counting__write", {}, options),
  "a registered tool": async () => {
    const tool = await registryIn("production").getTool("counting__write");
    return (options) => tool?.call({}, options) ?? Promise.reject(new Error("no tool"));
  },
  "a tool that is not locked": async () => {
    const { server } = generated();
    const registry = createRegistry({ servers: [server], environment: "production", admitUnlocked: true });
    const tool = await registry.getTool("counting__write");
    return (options) => tool?.call({ id: 1 }, options) ?? Promise.reject(new Error("no tool"));
  },
  "a registry of what connect() returned": () => {
    const registry = createRegistry({ servers: [connected()], environment: "production" });
    return (options) => registry.call("counting__write", {}, options);
  },
  "a generated tool under its own name": () => {
    const registry = createRegistry({ static: [generated().write], environment: "production" });
    return (options) => registry.call("write", {}, options);
  },
  restrictRegistry: () => {
    const registry = openView(registryIn("production")).restrict({ writes: true });
    return (options) => registry.call("counting__write", {}, options);
  },
  "a toolset": () => {
    const toolset = createToolset(registryIn("production"), { policy: { writes: true } });
    const args = { tool: "write", args: {} };
    return (options) => toolset.answer("execute", args, options);
  },
  "a session": async () => {
    const session = createToolset(registryIn("production"), { show: "found", core: ["counting__write"] });
    const tool = (await session.getTools()).find(({ name }) => name.endsWith("write"));
    return (options) => tool?.call({}, options) ?? Promise.reject(new Error("no tool"));
  },
  "tools for the AI SDK": async () => {
    const tools = await toAiSdkTools(registryIn("production"), { approval: "none" });
    return (options) => {
      const given = { toolCallId: "1", abortSignal: options.signal as AbortSignal | undefined };
      return tools["write"]?.execute({}, given) ?? Promise.reject(new Error("no tool"));
    };
  },
};

describe.each(Object.keys(BOUND))("%s", (name) => {
  test("stays in its environment, whichever options are undefined", async () => {
    const call = await BOUND[name]?.();
    await call?.(undefinedOptions);
    expect(callsOf(base)).toHaveLength(0);
    expect(callsOf(production)).toHaveLength(1);
  });
});

test("what connect() was given stays: headers, logger and its settings, and the recorder", async () => {
  await connected().write({ id: 2 }, undefinedOptions);
  const [request] = callsOf(production);
  expect(request?.headers["x-tenant"]).toBe("acme");
  expect(events.map(({ event }) => event)).toEqual(["tool.call.started", "tool.call.succeeded"]);
  expect(events[0]?.fields).toMatchObject({ environment: "production", arguments: { id: 2 } });
  expect(events[1]?.fields).toHaveProperty("result");
  expect(recorded).toEqual(["write"]);
});

test("a connection with other headers stays in its environment, and keeps the header that is undefined", async () => {
  const unset: object = { "x-tenant": undefined };
  const headers: Record<string, string> = Object.assign({ "x-more": "1" }, unset);
  const other = { "x-other": { value: "o", public: true } } as const;
  await connected().write({ id: 3 }, { ...undefinedOptions, headers: other });
  const server = { ...generated().server, headers: tenant };
  await using odd = connectTools(server, countingToolsOf(generated()), { headers });
  await odd.write({ id: 3 });
  expect(callsOf(production)[0]?.headers["x-other"]).toBe("o");
  expect(callsOf(base)[0]?.headers).toMatchObject({ "x-tenant": "acme", "x-more": "1" });
});

test("a static tool knows the environment of its registry", async () => {
  const execute = (_input: object, { environment }: { readonly environment?: string }) => environment;
  const tool: AnyTool = defineStaticTool({ name: "where", input: z.object({}), execute });
  const registry = createRegistry({ static: [tool], environment: "production" });
  expect(await registry.call("where", {}, undefinedOptions)).toEqual({ ok: true, value: "production" });
});
