import type { Change } from "../contract/change.js";

/** One step from a value into it: a property by name, or any item of an array. */
export type Step = { readonly property: string } | "item";

/** Where in arguments or answers a change of a schema is. */
export interface ChangePlace {
  readonly side: "input" | "output";
  readonly steps: readonly Step[];
  /** Whether the steps start anywhere in the value: the change is in a definition that others refer to. */
  readonly isAnywhere: boolean;
  /** The schema of the value that the steps lead to: segments of a JSON Pointer below the side's schema. */
  readonly schema: readonly string[];
  /** Whether that schema is one of several for its value, so that another may hold instead. */
  readonly isInBranch: boolean;
}

/** Keywords that hold schemas by name or index for the value itself, and say nothing of where in it. */
const BRANCHES: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf"]);
const SAME_VALUE: ReadonlySet<string> = new Set(["not", "if", "then", "else"]);
const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"]);
const ITEMS: ReadonlySet<string> = new Set(["items", "contains", "additionalItems", "unevaluatedItems"]);

/** Reads a change's path, of a renamed property with the name that it had; undefined when it is not about a schema. */
export function placeOf({ path, rule, before }: Change): ChangePlace | undefined {
  const [, root, ...segments] = path
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
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
  // The path has the new name, and code that was written against the old schema the old one.
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

/** The names of the properties on the way, the innermost last. */
export function namesOf({ steps }: ChangePlace): readonly string[] {
  return steps.flatMap((step) => (step === "item" ? [] : [step.property]));
}
