import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, makePulled } from "./make-project.js";

const flickering = { ...fixtureCommand("flickering"), env: { FLICKER: "${FLICKER:-tools}" } };
const paged = fixtureCommand("paged");

describe("a list that differs between two requests", () => {
  it.each([
    ["tools", "list-nondeterministic", '"two"'],
    ["text", "list-nondeterministic", '"one"'],
    ["grows", "list-nondeterministic", '"backend-1"'],
    ["once", "list-nondeterministic", '"two"'],
    ["end", "list-truncated", "ends early, after page 1: Out of memory"],
  ])("by %s is not locked: %s, exit 3, and the others are written", async (by, rule, reason) => {
    const project = await makeProject({ servers: { flickering, paged } });
    const { document } = await project.runJson(["pull"], { FLICKER: by });
    expect(document).toMatchObject({
      exitCode: 3,
      unverified: [{ server: "flickering", rule }],
      servers: [
        { server: "flickering", status: "failed" },
        { server: "paged", status: "new" },
      ],
    });
    expect(JSON.stringify(document["unverified"])).toContain(JSON.stringify(reason).slice(1, -1));
    const lock = await readFile(join(project.dir, LOCKFILE_NAME), "utf8");
    expect(Object.keys((JSON.parse(lock) as { servers: object }).servers)).toEqual(["paged"]);
  });

  it("is neither drift nor success for check, and does not change the lock", async () => {
    const project = await makeProject({ servers: { flickering } });
    await project.run(["pull"], { FLICKER: "order" });
    const before = await project.files();
    for (const failOn of ["any", "never"]) {
      const { document, stderr } = await project.runJson(["check", "--fail-on", failOn], { FLICKER: "text" });
      expect(document).toMatchObject({
        exitCode: 3,
        changes: [],
        unverified: [{ server: "flickering", rule: "list-nondeterministic" }],
      });
      expect(stderr).toContain("[list-nondeterministic]");
    }
    await project.withEnv({ FLICKER: "tools" }).prints(["pull"], 3);
    expect(await project.files()).toEqual(before);
  });

  it("but is equivalent has no finding", async () => {
    const project = await makeProject({ servers: { flickering } });
    await project.withEnv({ FLICKER: "order" }).prints(["pull"], 0);
    await project.withEnv({ FLICKER: "order" }).prints(["check"], 0);
    await project.withEnv({ FLICKER: "order" }).prints(["pull", "--frozen"], 0);
  });

  it("only in excluded tools is accepted", async () => {
    const tools = { exclude: ["two"] };
    const project = await makePulled({ servers: { flickering: { ...flickering, tools } } });
    await project.prints(["check"], 0);
  });

  it("is requested once if it equals the lock", async () => {
    // Its second list ends early, so a second request would fail.
    const project = await makeProject({ servers: { flickering } });
    await project.run(["pull"], { FLICKER: "order" });
    const config = { servers: { flickering: { ...flickering, tools: { include: ["one"] } } } };
    await project.configure(config);
    await project.run(["pull"], { FLICKER: "order" });
    await project.withEnv({ FLICKER: "end" }).prints(["check"], 0);
  });
});

describe("a list for another account", () => {
  it("is not compared by check, but locked by pull", async () => {
    const live = await startFixture("drifted");
    const config = (username: string): object => ({
      servers: { shop: { url: live.url, auth: { basic: { username, password: "${PASSWORD}" } } } },
    });
    const env = { PASSWORD: "hunter2", ADMIN: "ada", EDITOR: "ed" };
    try {
      const project = await makeProject(config("${ADMIN}"));
      await project.run(["pull"], env);
      await project.withEnv(env).prints(["check"], 0);
      await project.configure(config("${EDITOR}"));
      await project.run(["generate"]);
      const { document } = await project.runJson(["check"], env);
      expect(document).toMatchObject({
        exitCode: 3,
        changes: [],
        unverified: [{ server: "shop", rule: "list-principal-mismatch" }],
      });
      expect(JSON.stringify(document["unverified"])).toContain("npx mcp-codegen pull shop");
      expect(JSON.stringify(document)).not.toContain('"ed"');
      await project.withEnv(env).prints(["pull"], 0);
      await project.withEnv(env).prints(["check"], 0);
    } finally {
      await live.close();
    }
  });
});
