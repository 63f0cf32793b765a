import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { runCommand } from "../cli/run-command.js";
import { commitAll } from "./git.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

const shop = { ...fixtureCommand("drifted"), env: { DRIFT: "${DRIFT:-none}" } };

/** A repository with the shop's first contract locked on `main`, and another in the work tree. */
async function makeHistory(drift = "tool-removed"): Promise<Project> {
  const project = await makePulled({ servers: { shop } });
  await commitAll(project.dir);
  await project.run(["pull"], { DRIFT: drift });
  return project;
}

const LIST = {
  tools: [
    { name: "find-orders", inputSchema: { type: "object", properties: { limit: { type: "integer" } } } },
  ],
};
const NARROWER = {
  tools: [
    {
      name: "find-orders",
      inputSchema: { type: "object", properties: { limit: { type: "integer" } }, required: ["limit"] },
    },
  ],
};

describe("diff", () => {
  it("says that a folder has no lock", async () => {
    const project = await makeProject();
    await mkdir(join(project.dir, "folder"));
    await project.refuses(["diff", "folder", "."], 'There is no "folder/mcp-codegen.lock.json".');
  });

  it("compares saved lists without a configuration or a repository", async () => {
    const project = await makeProject();
    await project.writeJson("a.json", LIST);
    await project.writeJson("b.json", { jsonrpc: "2.0", id: 1, result: NARROWER });
    const { document, stderr } = await project.runJson(["diff", "a.json", "b.json"]);
    expect(document).toMatchObject({
      report: "diff",
      exitCode: 1,
      before: "a.json",
      after: "b.json",
      compared: { servers: ["b"], tools: 1 },
      changes: [{ rule: "input-property-became-required", class: "breaking", fails: true }],
    });
    expect(stderr).toContain("Compared 1 server and 1 tool, a.json → b.json: 1 change.");
    await project.prints(["diff", "a.json", "b.json", "--fail-on", "never"], 0);
    const same = await project.run(["diff", "a.json", "a.json"]);
    expect(same).toMatchObject({ exitCode: 0, stderr: "" });
    expect(same.stdout).toBe("No difference: compared 1 server and 1 tool, a.json → a.json.\n");
  });

  it("compares the lock with itself at a ref, by ref, by ref and path, and by folder", async () => {
    const project = await makeHistory();
    for (const [before, after] of [
      ["main", LOCKFILE_NAME],
      ["HEAD", "."],
      [`main:${LOCKFILE_NAME}`, "."],
      [`main:./${LOCKFILE_NAME}`, project.dir],
    ] as const)
      expect((await project.runJson(["diff", before, after])).document).toMatchObject({
        exitCode: 1,
        before,
        changes: [{ rule: "tool-removed", server: "shop", tool: "cancel-order" }],
      });
    await project.prints(["diff", "main", "HEAD"], 0);
    // In the opposite direction.
    expect((await project.runJson(["diff", ".", "main"])).document).toMatchObject({
      changes: [{ rule: "tool-added" }],
    });
  });

  it("reads the lock of a project in a subfolder at a ref", async () => {
    const project = await makeProject();
    await mkdir(join(project.dir, "app"));
    await project.writeJson("app/mcp-codegen.config.json", { servers: { shop } });
    const cwd = join(project.dir, "app");
    await runCommand(["pull"], { cwd });
    await commitAll(project.dir);
    await runCommand(["pull"], { cwd, env: { DRIFT: "tool-added" } });
    await mkdir(join(cwd, "src"));
    const { exitCode, stdout } = await runCommand(["diff", "main", ".."], { cwd: join(cwd, "src") });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("+ refund-order");
    const inRoot = await runCommand(["diff", "main", "app"], { cwd: project.dir });
    expect(inRoot.exitCode).toBe(2);
    expect(inRoot.stderr).toContain(`There is no "${LOCKFILE_NAME}" in "main".`);
    expect(
      await runCommand(["diff", "main:app/" + LOCKFILE_NAME, "app"], { cwd: project.dir }),
    ).toMatchObject({
      exitCode: 1,
    });
  });

  it("reads configured servers, URLs and commands", async () => {
    const project = await makeHistory("tool-added");
    const live = await startFixture("drifted");
    const command = [shop.command, ...shop.args].join(" ");
    try {
      for (const [before, after, exitCode] of [
        ["main", "shop", 0],
        ["main", live.url, 0],
        ["shop", live.url, 0],
        [live.url, command, 0],
        [".", command, 1],
      ] as const)
        expect(await project.run(["diff", before, after])).toMatchObject({ exitCode });
    } finally {
      await live.close();
    }
    const drifted = await project.runJson(["diff", "main", "shop"], { DRIFT: "tool-removed" });
    expect(drifted.document).toMatchObject({ changes: [{ rule: "tool-removed", tool: "cancel-order" }] });
  });

  it("exits 3 for a server that cannot be reached, and 2 for a URL with a secret in it", async () => {
    const project = await makeHistory();
    await project.prints(["diff", ".", "http://127.0.0.1:9/mcp"], 3);
    const secret = await project.prints(["diff", ".", "http://me:hunter2hunter2@127.0.0.1:9/mcp"], 2);
    expect(secret.stderr).not.toContain("hunter2");
  });

  it("compares one server of several, and requires its name", async () => {
    const other = { ...shop, tools: { include: ["find-*"] } };
    const project = await makePulled({ servers: { shop, other } });
    await project.writeJson("list.json", LIST);
    await project.refuses(["diff", LOCKFILE_NAME, "list.json"], 'has several servers: "other", "shop"');
    const { document } = await project.runJson(["diff", LOCKFILE_NAME, "list.json", "other"]);
    expect(document).toMatchObject({ compared: { servers: ["other"], tools: 1 } });
    // A bare list has no server metadata, so its absence is not a finding.
    expect(JSON.stringify(document["changes"])).not.toContain("server-");
    await project.refuses(["diff", ".", ".", "shap"]);
  });

  it("reports a server that only one operand has by its tools", async () => {
    const project = await makeHistory();
    await project.configure({ servers: { shop, second: shop } });
    await project.run(["pull"]);
    expect((await project.runJson(["diff", "main", "."])).document).toMatchObject({
      compared: { servers: ["second", "shop"] },
      changes: [
        { rule: "tool-added", server: "second", tool: "cancel-order" },
        { rule: "tool-added", server: "second", tool: "find-orders" },
      ],
    });
  });

  it("reports an operand that is not a file, a server or a git ref", async () => {
    const project = await makeHistory();
    const unknown = await project.run(["diff", "nowhere", "."]);
    expect(unknown).toMatchObject({ exitCode: 2, stdout: "" });
    expect(unknown.stderr).toContain(
      '"nowhere" is neither a file nor a configured server. As a git ref: This git repository has no "nowhere".',
    );
  });

  it("exits 2 for a file without a tool list, and names it", async () => {
    const project = await makeProject();
    await project.writeJson("a.json", LIST);
    await project.write("bad.json", '{"lockfile":1}');
    for (const operands of [
      ["a.json", "bad.json"],
      ["bad.json", "a.json"],
    ]) {
      const { document } = await project.runJson(["diff", ...operands]);
      expect(document).toMatchObject({ exitCode: 2, error: { code: "LIST_INVALID" } });
      expect(JSON.stringify(document["error"])).toContain("bad.json");
    }
  });

  it("exits 3 for an incomplete saved list, and for a server's file without a list", async () => {
    const project = await makeProject({ servers: { off: { file: "bad.json" } } });
    await project.writeJson("a.json", LIST);
    await project.writeJson("page.json", { ...LIST, nextCursor: "2" });
    await project.write("bad.json", "{");
    await project.prints(["diff", "a.json", "page.json"], 3);
    await project.prints(["diff", "a.json", "off"], 3);
  });

  it("names the operand with an invalid lock", async () => {
    const project = await makeHistory();
    await project.write(LOCKFILE_NAME, "{");
    await commitAll(project.dir);
    const { stderr } = await project.refuses(
      ["diff", "HEAD~1", "HEAD"],
      '"HEAD": "mcp-codegen.lock.json" is not JSON',
    );
    expect(stderr).not.toContain("delete it");
  });

  it("ignores the formatting of a lock, and rejects wrong digests", async () => {
    const project = await makeHistory("input-bound-tightened");
    const lock = await project.read(LOCKFILE_NAME);
    await project.writeJson("compact.json", JSON.parse(lock));
    const changesOf = async (after: string): Promise<unknown> =>
      (await project.runJson(["diff", "main", after])).document["changes"];
    expect(await changesOf("compact.json")).toEqual(await changesOf("."));
    await project.write("edited.json", lock.replace('"maxLength": 20', '"maxLength": 10'));
    await project.refuses(
      ["diff", "main", "edited.json"],
      '"edited.json": In "mcp-codegen.lock.json", the definition of tool "cancel-order"',
    );
  });

  it("requires two operands", async () => {
    const project = await makeProject();
    await project.refuses(["diff", "a.json"]);
  });
});
