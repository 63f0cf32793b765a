import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/contract/canonical-json.js";
import type { JsonObject } from "../../src/contract/json.js";
import type { ToolSnapshot } from "../../src/contract/snapshot.js";
import { diffTools } from "../../src/drift/diff-tools.js";

const FILE = "../shared/data/tool-changes/github-mcp-server.json";

interface Pair {
  readonly tool: string;
  readonly kind: "modified" | "added" | "removed" | "renamed";
  readonly before: ToolSnapshot | null;
  readonly after: ToolSnapshot | null;
}

const pairs: readonly Pair[] = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as Pair[]) : [];

const listOf = (tool: ToolSnapshot | null): ToolSnapshot[] => (tool === null ? [] : [tool]);

/** Written apart from the program: a definition without defaults that are written out and without the order of sets. */
function meaningOf(tool: ToolSnapshot | null): string {
  const sorted = JSON.stringify(tool, (key, value: unknown) => {
    // Arguments are an object, whether or not the schema says so.
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
  return canonicalJson(JSON.parse(JSON.stringify(copy)) as ToolSnapshot);
}

describe.skipIf(pairs.length === 0)(`real changes of a public server (needs ${FILE})`, () => {
  it("finds nothing in pairs that mean the same", () => {
    const same = pairs.filter(({ before, after }) => meaningOf(before) === meaningOf(after));
    expect(same.length).toBeGreaterThan(100);
    expect(same.flatMap(({ before, after }) => diffTools(listOf(before), listOf(after)))).toEqual([]);
  });

  it("finds something in every other pair", () => {
    const other = pairs.filter(({ before, after }) => meaningOf(before) !== meaningOf(after));
    const silent = other.filter(({ before, after }) => diffTools(listOf(before), listOf(after)).length === 0);
    expect(other.length).toBeGreaterThan(200);
    expect(silent.map(({ tool }) => tool)).toEqual([]);
  });

  it("can judge most of what it finds", () => {
    const changes = pairs.flatMap(({ before, after }) => diffTools(listOf(before), listOf(after)));
    const unknown = changes.filter((change) => change.class === "unknown");
    expect(unknown.length / changes.length).toBeLessThan(0.05);
  });
});
