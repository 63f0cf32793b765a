import { categoryOf } from "../config/category-of.js";
import type { CompleteConfig, ServerConfig } from "../config/config.js";
import { bumpContract, FIRST_CONTRACT } from "../contract/contract-version.js";
import type { McpCodegenError } from "../contract/errors.js";
import { getOwn } from "../contract/json.js";
import { lockServer } from "../contract/lock-server.js";
import type { LockedServer, Lockfile } from "../contract/lockfile.js";
import type { ServerPlan } from "../contract/reports.js";
import type { ServerSnapshot } from "../contract/snapshot.js";
import { diffLiveServer } from "../drift/diff-server.js";
import type { Neighbourhood } from "../drift/security/neighbourhood.js";
import { neighbourhoodOf } from "../drift/security/scan-lock.js";
import type { Outcome } from "../sources/snapshot-servers.js";

/** What becomes of one server's block, and the block itself: absent when it goes. */
export interface ServerStep {
  readonly plan: ServerPlan;
  readonly block?: LockedServer;
}

/**
 * One step for every server that was asked, in that order, then one for every locked server that is no longer
 * configured. Those are looked for only when all servers were asked.
 */
export function planServers(
  config: CompleteConfig,
  lock: Lockfile,
  outcomes: readonly Outcome[],
  { isWhole }: { readonly isWhole: boolean },
): readonly ServerStep[] {
  const neighbourhood = neighbourhoodOf(lock);
  const asked = outcomes.map((outcome) => {
    const locked = getOwn(lock.servers, outcome.server);
    if ("error" in outcome) return planFailed(outcome.server, locked, outcome.error);
    return planListed(getOwn(config.servers, outcome.server) ?? {}, locked, outcome.snapshot, neighbourhood);
  });
  const removed = Object.entries(lock.servers).filter(
    ([name]) => isWhole && !Object.hasOwn(config.servers, name),
  );
  return [...asked, ...removed.map(([name, locked]) => planRemoved(name, locked))];
}

/** The lock after these steps. Servers without a step keep their blocks. */
export function applySteps(lock: Lockfile, steps: readonly ServerStep[]): Lockfile {
  const servers = new Map(Object.entries(lock.servers));
  for (const { plan, block } of steps) {
    if (block === undefined) servers.delete(plan.server);
    else servers.set(plan.server, block);
  }
  return { ...lock, servers: Object.fromEntries(servers) };
}

function planListed(
  config: ServerConfig,
  locked: LockedServer | undefined,
  snapshot: ServerSnapshot,
  neighbourhood: Neighbourhood,
): ServerStep {
  const { server, diagnostics } = snapshot;
  const changes = diffLiveServer(server, locked, snapshot, { neighbourhood, schemas: config });
  const contract = locked === undefined ? FIRST_CONTRACT : bumpContract(locked.contract, changes);
  const block = lockServer(snapshot, locked, {
    contract,
    changes,
    categoryOf: (tool) => categoryOf(config, tool),
  });
  const status = locked === undefined ? "new" : isSame(locked, block) ? "unchanged" : "changed";
  const before = locked && { before: locked.contract };
  return {
    block,
    plan: { server, status, ...before, after: contract, changes, diagnostics, tools: snapshot.tools.length },
  };
}

/** An outage changes nothing: the block stays, and the report says that it was not verified. */
function planFailed(server: string, locked: LockedServer | undefined, error: McpCodegenError): ServerStep {
  const plan: ServerPlan = { server, status: "failed", changes: [], diagnostics: [], tools: 0, error };
  return locked === undefined ? { plan } : { block: locked, plan: { ...plan, before: locked.contract } };
}

function planRemoved(server: string, locked: LockedServer): ServerStep {
  const tools = Object.keys(locked.tools).length;
  return {
    plan: { server, status: "removed", before: locked.contract, changes: [], diagnostics: [], tools },
  };
}

function isSame(before: LockedServer, after: LockedServer): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
