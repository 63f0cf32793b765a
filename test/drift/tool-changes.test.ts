import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { dataFiles, expected } from "../data/files.js";
import { haveSameMeaning } from "../../benchmarks/oracle/meaning.js";

const HISTORIES: readonly string[] = ["library.json", "github-mcp-server.json"];

interface Pair {
  readonly tool: string;
  readonly kind: "modified" | "added" | "removed" | "renamed";
  readonly before: ToolSnapshot | null;
  readonly after: ToolSnapshot | null;
}

const pairs = dataFiles("tool-changes")
  .filter((path) => HISTORIES.includes(basename(path)))
  .flatMap((path) => JSON.parse(readFileSync(path, "utf8")) as Pair[]);

const listOf = (tool: ToolSnapshot | null): ToolSnapshot[] => (tool === null ? [] : [tool]);

describe("changes in the histories of servers", () => {
  it("finds no change between equivalent tools", () => {
    const same = pairs.filter(({ before, after }) => haveSameMeaning(before, after));
    expect(same.length).toBeGreaterThan(expected(1, 100));
    expect(same.flatMap(({ before, after }) => diffTools(listOf(before), listOf(after)))).toEqual([]);
  });

  it("finds a change in every other pair", () => {
    const other = pairs.filter(({ before, after }) => !haveSameMeaning(before, after));
    const silent = other.filter(({ before, after }) => diffTools(listOf(before), listOf(after)).length === 0);
    expect(other.length).toBeGreaterThan(expected(10, 200));
    expect(silent.map(({ tool }) => tool)).toEqual([]);
  });

  it("classifies most changes", () => {
    const changes = pairs.flatMap(({ before, after }) => diffTools(listOf(before), listOf(after)));
    const unknown = changes.filter((change) => change.class === "unknown");
    expect(unknown.length / changes.length).toBeLessThan(0.05);
  });
});
