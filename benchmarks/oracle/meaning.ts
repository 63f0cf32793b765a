import { canonicalJson, type JsonObject, type JsonValue } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";

/**
 * Whether two definitions differ only in written-out defaults, the order of sets, white space in texts and titles that
 * repeat the shown one. Independent of the engine.
 */
export function haveSameMeaning(before: ToolSnapshot | null, after: ToolSnapshot | null): boolean {
  return meaningOf(before) === meaningOf(after);
}

function meaningOf(tool: ToolSnapshot | null): string {
  const sorted = JSON.stringify(tool, (key, value: unknown) => {
    // Arguments are always an object.
    if (key === "inputSchema") return { type: "object", ...(value as JsonObject | null) };
    if ((key === "description" || key === "title") && typeof value === "string")
      return value.trim().split(/\s+/).join(" ");
    if (key === "properties" && JSON.stringify(value) === "{}") return undefined;
    return (key === "required" || key === "enum") && Array.isArray(value)
      ? [...(value as unknown[])].sort()
      : value;
  });
  const copy = JSON.parse(sorted) as {
    name?: string;
    title?: string;
    annotations?: { title?: string; readOnlyHint?: boolean; destructiveHint?: boolean };
  } | null;
  if (copy !== null) {
    copy.annotations ??= {};
    copy.title ||= copy.annotations.title || (copy.name ?? "");
    if (copy.annotations.title === copy.title) delete copy.annotations.title;
  }
  if (copy?.annotations?.readOnlyHint === false) delete copy.annotations.readOnlyHint;
  if (copy?.annotations?.destructiveHint === true) delete copy.annotations.destructiveHint;
  return canonicalJson(JSON.parse(JSON.stringify(copy)) as JsonValue);
}
