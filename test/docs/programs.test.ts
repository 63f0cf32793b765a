/** Whole programs of the pages are files in this folder. They run and print what the pages show, with each AI SDK they name. */
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
  { page: "agents.md", note: "agent", file: "agent.ts", run: () => import("./agent.js") },
  {
    page: "toolsets.md",
    note: "search",
    file: "search-registry.ts",
    run: () => import("./search-registry.js"),
  },
])("$file of docs/$page", ({ page, note, file, run }) => {
  const doc = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const blocks = readSnippets(`docs/${page}`, doc);
  const textOf = (wanted: string): string => blocks.find((block) => block.note === wanted)?.text ?? "";

  test("is the program on the page", () => {
    const program = readFileSync(new URL(file, import.meta.url), "utf8");
    const shown = program.replaceAll('"ai-6', '"ai').replace("../../generated/", "./generated/");
    expect(textOf(note)).toBe(shown);
  });

  test.each(["AI SDK 6", "AI SDK 7"])("prints the output on the page with %s", async (sdk) => {
    vi.resetModules();
    vi.doUnmock("ai-6");
    vi.doUnmock("ai-6/test");
    if (sdk === "AI SDK 7") replaceAiSdk();
    const lines: string[] = [];
    vi.spyOn(console, "log").mockImplementation((...words: unknown[]) => {
      lines.push(formatWithOptions({ colors: false }, ...words));
    });
    // The folder from which the generated code starts its server.
    process.chdir(fileURLToPath(new URL("../../generated/", import.meta.url)));
    await run();
    // Version 7 puts the name of an error before its message.
    expect(`${lines.join("\n").replace("ToolCallError: ", "")}\n`).toBe(textOf("output"));
  });
});

/** Version 7 instead of 6, with the one difference that the page names. */
function replaceAiSdk(): void {
  vi.doMock("ai-6", async () => {
    const sdk = await import("ai-7");
    const generateText = async (options: Parameters<typeof sdk.generateText>[0]) => {
      const { text, content, responseMessages } = await sdk.generateText(options);
      return { text, content, response: { messages: responseMessages } };
    };
    return { ...sdk, generateText };
  });
  vi.doMock("ai-6/test", () => import("ai-7/test"));
}
