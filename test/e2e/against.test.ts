import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { commitAll, git } from "./git.js";
import { LOCKFILE_NAME, makeProject } from "./make-project.js";

const shop = { ...fixtureCommand("drifted"), env: { DRIFT: "${DRIFT:-none}" } };

it("check --against shows the changes of a branch to the lock, offline, and proposes no pull", async () => {
  const project = await makeProject({ servers: { shop } });
  await commitAll(project.dir);
  await project.run("pull");
  // The ref has no lock, so everything is new.
  expect((await project.runJson("check --against main")).document["changes"]).toMatchObject([
    { rule: "tool-added", tool: "cancel-order" },
    { rule: "tool-added", tool: "find-orders" },
  ]);
  await commitAll(project.dir);
  await git(project.dir, "switch", "--quiet", "--create", "feature");
  await project.run("pull", { DRIFT: "tool-added" });
  await commitAll(project.dir);
  const gone = { servers: { shop: { command: "there-is-no-such-program" } } };
  await project.configure(gone);
  await project.run("generate");

  const { document, stderr } = await project.runJson("check --against main");
  expect(document).toMatchObject({
    exitCode: 1,
    against: "main",
    checked: { servers: ["shop"] },
    changes: [{ rule: "tool-added", class: "safe", tool: "refund-order", fails: true }],
    unverified: [],
    repairs: [],
  });
  expect(stderr).toContain('Checked 1 server against "main" and');
  expect(stderr).toContain(
    "let it pass  npx mcp-codegen check --against main --waive tool-added refund-order",
  );
  await project.prints("check --against main --fail-on breaking", 0);
  for (const argv of ["HEAD", "HEAD --offline"]) await project.prints(`check --against ${argv}`, 0);
  await project.prints("check --against main shop", 1);
  await project.refuses("check --against main shap");
  const { stderr: missing, exitCode } = await project.run("check --against ../gone.json");
  expect([exitCode, missing]).toEqual([
    2,
    expect.stringMatching(/^error: There is no file "..\/gone.json".$/m),
  ]);
  for (const [flags, name] of Object.entries({ "--offline": "--offline", "--against main": "--against" }))
    await project.refuses(
      `check ${flags} --env production`,
      `--env cannot be used with ${name}, which contacts no server.`,
    );

  await rm(join(project.dir, "generated/shop/find-orders.ts"));
  await project.reports("check --against HEAD", {
    ...{ exitCode: 1, changes: [], files: [{ file: "shop/find-orders.ts" }] },
  });

  // The digests of the lock are verified.
  const lock = await project.read(LOCKFILE_NAME);
  await project.write(LOCKFILE_NAME, lock.replace("Cancels one order", "Cancels every order"));
  await project.refuses("check --offline --against main", "does not match its digest");
});
