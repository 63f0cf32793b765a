import type { ToolAnnotations } from "../contract/snapshot.js";

/** What a call of a tool may do: change nothing, change something, or destroy something. */
export type Effect = "reads" | "writes" | "destroys";

/** By the defaults of the specification ("ToolAnnotations"): what does not only read destroys unless it says otherwise. */
export function effectOfHints({ readOnlyHint, destructiveHint }: ToolAnnotations = {}): Effect {
  if (readOnlyHint === true) return "reads";
  return destructiveHint === false ? "writes" : "destroys";
}
