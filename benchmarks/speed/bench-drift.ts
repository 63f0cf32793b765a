import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../src/core/digest.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { LockedTool } from "../../src/core/lockfile.js";
import { formatLockfile } from "../../src/core/lockfile-text.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { BIN } from "./bench-project.js";
import { largestTool, type BenchTool } from "./bench-tools.js";
import type { Case } from "./measure.js";

/** Two locks, and two saved lists, of many tools; one in a hundred has changed. */
export function diffCases(dir: string, tools: readonly BenchTool[]): readonly Case[] {
  mkdirSync(dir);
  const before = tools as readonly ToolSnapshot[];
  const after = before.map((tool, index) => (index % 100 === 0 ? changeOf(tool, index / 100) : tool));
  for (const [name, definitions] of Object.entries({ before, after })) {
    writeFileSync(join(dir, `${name}.json`), lockOf(definitions));
    writeFileSync(join(dir, `${name}-list.json`), JSON.stringify({ tools: definitions }));
  }
  const count = tools.length.toLocaleString("en");
  const diff = (name: string, files: readonly string[], maxCpuSeconds: number): Case => ({
    name: `diff, two ${name} of ${count} tools, 1 % changed`,
    cwd: dir,
    args: [BIN, "diff", ...files, "--fail-on", "never"],
    maxCpuSeconds,
    maxMegabytes: 300,
  });
  return [
    diff("locks", ["before.json", "after.json"], 1),
    diff("saved lists", ["before-list.json", "after-list.json"], 1.5),
  ];
}

function lockOf(tools: readonly ToolSnapshot[]): string {
  const locked = tools.map((definition): [string, LockedTool] => [
    definition.name,
    { definition, digest: digestOf(definition) },
  ]);
  const server = {
    contract: "1.0.0",
    identity: { serverInfo: { name: "bench" }, protocolVersion: "2025-11-25", capabilities: {} },
    listing: { clientCapabilities: {}, pages: 1 },
    tools: Object.fromEntries(locked),
  };
  return formatLockfile({ lockfileVersion: 1, servers: { bench: server } });
}

/** Every third changed tool loses a property, has another description, or gains a required property. */
function changeOf(tool: ToolSnapshot, which: number): ToolSnapshot {
  const schema = tool["inputSchema"] as JsonObject;
  const properties = Object.entries((schema["properties"] ?? {}) as JsonObject);
  if (which % 3 === 0)
    return { ...tool, inputSchema: { ...schema, properties: Object.fromEntries(properties.slice(1)) } };
  if (which % 3 === 1) return { ...tool, description: "Does the same as before." };
  return { ...tool, inputSchema: requireOneMore(schema) };
}

function requireOneMore(schema: JsonObject): JsonObject {
  return {
    ...schema,
    properties: { ...((schema["properties"] ?? {}) as JsonObject), asked: { type: "string" } },
    required: [...((schema["required"] ?? []) as readonly JsonValue[]), "asked"],
  };
}

/** The limit for a schema of 80 kB. */
const GOAL = 100;

/** Measures the diff of a large schema and its mutation, once the witness thread runs. */
export function measureLargeDiff(): string {
  const tool = largestTool() as ToolSnapshot;
  const mutated = { ...tool, inputSchema: requireOneMore(tool["inputSchema"] as JsonObject) };
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now();
    const [change] = diffTools([tool], [mutated]);
    if (change?.witness === undefined) throw new Error("The mutation is not shown by a witness.");
    return performance.now() - start;
  });
  const [first = Number.NaN, ...later] = times;
  const best = Math.min(...later);
  const size = Math.round(JSON.stringify(tool["inputSchema"]).length / 1000);
  return (
    `a schema of ${size} kB against its own mutation, witness included: ${best.toFixed(0)} ms, ` +
    `${best < GOAL ? "meets" : "MISSES"} < ${GOAL} ms (the first: ${first.toFixed(0)} ms)`
  );
}
