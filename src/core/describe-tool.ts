import { omitUndefined } from "./collections.js";
import { findOwn, getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./json.js";
import type { ToolAnnotations } from "./snapshot.js";

/** The words and hints about a tool that the runtime and its adapters pass to models. */
interface ToolWords {
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: { readonly [H in Hint]?: boolean };
  readonly taskSupport?: "required" | "optional";
  readonly visibility?: "app";
}

type Hint = (typeof HINTS)[number];

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** Returns the words and hints of a definition, without those that have the wrong type. */
export function describeTool(definition: JsonObject): ToolWords {
  const title = titleOf(definition);
  const description = nonBlank(getOwn(definition, "description"));
  const annotations = getOwn(definition, "annotations");
  const hints = isJsonObject(annotations) ? knownHints(annotations) : [];
  const taskSupport = findOwn(getOwn(definition, "execution"), "taskSupport");
  return omitUndefined({
    title,
    description,
    annotations: hints.length > 0 ? Object.fromEntries(hints) : undefined,
    taskSupport: taskSupport === "required" || taskSupport === "optional" ? taskSupport : undefined,
    visibility: isOfApps(definition) ? "app" : undefined,
  } as const);
}

/** Whether only user interfaces call the tool, not models (MCP Apps 2026-01-26, `_meta.ui.visibility`). */
function isOfApps(definition: JsonObject): boolean {
  const visibility = findOwn(findOwn(getOwn(definition, "_meta"), "ui"), "visibility");
  return isJsonArray(visibility) && visibility.length > 0 && !visibility.includes("model");
}

function knownHints(annotations: JsonObject): readonly (readonly [Hint, boolean])[] {
  return HINTS.flatMap((hint) => {
    const value = getOwn(annotations, hint);
    return typeof value === "boolean" ? [[hint, value] as const] : [];
  });
}

/** Newer servers say it at the top, older ones among the annotations. */
function titleOf(definition: JsonObject): string | undefined {
  const annotations = getOwn(definition, "annotations");
  return (
    nonBlank(getOwn(definition, "title")) ??
    (isJsonObject(annotations) ? nonBlank(getOwn(annotations, "title")) : undefined)
  );
}

export function nonBlank(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The effect of a call, by the annotations of its tool. Without any, a tool may destroy (specification, "ToolAnnotations"). */
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
