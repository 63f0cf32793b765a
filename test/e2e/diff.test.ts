import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { runCommand } from "../cli/run-command.js";
import { commitAll } from "./git.js";
import { LOCKFILE_NAME, makeProject, makePulled } from "./make-project.js";

const shop = { ...fixtureCommand("drifted"), env: { DRIFT: "${DRIFT:-none}" } };

const listOf = (more: object): object => ({
  tools: [
    {
      name: "find-orders",
      inputSchema: { type: "object", properties: { limit: { type: "integer" } }, ...more },
    },
  ],
});
const LIST = listOf({});

it("diff compares saved lists without a configuration or a repository", async () => {
  const project = await makeProject();
  await project.writeJson("a.json", LIST);
  await project.writeJson("b.json", { jsonrpc: "2.0", id: 1, result: listOf({ required: ["limit"] }) });
  const { stderr } = await project.reports("diff a.json b.json", {
    report: "diff",
    exitCode: 1,
    before: "a.json",
    after: "b.json",
    compared: { servers: ["b"], tools: 1 },
    changes: [{ rule: "input-property-became-required", class: "breaking", fails: true }],
  });
  expect(stderr).toContain("Compared 1 server and 1 tool, a.json → b.json: 1 change.");
  await project.prints("diff a.json b.json --fail-on never", 0);
  const same = await project.run("diff a.json a.json");
  expect(same).toMatchObject({ exitCode: 0, stderr: "" });
  expect(same.stdout).toBe("No difference: compared 1 server and 1 tool, a.json → a.json.\n");
  await project.refuses("diff a.json");
  await mkdir(join(project.dir, "folder"));
  await project.refuses("diff folder .", 'There is no "folder/mcp-codegen.lock.json".');

  await project.write("bad.json", '{"lockfile":1}');
  for (const operands of ["a.json bad.json", "bad.json a.json"]) {
    const { document } = await project.reports(`diff ${operands}`, { error: { code: "LIST_INVALID" } });
    expect(JSON.stringify(document["error"])).toContain("bad.json");
  }
  // An incomplete list, and a server's file without one, cannot be compared.
  await project.writeJson("page.json", { ...LIST, nextCursor: "2" });
  await project.prints("diff a.json page.json", 3);
  await project.write("bad.json", "{");
  await project.configure({ servers: { off: { file: "bad.json" } } });
  await project.prints("diff a.json off", 3);
});

it("diff compares locks at refs, by path and by folder, configured servers, URLs and commands", async () => {
  const project = await makePulled({ servers: { shop } });
  await commitAll(project.dir);
  const live = await startFixture("drifted");
  onTestFinished(() => live.close());
  const command = [shop.command, ...shop.args].join(" ");
  for (const [before, after] of [
    ["main", "shop"],
    ["shop", live.url],
    [live.url, command],
    ["main", "HEAD"],
  ] as const)
    await project.prints(["diff", before, after], 0);
  const removed = { rule: "tool-removed", server: "shop", tool: "cancel-order" };
  const drifted = project.withEnv({ DRIFT: "tool-removed" });
  await drifted.reports("diff main shop", { changes: [removed] });
  await drifted.run("pull");
  for (const [before, after] of [
    ["main", LOCKFILE_NAME],
    ["HEAD", "."],
    [`main:${LOCKFILE_NAME}`, "."],
    [`main:./${LOCKFILE_NAME}`, project.dir],
  ] as const)
    await project.reports(["diff", before, after], { exitCode: 1, before, changes: [removed] });
  // In the opposite direction.
  await project.reports("diff . main", { changes: [{ rule: "tool-added" }] });
  await project.prints("diff . http://127.0.0.1:9/mcp", 3);
  const secret = await project.prints("diff . http://me:hunter2hunter2@127.0.0.1:9/mcp", 2);
  expect(secret.stderr).not.toContain("hunter2");
  const unknown = await project.refuses(
    "diff nowhere .",
    '"nowhere" is neither a file nor a configured server. As a git ref: This git repository has no "nowhere".',
  );
  expect(unknown.stdout).toBe("");

  // The formatting of a lock is ignored, and its digests are verified.
  await project.run("pull", { DRIFT: "input-bound-tightened" });
  const lock = await project.read(LOCKFILE_NAME);
  await project.writeJson("compact.json", JSON.parse(lock));
  const changesOf = async (after: string): Promise<unknown> =>
    (await project.runJson(["diff", "main", after])).document["changes"];
  expect(await changesOf("compact.json")).toEqual(await changesOf("."));
  await project.write("edited.json", lock.replace('"maxLength": 20', '"maxLength": 10'));
  await project.refuses(
    "diff main edited.json",
    '"edited.json": In "mcp-codegen.lock.json", the definition of tool "cancel-order"',
  );
  await project.write(LOCKFILE_NAME, "{");
  await commitAll(project.dir);
  const { stderr } = await project.refuses("diff HEAD~1 HEAD", '"HEAD": "mcp-codegen.lock.json" is not JSON');
  expect(stderr).not.toContain("delete it");
});

it("diff reads the lock of a project in a subfolder at a ref", async () => {
  const project = await makeProject();
  await project.writeJson("app/mcp-codegen.config.json", { servers: { shop } });
  const cwd = join(project.dir, "app");
  await runCommand(["pull"], { cwd });
  await commitAll(project.dir);
  await runCommand(["pull"], { cwd, env: { DRIFT: "tool-added" } });
  await mkdir(join(cwd, "src"));
  const { exitCode, stdout } = await runCommand(["diff", "main", ".."], { cwd: join(cwd, "src") });
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining("+ refund-order")]);
  await project.refuses("diff main app", `There is no "${LOCKFILE_NAME}" in "main".`);
  await project.prints(["diff", `main:app/${LOCKFILE_NAME}`, "app"], 1);
});

it("diff compares one server of several, requires its name, and reports one that only one operand has by its tools", async () => {
  const other = { ...shop, tools: { include: ["find-*"] } };
  const project = await makePulled({ servers: { shop, other } });
  await project.writeJson("list.json", LIST);
  await project.refuses(["diff", LOCKFILE_NAME, "list.json"], 'has several servers: "other", "shop"');
  const { document } = await project.runJson(["diff", LOCKFILE_NAME, "list.json", "other"]);
  expect(document).toMatchObject({ compared: { servers: ["other"], tools: 1 } });
  // A bare list has no server metadata, so its absence is not a finding.
  expect(JSON.stringify(document["changes"])).not.toContain("server-");
  await project.refuses("diff . . shap");

  await project.write("before.json", await project.read(LOCKFILE_NAME));
  await project.configure({ servers: { shop, other, second: shop } });
  await project.run("pull");
  await project.reports("diff before.json .", {
    compared: { servers: ["other", "second", "shop"] },
    changes: [
      { rule: "tool-added", server: "second", tool: "cancel-order" },
      { rule: "tool-added", server: "second", tool: "find-orders" },
    ],
  });
});
