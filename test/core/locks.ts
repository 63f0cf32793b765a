import type { Change } from "../../src/core/change.js";
import type { LockedServer, Lockfile } from "../../src/core/lockfile.js";
import type { ServerSnapshot } from "../../src/core/snapshot.js";

/** What a server without tools lists, except for these parts. */
export function snapshotOf(parts: Partial<ServerSnapshot> = {}): ServerSnapshot {
  const serverInfo = { name: "shop", version: "1" };
  return {
    ...{ server: "shop", identity: { serverInfo, protocolVersion: "2025-11-25", capabilities: {} } },
    ...{ listing: { clientCapabilities: {}, pages: 1 }, tools: [], unusable: {}, diagnostics: [] },
    ...parts,
  };
}

export const OPTIONS = { contract: "1.0.0", categoryOf: (): undefined => undefined };

export const CHANGE: Change = {
  ...{ rule: "tool-description-changed", class: "dangerous", security: false },
  ...{ server: "shop", path: "", impacts: ["model"] },
};

export function lockOf(shop: LockedServer): Lockfile {
  return { lockfileVersion: 1, servers: { shop } };
}
