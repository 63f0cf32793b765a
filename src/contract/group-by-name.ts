import type { ToolSnapshot } from "./snapshot.js";

/** Definitions by their names, those of one name in the order that they are in. */
export function groupByName(
  definitions: readonly ToolSnapshot[],
): ReadonlyMap<string, readonly ToolSnapshot[]> {
  const groups = new Map<string, ToolSnapshot[]>();
  for (const definition of definitions) {
    const group = groups.get(definition.name);
    if (group === undefined) groups.set(definition.name, [definition]);
    else group.push(definition);
  }
  return groups;
}
