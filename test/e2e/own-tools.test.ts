import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { readSnippets } from "../docs/read-snippets.js";
import { CLIENTS } from "../serve/clients.js";
import { BIN } from "../serve/start-serve.js";
import { makeProject, type Project } from "./make-project.js";
import { linkPackages, runBinary, type Ended } from "./user-project.js";

const DOCS = fileURLToPath(new URL("../../docs/", import.meta.url));

/** Returns the first code block of a page that contains a text. */
async function exampleOf(page: string, text: string): Promise<string> {
  const snippets = readSnippets(page, await readFile(join(DOCS, page), "utf8"));
  const found = snippets.find((snippet) => snippet.text.includes(text));
  if (found === undefined) throw new Error(`${page} has no example with ${JSON.stringify(text)}.`);
  return found.text;
}

/** The example of docs/serve.md and docs/toolsets.md: a configuration without servers, and one tool. */
async function makeOwn(): Promise<Project> {
  const project = await makeProject();
  await linkPackages(project.dir);
  await project.write("mcp-codegen.config.ts", await exampleOf("serve.md", "servers: {}"));
  await mkdir(join(project.dir, "tools"));
  const module = await exampleOf("toolsets.md", 'name: "count-words"');
  const logging = module.replace(
    "signal.throwIfAborted();",
    'console.log("called"); signal.throwIfAborted();',
  );
  await writeFile(join(project.dir, "tools/count-words.js"), `console.log("loaded");\n${logging}`);
  return project;
}

function runJson({ dir }: Project, argv: readonly string[]): Promise<Ended & { readonly document: object }> {
  return runBinary(dir, [...argv, "--json"]).then((ended) => ({
    ...ended,
    // The output of a module does not go to stdout.
    document: JSON.parse(ended.stdout) as object,
  }));
}

test("static tools are searched, described and called without a server and a lock", async () => {
  const project = await makeOwn();
  const found = await runJson(project, ["search", "count the words of a text", "--server", "static"]);
  expect(found).toMatchObject({
    exitCode: 0,
    document: { tools: [{ name: "count-words", server: "static" }] },
  });
  expect(found.stderr).toContain("loaded");
  expect(await runJson(project, ["describe", "count-words"])).toMatchObject({
    exitCode: 0,
    document: { tools: [{ name: "count-words", inputSchema: { required: ["text"] } }] },
  });
  expect(await runJson(project, ["call", "count-words", "--text", "one two three"])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining("called") as string,
    document: { tool: "count-words", server: "static", result: { words: 3 } },
  });
  const help = await runBinary(project.dir, ["call", "count-words", "--help"]);
  expect(help.stdout).toContain("--text");
  const unknown = await runBinary(project.dir, ["call", "count-word", "--text", "x"]);
  expect(unknown).toMatchObject({ exitCode: 2 });
  expect(unknown.stderr).toContain('Did you mean "count-words"?');
});

test("static tools are served as in docs/serve.md", async () => {
  const project = await makeOwn();
  const args = [BIN, "serve"];
  const env = { PATH: process.env["PATH"] ?? "" };
  const client = await CLIENTS["version 2"]?.({ command: process.execPath, args, cwd: project.dir, env });
  if (client === undefined) throw new Error("There is no such client.");
  onTestFinished(() => client.close());
  expect(await client.listTools()).toContain("shop_execute");
  const { structuredContent } = await client.call("shop_execute", {
    tool: "count-words",
    args: { text: "one two" },
  });
  expect(structuredContent).toMatchObject({ success: true, result: { words: 2 } });
});

test("pull writes an empty lock that check and generate accept", async () => {
  const project = await makeOwn();
  await project.prints(["pull"], 0);
  expect(JSON.parse(await project.read("mcp-codegen.lock.json"))).toMatchObject({ servers: {} });
  for (const argv of [["generate"], ["check", "--offline"], ["check"], ["list"]])
    await project.prints(argv, 0);
});

test("a configured server still needs a lock", async () => {
  const project = await makeOwn();
  const config = await project.read("mcp-codegen.config.ts");
  await project.write(
    "mcp-codegen.config.ts",
    config.replace("servers: {}", 'servers: { a: { command: "a" } }'),
  );
  for (const argv of [["search", "words"], ["serve"]])
    await project.refuses(argv, 'Run "npx mcp-codegen pull"');
});
