import type { JsonValue } from "../../src/core/json.js";
import { connectTools } from "../../src/codegen.js";
import { defineServer } from "../../src/runtime/tool.js";
import { createRegistry } from "../../src/agent/registry/create-registry.js";
import { type Registry } from "../../src/agent/registry/registry.js";
import { readLiveSchema } from "../../src/schema/interpret/live-schema.js";
import { fixtureCommand } from "../../test/servers/start-fixture.js";
import { benchTools } from "./bench-tools.js";

/** Milliseconds that each of ten servers takes to list its tools. */
const DELAY = 1_000;

/** Returns the figures of the registry as lines: name, figure, goal. */
export async function measureRegistry(): Promise<string> {
  return [...(await measureReading()), ...(await measureRefresh()), ...measureSchemas()].join("\n");
}

/** A hundred unlocked tools of one server, first from its list, then from the cache. */
async function measureReading(): Promise<readonly string[]> {
  const { tools } = benchTools(100);
  const client = {
    callTool: () => Promise.resolve({}),
    listTools: () => Promise.resolve({ tools }),
  };
  const make = (): Registry =>
    createRegistry({ servers: [connectTools(defineServer({ name: "many" }), {}, { client })] });
  // The first listing loads the modules.
  await make().getTools();
  const registry = make();
  const [cold, count] = await time(async () => (await registry.getTools()).length);
  const rounds = 20_000;
  const [warm] = await time(async () => {
    for (let round = 0; round < rounds; round += 1) await registry.getTools();
  });
  const name = (await registry.getTools())[0]?.name ?? "";
  const [one] = await time(async () => {
    for (let round = 0; round < rounds; round += 1) await registry.getTool(name);
  });
  return [
    line(`making ${count} tools of a list`, `${cold.toFixed(1)} ms`, "< 2,000 ms"),
    line(`cached read of ${count} tools, per tool`, micro(warm / rounds / count), "< 1 µs"),
    line("cached read of one tool by name", micro(one / rounds), "< 1 µs per tool"),
    line("cached against cold", `${(cold / (warm / rounds)).toFixed(0)} times`, "≥ 10 times"),
  ];
}

async function measureRefresh(): Promise<readonly string[]> {
  const servers = Array.from({ length: 10 }, (_, at) =>
    defineServer({ name: `slow${at}`, ...fixtureCommand("slow", "--delay", String(DELAY)) }),
  );
  const connections = servers.map((server) => connectTools(server, {}));
  const registry = createRegistry({ servers: connections });
  try {
    // One server loads the modules: jiti returns a module to later import() calls before it is evaluated.
    await createRegistry({ servers: connections.slice(0, 1) }).refresh();
    // Started and connected first, to measure only the requests.
    await registry.refresh();
    const [took, report] = await time(() => registry.refresh());
    if (!report.ok) throw new Error("A server of the bench failed.");
    return [line(`refresh of ten servers of ${DELAY} ms each`, `${took.toFixed(0)} ms`, `${DELAY} ms and little more`)]; // prettier-ignore
  } finally {
    await Promise.all(connections.map((connection) => connection.close()));
  }
}

function measureSchemas(): readonly string[] {
  const { tools } = benchTools(100);
  const times = tools.map((tool) => {
    const start = performance.now();
    void readLiveSchema(tool["inputSchema"] as JsonValue, undefined)["~standard"].validate({});
    return performance.now() - start;
  });
  return [line("slowest of 100 schemas, read and compiled", `${Math.max(...times).toFixed(2)} ms`, "< 100 ms")]; // prettier-ignore
}

async function time<T>(work: () => Promise<T>): Promise<readonly [milliseconds: number, result: T]> {
  const start = performance.now();
  const result = await work();
  return [performance.now() - start, result];
}

function micro(milliseconds: number): string {
  return `${(milliseconds * 1_000).toFixed(3)} µs`;
}

function line(name: string, figure: string, goal: string): string {
  return `${name.padEnd(56)} ${figure.padStart(12)}   goal ${goal}`;
}
