import type { ToolAnnotations } from "./snapshot.js";

/** What a call of a tool does, by its annotations. Without any, a tool may destroy (specification, "ToolAnnotations"). */
export type StatedEffect = "reads" | "writes" | "destroys" | "unstated";

/** The words for an effect, the same everywhere. */
export const EFFECT_WORDS = {
  reads: "reads",
  writes: "writes",
  destroys: "destroys",
  unstated: "effect not stated",
} as const satisfies Record<StatedEffect, string>;

export function readStatedEffect({ readOnlyHint, destructiveHint }: ToolAnnotations = {}): StatedEffect {
  if (readOnlyHint === true) return "reads";
  if (readOnlyHint === undefined && destructiveHint === undefined) return "unstated";
  return destructiveHint === false ? "writes" : "destroys";
}
