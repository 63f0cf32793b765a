/** The agent of docs/adapters.md is test/docs/agent.ts, which runs. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { formatWithOptions } from "node:util";
import { readSnippets } from "./read-snippets.js";

const doc = readFileSync(new URL("../../docs/adapters.md", import.meta.url), "utf8");
const blocks = readSnippets("docs/adapters.md", doc);
const textOf = (note: string): string => blocks.find((block) => block.note === note)?.text ?? "";

const before = process.cwd();
afterEach(() => {
  process.chdir(before);
  vi.restoreAllMocks();
});

test("the page shows the program that is tested", () => {
  const program = readFileSync(new URL("agent.ts", import.meta.url), "utf8");
  const shown = program
    .replaceAll('"ai-7', '"ai')
    .replace("../../generated/example/", "./generated/wordpress/");
  expect(textOf("agent")).toBe(shown);
});

test("it recovers from an error, asks before it deletes, and prints what the page says", async () => {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((...words: unknown[]) => {
    lines.push(formatWithOptions({ colors: false }, ...words));
  });
  // Where the generated code says that its server is started from.
  process.chdir(fileURLToPath(new URL("../../generated/", import.meta.url)));
  await import("./agent.js");
  expect(`${lines.join("\n")}\n`).toBe(textOf("output"));
});
