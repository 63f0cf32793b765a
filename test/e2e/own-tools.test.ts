import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { readSnippets } from "../docs/read-snippets.js";
import { CLIENTS } from "../serve/clients.js";
import { BIN } from "../serve/start-serve.js";
import { makeProject, type Project } from "./make-project.js";
import { linkPackages, runBinary } from "./user-project.js";

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
  const [check, print] = ["signal.throwIfAborted();", 'console.log("called");'];
  const module = (await exampleOf("toolsets.md", 'name: "count-words"')).replace(check, print + check);
  await project.write("tools/count-words.js", `console.log("loaded");\n${module}`);
  return project;
}

test("static tools are searched, described and called without a server and a lock", async () => {
  const project = await makeOwn();
  await project.reports(["search", "count the words of a text", "--server", "static"], {
    tools: [{ name: "count-words", server: "static" }],
  });
  await project.reports("describe count-words", {
    tools: [{ name: "count-words", inputSchema: { required: ["text"] } }],
  });
  await project.prints("call count-words --help", 0, "--text");
  await project.refuses("call count-word --text x", 'Did you mean "count-words"?');
});

test("the output of the module of a static tool goes to stderr", async () => {
  const { dir } = await makeOwn();
  const called = await runBinary(dir, ["call", "--json", "count-words", "--text", "one two three"]);
  expect(called.exitCode).toBe(0);
  expect(called.stderr).toMatch(/loaded\n[^]*called\n/);
  const answer = { tool: "count-words", server: "static", result: { words: 3 } };
  expect(JSON.parse(called.stdout)).toMatchObject(answer);
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

test("pull writes an empty lock that check and generate accept, and a configured server still needs one", async () => {
  const project = await makeOwn();
  await project.prints("pull", 0);
  expect(JSON.parse(await project.read("mcp-codegen.lock.json"))).toMatchObject({ servers: {} });
  for (const line of ["generate", "check --offline", "check", "list"]) await project.prints(line, 0);
  const other = await makeOwn();
  const config = await other.read("mcp-codegen.config.ts");
  const shop = config.replace("servers: {}", 'servers: { a: { command: "a" } }');
  await other.write("mcp-codegen.config.ts", shop);
  for (const line of ["search words", "serve"]) await other.refuses(line, 'Run "npx mcp-codegen pull"');
});
