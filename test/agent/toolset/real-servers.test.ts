import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemPrompt, toAnthropicTools } from "../../../src/agent/index.js";
import { callAnthropicTools } from "../../../src/agent/adapters/anthropic-tools.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import { type Registry } from "../../../src/agent/registry/registry.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { programOf } from "../../servers/start-everything.js";

let folder: string;
let registry: Registry;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "session-"));
  const command = process.execPath;
  registry = createRegistry({
    servers: [
      defineServer({ name: "everything", command, args: [programOf("everything"), "stdio"] }),
      defineServer({ name: "files", command, args: [programOf("filesystem"), folder] }),
    ],
  });
});
afterAll(() => rm(folder, { recursive: true }));

test("an agent finds its way through real servers", async () => {
  const session = createToolset(registry, { show: "found", core: ["files__list_directory"], limit: 3 });
  const say = async (name: string, input: object): Promise<string> => {
    const call = { type: "tool_use", id: "1", name, input };
    const [result] = await callAnthropicTools(session, [call], { approval: "none" });
    return JSON.stringify(result);
  };
  const shown = async (): Promise<readonly string[]> =>
    (await toAnthropicTools(session)).map(({ name }) => name);
  expect(await systemPrompt(session)).toMatch(/^There are \d+ tools of "everything", "files"\./);
  expect(await shown()).toEqual(["search_tools", "files__list_directory"]);

  const path = join(folder, "note.txt");
  const refused = await say("files__write_file", { path, content: "Rolls." });
  expect(refused).toContain("is not among your tools now");
  await expect(readFile(path)).rejects.toThrow("ENOENT");

  expect(await say("search_tools", { query: "write a text file" })).toContain("files__write_file");
  expect((await shown()).length).toBeGreaterThan(2);
  expect(await say("files__write_file", { path, content: "Rolls." })).not.toContain("is_error");
  expect(await readFile(path, "utf8")).toBe("Rolls.");
  expect(await say("files__list_directory", { path: folder })).toContain("note.txt");

  expect(await say("search_tools", { query: "add two numbers" })).toContain("everything__get-sum");
  // The words fit weakly, so that the tool is named and not added.
  expect(await shown()).not.toContain("everything__get-sum");
  expect(await say("search_tools", { query: "everything__get-sum" })).toContain("everything__get-sum");
  expect(await say("everything__get-sum", { a: 2, b: 3 })).toContain("5");
  const names = await shown();
  expect(new Set(names).size).toBe(names.length);
  session.clear();
  expect(await shown()).toEqual(["search_tools", "files__list_directory"]);
});
