import { expect, it } from "vitest";
import { lockServer } from "../../../src/core/lock-server.js";
import { EMPTY_LOCK } from "../../../src/core/lockfile.js";
import type { ServerSnapshot } from "../../../src/core/snapshot.js";
import { planServers, takeTools } from "../../../src/pipeline/pull/plan-servers.js";

function listed(...names: readonly string[]): ServerSnapshot {
  return {
    server: "shop",
    identity: { serverInfo: { name: "shop", version: "1" }, protocolVersion: "2025-11-25", capabilities: {} },
    listing: { clientCapabilities: {}, pages: 1 },
    tools: names.map((name) => ({
      name,
      description: `Acts on one ${name.split("_")[1] ?? ""} of the shop by its number.`,
      inputSchema: { type: "object", properties: { [name.split("_")[1] ?? ""]: { type: "integer" } } },
    })),
    unusable: {},
    diagnostics: [],
  };
}

it.each([
  ["get_order", ["fetch_order", "list_bill"]],
  ["fetch_order", ["fetch_order", "list_bill"]],
  ["list_bill", ["get_order", "list_bill"]],
  ["*", ["add_cart", "fetch_order", "list_bill"]],
])("takes a renamed tool under both names, with --tools %s", (pattern, names) => {
  const locked = lockServer(listed("get_order", "list_bill"), undefined, {
    contract: "1.0.0",
    categoryOf: () => undefined,
  });
  const steps = planServers(
    { output: false, servers: { shop: { file: "tools.json" } } },
    { ...EMPTY_LOCK, servers: { shop: locked } },
    [{ server: "shop", snapshot: listed("add_cart", "fetch_order", "list_bill") }],
    { isWhole: false },
  );
  const [step] = takeTools(steps, [pattern]);
  expect(Object.keys(step?.block?.tools ?? {})).toEqual(names);
});
