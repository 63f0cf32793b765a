/** The tests on docs/testing.md run: first with the server, then without. */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { makeProject, type Project } from "../e2e/make-project.js";
import { readSnippets } from "./read-snippets.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const JITI = join(ROOT, "node_modules/jiti/lib/jiti-register.mjs");

const page = await readFile(join(ROOT, "docs/testing.md"), "utf8");
const files = readSnippets("docs/testing.md", page).filter(({ note }) => note.endsWith(".ts"));

/** A project with the files of the page, and the example server's generated code. */
async function makeUserProject(): Promise<Project> {
  const server = { command: "node", args: [join(ROOT, "bin/mcp-codegen.js"), "example-server"] };
  const project = await makeProject({ servers: { example: server }, importExtension: "js" });
  await project.run(["pull"]);
  await project.write("package.json", '{ "type": "module" }');
  for (const { note, text } of files) {
    await mkdir(dirname(join(project.dir, note)), { recursive: true });
    await project.write(note, text);
  }
  await mkdir(join(project.dir, "node_modules"));
  await symlink(ROOT, join(project.dir, "node_modules/mcp-codegen"));
  for (const name of ["vitest", "zod"])
    await symlink(join(ROOT, "node_modules", name), join(project.dir, "node_modules", name));
  return project;
}

/** From here on, a call of the server fails. */
async function removeServer(project: Project): Promise<void> {
  const text = await project.read("generated/example/server.ts");
  expect(text).toContain('command: "node"');
  await writeFile(
    join(project.dir, "generated/example/server.ts"),
    text.replace('command: "node"', 'command: "/nowhere/node"'),
  );
}

async function run(project: Project, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { PATH, HOME } = process.env;
  const options = { cwd: project.dir, env: { PATH, HOME, ...env } };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...args], options);
  return stdout + stderr;
}

describe("the tests of the page", { timeout: 60_000 }, () => {
  test.each([
    {
      file: "posts.test.ts",
      args: [VITEST, "run", "posts.test.ts", "--exclude", "node-*"],
      passed: /2 passed/,
    },
    {
      file: "node-posts.test.ts",
      args: ["--import", JITI, "--test", "node-posts.test.ts"],
      passed: /pass 1/,
    },
  ])("$file records its cassette and replays it without the server", async ({ file, args, passed }) => {
    const project = await makeUserProject();
    expect(await run(project, args)).toMatch(passed);
    expect(await readdir(join(project.dir, "cassettes/posts/example"))).toEqual(["get-post.json"]);
    const before = await project.read("cassettes/posts/example/get-post.json");
    await removeServer(project);
    expect(await run(project, args)).toMatch(passed);
    expect(await project.read("cassettes/posts/example/get-post.json")).toBe(before);
    if (file !== "posts.test.ts") return;
    await rm(join(project.dir, "cassettes"), { recursive: true });
    await expect(run(project, args)).rejects.toThrow();
  });

  test("route.test.ts is recorded and replayed by the variables", async () => {
    const project = await makeUserProject();
    const args = [VITEST, "run", "route.test.ts"];
    expect(await run(project, args, { MCP_CODEGEN_RECORD: "cassettes/posts" })).toMatch(/1 passed/);
    await removeServer(project);
    expect(await run(project, args, { MCP_CODEGEN_REPLAY: "cassettes/posts" })).toMatch(/1 passed/);
    await expect(run(project, args)).rejects.toThrow();
  });

  test("mock.test.ts and mock-module.test.ts need no server", async () => {
    const project = await makeUserProject();
    await removeServer(project);
    expect(await run(project, [VITEST, "run", "mock"])).toMatch(/3 passed/);
  });
});
