import type { Change } from "../contract/change.js";
import { getOwn } from "../contract/json.js";
import type { Lockfile } from "../contract/lockfile.js";
import type { Waiver } from "../contract/waivers.js";
import { waiverFor } from "../drift/apply-waivers.js";
import { applySteps, type ServerStep } from "./plan-servers.js";
import { waiveFindings, type WaiveOptions } from "./waive-findings.js";

/** A finding that somebody takes responsibility for, and why. */
export interface Acceptance {
  readonly finding: Change;
  readonly reason: string;
}

/** Says which of these security findings are accepted. */
export type Accept = (findings: readonly Change[]) => readonly Acceptance[] | Promise<readonly Acceptance[]>;

/**
 * The steps, those of servers with a security finding that nobody accepted held back, and the waivers with what was
 * accepted now. What an earlier waiver covers is not asked again.
 */
export async function acceptFindings(
  before: Lockfile,
  steps: readonly ServerStep[],
  { accept, ...options }: WaiveOptions & { readonly accept?: Accept | undefined },
): Promise<{ readonly steps: readonly ServerStep[]; readonly waivers: readonly Waiver[] }> {
  const listed = steps.filter(({ plan }) => plan.status !== "failed" && plan.status !== "removed");
  const asked = new Set(listed.map(({ plan }) => plan.server));
  const trust = listed.flatMap(({ plan }) => plan.changes.filter(({ security }) => security));
  const { changes } = waiveFindings(applySteps(before, steps), trust, options);
  const open = changes.filter(({ server, waiver }) => waiver === undefined && asked.has(server));
  if (open.length === 0) return { steps, waivers: options.waivers };
  const accepted = (await accept?.(open)) ?? [];
  const taken = new Set(accepted.map(({ finding }) => finding));
  const left = open.filter((finding) => !taken.has(finding));
  const held = new Set(left.map(({ server }) => server));
  const added = accepted
    .filter(({ finding }) => !held.has(finding.server))
    .map(({ finding, reason }) => waiverFor(finding, reason));
  return {
    steps: steps.map((step) => (held.has(step.plan.server) ? holdBack(before, step, left) : step)),
    waivers: added.length === 0 ? options.waivers : replaceWaivers(options.waivers, added),
  };
}

function holdBack(before: Lockfile, { plan }: ServerStep, left: readonly Change[]): ServerStep {
  const { server, changes, diagnostics, tools } = plan;
  const block = getOwn(before.servers, server);
  const unaccepted = left.filter((finding) => finding.server === server);
  return {
    plan: {
      server,
      status: "held",
      ...(block !== undefined && { before: block.contract }),
      changes,
      unaccepted,
      diagnostics,
      tools,
    },
    ...(block !== undefined && { block }),
  };
}

/** An acceptance takes the place of the one before it. */
function replaceWaivers(waivers: readonly Waiver[], added: readonly Waiver[]): readonly Waiver[] {
  return [...waivers.filter((waiver) => !added.some((other) => isSamePlace(waiver, other))), ...added];
}

function isSamePlace(a: Waiver, b: Waiver): boolean {
  return a.rule === b.rule && a.server === b.server && a.tool === b.tool && a.path === b.path;
}
