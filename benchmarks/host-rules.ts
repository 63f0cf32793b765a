/**
 * Compares the public tool lists with the rules about hosts: how many tools of how many servers each rule names. Each server is
 * alone in its host, under the name of its file.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { findHostFindings } from "../src/core/hosts/find-host-findings.js";
import { HOST_RULES } from "../src/core/hosts/host-rules.js";
import { HOST_IDS } from "../src/core/hosts/host.js";
import { isNamedObject } from "../src/core/json.js";
import { dataFiles } from "../test/data/files.js";

const lists = dataFiles("tool-lists").map((file) => {
  const { tools } = JSON.parse(readFileSync(file, "utf8")) as { readonly tools: readonly unknown[] };
  const server = basename(file, ".json").split("__").at(-1) ?? "";
  return tools.filter(isNamedObject).map((definition) => ({ server, definition }));
});

const hits = new Map<string, { tools: number; servers: number }>();
for (const tools of lists) {
  const named = new Map<string, number>();
  for (const { rule, tool } of findHostFindings(tools, HOST_IDS))
    named.set(rule, (named.get(rule) ?? 0) + (tool === undefined ? tools.length : 1));
  for (const [rule, count] of named) {
    const { tools: before, servers } = hits.get(rule) ?? { tools: 0, servers: 0 };
    hits.set(rule, { tools: before + count, servers: servers + 1 });
  }
}

console.log(`${lists.flat().length} tools of ${lists.length} servers\n`);
console.log(`${"rule".padEnd(32)} ${"effect".padEnd(8)} tools  servers`);
for (const host of HOST_IDS)
  for (const [rule, { effect }] of Object.entries(HOST_RULES).filter(([, one]) => one.host === host)) {
    const { tools, servers } = hits.get(rule) ?? { tools: 0, servers: 0 };
    console.log(
      `${rule.padEnd(32)} ${effect.padEnd(8)} ${String(tools).padStart(5)}  ${String(servers).padStart(7)}`,
    );
  }
