import { byCodeUnit } from "../../contract/json.js";
import type { RegisteredTool } from "./registered-tool.js";
import type { RegistryChange } from "./registry.js";

/** What a tool without a category is counted under. */
export const UNCATEGORIZED = "uncategorized";

/** Which tools of a server, or of the program, came and went. */
export interface ToolChange {
  readonly added: readonly RegisteredTool[];
  readonly removed: readonly RegisteredTool[];
}

/** What is different between two lists, by name. */
export function compareTools(
  before: readonly RegisteredTool[],
  after: readonly RegisteredTool[],
): ToolChange {
  const [old, now] = [before, after].map((tools) => new Set(tools.map(({ name }) => name)));
  return {
    added: after.filter(({ name }) => old?.has(name) === false),
    removed: before.filter(({ name }) => now?.has(name) === false),
  };
}

export function isEmptyChange({ added, removed }: ToolChange): boolean {
  return added.length === 0 && removed.length === 0;
}

/** Changes in words: names, sorted, as a whole and by category. */
export function describeChange(changes: readonly ToolChange[]): RegistryChange {
  const added = changes.flatMap((change) => change.added);
  const removed = changes.flatMap((change) => change.removed);
  const categories = [...new Set([...added, ...removed].map(categoryOf))].sort(byCodeUnit);
  return {
    added: namesOf(added),
    removed: namesOf(removed),
    byCategory: Object.fromEntries(
      categories.map((category) => [
        category,
        {
          added: namesOf(added.filter((tool) => categoryOf(tool) === category)),
          removed: namesOf(removed.filter((tool) => categoryOf(tool) === category)),
        },
      ]),
    ),
  };
}

export function categoryOf({ category }: Pick<RegisteredTool, "category">): string {
  return category ?? UNCATEGORIZED;
}

/** How many tools each category has, by name. */
export function countCategories(tools: readonly RegisteredTool[]): { readonly [category: string]: number } {
  const counts = new Map<string, number>();
  for (const category of tools.map(categoryOf)) counts.set(category, (counts.get(category) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => byCodeUnit(a, b)));
}

function namesOf(tools: readonly RegisteredTool[]): readonly string[] {
  return tools.map(({ name }) => name).sort(byCodeUnit);
}
