/** Servers that left the configuration or list no tools: blocks and files are deleted only if confirmed and nothing failed. */
import { describe, expect, test } from "vitest";
import { runCommand } from "../cli/run-command.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

const LIST = JSON.stringify({ tools: [{ name: "get", inputSchema: { type: "object" } }] });

async function pulledProject(): Promise<Project> {
  const project = await makeProject({
    servers: { shop: { file: "tools.json" }, blog: { file: "tools.json" } },
  });
  await project.write("tools.json", LIST);
  expect((await project.run(["pull"])).exitCode).toBe(0);
  return project;
}

const drifted = (drift: string): object => ({ ...fixtureCommand("drifted"), env: { DRIFT: drift } });

const configure = (project: Project, servers: object): Promise<void> => project.configure({ servers });

const statesOf = async (project: Project, argv: readonly string[]): Promise<unknown> => {
  const { document } = await project.runJson(argv);
  return (document["servers"] as readonly { server: string; status: string; leftover?: string }[]).map(
    ({ server, status, leftover }) => [server, status, ...(leftover === undefined ? [] : [leftover])],
  );
};

describe("pull of a server that lists no tools any more", () => {
  async function emptiedProject(): Promise<Project> {
    const project = await pulledProject();
    await project.write("empty.json", '{"tools":[]}');
    await configure(project, { blog: { file: "tools.json" }, shop: { file: "empty.json" } });
    return project;
  }

  test("changes nothing, names what would be removed and the flag, and exits 1", async () => {
    const project = await emptiedProject();
    const before = await project.files();
    await project.prints(
      ["pull"],
      1,
      "shop all tools to be removed: it lists none; 4 generated files",
      "shop not removed: it lists no tools any more, and its removal was not confirmed\n" +
        "  its block in the lock stays unchanged, with 1 tool and 4 generated files",
      "To accept: npx mcp-codegen pull --remove",
    );
    expect(await project.files()).toEqual(before);
    expect(await statesOf(project, ["pull", "shop"])).toEqual([["shop", "leftover", "unconfirmed"]]);
  });

  test("removes its tools with --remove, and check passes", async () => {
    const project = await emptiedProject();
    expect((await project.run(["pull", "--remove"])).exitCode).toBe(0);
    expect(await project.paths()).not.toContain("generated/shop/get.ts");
    expect((await project.run(["check"])).exitCode).toBe(0);
    // A list that stays empty needs no question.
    expect(await statesOf(project, ["pull"])).toContainEqual(["shop", "unchanged"]);
  });

  test("is a finding when frozen, and of a dry run", async () => {
    const project = await emptiedProject();
    await project.prints(["pull", "--frozen"], 1, "To accept: npx mcp-codegen pull --remove");
    expect(await statesOf(project, ["pull", "--dry-run"])).toContainEqual(["shop", "changed"]);
  });

  test("asks on a terminal", async () => {
    const project = await emptiedProject();
    const { stderr, exitCode } = await runCommand(["pull"], { cwd: project.dir, keys: "n" });
    expect(stderr).toContain('Remove all tools of "shop" from the lock, and delete the generated files?');
    expect(exitCode).toBe(1);
    expect(await project.paths()).toContain("generated/shop/get.ts");
  });
});

describe("pull after a server was removed from the configuration", () => {
  test("changes nothing, names what would be removed and the flag, and exits 1", async () => {
    const project = await pulledProject();
    await configure(project, { blog: { file: "tools.json" } });
    const before = await project.files();
    await project.prints(
      ["pull"],
      1,
      "shop to be removed: no longer configured; 1 tool and 4 generated files",
      "shop not removed: no longer configured, and its removal was not confirmed",
      "To accept: npx mcp-codegen pull --remove",
    );
    expect(await project.files()).toEqual(before);
    // The folder still matches the lock, and check names the server.
    await project.prints(["check", "--offline"], 1, 'Server "shop" is locked but no longer configured.');
  });

  test("removes block and files with --remove, and check passes", async () => {
    const project = await pulledProject();
    await configure(project, { blog: { file: "tools.json" } });
    expect((await project.run(["pull", "--remove"])).exitCode).toBe(0);
    expect(await project.read(LOCKFILE_NAME)).not.toContain('"shop"');
    expect(await project.paths()).not.toContain("generated/shop/get.ts");
    expect((await project.run(["check"])).exitCode).toBe(0);
  });

  test("removes nothing for an empty configuration without --remove", async () => {
    const project = await pulledProject();
    await configure(project, {});
    expect(await statesOf(project, ["pull"])).toEqual([
      ["blog", "leftover", "unconfirmed"],
      ["shop", "leftover", "unconfirmed"],
    ]);
    expect(await project.paths()).toContain("generated/shop/get.ts");
  });

  test("removes nothing, even with --remove, if the server that may replace it failed", async () => {
    const project = await pulledProject();
    await configure(project, { blog: { file: "tools.json" }, shopp: { url: "http://127.0.0.1:1/mcp" } });
    await project.prints(["pull", "--remove"], 3);
    expect(await statesOf(project, ["pull", "--remove"])).toContainEqual(["shop", "leftover", "unreplaced"]);
    expect(await project.paths()).toContain("generated/shop/get.ts");
  });

  test("names the new server that has the same tools", async () => {
    const project = await pulledProject();
    await configure(project, { blog: { file: "tools.json" }, store: { file: "tools.json" } });
    await project.prints(
      ["pull", "--dry-run"],
      0,
      '1 tool and 4 generated files; its new key is probably "store"',
    );
  });

  test("names the new key of a renamed server with changed tools", async () => {
    const project = await makePulled({ servers: { shop: drifted("none") } });
    await configure(project, { store: drifted("tool-removed") });
    const { stdout } = await project.run(["pull", "--dry-run"]);
    expect(stdout).toContain('its new key is probably "store"');
  });

  test("does not suggest an unrelated server as the new key", async () => {
    const project = await pulledProject();
    await project.write("other.json", LIST.replace('"get"', '"put"'));
    await configure(project, { blog: { file: "tools.json" }, store: { file: "other.json" } });
    expect((await project.run(["pull", "--dry-run"])).stdout).not.toContain("probably");
  });

  test.each([
    ["y", 0, false],
    ["n", 1, true],
  ])("asks on a terminal, and takes %j", async (key, exitCode, isKept) => {
    const project = await pulledProject();
    await configure(project, { blog: { file: "tools.json" } });
    const outcome = await runCommand(["pull"], { cwd: project.dir, keys: key });
    expect(outcome.stderr).toContain('Remove "shop" from the lock, and delete the generated files?');
    expect(outcome.exitCode).toBe(exitCode);
    expect((await project.paths()).includes("generated/shop/get.ts")).toBe(isKept);
  });

  test("continues if only locked servers fail", async () => {
    const project = await pulledProject();
    await configure(project, { blog: { url: "http://127.0.0.1:1/mcp" } });
    expect((await project.run(["pull", "--remove"])).exitCode).toBe(3);
    expect(await project.paths()).not.toContain("generated/shop/get.ts");
    expect(await project.paths()).toContain("generated/blog/get.ts");
  });

  test("exits 1 and writes nothing when frozen", async () => {
    const project = await pulledProject();
    await configure(project, { blog: { file: "tools.json" } });
    await project.prints(["pull", "--frozen"], 1, "To accept: npx mcp-codegen pull --remove");
  });
});
