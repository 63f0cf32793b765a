/** Whole programs of the pages are files in this folder. They run and print what the pages show. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { formatWithOptions } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readSnippets } from "./read-snippets.js";

const before = process.cwd();
afterEach(() => {
  process.chdir(before);
  vi.restoreAllMocks();
});

describe.each([
  {
    page: "agents.md",
    note: "agent",
    file: "agent.ts",
    generated: "./generated/wordpress/",
    run: () => import("./agent.js"),
  },
  {
    page: "toolsets.md",
    note: "search",
    file: "search-registry.ts",
    generated: "./generated/example/",
    run: () => import("./search-registry.js"),
  },
])("$file of docs/$page", ({ page, note, file, generated, run }) => {
  const doc = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const blocks = readSnippets(`docs/${page}`, doc);
  const textOf = (wanted: string): string => blocks.find((block) => block.note === wanted)?.text ?? "";

  test("is the program on the page", () => {
    const program = readFileSync(new URL(file, import.meta.url), "utf8");
    const shown = program.replaceAll('"ai-7', '"ai').replace("../../generated/example/", generated);
    expect(textOf(note)).toBe(shown);
  });

  test("prints the output on the page", async () => {
    const lines: string[] = [];
    vi.spyOn(console, "log").mockImplementation((...words: unknown[]) => {
      lines.push(formatWithOptions({ colors: false }, ...words));
    });
    // The folder from which the generated code starts its server.
    process.chdir(fileURLToPath(new URL("../../generated/", import.meta.url)));
    await run();
    expect(`${lines.join("\n")}\n`).toBe(textOf("output"));
  });
});
