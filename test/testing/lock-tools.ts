import { lockServer } from "../../src/core/lock-server.js";
import type { LockedServer } from "../../src/core/lockfile.js";
import type { ServerSnapshot, ToolSnapshot } from "../../src/core/snapshot.js";

/** The list of a server, with definitions whose names it lists again. */
export function listTools(
  tools: readonly ToolSnapshot[],
  repeated: readonly ToolSnapshot[] = [],
): ServerSnapshot {
  const serverInfo = { name: "shop", version: "3.1.0" };
  return {
    ...{ server: "shop", tools, repeated, unusable: {}, diagnostics: [] },
    identity: { serverInfo, protocolVersion: "2025-11-25", capabilities: {} },
    listing: { clientCapabilities: {}, pages: 1 },
  };
}

export function lockList(list: ServerSnapshot): LockedServer {
  return lockServer(list, undefined, { contract: "1.0.0", categoryOf: () => undefined });
}
