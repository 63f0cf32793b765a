import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { connectTools } from "../../src/codegen.js";
import type { AnyTool, CallOptions, ConnectOptions, Logger } from "../../src/runtime/index.js";
import { defineStaticTool, toAiSdkTools, createRegistry, createToolset } from "../../src/agent/index.js";
import { type Registry } from "../../src/agent/registry/registry.js";
import type { FaultProxy } from "../servers/fault-proxy.js";
import { countingTools } from "./client/counting-tools.js";
import { openFixture, openProxy } from "./open-fixture.js";
import { openView } from "../../src/agent/registry/tool-view.js";
import { CONNECT_OPTIONS } from "../../src/runtime/tool.js";

/** What a program passes on that has optional settings of its own. */
const undefinedOptions: CallOptions = Object.fromEntries(
  Object.keys(CONNECT_OPTIONS).map((name) => [name, undefined]),
);

let base: FaultProxy;
let production: FaultProxy;
const events: Parameters<Logger>[] = [];
const recorded: unknown[] = [];

beforeEach(async () => {
  const { url } = await openFixture("counting", { args: ["--answer", "sse"] });
  base = await openProxy(url);
  production = await openProxy(url);
  events.length = recorded.length = 0;
});

/** The calls that a server has received. */
const callsOf = ({ requests }: FaultProxy) => requests.filter(({ method }) => method === "tools/call");

function generated() {
  const { server, tools } = countingTools({
    url: base.url,
    environments: { production: { url: production.url } },
  });
  const { read, write, whoami } = tools;
  return { server, tools: { read, write, whoami } };
}

const logger: Logger = (...event) => events.push(event);
const tenant = { "x-tenant": { value: "acme", public: true } } as const;
const bound: ConnectOptions = {
  environment: "production",
  headers: tenant,
  logger,
  logArguments: true,
  logResults: true,
  changes: { record: (call) => recorded.push(call.tool.name) },
};

function connected() {
  const { server, tools } = generated();
  return connectTools(server, tools, bound);
}

function registryIn(environment: string): Registry {
  const { server, tools } = generated();
  return createRegistry({ servers: [{ server, ...tools }], logger }).for(environment);
}

type Call = (options: CallOptions) => Promise<unknown>;
const missing = () => Promise.reject(new Error("There is no such tool."));

/** Every object that is bound to an environment, as a call of `write` through it. */
const BOUND: { readonly [name: string]: () => Call | Promise<Call> } = {
  "a tool of connect()": () => (options) => connected().write({ id: 1 }, options),
  "`safe` of a tool of connect()": () => (options) => connected().write.safe({ id: 1 }, options),
  "registry.for().call": () => (options) => registryIn("production").call("counting__write", {}, options),
  "a registered tool": async () => {
    const tool = await registryIn("production").getTool("counting__write");
    return (options) => tool?.call({}, options) ?? missing();
  },
  "a tool that is not locked": async () => {
    const { server } = generated();
    const registry = createRegistry({ servers: [server], environment: "production", admitUnlocked: true });
    const tool = await registry.getTool("counting__write");
    return (options) => tool?.call({ id: 1 }, options) ?? missing();
  },
  "a registry of what connect() returned": () => {
    const registry = createRegistry({ servers: [connected()], environment: "production" });
    return (options) => registry.call("counting__write", {}, options);
  },
  "a generated tool under its own name": () => {
    const registry = createRegistry({ static: [generated().tools.write], environment: "production" });
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
    return (options) => tool?.call({}, options) ?? missing();
  },
  "tools for the AI SDK": async () => {
    const tools = await toAiSdkTools(registryIn("production"), { approval: "none" });
    return (options) => {
      const given = { toolCallId: "1", abortSignal: options.signal as AbortSignal | undefined };
      return tools["write"]?.execute({}, given) ?? missing();
    };
  },
};

test.each(Object.entries(BOUND))(
  "%s stays in its environment, whichever options are undefined",
  async (_, open) => {
    const call = await open();
    await call(undefinedOptions);
    expect([callsOf(base).length, callsOf(production).length]).toEqual([0, 1]);
  },
);

test("what connect() was given stays: headers, logger and its settings, and the recorder", async () => {
  await connected().write({ id: 2 }, undefinedOptions);
  expect(callsOf(production)).toMatchObject([{ headers: { "x-tenant": "acme" } }]);
  expect(events).toMatchObject([
    ["tool.call.started", { environment: "production", arguments: { id: 2 } }],
    ["tool.call.succeeded", { result: expect.anything() as unknown }],
  ]);
  expect(recorded).toEqual(["write"]);
});

test("a connection with other headers stays in its environment, and keeps the header that is undefined", async () => {
  const other = { "x-other": { value: "o", public: true } } as const;
  await connected().write({ id: 3 }, { ...undefinedOptions, headers: other });
  expect(callsOf(production)).toMatchObject([{ headers: { "x-other": "o" } }]);
  const { server, tools } = generated();
  const unset: object = { "x-tenant": undefined };
  const headers: Record<string, string> = Object.assign({ "x-more": "1" }, unset);
  await using odd = connectTools({ ...server, headers: tenant }, tools, { headers });
  await odd.write({ id: 3 });
  expect(callsOf(base)).toMatchObject([{ headers: { "x-tenant": "acme", "x-more": "1" } }]);
});

test("a static tool knows the environment of its registry", async () => {
  const execute = (_input: object, { environment }: { readonly environment?: string }) => environment;
  const tool: AnyTool = defineStaticTool({ name: "where", input: z.object({}), execute });
  const registry = createRegistry({ static: [tool], environment: "production" });
  expect(await registry.call("where", {}, undefinedOptions)).toEqual({ ok: true, value: "production" });
});
