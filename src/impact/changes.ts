import { type Change, keyOfTool } from "../core/change.js";
import { splitPointer } from "../core/json-pointer.js";
import {
  type JsonObject,
  type JsonValue,
  getOwn,
  isJsonArray,
  isJsonObject,
  listOrEmpty,
  objectOrEmpty,
  withoutKeys,
} from "../core/json.js";
import type { ToolSnapshot } from "../core/snapshot.js";
import type { ToolModule } from "./tool-finder.js";

/** A step from a value into it: a property by name, or any item of an array. */
export type ValueStep = { readonly property: string } | "item";

/** The place of a schema change in arguments or results. */
export interface ChangePlace {
  readonly side: "input" | "output";
  readonly steps: readonly ValueStep[];
  /** Whether the steps may start anywhere in the value: the change is in a shared definition. */
  readonly isAnywhere: boolean;
  /** The schema of the value at the end of the steps: segments of a JSON Pointer below the input or output schema. */
  readonly schema: readonly string[];
  /** Whether that schema is one of several alternatives for its value. */
  readonly isInBranch: boolean;
}

/** Keywords that hold schemas for the same value, by index. Below others, such as `not`, a schema says nothing alone. */
const BRANCHES: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf"]);
const SAME_VALUE: ReadonlySet<string> = new Set(["not", "if", "then", "else"]);
const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"]);
const ITEMS: ReadonlySet<string> = new Set(["items", "contains", "additionalItems", "unevaluatedItems"]);

/**
 * Parses the path of a change; a renamed property keeps its old name. Undefined when the change is not about a
 * schema.
 */
export function placeOfChange(change: Change): ChangePlace | undefined {
  const [root, ...segments] = splitPointer(change.path);
  if (root !== "inputSchema" && root !== "outputSchema") return undefined;
  let steps: ValueStep[] = [];
  let isAnywhere = false;
  let isInBranch = false;
  let branches = 0;
  let schemaEnd = 0;
  let at = 0;
  for (; at < segments.length; at += 1) {
    const segment = segments[at] ?? "";
    const next = segments[at + 1];
    const isStep = segment === "properties" || segment === "prefixItems" || ITEMS.has(segment);
    if (!isStep && next === undefined) break;
    if (ITEMS.has(segment)) {
      // Before 2020-12, `items` could be a list.
      if (next !== undefined && /^\d+$/.test(next)) at += 1;
      steps.push("item");
    } else if (SAME_VALUE.has(segment)) branches += 1;
    else {
      if (segment === "properties" && next !== undefined) steps.push({ property: next });
      else if (segment === "prefixItems") steps.push("item");
      else if (DEFINITIONS.has(segment)) [steps, isAnywhere] = [[], true];
      else if (BRANCHES.has(segment)) branches += 1;
      else break;
      at += 1;
    }
    if (isStep || DEFINITIONS.has(segment)) [schemaEnd, isInBranch] = [at + 1, branches > 0];
  }
  // The path has the new name, but code written for the old schema uses the old name.
  const nameBefore = nameBeforeOf(change);
  if (nameBefore !== undefined) steps = [...steps.slice(0, -1), { property: nameBefore }];
  return {
    side: root === "inputSchema" ? "input" : "output",
    steps,
    isAnywhere,
    schema: segments.slice(0, schemaEnd),
    isInBranch,
  };
}

function nameBeforeOf({ rule, before }: Change): string | undefined {
  return rule.endsWith("-property-renamed") && typeof before === "string" ? before : undefined;
}

/** The names of the properties on the path, the innermost last. */
export function propertyNamesOf({ steps }: ChangePlace): readonly string[] {
  return steps.flatMap((step) => (step === "item" ? [] : [step.property]));
}

/** Whether to search for call sites: if a change breaks calls, changes types, or could not be judged. */
export function mayHitCode({ tool, rule, class: how, impacts }: Change): boolean {
  if (tool === undefined || rule === "tool-added") return false;
  return how === "breaking" || how === "unknown" || impacts.includes("types");
}

/** Definitions of tools by {@link keyOfTool}; undefined for a removed tool. */
export type ToolDefinitions = ReadonlyMap<string, ToolSnapshot | undefined>;

/** Returns the changed tools with the definitions that they have after these changes and no others. */
export function applyChanges(
  changes: readonly Change[],
  before: readonly ToolModule[],
  after: readonly ToolModule[],
): ToolDefinitions {
  const targets = new Map(after.map((tool) => [keyOfTool(tool), tool.definition]));
  return new Map(
    before.flatMap((tool): readonly [string, ToolSnapshot | undefined][] => {
      const ofTool = changes.filter((change) => change.server === tool.server && change.tool === tool.tool);
      const target = targets.get(keyOfTool(tool));
      if (ofTool.length === 0) return [];
      const definition =
        target && ofTool.reduce((changed, change) => applyChange(changed, target, change), tool.definition);
      return [[keyOfTool(tool), definition]];
    }),
  );
}

function applyChange(definition: ToolSnapshot, target: ToolSnapshot, change: Change): ToolSnapshot {
  const steps = splitPointer(change.path);
  const isProperty = steps.at(-2) === "properties";
  const changed = isProperty
    ? editAt(definition, target, steps.slice(0, -2), (before, after) => copyProperty(before, after, change))
    : editAt(definition, target, steps, (_before, after) => after);
  return isJsonObject(changed) ? { ...changed, name: definition.name } : definition;
}

type Edit = (before: JsonValue | undefined, after: JsonValue | undefined) => JsonValue | undefined;

/** Edits the value at a place of two documents. Where their forms differ on the way, the second is taken. */
function editAt(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  [step, ...rest]: readonly string[],
  edit: Edit,
): JsonValue | undefined {
  if (step === undefined) return edit(before, after);
  if (isJsonObject(before) && isJsonObject(after))
    return withKey(before, step, editAt(getOwn(before, step), getOwn(after, step), rest, edit));
  if (!isJsonArray(before) || !isJsonArray(after) || before.length !== after.length) return after;
  return before.map((item, index) =>
    String(index) === step ? (editAt(item, after[index], rest, edit) ?? item) : item,
  );
}

/** An object schema with the changed property, and whether it is required, of another. */
function copyProperty(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  change: Change,
): JsonValue | undefined {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const names = [nameBeforeOf(change), splitPointer(change.path).at(-1)].filter((name) => name !== undefined);
  const isChanged = (name: JsonValue): boolean => names.some((changed) => changed === name);
  const [requiredBefore = [], requiredAfter = []] = [before, after].map((schema) =>
    listOrEmpty(getOwn(schema, "required")),
  );
  const [propertiesBefore = {}, propertiesAfter = {}] = [before, after].map((schema) =>
    objectOrEmpty(getOwn(schema, "properties")),
  );
  return {
    ...before,
    // The schema of a property that is now required, or no longer, may have changes of its own.
    properties: /-became-(?:required|optional)$/.test(change.rule)
      ? propertiesBefore
      : names.reduce((all, name) => withKey(all, name, getOwn(propertiesAfter, name)), propertiesBefore),
    required: [...requiredBefore.filter((name) => !isChanged(name)), ...requiredAfter.filter(isChanged)],
  };
}

function withKey(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  return value === undefined ? withoutKeys(object, key) : { ...object, [key]: value };
}
