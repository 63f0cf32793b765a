import type { Change } from "../core/change.js";
import { checkOptions, type OptionRules } from "../core/check-options.js";
import { getOwn, isJsonObject, type JsonValue, withoutKeys } from "../core/json.js";
import { DIALECTS } from "../core/schema-ir.js";
import type { ToolSnapshot } from "../core/snapshot.js";
import { confirmFindings } from "./witness/confirm-findings.js";
import { diffAnnotations, diffMeta } from "./diff-hints.js";
import { diffNames, diffTitles, findRepeated } from "./diff-names.js";
import { diffSchemaPair, evidenceOf, pairTools, type ToolPair } from "./renames/pair-tools.js";
import { diffValue, type UnconfirmedChange, makeChange, type SchemaReading } from "./unconfirmed-change.js";
import { hasSameWords, isSameJson, joinPointer } from "../core/json-pointer.js";
import type { FoundToolRename } from "./renames/find-tool-renames.js";
import type { RenameEvidence } from "./renames/rename-evidence.js";
import type { RuleName } from "./rules.js";
import { judgeSecurity } from "./security/scan-lock.js";
import { NO_OTHER_TOOLS, type ToolNameIndex } from "./security/texts.js";

export interface DiffToolsOptions extends SchemaReading {
  /** The name of the server, for the changes; empty by default. */
  readonly server?: string | undefined;
  /** The tools of the other servers that a model sees; none by default. */
  readonly toolNames?: ToolNameIndex | undefined;
  /**
   * The names of unchanged tools that both lists leave out; none by default. Leave tools out only if the lists do not both
   * remove and add tools: finding renames needs all tools.
   */
  readonly unchanged?: readonly string[] | undefined;
  /** Renames that the server declared; none by default. */
  readonly renames?: readonly FoundToolRename[] | undefined;
  /**
   * Whether to search counterexamples, which takes most of the time; true by default. Without them, what may break is
   * `breaking`.
   */
  readonly counterexamples?: boolean | undefined;
}

const OPTIONS: OptionRules<DiffToolsOptions> = {
  server: "any",
  toolNames: "any",
  unchanged: "any",
  renames: "any",
  counterexamples: "any",
  dialect: DIALECTS,
  formats: ["assert"],
  validateOutput: ["tolerant", "strict", "warn", "off"],
};

/**
 * Returns the changes between two lists of tools, ordered by the tools' new names and, within a tool, from its name to its schemas.
 * Returns none only if the lists have the same meaning: a difference without a rule is reported too. If a list repeats a
 * name, the first definition is compared, and the others are reported as repeated.
 */
export function diffTools(
  before: readonly ToolSnapshot[],
  after: readonly ToolSnapshot[],
  options: DiffToolsOptions = {},
): readonly Change[] {
  checkOptions("diffTools", options, OPTIONS);
  const { server = "", toolNames = NO_OTHER_TOOLS, unchanged = [], renames = [] } = options;
  const { counterexamples = true, dialect, formats, validateOutput } = options;
  const toolsBefore = firstByName(before);
  const toolsAfter = firstByName(after);
  const repeated = findRepeated(before, after);
  const pairs = pairTools(toolsBefore, toolsAfter, renames).filter(
    (pair) => pair.kind !== "kept" || !isSameJson(pair.before, pair.after),
  );
  const owner = {
    server,
    reading: { dialect, formats, validateOutput },
    evidence: evidenceOf(pairs, toolsBefore, toolsAfter),
  };
  const findings = pairs.flatMap((pair) => diffPair(owner, pair));
  const named = diffNames(server, before, after, { unchanged, repeated: repeated.keys() }).map(
    (change): UnconfirmedChange => ({ change }),
  );
  const all = [...findings, ...named];
  const changes = counterexamples ? confirmFindings(all) : all.map(({ change }) => change);
  return judgeSecurity(changes, toolsBefore, toolsAfter, { server, toolNames, unchanged, repeated });
}

function firstByName(tools: readonly ToolSnapshot[]): ReadonlyMap<string, ToolSnapshot> {
  const first = new Map<string, ToolSnapshot>();
  for (const tool of tools) if (!first.has(tool.name)) first.set(tool.name, tool);
  return first;
}

interface DiffContext {
  readonly server: string;
  readonly reading: SchemaReading;
  readonly evidence: RenameEvidence;
}

function diffPair(owner: DiffContext, pair: ToolPair): readonly UnconfirmedChange[] {
  const { server } = owner;
  switch (pair.kind) {
    case "added":
    case "removed":
      return [{ change: makeChange(`tool-${pair.kind}`, { server, tool: pair.tool, path: "" }) }];
    case "renamed":
      return [
        { change: makeChange("tool-renamed", { server, tool: pair.rename.before, path: "" }, pair.rename) },
      ];
    case "split":
      return [
        { change: makeChange("tool-renamed", { server, tool: pair.split.before, path: "" }, pair.split) },
      ];
    case "kept":
      return diffTool(owner, pair.before, pair.after);
    default:
      return pair satisfies never;
  }
}

/** Keys of a definition that have their own rules. */
const JUDGED = new Set([
  "name",
  "description",
  "title",
  "inputSchema",
  "outputSchema",
  "annotations",
  "execution",
  "icons",
  "_meta",
]);

function diffTool(
  owner: DiffContext,
  before: ToolSnapshot,
  after: ToolSnapshot,
): readonly UnconfirmedChange[] {
  const { server } = owner;
  const tool = after.name;
  const compare = (rule: RuleName, key: string, isSame?: typeof isSameJson): readonly Change[] => {
    const place = { server, tool, path: joinPointer("", key) };
    return diffValue(rule, place, getOwn(before, key), getOwn(after, key), isSame);
  };
  const others = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !JUDGED.has(key),
  );
  const parts = [
    ...diffTitles(server, before, after),
    ...compare("tool-description-changed", "description", hasSameWords),
    ...diffAnnotations(getOwn(before, "annotations"), getOwn(after, "annotations"), { server, tool }),
    ...diffExecution(server, tool, getOwn(before, "execution"), getOwn(after, "execution")),
    ...compare("icons-changed", "icons", (before, after) =>
      isSameJson(withoutEmpty(before), withoutEmpty(after)),
    ),
    ...diffMeta(getOwn(before, "_meta"), getOwn(after, "_meta"), { server, tool }),
  ];
  const ofSchemas = [...diffInput(owner, before, after), ...diffOutput(owner, before, after)];
  return [
    ...parts.map((change) => ({ change })),
    ...ofSchemas.map((finding) =>
      isCopiedDescription(finding.change, before, after)
        ? { ...finding, change: { ...finding.change, class: "safe" as const, reason: COPIED } }
        : finding,
    ),
    ...others.flatMap((key) => compare("definition-changed", key)).map((change) => ({ change })),
  ];
}

const COPIED = "The tool has the same description.";

/** Whether a schema gained or lost a description that repeats the one of its tool. */
function isCopiedDescription(
  { rule, path, before: textBefore, after: textAfter }: Change,
  before: ToolSnapshot,
  after: ToolSnapshot,
): boolean {
  const descriptionBefore = getOwn(before, "description");
  const descriptionAfter = getOwn(after, "description");
  return (
    /^(?:in|out)put-description-(?:added|removed)$/.test(rule) &&
    /^\/(?:in|out)putSchema\/description$/.test(path) &&
    hasSameWords(textBefore ?? textAfter, descriptionBefore) &&
    hasSameWords(descriptionBefore, descriptionAfter)
  );
}

function diffInput(
  owner: DiffContext,
  toolBefore: ToolSnapshot,
  toolAfter: ToolSnapshot,
): readonly UnconfirmedChange[] {
  // A tool without a schema accepts any value.
  const before = getOwn(toolBefore, "inputSchema") ?? {};
  const after = getOwn(toolAfter, "inputSchema") ?? {};
  const where = { ...owner, tool: toolAfter.name, pointer: "/inputSchema" };
  return diffSchemaPair(before, after, { ...where, side: "input" });
}

function diffOutput(
  owner: DiffContext,
  toolBefore: ToolSnapshot,
  toolAfter: ToolSnapshot,
): readonly UnconfirmedChange[] {
  const before = getOwn(toolBefore, "outputSchema");
  const after = getOwn(toolAfter, "outputSchema");
  const { name: tool } = toolAfter;
  const place = { server: owner.server, tool, path: "/outputSchema" };
  if (before === undefined)
    return after === undefined ? [] : [{ change: makeChange("output-schema-added", place, { after }) }];
  if (after === undefined) return [{ change: makeChange("output-schema-removed", place, { before }) }];
  return diffSchemaPair(before, after, { ...owner, tool, pointer: "/outputSchema", side: "output" });
}

/** Without `taskSupport`, a tool cannot run as a task (specification 2025-11-25, tool-level negotiation). */
function diffExecution(
  server: string,
  tool: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly Change[] {
  const taskBefore = splitExecution(before);
  const taskAfter = splitExecution(after);
  const place = { server, tool, path: "/execution" };
  const rule = taskAfter.support === "optional" ? "task-support-added" : "task-support-changed";
  return [
    ...diffValue(rule, { ...place, path: "/execution/taskSupport" }, taskBefore.support, taskAfter.support),
    ...(isSameJson(taskBefore.rest, taskAfter.rest)
      ? []
      : diffValue("definition-changed", place, before, after)),
  ];
}

function splitExecution(value: JsonValue | undefined): {
  readonly support: JsonValue;
  readonly rest: JsonValue;
} {
  if (value === undefined) return { support: "forbidden", rest: {} };
  if (!isJsonObject(value)) return { support: "forbidden", rest: value };
  return { support: getOwn(value, "taskSupport") ?? "forbidden", rest: withoutKeys(value, "taskSupport") };
}

/** PHP writes an empty object as an empty list; both mean the same as no value. */
function withoutEmpty(value: JsonValue | undefined): JsonValue | undefined {
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return isEmpty ? undefined : value;
}
