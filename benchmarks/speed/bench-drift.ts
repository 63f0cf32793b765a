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

/** Two locks of many tools; one in a hundred has changed. */
export function diffCase(dir: string, tools: readonly BenchTool[]): Case {
  mkdirSync(dir);
  const definitions = tools as readonly ToolSnapshot[];
  writeFileSync(join(dir, "before.json"), lockOf(definitions));
  writeFileSync(
    join(dir, "after.json"),
    lockOf(definitions.map((tool, index) => (index % 100 === 0 ? changeOf(tool, index / 100) : tool))),
  );
  return {
    name: `diff, two locks of ${tools.length.toLocaleString("en")} tools, 1 % changed`,
    cwd: dir,
    args: [BIN, "diff", "before.json", "after.json", "--fail-on", "never"],
    maxCpuSeconds: 1,
    maxMegabytes: 300,
  };
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
    `${best < GOAL ? "meets" : "MISSES"} < ${GOAL} ms (the first, which loads Ajv: ${first.toFixed(0)} ms)`
  );
}
