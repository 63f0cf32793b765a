/** The tests on docs/server-authors.md run under their runners, and a failure prints what the page shows. */
import { spawnSync } from "node:child_process";
import { readFile, symlink, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { LOCKFILE_NAME, makeProject, type Project } from "../e2e/make-project.js";
import { type Ended, runNode } from "../e2e/user-project.js";
import { readSnippets } from "./read-snippets.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = join(ROOT, "docs/server-authors.md");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const JITI = join(ROOT, "node_modules/jiti/lib/jiti-register.mjs");

const page = await readFile(PAGE, "utf8");
const files = readSnippets("docs/server-authors.md", page).filter(({ note }) => /\.(?:ts|py)$/u.test(note));

/** A test of the example server, which is a command, as an author would write it. */
const EXAMPLE_TEST = `
import { test } from "node:test";
import { assertContract } from "mcp-codegen/testing";

test("the bakery keeps its contract", async () => {
  const args = [${JSON.stringify(join(ROOT, "bin/mcp-codegen.js"))}, "example-server"];
  if (process.env.NEXT) args.push("--next");
  await assertContract({ command: "node", args }, { name: "bakery", update: process.env.UPDATE === "1" });
});
`;

/** A server's project with the files of the page. */
async function makeAuthorProject(): Promise<Project> {
  const project = await makeProject();
  await project.write("package.json", '{ "type": "module" }');
  for (const { note, text } of files) await project.write(note, text);
  await project.write("bakery-contract.test.ts", EXAMPLE_TEST);
  await mkdir(join(project.dir, "node_modules/@modelcontextprotocol"), { recursive: true });
  for (const name of ["vitest", "zod", "@modelcontextprotocol/sdk", "@modelcontextprotocol/server"])
    await symlink(join(ROOT, "node_modules", name), join(project.dir, "node_modules", name), "junction");
  await symlink(ROOT, join(project.dir, "node_modules/mcp-codegen"), "junction");
  return project;
}

/** `limit` of the page's server becomes required. */
const makeRequired = async (project: Project, path = "server.ts"): Promise<void> =>
  project.write(path, (await project.read(path)).replace(".optional()", ""));

const byVitest = ({ dir }: Project, ...flags: readonly string[]): Promise<Ended> => {
  const options = ["--exclude", "*-*", "--test-timeout", "600000", "--no-isolate", ...flags];
  return runNode(dir, [VITEST, "run", "contract.test.ts", ...options], { NO_COLOR: "1" });
};
const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe("the tests of the page", () => {
  test("Vitest locks servers of both SDK versions, fails for a break, and accepts it with -u", async () => {
    const project = await makeAuthorProject();
    await project.write("v1/server.ts", await project.read("server-v1.ts"));
    const contract = await project.read("contract.test.ts");
    const other = contract.replace('name: "orders"', `lock: "v1/${LOCKFILE_NAME}"`);
    await project.write("v1/contract.test.ts", other);
    const first = await byVitest(project);
    expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    const locks = [LOCKFILE_NAME, `v1/${LOCKFILE_NAME}`];
    const locked = await Promise.all(locks.map(project.read));
    for (const lock of locked) expect(lock).toContain('"list_orders"');
    await makeRequired(project);
    await makeRequired(project, "v1/server.ts");
    const broken = await byVitest(project);
    expect(broken.exitCode).toBe(1);
    expect(broken.stderr).toMatch(
      /FAIL +v1\/contract[\s\S]*?Error: server · [\s\S]*?\[input-property-became-required\]/,
    );
    const [, report = ""] =
      /Error: (orders · [\s\S]*?against the lock: 2 changes\.)/u.exec(broken.stderr) ?? [];
    const block = /(?<=^```text failure\n)[\s\S]*?(?=^```$)/mu;
    const fresh = page.replace(block, () => `${report}\n`);
    await expect(fresh).toMatchFileSnapshot(PAGE);
    expect(await Promise.all(locks.map(project.read))).toEqual(locked);
    expect(await byVitest(project, "-u")).toMatchObject({ exitCode: 0 });
    for (const path of locks) expect(await project.read(path)).toContain('"contract": "2.0.0"');
  });

  test("node:test compares the page's server, one in Python without an SDK, and the example server", async () => {
    const project = await makeAuthorProject();
    const names = ["node-contract", "bakery-contract", ...(hasPython ? ["python-contract"] : [])];
    // They share a lock.
    const args = [
      "--import",
      JITI,
      "--test",
      "--test-concurrency=1",
      ...names.map((name) => `${name}.test.ts`),
    ];
    const run = (env: NodeJS.ProcessEnv): Promise<Ended> =>
      runNode(project.dir, args, { NO_COLOR: "1", ...env });
    const written = await run({ UPDATE: "1" });
    expect(written, written.stdout).toMatchObject({ exitCode: 0 });
    await makeRequired(project);
    const python = await project.read("server.py");
    await project.write("server.py", python.replaceAll('"greet"', '"hello"'));
    const { exitCode, stdout } = await run({ NEXT: "1" });
    expect(exitCode).toBe(1);
    const reported = [
      "orders · 1 breaking",
      "bakery 1.0.0 → 2.0.0 · 2 breaking",
      ...(hasPython ? ["greeter · "] : []),
    ];
    for (const line of reported) expect(stdout).toContain(line);
  });
});
