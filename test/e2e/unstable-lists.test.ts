import { describe, expect, it, onTestFinished } from "vitest";
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
    const project = (await makeProject({ servers: { flickering, paged } })).withEnv({ FLICKER: by });
    const { document } = await project.reports("pull", {
      exitCode: 3,
      unverified: [{ server: "flickering", rule }],
      servers: [
        { server: "flickering", status: "failed" },
        { server: "paged", status: "new" },
      ],
    });
    expect(JSON.stringify(document["unverified"])).toContain(JSON.stringify(reason).slice(1, -1));
    const lock = JSON.parse(await project.read(LOCKFILE_NAME)) as { readonly servers: object };
    expect(Object.keys(lock.servers)).toEqual(["paged"]);
  });

  it("is neither drift nor success for check, and does not change the lock", async () => {
    const project = await makeProject({ servers: { flickering } });
    await project.run("pull", { FLICKER: "order" });
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
    await project.withEnv({ FLICKER: "tools" }).prints("pull", 3);
    expect(await project.files()).toEqual(before);
  });

  it("but is equivalent has no finding, and is requested once if it equals the lock", async () => {
    const project = await makeProject({ servers: { flickering } });
    const ordered = project.withEnv({ FLICKER: "order" });
    for (const line of ["pull", "check", "pull --frozen"]) await ordered.prints(line, 0);
    await project.configure({ servers: { flickering: { ...flickering, tools: { include: ["one"] } } } });
    await ordered.run("pull");
    // Its second list ends early, so a second request would fail.
    await project.withEnv({ FLICKER: "end" }).prints("check", 0);
    // A difference only in excluded tools is accepted.
    const tools = { exclude: ["two"] };
    const excluded = await makePulled({ servers: { flickering: { ...flickering, tools } } });
    await excluded.prints("check", 0);
  });
});

it("the list of another account is not compared by check, but locked by pull", async () => {
  const live = await startFixture("drifted");
  onTestFinished(() => live.close());
  const config = (username: string): object => ({
    servers: { shop: { url: live.url, auth: { basic: { username, password: "${PASSWORD}" } } } },
  });
  const made = await makeProject(config("${ADMIN}"));
  const project = made.withEnv({ PASSWORD: "hunter2", ADMIN: "ada", EDITOR: "ed" });
  for (const line of ["pull", "check"]) await project.prints(line, 0);
  await project.configure(config("${EDITOR}"));
  await made.run("generate");
  const unverified = [{ server: "shop", rule: "list-principal-mismatch" }];
  const { document } = await project.reports("check", { exitCode: 3, changes: [], unverified });
  expect(JSON.stringify(document["unverified"])).toContain("npx mcp-codegen pull shop");
  expect(JSON.stringify(document)).not.toContain('"ed"');
  for (const line of ["pull", "check"]) await project.prints(line, 0);
});
