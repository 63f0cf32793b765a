import type { Change } from "../contract/change.js";

/** Whether to search for call sites: if a change breaks calls, changes types, or could not be judged. */
export function mayHitCode({ tool, rule, class: how, impacts }: Change): boolean {
  if (tool === undefined || rule === "tool-added") return false;
  return how === "breaking" || how === "unknown" || impacts.includes("types");
}
