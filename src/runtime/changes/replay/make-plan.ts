import { McpCodegenError } from "../../../contract/errors.js";
import { isTool } from "../../is-tool.js";
import { describeIssues, findIssues } from "../../schema.js";
import type { AnyTool } from "../../tool.js";
import type { Change } from "../change.js";
import { readReferences } from "./declared-references.js";
import { ReferenceFinder, type UnclearId } from "./find-references.js";
import type { Conflict, ConflictKind, ReplayPlan, ReplayStep, ReplayTarget, ToolSet } from "./plan.js";

/** Conflicts that only leaving the step out mends. */
const FINAL: ReadonlySet<ConflictKind> = new Set(["tool-missing", "input-invalid", "source-skipped"]);

/** As `planReplay`. */
export async function makePlan(changes: readonly Change[], target: ReplayTarget): Promise<ReplayPlan> {
  const tools = toolsOf(target.tools);
  const known = tools.map(({ definition: { name, server } }) => ({ name, server: server?.name ?? "" }));
  const finder = new ReferenceFinder(readReferences(target.references ?? {}, known));
  const skipped = new Set(target.skip ?? []);
  const unknown = [...skipped].find((number) => changes[number - 1] === undefined);
  if (unknown !== undefined)
    throw new McpCodegenError("USAGE", `There is no step ${unknown} to skip.`, {
      hint: `The plan has ${changes.length}.`,
    });

  const steps: ReplayStep[] = [];
  const conflicts: Conflict[] = [];
  for (const [index, change] of changes.entries()) {
    const number = index + 1;
    const { references, unclear } = finder.next(number, change);
    const isSkipped = skipped.has(number);
    const tool = tools.find(
      ({ definition: { name, server } }) => name === change.tool && (server?.name ?? "") === change.server,
    );
    const step = { number, change, references, isSkipped, ...(tool && { tool }) };
    steps.push(step);
    if (isSkipped) continue;
    const found = [
      ...conflictsOf(step, target),
      ...unclear.map(explainId),
      ...(await judgeInput(step)),
      ...references.filter(({ from }) => skipped.has(from)).map(explainSkipped),
    ];
    for (const conflict of found) {
      const isAccepted = !FINAL.has(conflict.kind) && target.accept?.includes(conflict.kind) === true;
      conflicts.push({
        step: number,
        blocks: !isAccepted,
        ...conflict,
        ...(isAccepted && { blocks: false }),
      });
    }
  }
  const isReady = !conflicts.some(({ blocks }) => blocks);
  return { environment: target.environment, steps, conflicts, isReady, target };
}

type Found = Pick<Conflict, "kind" | "message" | "argument"> & { readonly blocks?: boolean };

function toolsOf(given: ToolSet | readonly ToolSet[]): readonly AnyTool[] {
  const sets: readonly ToolSet[] = isList(given) ? given : [given];
  return sets.flatMap((set): readonly unknown[] => Object.values(set)).filter(isTool);
}

function isList(given: ToolSet | readonly ToolSet[]): given is readonly ToolSet[] {
  return Array.isArray(given);
}

function conflictsOf({ change, tool }: ReplayStep, { environment }: ReplayTarget): readonly Found[] {
  const name = JSON.stringify(change.tool);
  const found: Found[] = [];
  if (change.environment === environment) {
    const message = `This was recorded in ${JSON.stringify(environment)} itself, and would be done there again.`;
    found.push({ kind: "same-environment", message });
  }
  if (change.outcome === "unknown") {
    const message = "No answer came when this was recorded, so it may never have been done.";
    found.push({ kind: "unknown-outcome", message });
  }
  if (tool === undefined) {
    const server = JSON.stringify(change.server);
    found.push({ kind: "tool-missing", message: `There is no tool ${name} of a server ${server}.` });
    return found;
  }
  const [recorded, present] = [change.contract, tool.definition.server?.contract];
  if (recorded !== undefined && present !== undefined && recorded !== present) {
    const message = `This was recorded under contract ${recorded}, and the target's is ${present}.`;
    found.push({ kind: "contract-differs", message, blocks: majorOf(recorded) !== majorOf(present) });
  }
  return found;
}

function majorOf(version: string): string {
  return version.split(".")[0] ?? "";
}

/** The ids are still the recorded ones, and those of the target are of their kind. */
async function judgeInput({ change, tool }: ReplayStep): Promise<readonly Found[]> {
  if (tool === undefined) return [];
  const issues = await findIssues(tool.definition.input, change.args);
  if (issues.length === 0) return [];
  const message = `The arguments do not fit the input schema of ${JSON.stringify(change.tool)}: ${describeIssues(issues)}.`;
  return [{ kind: "input-invalid", message }];
}

function explainId({ kind, argument, value, candidates }: UnclearId): Found {
  const shown = `${argument} is ${JSON.stringify(value)}`;
  const message =
    kind === "ambiguous-id"
      ? `${shown}, which may be what step ${candidates.join(" or ")} created, or not. Declare it.`
      : `${shown}, and nothing before it created that. In the target it may be something else. Declare it.`;
  return { kind, message, argument };
}

function explainSkipped({ from }: { readonly from: number }): Found {
  return { kind: "source-skipped", message: `It needs what step ${from} creates, which is skipped.` };
}
