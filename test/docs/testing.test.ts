/** The tests on docs/testing.md run: first with the server, then without. */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { EXAMPLE, makeProject, type Project } from "../e2e/make-project.js";
import { readSnippets } from "./read-snippets.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const JITI = join(ROOT, "node_modules/jiti/lib/jiti-register.mjs");

const page = await readFile(join(ROOT, "docs/testing.md"), "utf8");
const files = readSnippets("docs/testing.md", page).filter(({ note }) => note.endsWith(".ts"));

/** A project with the files of the page, and the example server's generated code. */
async function makeUserProject(): Promise<Project> {
  const project = await makeProject({ servers: { example: EXAMPLE }, importExtension: "js" });
  await project.run(["pull"]);
  await project.write("package.json", '{ "type": "module" }');
  for (const { note, text } of files) await project.write(note, text);
  await mkdir(join(project.dir, "node_modules"));
  await symlink(ROOT, join(project.dir, "node_modules/mcp-codegen"));
  for (const name of ["vitest", "zod"])
    await symlink(join(ROOT, "node_modules", name), join(project.dir, "node_modules", name));
  return project;
}

/** From here on, a call of the server fails. */
async function removeServer(project: Project): Promise<void> {
  const path = "generated/example/server.ts";
  const text = await project.read(path);
  expect(text).toContain('command: "node"');
  await project.write(path, text.replace('command: "node"', 'command: "/nowhere/node"'));
}

const CASSETTE = "cassettes/posts/example/get-post.json";

async function run(project: Project, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { PATH, HOME } = process.env;
  const options = { cwd: project.dir, env: { PATH, HOME, NO_COLOR: "1", ...env } };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...args], options);
  return stdout + stderr;
}

describe("the tests of the page", () => {
  test("Vitest records cassettes and replays them without the server, and mocks", async () => {
    const project = await makeUserProject();
    const vitest = (...files: readonly string[]): readonly string[] => [
      VITEST,
      "run",
      "--test-timeout",
      "600000",
      ...files,
    ];
    const unset = vitest("posts", "mock", "--exclude", "node-*");
    expect(await run(project, unset)).toMatch(/5 passed/);
    expect(await readdir(join(project.dir, "cassettes/posts/example"))).toEqual(["get-post.json"]);
    const before = await project.read(CASSETTE);
    const route = vitest("route.test.ts");
    expect(await run(project, route, { MCP_CODEGEN_RECORD: "cassettes/route" })).toMatch(/1 passed/);
    await removeServer(project);
    expect(await run(project, unset)).toMatch(/5 passed/);
    expect(await project.read(CASSETTE)).toBe(before);
    expect(await run(project, route, { MCP_CODEGEN_REPLAY: "cassettes/route" })).toMatch(/1 passed/);
    await rm(join(project.dir, "cassettes"), { recursive: true });
    const failing = run(project, vitest("posts", "route", "mock", "--exclude", "node-*"));
    const { stdout } = (await failing.then(
      () => ({ stdout: "" }),
      (error: unknown) => error,
    )) as { readonly stdout: string };
    expect(stdout).toMatch(/Test Files +2 failed \| 2 passed/);
  });

  test("node:test records its cassette and replays it without the server", async () => {
    const project = await makeUserProject();
    const args = ["--import", JITI, "--test", "node-posts.test.ts"];
    expect(await run(project, args)).toMatch(/pass 1/);
    const before = await project.read(CASSETTE);
    await removeServer(project);
    expect(await run(project, args)).toMatch(/pass 1/);
    expect(await project.read(CASSETTE)).toBe(before);
  });
});
