import type { Change } from "../contract/change.js";
import { splitPointer } from "../contract/json-pointer.js";

/** A step from a value into it: a property by name, or any item of an array. */
export type Step = { readonly property: string } | "item";

/** The place of a schema change in arguments or results. */
export interface ChangePlace {
  readonly side: "input" | "output";
  readonly steps: readonly Step[];
  /** Whether the steps may start anywhere in the value: the change is in a shared definition. */
  readonly isAnywhere: boolean;
  /** The schema of the value at the end of the steps: segments of a JSON Pointer below the input or output schema. */
  readonly schema: readonly string[];
  /** Whether that schema is one of several alternatives for its value. */
  readonly isInBranch: boolean;
}

/** Keywords that hold schemas by name or index for the same value. */
const BRANCHES: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf"]);
const SAME_VALUE: ReadonlySet<string> = new Set(["not", "if", "then", "else"]);
const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"]);
const ITEMS: ReadonlySet<string> = new Set(["items", "contains", "additionalItems", "unevaluatedItems"]);

/**
 * Parses the path of a change; a renamed property keeps its old name. Undefined when the change is not about a
 * schema.
 */
export function placeOf({ path, rule, before }: Change): ChangePlace | undefined {
  const [root, ...segments] = splitPointer(path);
  if (root !== "inputSchema" && root !== "outputSchema") return undefined;
  let steps: Step[] = [];
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
  if (rule.endsWith("-property-renamed") && typeof before === "string")
    steps = [...steps.slice(0, -1), { property: before }];
  return {
    side: root === "inputSchema" ? "input" : "output",
    steps,
    isAnywhere,
    schema: segments.slice(0, schemaEnd),
    isInBranch,
  };
}

/** The names of the properties on the path, the innermost last. */
export function namesOf({ steps }: ChangePlace): readonly string[] {
  return steps.flatMap((step) => (step === "item" ? [] : [step.property]));
}
