/** The hooks of .pre-commit-hooks.yaml, run as pre-commit runs them, and by pre-commit itself where it is installed. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { commitAll, git } from "../e2e/git.js";
import { makeProject, type Project } from "../e2e/make-project.js";
import { linkPackages } from "../e2e/user-project.js";

interface Hook {
  readonly id: string;
  readonly entry: string;
  readonly files?: string;
}

const TEXT = readFileSync(fileURLToPath(new URL("../../.pre-commit-hooks.yaml", import.meta.url)), "utf8");
const HOOKS = parse(TEXT) as readonly Hook[];

const isInstalled = spawnSync("pre-commit", ["--version"]).status === 0;
const WITH_PRE_COMMIT = isInstalled ? "" : " (skipped: pre-commit is not installed)";

const TOOLS = '{ "tools": [{ "name": "ping", "inputSchema": { "type": "object" } }] }';

/** A committed project whose packages are as \`npm install\` leaves them. */
async function makeLocked(): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "tools.json" } } });
  await linkPackages(project.dir);
  await mkdir(join(project.dir, "node_modules/.bin"));
  await symlink("../mcp-codegen/bin/mcp-codegen.js", join(project.dir, "node_modules/.bin/mcp-codegen"));
  await project.write(".gitignore", "node_modules/\n");
  await project.write("tools.json", TOOLS);
  await project.run(["pull"]);
  await commitAll(project.dir);
  return project;
}

/** Locks another tool, and leaves the generated code behind, as a merge can. */
async function lockOnly(project: Project): Promise<void> {
  await project.write("tools.json", TOOLS.replace("ping", "pong"));
  await project.run(["pull"]);
  await git(project.dir, "clean", "--quiet", "--force", "generated");
  await git(project.dir, "checkout", "--quiet", "--", "generated");
}

function runHook(project: Project, id: string): number | null {
  const [command = "", ...args] = HOOKS.find((hook) => hook.id === id)?.entry.split(" ") ?? [];
  return spawnSync(command, args, { cwd: project.dir }).status;
}

it("the hooks find and repair stale code", async () => {
  const project = await makeLocked();
  await lockOnly(project);
  expect(runHook(project, "mcp-codegen-check")).toBe(1);
  expect(runHook(project, "mcp-codegen-generate")).toBe(0);
  expect(runHook(project, "mcp-codegen-check")).toBe(0);
});

it("generate runs for the files that decide what it writes", () => {
  const files = new RegExp(HOOKS.find(({ id }) => id === "mcp-codegen-generate")?.files ?? "$^");
  const cases = [
    "mcp-codegen.lock.json",
    "app/mcp-codegen.config.ts",
    "src/app.ts",
    "my-mcp-codegen.lock.json",
  ];
  expect(cases.map((path) => files.test(path))).toEqual([true, true, false, false]);
});

it.runIf(isInstalled)(`pre-commit runs them${WITH_PRE_COMMIT}`, async () => {
  const hooks = await makeProject();
  await hooks.write(".pre-commit-hooks.yaml", TEXT);
  await commitAll(hooks.dir);
  const project = await makeLocked();
  const run = (): string => {
    const args = ["try-repo", hooks.dir, "--all-files", "--color", "never"];
    const env = { ...process.env, PRE_COMMIT_HOME: join(hooks.dir, ".cache") };
    try {
      return execFileSync("pre-commit", args, { cwd: project.dir, env, encoding: "utf8", stdio: "pipe" });
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };
  expect(run().match(/\.Passed$/gm)).toHaveLength(2);
  await lockOnly(project);
  await git(project.dir, "add", "--all");
  expect(run()).toMatch(/Generate code[^\n]*Failed\n[^]*files were modified by this hook/);
});
