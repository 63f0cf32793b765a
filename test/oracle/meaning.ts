import { canonicalJson } from "../../src/contract/canonical-json.js";
import type { JsonObject, JsonValue } from "../../src/contract/json.js";
import type { ToolSnapshot } from "../../src/contract/snapshot.js";

/** Whether two definitions differ only in written-out defaults and the order of sets. Independent of the engine. */
export function haveSameMeaning(before: ToolSnapshot | null, after: ToolSnapshot | null): boolean {
  return meaningOf(before) === meaningOf(after);
}

function meaningOf(tool: ToolSnapshot | null): string {
  const sorted = JSON.stringify(tool, (key, value: unknown) => {
    // Arguments are always an object.
    if (key === "inputSchema") return { type: "object", ...(value as JsonObject | null) };
    if (key === "properties" && JSON.stringify(value) === "{}") return undefined;
    return (key === "required" || key === "enum") && Array.isArray(value)
      ? [...(value as unknown[])].sort()
      : value;
  });
  const copy = JSON.parse(sorted) as {
    annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean };
  } | null;
  if (copy?.annotations?.readOnlyHint === false) delete copy.annotations.readOnlyHint;
  if (copy?.annotations?.destructiveHint === true) delete copy.annotations.destructiveHint;
  return canonicalJson(JSON.parse(JSON.stringify(copy)) as JsonValue);
}
