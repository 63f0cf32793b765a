import { canonicalJson } from "../contract/canonical-json.js";
import { getOwn } from "../contract/json.js";
import type { LockedServer, Lockfile } from "../contract/lockfile.js";
import type { ServerPlan } from "./reports.js";
import { nameServer } from "../emit/name-tools.js";
import { readGeneratedFolder } from "../files/read-generated-folder.js";
import type { ServerStep } from "./pull/plan-servers.js";

/** Confirms whether servers that are no longer configured leave the lock, with their generated files. */
export type ConfirmRemoval = (removed: readonly ServerPlan[]) => boolean | Promise<boolean>;

/** Adds to each removal the number of its generated files, and the probable new key of a renamed server. */
export async function describeRemovals(
  lock: Lockfile,
  steps: readonly ServerStep[],
  output: string | undefined,
): Promise<readonly ServerStep[]> {
  if (!steps.some(isRemoval)) return steps;
  const files = output === undefined ? [] : await readGeneratedFolder(output);
  const added = steps.flatMap(({ plan, block }) =>
    plan.status === "new" && block !== undefined ? [{ server: plan.server, block }] : [],
  );
  return steps.map((step) => {
    if (!isRemoval(step)) return step;
    const { server } = step.plan;
    const { folder } = nameServer(server);
    const ours = files.filter(({ path, header }) => header !== undefined && path.startsWith(`${folder}/`));
    const removed = getOwn(lock.servers, server);
    const renamedTo = removed && findSuccessor(removed, added);
    return {
      ...step,
      plan: { ...step.plan, files: ours.length, ...(renamedTo !== undefined && { renamedTo }) },
    };
  });
}

/**
 * Turns removals that do not happen into `leftover`: all removals, if a new server that may replace one was not
 * listed or is held back, or if they are not confirmed.
 */
export async function settleRemovals(
  lock: Lockfile,
  steps: readonly ServerStep[],
  confirm: ConfirmRemoval,
): Promise<readonly ServerStep[]> {
  const removed = steps.filter(isRemoval).map(({ plan }) => plan);
  if (removed.length === 0) return steps;
  const isReplaced = steps.every(isRemovalOrLocked);
  if (isReplaced && (await confirm(removed))) return steps;
  const leftover = isReplaced ? "unconfirmed" : "unreplaced";
  return steps.map((step) => {
    const block = getOwn(lock.servers, step.plan.server);
    if (!isRemoval(step) || block === undefined) return step;
    return { block, plan: { ...step.plan, status: "leftover", leftover } };
  });
}

function isRemoval({ plan }: ServerStep): boolean {
  return plan.status === "removed";
}

/** Whether the server is removed or has a block in the lock after this step. */
function isRemovalOrLocked(step: ServerStep): boolean {
  return isRemoval(step) || step.block !== undefined;
}

/** The new server with the same tools; else the one with the same server name and at least half of the tools. */
export function findSuccessor(
  removed: LockedServer,
  added: readonly { readonly server: string; readonly block: LockedServer }[],
): string | undefined {
  const same = added.find(({ block }) => hasTools(block) && toolsOf(block) === toolsOf(removed));
  return (same ?? added.find(({ block }) => isSimilar(block, removed)))?.server;
}

function hasTools({ tools }: LockedServer): boolean {
  return Object.keys(tools).length > 0;
}

function toolsOf({ tools }: LockedServer): string {
  return canonicalJson(Object.entries(tools).map(([name, { digest }]) => [name, digest]));
}

function isSimilar(added: LockedServer, removed: LockedServer): boolean {
  const name = added.identity.serverInfo["name"];
  if (typeof name !== "string" || name !== removed.identity.serverInfo["name"]) return false;
  const names = Object.keys(removed.tools);
  return names.filter((tool) => Object.hasOwn(added.tools, tool)).length * 2 >= names.length;
}
