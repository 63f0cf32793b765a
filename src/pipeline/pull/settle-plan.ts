import type { Change } from "../../core/change.js";
import { findingId, replaceWaivers, type Waiver, waiverFor } from "../../core/waivers.js";
import { findEntry } from "../../core/entries.js";
import { joinPointer } from "../../core/json-pointer.js";
import { canonicalJson, getOwn } from "../../core/json.js";
import type { LockedServer, Lockfile } from "../../core/lockfile.js";
import { scanLock } from "../../drift/security/scan-lock.js";
import { nameServer } from "../../emit/name-tools.js";
import { readGeneratedFolder } from "../../files/output-folder.js";
import { findUnaccepted, type WaiveOptions } from "../check/waive-findings.js";
import type { HeldEntry, ServerPlan } from "./pull-report.js";
import { applySteps, isUnchanged, type ServerStep } from "./plan-servers.js";

/** An accepted finding, with the reason. */
export interface Acceptance {
  readonly finding: Change;
  readonly reason: string;
}

/** Returns the security findings to accept. */
export type Accept = (findings: readonly Change[]) => readonly Acceptance[] | Promise<readonly Acceptance[]>;

interface AcceptOptions extends WaiveOptions {
  readonly accept?: Accept | undefined;
  /** Returns the suspicious parts of the lock before, if an earlier run may know them. Default: scans it. */
  readonly findSuspicious?: (() => Promise<readonly Change[]>) | undefined;
}

/**
 * Removes parts with unaccepted security findings from the steps, and adds waivers for findings that are accepted
 * now. A finding about a tool or another entry holds it back; a finding about the server holds back the server. Findings
 * with a waiver are not passed to `accept` again.
 */
export async function acceptFindings(
  before: Lockfile,
  planned: readonly ServerStep[],
  { accept, findSuspicious, ...options }: AcceptOptions,
): Promise<{ readonly steps: readonly ServerStep[]; readonly waivers: readonly Waiver[] }> {
  const suspicious = isUnchanged(before, planned) ? await findSuspicious?.() : undefined;
  const open = findOpen(before, planned, options, suspicious);
  if (open.length === 0) return { steps: planned, waivers: options.waivers };
  const accepted = (await accept?.(open)) ?? [];
  const withWaivers = (those: readonly Acceptance[]): readonly Waiver[] =>
    replaceWaivers(
      options.waivers,
      those.map(({ finding, reason }) => waiverFor(finding, reason)),
    );
  const waivers = withWaivers(accepted);
  const left = new Map<string, Change>();
  let steps = planned;
  for (;;) {
    const more = findOpen(before, steps, { ...options, waivers }).filter(
      (finding) => !left.has(findingId(finding)),
    );
    if (more.length === 0) break;
    for (const finding of more) left.set(findingId(finding), finding);
    // Once a tool is held back, the text of another tool may name a missing tool, so scan again.
    steps = planned.map((step) => holdBack(before, step, [...left.values()]));
  }
  const isHeld = ({ server, tool }: Change): boolean =>
    [...left.values()].some((finding) => finding.server === server && (finding.tool ?? tool) === tool);
  const added = accepted.filter(({ finding }) => !isHeld(finding));
  const dropped = accepted.filter(({ finding }) => isHeld(finding));
  if (dropped.length > 0) {
    // Its waiver is not written, so the command that accepts the rest has to accept it again.
    for (const { finding } of dropped) left.set(findingId(finding), finding);
    steps = planned.map((step) => holdBack(before, step, [...left.values()]));
  }
  return { steps, waivers: added.length === 0 ? options.waivers : withWaivers(added) };
}

/**
 * The security findings without a waiver about listed servers, in their changes and in the lock after these steps.
 */
function findOpen(
  before: Lockfile,
  steps: readonly ServerStep[],
  options: WaiveOptions,
  suspicious?: readonly Change[],
): readonly Change[] {
  const listed = steps.filter(({ plan }) => plan.status !== "failed" && plan.status !== "removed");
  const servers = new Set(listed.map(({ plan }) => plan.server));
  const trust = listed.flatMap(({ plan }) => plan.changes.filter(({ security }) => security));
  const after = applySteps(before, steps);
  return findUnaccepted(after, suspicious ?? scanLock(after), trust, options).filter(({ server }) =>
    servers.has(server),
  );
}

function holdBack(before: Lockfile, step: ServerStep, left: readonly Change[]): ServerStep {
  const { server } = step.plan;
  const unaccepted = left.filter((finding) => finding.server === server);
  if (unaccepted.length === 0) return step;
  const heldTools = [...new Set(unaccepted.flatMap(({ tool }) => tool ?? []))].sort();
  const heldEntries = distinctEntries(unaccepted);
  if (unaccepted.every(({ tool, path }) => tool !== undefined || findEntry(path) !== undefined)) {
    const rest = step.without?.({ isHeld: (tool) => heldTools.includes(tool), entries: heldEntries });
    // A new server without remaining tools is not locked.
    if (rest?.block !== undefined && (rest.plan.status !== "new" || Object.keys(rest.block.tools).length > 0))
      return {
        ...rest,
        plan: { ...rest.plan, isPartial: step.plan.isPartial, unaccepted, heldTools, heldEntries },
      };
  }
  const { changes, diagnostics, tools } = step.plan;
  const block = getOwn(before.servers, server);
  const kept = { changes, unaccepted, diagnostics, tools };
  return { block, plan: { server, status: "held", before: block?.contract, ...kept } };
}

function distinctEntries(findings: readonly Change[]): readonly HeldEntry[] {
  const places = findings.flatMap(({ tool, path }) => (tool === undefined ? (findEntry(path) ?? []) : []));
  const entries = places.map(({ list, id }) => [joinPointer("", list, id), { list, id }] as const);
  return [...new Map(entries).values()];
}

/** Confirms whether servers that are no longer configured, and tools of servers that list none, leave the lock with their files. */
export type ConfirmRemoval = (removed: readonly ServerPlan[]) => boolean | Promise<boolean>;

/** Adds to each removal the number of its generated files, and the probable new key of a renamed server. */
export async function describeRemovals(
  lock: Lockfile,
  steps: readonly ServerStep[],
  output: string | undefined,
): Promise<readonly ServerStep[]> {
  const isEmptied = ({ block, plan }: ServerStep): boolean =>
    block !== undefined &&
    plan.tools === 0 &&
    Object.keys(getOwn(lock.servers, plan.server)?.tools ?? {}).length > 0;
  const described = steps.map((step) =>
    step.plan.status === "changed" && isEmptied(step)
      ? { ...step, plan: { ...step.plan, isEmptied: true } }
      : step,
  );
  if (!described.some(isRemoval)) return described;
  const files = output === undefined ? [] : await readGeneratedFolder(output);
  const added = steps.flatMap(({ plan, block }) =>
    plan.status === "new" && block !== undefined ? [[plan.server, block] as const] : [],
  );
  return described.map((step) => {
    if (!isRemoval(step)) return step;
    const { server } = step.plan;
    const folder = `${nameServer(server).folder}/`;
    const ours = files.filter(({ path, header }) => header !== undefined && path.startsWith(folder));
    const removed = step.plan.status === "removed" ? getOwn(lock.servers, server) : undefined;
    const renamedTo = removed && findSuccessor(removed, added);
    return { ...step, plan: { ...step.plan, files: ours.length, renamedTo } };
  });
}

/** The new server with the same tools; else the one with the same server name and at least half of the tools. */
function findSuccessor(
  removed: LockedServer,
  added: readonly (readonly [server: string, block: LockedServer])[],
): string | undefined {
  const toolsOf = ({ tools }: LockedServer): string =>
    canonicalJson(Object.entries(tools).map(([name, { digest }]) => [name, digest]));
  const hasTools = Object.keys(removed.tools).length > 0;
  const same = added.find(([, block]) => hasTools && toolsOf(block) === toolsOf(removed));
  return (same ?? added.find(([, block]) => isSimilar(block, removed)))?.[0];
}

function isSimilar(added: LockedServer, removed: LockedServer): boolean {
  const name = added.identity.serverInfo["name"];
  if (typeof name !== "string" || name !== removed.identity.serverInfo["name"]) return false;
  const names = Object.keys(removed.tools);
  return names.filter((tool) => Object.hasOwn(added.tools, tool)).length * 2 >= names.length;
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
  const isReplaced = steps.every((step) => isRemoval(step) || step.block !== undefined);
  if (isReplaced && (await confirm(removed))) return steps;
  const leftover = isReplaced ? "unconfirmed" : "unreplaced";
  return steps.map((step) => {
    const block = getOwn(lock.servers, step.plan.server);
    if (!isRemoval(step) || block === undefined) return step;
    const tools = Object.keys(block.tools).length;
    return { block, plan: { ...step.plan, tools, status: "leftover", leftover } };
  });
}

function isRemoval({ plan }: ServerStep): boolean {
  return plan.status === "removed" || plan.isEmptied === true;
}
