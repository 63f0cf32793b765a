import { rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand } from "../cli/run-command.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { commitAll, git } from "./git.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

const shop = { ...fixtureCommand("drifted"), env: { DRIFT: "${DRIFT:-none}" } };

/** Pulls and commits one contract after the other. */
async function makeHistory(...drifts: readonly string[]): Promise<Project> {
  const project = await makeProject({ servers: { shop } });
  for (const drift of drifts) {
    await project.run("pull", { DRIFT: drift });
    await commitAll(project.dir, `Pull ${drift}`);
  }
  return project;
}

it("log prints version, date and changes, newest first: breaking is major, additive minor, the rest patch", async () => {
  const project = await makeHistory("none", "tool-added", "none", "tool-description-changed");
  const { document, stderr } = await project.runJson("log shop");
  expect(document).toMatchObject({
    report: "log",
    exitCode: 0,
    server: "shop",
    isComplete: true,
    unreadable: [],
    versions: [
      {
        contract: "2.0.1",
        subject: "Pull tool-description-changed",
        changes: [{ rule: "tool-description-changed", tool: "cancel-order" }],
      },
      { contract: "2.0.0", tools: 2, changes: [{ rule: "tool-removed", tool: "refund-order" }] },
      { contract: "1.1.0", tools: 3, changes: [{ rule: "tool-added", tool: "refund-order" }] },
      {
        contract: "1.0.0",
        tools: 2,
        date: expect.stringMatching(/^2026-01-02T03:04:05/) as string,
        changes: [],
      },
    ],
  });
  expect(stderr).toMatch(/^2\.0\.1 {2}2026-01-02 {2}[0-9a-f]{9} {2}Pull tool-description-changed$/m);
  expect(stderr).toMatch(/^1\.0\.0 .* Pull none\n {2}locked, 2 tools$/m);

  await project.reports("log shop --limit 3", {
    isComplete: false,
    versions: [{ contract: "2.0.1" }, { contract: "2.0.0" }, { changes: [{ rule: "tool-added" }] }],
  });
  await project.reports("log shop --limit 4", { isComplete: true });
  for (const limit of ["0", "-1", "many", "1e3"]) await project.refuses(["log", "shop", "--limit", limit]);
  await project.refuses("log shap", 'No committed lock has a server "shap".', '"shop"');
  expect((await project.run("log")).stdout).toBe((await project.run("log shop")).stdout);

  const other = await makeProject();
  await git(other.dir, "clone", "--quiet", "--depth=1", `file://${project.dir}`, "clone");
  const { exitCode, stdout } = await runCommand(["log", "shop"], { cwd: join(other.dir, "clone") });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^2\.0\.1 .*\n {2}2 tools$/m);
  expect(stdout).toContain("git fetch --unshallow");
});

it("log counts a merged branch as one step, omits other commits, and skips a lock that cannot be parsed", async () => {
  const project = await makeHistory("none");
  await git(project.dir, "switch", "--quiet", "--create", "feature");
  for (const drift of ["tool-added", "tool-removed"]) {
    await project.run("pull", { DRIFT: drift });
    await commitAll(project.dir, `Try ${drift}`);
  }
  await git(project.dir, "switch", "--quiet", "main");
  await git(project.dir, "merge", "--quiet", "--no-ff", "--message", "Merge the feature", "feature");
  await project.write("README.md", "Hello");
  await commitAll(project.dir, "Say hello");
  await project.configure({ servers: { shop, second: { ...shop, env: {} } } });
  await project.run("pull second");
  await commitAll(project.dir, "\u001b[31mred \u0001\u0002 and \u202emirrored");
  await project.refuses("log", 'hint: The lock has "second", "shop".');
  await project.prints("log second", 0, "\\u{1B}[31mred \\u{1}\\u{2} and \\u{202E}mirrored");
  const versions = [
    { contract: "2.0.0", subject: "Merge the feature", changes: [{ rule: "tool-removed" }] },
    { contract: "1.0.0", subject: "Pull none" },
  ];
  expect((await project.runJson("log shop")).document["versions"]).toMatchObject(versions);

  await project.write(LOCKFILE_NAME, `<<<<<<< ours\n${await project.read(LOCKFILE_NAME)}`);
  const broken = await commitAll(project.dir, "Break");
  await project.writeJson(LOCKFILE_NAME, { lockfileVersion: 1, servers: {} });
  await commitAll(project.dir, "Empty");
  const { document, stderr } = await project.runJson("log shop");
  expect(document).toMatchObject({
    unreadable: [broken],
    versions: [{ contract: null, subject: "Empty" }, ...versions],
  });
  expect(stderr).toContain(`The lock of ${broken.slice(0, 9)} does not parse.`);
});

it("log follows a renamed folder, and works in subfolders", async () => {
  const project = await makeProject();
  await project.writeJson("old/mcp-codegen.config.json", { servers: { shop } });
  await runCommand(["pull"], { cwd: join(project.dir, "old") });
  await commitAll(project.dir, "One");
  const cwd = join(project.dir, "new place");
  await rename(join(project.dir, "old"), cwd);
  await commitAll(project.dir, "Move");
  await runCommand(["pull"], { cwd, env: { DRIFT: "tool-added" } });
  await commitAll(project.dir, "Two");
  const { exitCode, stdout } = await runCommand(["log", "shop"], { cwd: join(cwd, "generated") });
  expect(exitCode).toBe(0);
  expect(stdout.match(/^\d\.\d\.\d/gm)).toEqual(["1.1.0", "1.0.0"]);
});

it("log exits 2 outside of a repository, and for a lock that was never committed", async () => {
  const project = await makePulled({ servers: { shop } });
  await project.refuses("log shop", "The git history cannot be read: not a git repository");
  await project.write(".gitignore", LOCKFILE_NAME);
  await commitAll(project.dir);
  await project.refuses("log shop", `Commit "${LOCKFILE_NAME}"`);
  expect((await (await makeProject()).run("log")).stderr).toContain('There is no "mcp-codegen.lock.json"');
});
