import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { commitAll, git } from "./git.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

const shop = { ...fixtureCommand("drifted"), env: { DRIFT: "${DRIFT:-none}" } };

/** A branch `feature` that has pulled a changed contract; `main` has the old one. */
async function makeBranch(drift: string): Promise<Project> {
  const project = await makePulled({ servers: { shop } });
  await commitAll(project.dir);
  await git(project.dir, "switch", "--quiet", "--create", "feature");
  await project.run(["pull"], { DRIFT: drift });
  await commitAll(project.dir);
  return project;
}

describe("check --against", () => {
  it("shows the changes of a branch to the lock, offline, and proposes no pull", async () => {
    const project = await makeBranch("input-bound-tightened");
    const gone = { servers: { shop: { command: "there-is-no-such-program" } } };
    await project.configure(gone);
    await project.run(["generate"]);
    const { document, stderr } = await project.runJson(["check", "--against", "main"]);
    expect(document).toMatchObject({
      exitCode: 1,
      against: "main",
      checked: { servers: ["shop"] },
      changes: [{ rule: "input-bound-tightened", class: "breaking", tool: "cancel-order", fails: true }],
      unverified: [],
      repairs: [],
    });
    expect(stderr).toContain('Checked 1 server against "main" and');
    expect(stderr).toContain(
      "let it pass  npx mcp-codegen check --against main --waive input-bound-tightened cancel-order",
    );
  });

  it("applies --fail-on, and finds nothing in an unchanged lock", async () => {
    const project = await makeBranch("tool-added");
    const exitOf = async (...argv: string[]): Promise<number> =>
      (await project.run(["check", "--against", ...argv])).exitCode;
    expect(await exitOf("main")).toBe(1);
    expect(await exitOf("main", "--fail-on", "breaking")).toBe(0);
    expect(await exitOf("HEAD")).toBe(0);
    expect(await exitOf("HEAD", "--offline")).toBe(0);
    expect(await exitOf("main", "shop")).toBe(1);
    expect(await exitOf("main", "shap")).toBe(2);
  });

  it("also finds stale files and hand edits", async () => {
    const project = await makeBranch("tool-added");
    await rm(join(project.dir, "generated/shop/find-orders.ts"));
    const { document } = await project.runJson(["check", "--against", "HEAD"]);
    expect(document).toMatchObject({ exitCode: 1, changes: [], files: [{ file: "shop/find-orders.ts" }] });
  });

  it("verifies the digests of both locks", async () => {
    const project = await makeBranch("tool-added");
    const lock = await project.read(LOCKFILE_NAME);
    await project.write(LOCKFILE_NAME, lock.replace("Cancels one order", "Cancels every order"));
    await project.refuses(["check", "--offline", "--against", "main"], "does not match its digest");
  });

  it("treats everything as new if the ref has no lock", async () => {
    const project = await makeProject({ servers: { shop } });
    await commitAll(project.dir);
    await project.run(["pull"]);
    const { document } = await project.runJson(["check", "--against", "main"]);
    expect(document["changes"]).toMatchObject([
      { rule: "tool-added", tool: "cancel-order" },
      { rule: "tool-added", tool: "find-orders" },
    ]);
  });

  it.each([
    ["--offline", []],
    ["--against", ["main"]],
  ])("rejects --env with %s, which contacts no server", async (flag, value) => {
    const project = await makeProject({ servers: { shop } });
    await project.refuses(
      ["check", flag, ...value, "--env", "production"],
      `--env cannot be used with ${flag}, which contacts no server.`,
    );
  });
});
