import {
  COUNT,
  checkArgument,
  checkOptions,
  listOf,
  OBJECT,
  type OptionKind,
  recordOf,
  SETTLED,
  TEXT,
  TEXTS,
} from "../../core/check-options.js";
import { McpCodegenError } from "../../core/errors.js";
import { isServerName } from "../../core/tool-name.js";
import { describeIssues, findIssues } from "../../schema/validation/schema.js";
import type { AnyTool } from "../../core/tool.js";
import { isJsonObject, objectOrEmpty } from "../../core/json.js";
import type { RecordedCall } from "../../runtime/call-recorder.js";
import { callSchema } from "../../runtime/validate-call.js";
import { findTargetTools, isToolSet, type TargetTools } from "./find-replay-tools.js";
import { assertChange } from "./parse-changes.js";
import { createReferenceFinder, readReferences, type UnclearId } from "./find-references.js";
import type { Conflict, ConflictKind, ReplayPlan, ReplayStep, ReplayTarget } from "./plan.js";

/** Kinds of conflicts, and whether one can be accepted. The step of another can only be skipped. */
const CAN_BE_ACCEPTED: Readonly<Record<ConflictKind, boolean>> = {
  "ambiguous-id": true,
  "foreign-id": true,
  "unknown-outcome": true,
  "contract-differs": true,
  "same-environment": true,
  "tool-missing": false,
  "input-invalid": false,
  "source-skipped": false,
};

const CHANGES: OptionKind = {
  words: "the changes of a tracker, or of readChanges of mcp-codegen/node",
  is: Array.isArray,
};
const TOOLS: OptionKind = {
  words: "a registry, the result of connect(), a server's index, or an array of these",
  is: (value) => (Array.isArray(value) ? value.length > 0 && value.every(isToolSet) : isToolSet(value)),
  each: SETTLED,
};
const CONFLICTS: OptionKind = listOf(
  { words: "", is: (value) => TEXT.is(value) && Object.hasOwn(CAN_BE_ACCEPTED, String(value)) },
  `an array of kinds of conflicts: ${Object.keys(CAN_BE_ACCEPTED).join(", ")}`,
);
const SOURCES: OptionKind = { words: "", is: (value) => TEXT.is(value) || TEXTS.is(value) };

function checkTarget(changes: unknown, target: ReplayTarget): void {
  checkArgument("planReplay", "changes", changes, CHANGES);
  checkOptions<ReplayTarget>(
    "planReplay",
    target,
    {
      environment: TEXT,
      tools: TOOLS,
      references: recordOf(
        recordOf(SOURCES, ""),
        'declarations such as { "update-post": { id: "create-post.id" } }',
      ),
      accept: CONFLICTS,
      skip: listOf(COUNT, "an array of numbers of steps"),
      options: OBJECT,
    },
    ["environment", "tools"],
  );
}

/**
 * Plans to replay changes in another environment: lists the calls in order, the ids in their arguments that differ there, and the
 * conflicts. Sends nothing.
 *
 * @throws McpCodegenError `USAGE` without changes or tools, for references to an unknown tool, and for an unknown step to
 * skip; `CHANGES_INVALID` for an entry that is not a change; `SERVER_UNKNOWN` for an environment that a registry does not have
 */
export async function planReplay(
  changes: readonly RecordedCall[],
  target: ReplayTarget,
): Promise<ReplayPlan> {
  checkTarget(changes, target);
  return makePlan(changes, target);
}

/** As `planReplay`, for arguments that the command line has read. */
export async function makePlan(changes: readonly RecordedCall[], target: ReplayTarget): Promise<ReplayPlan> {
  // Programs may pass any result of JSON.parse.
  for (const [index, change] of changes.entries())
    assertChange(
      `Change ${index + 1}`,
      change,
      "Pass the changes of a tracker, or of readChanges of mcp-codegen/node.",
    );
  const { environment, options = { environment } } = target;
  const targetTools = await findTargetTools(target.tools, environment, options);
  const { tools, elsewhere } = targetTools;
  const toolNames = tools.map(({ definition }) => ({
    name: definition.name,
    server: definition.server?.name ?? "",
    inputSchema: definition.inputSchema,
  }));
  const findReferences = createReferenceFinder(
    readReferences(target.references ?? {}, toolNames, (tool) => argumentsOf(tool, changes)),
  );
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
    const { references, unclear } = findReferences(number, change);
    const isSkipped = skipped.has(number);
    const isChanged = ({ definition: { name, server } }: AnyTool): boolean =>
      name === change.tool && (server?.name ?? "") === change.server;
    const tool = elsewhere.has(change.server) ? undefined : tools.find(isChanged);
    const step = { number, change, references, isSkipped, tool };
    steps.push(step);
    if (isSkipped) continue;
    const against = [
      ...conflictsOf(step, target),
      ...(tool === undefined ? [explainMissing(change, targetTools)] : []),
      ...unclear.map(explainId),
      ...(await validateInput(step)),
      ...references.filter(({ from }) => skipped.has(from)).map(explainSkipped),
    ];
    for (const conflict of against) {
      const isAccepted = CAN_BE_ACCEPTED[conflict.kind] && target.accept?.includes(conflict.kind) === true;
      const { blocks = true, ...rest } = conflict;
      conflicts.push({ step: number, blocks: blocks && !isAccepted, ...rest });
    }
  }
  const isReady = !conflicts.some(({ blocks }) => blocks);
  return { environment, steps, conflicts, isReady, target };
}

/** The names of a tool's arguments in recorded calls, and of all properties that its input schema declares. */
function argumentsOf(
  {
    name,
    server,
    inputSchema,
  }: Pick<AnyTool["definition"], "name" | "inputSchema"> & { readonly server: string },
  changes: readonly RecordedCall[],
): readonly string[] {
  const calls = changes.filter((change) => change.tool === name && change.server === server);
  const names = new Set<string>();
  JSON.stringify(inputSchema(), (key, value: unknown) => {
    if (key === "properties" && isJsonObject(value))
      for (const property of Object.keys(value)) names.add(property);
    return value;
  });
  // A schema without properties allows any argument.
  return names.size === 0 ? [] : [...names, ...calls.flatMap(({ args }) => Object.keys(objectOrEmpty(args)))];
}

type FoundConflict = Pick<Conflict, "kind" | "message" | "argument"> & { readonly blocks?: boolean };

function conflictsOf({ change, tool }: ReplayStep, { environment }: ReplayTarget): readonly FoundConflict[] {
  const references: FoundConflict[] = [];
  if (change.environment === environment) {
    const message = `This was recorded in ${JSON.stringify(environment)} itself, and would be done there again.`;
    references.push({ kind: "same-environment", message });
  }
  if (change.outcome === "unknown") {
    const message = "No answer came when this was recorded, so it may never have been done.";
    references.push({ kind: "unknown-outcome", message });
  }
  const recorded = change.contract;
  const present = tool?.definition.server?.contract;
  if (recorded !== undefined && present !== undefined && recorded !== present) {
    const message = `This was recorded under contract ${recorded}, and the target's is ${present}.`;
    references.push({ kind: "contract-differs", message, blocks: majorOf(recorded) !== majorOf(present) });
  }
  return references;
}

function explainMissing({ tool, server }: RecordedCall, { failures, elsewhere }: TargetTools): FoundConflict {
  const kind = "tool-missing";
  const isElsewhere = elsewhere.get(server);
  if (isElsewhere !== undefined) return { kind, message: isElsewhere };
  const name = JSON.stringify(tool);
  if (server === "") return { kind, message: `The target has no tool ${name} that belongs to no server.` };
  // A recorded server name may be from a model, so only a name that needs no quotes goes into a command.
  const shown = isServerName(server) ? server : "<server>";
  const why = failures.get(server) ?? `If the server has it, run "npx mcp-codegen pull ${shown}".`;
  return { kind, message: `The target has no tool ${name} of server ${JSON.stringify(server)}. ${why}` };
}

function majorOf(version: string): string {
  return version.split(".")[0] ?? "";
}

/** Validates the recorded ids, since those of the target have the same types. */
async function validateInput({ change, tool }: ReplayStep): Promise<readonly FoundConflict[]> {
  if (tool === undefined) return [];
  const issues = await findIssues(callSchema(tool.definition, tool.validateInput), change.args);
  if (issues.length === 0) return [];
  const message = `The arguments do not fit the input schema of ${JSON.stringify(change.tool)}: ${describeIssues(issues)}.`;
  return [{ kind: "input-invalid", message }];
}

function explainId({ kind, argument, value, candidates }: UnclearId): FoundConflict {
  const shown = `${argument} is ${JSON.stringify(value)}`;
  const message =
    kind === "ambiguous-id"
      ? `${shown}, which may be what step ${candidates.join(" or ")} created, or not. Declare it.`
      : `${shown}, and nothing before it created that. In the target it may be something else. Declare it.`;
  return { kind, message, argument };
}

function explainSkipped({ from }: { readonly from: number }): FoundConflict {
  return { kind: "source-skipped", message: `It needs what step ${from} creates, which is skipped.` };
}
