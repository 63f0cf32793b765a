import { mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CommandLine, type Outcome, runCommand } from "../cli/run-command.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { EXAMPLE, expectationsOf, makeProject, type Project } from "./make-project.js";

const SECRET = "sk-test-0123456789abcdef0123456789abcdef";

interface Folder extends Pick<Project, "prints" | "refuses"> {
  readonly dir: string;
  readonly home: string;
  readonly run: (line: CommandLine, keys?: string) => Promise<Outcome>;
}

interface Files {
  readonly [path: string]: object;
}

/** A folder below one with these files of an editor, and a home folder, which may have some too. */
async function makeFolder(
  files: Files,
  inHome: Files = {},
  atEnd?: (remove: () => void) => void,
): Promise<Folder> {
  const root = await makeProject(undefined, atEnd);
  const [dir, home] = [join(root.dir, "project"), join(root.dir, "home")];
  const cwd = join(dir, "src");
  await Promise.all([cwd, home].map((folder) => mkdir(folder, { recursive: true })));
  for (const [path, value] of Object.entries(files)) await root.writeJson(`project/${path}`, value);
  for (const [path, value] of Object.entries(inHome)) await root.writeJson(`home/${path}`, value);
  const env = { HOME: home, XDG_STATE_HOME: join(home, "state") };
  const run: Folder["run"] = (line, keys) => runCommand(line, { cwd, env, keys });
  return { dir, home, run, ...expectationsOf((line) => run(line)) };
}

describe("in a folder without a configuration", () => {
  let two: Folder;
  let remove = (): void => undefined;
  afterAll(() => {
    remove();
  });
  beforeAll(async () => {
    const files = {
      ".mcp.json": { mcpServers: { bakery: EXAMPLE } },
      ".cursor/mcp.json": { mcpServers: { drifted: fixtureCommand("drifted") } },
    };
    two = await makeFolder(files, {}, (end) => (remove = end));
    // The first start of both commands.
    expect(await two.run("list", "y")).toMatchObject({ exitCode: 0 });
  });

  it("every command uses the servers of the editors' files", async () => {
    const TOOLS = [
      ["list", "bakery not locked, 12 tools", "drifted not locked"],
      ["list bakery --signatures", "type Args = {", "type Result = {"],
      ["list --server bakery", "bakery not locked, 12 tools"],
      ["search open orders", "bakery__list-orders"],
      ["describe bakery.get-post", "TypeScript:", "type Args = {", "npx mcp-codegen call"],
      ["call bakery.list-posts per_page=1", '"posts": ['],
      ["call bakery__list-posts per_page:=1 --page 1", '"posts": ['],
      ["call bakery.listPosts --per_page 1", '"posts": ['],
      ["call list-posts per_page=1", '"posts": ['],
    ] as const;
    for (const [line, ...texts] of TOOLS) expect((await two.prints(line, 0, ...texts)).stderr).toBe("");
  });

  it("starts no server that a command does not name", async () => {
    const broken = { command: join(tmpdir(), "missing-program") };
    const { run } = await makeFolder({ ".mcp.json": { mcpServers: { bakery: EXAMPLE, broken } } });
    const { exitCode, stderr } = await run("call bakery.list-posts per_page=1", "y");
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining("missing-program")]);
    // All of them are needed here, and one of them fails.
    const listed = expect.stringContaining("broken: not listed: ") as string;
    expect(await run("list", "y")).toMatchObject({ exitCode: 0, stderr: listed });
  });

  it("shows all that decides what is started, before the first start and again after it changed, and repeats no secret", async () => {
    const env = { NODE_OPTIONS: "--no-warnings", SHOP_TOKEN: SECRET };
    const args = [...EXAMPLE.args, "x".repeat(50_000), "--last"];
    const files = { ".mcp.json": { mcpServers: { bakery: { ...EXAMPLE, args, env } } } };
    const { dir, home, run, refuses } = await makeFolder(files);
    const asks = 'error: ".mcp.json" names a command that was not started before: node ';
    await refuses("list", asks, "init --yes");
    const refused = await run("list", "n");
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    for (const shown of [
      "The commands were not started.",
      '  "command": "node"\n',
      '"--last"',
      "(50,000 characters)",
      '"NODE_OPTIONS":"--no-warnings"',
    ])
      expect(refused.stderr).toContain(shown);
    await writeFile(join(dir, ".mcp.json"), JSON.stringify({ mcpServers: { bakery: { ...EXAMPLE, env } } }));
    const first = await run("list --verbose", "y");
    expect(first.exitCode).toBe(0);
    const states = await readFile(join(home, "state/mcp-codegen/started-commands.json"), "utf8");
    expect(refused.stderr + first.stdout + first.stderr + states).not.toContain(SECRET);
    expect((await run("list")).exitCode).toBe(0);
    const bakery = { ...EXAMPLE, args: [...EXAMPLE.args, "--next"] };
    await writeFile(join(dir, ".mcp.json"), JSON.stringify({ mcpServers: { bakery } }));
    expect((await run("list")).exitCode).toBe(2);
  });

  it("reads the files of the user where a project has none", async () => {
    const { run, prints } = await makeFolder({}, { ".cursor/mcp.json": { mcpServers: { bakery: EXAMPLE } } });
    await run("list", "y");
    await prints("list", 0, "bakery not locked, 12 tools");
  });

  it("says what is wrong", async () => {
    for (const [line, message] of [
      ["list bakrey", '.mcp.json and .cursor/mcp.json have no server "bakrey".'],
      ["call bakery.list-post", 'Did you mean "list-posts"'],
      ["pull --server bakery", 'Server "bakery" comes from .mcp.json and .cursor/mcp.json.'],
      ["check", "No mcp-codegen configuration found."],
    ] as const)
      await two.refuses(line, message);
  });
});

it("names --server in a folder without servers", async () => {
  const { refuses } = await makeFolder({});
  for (const command of ["list", "search x", "describe x", "call x"])
    await refuses(command.split(" "), 'pass --server "<command or URL>"');
});

it("names the packages of a monorepo that have a configuration", async () => {
  const config = { servers: {} };
  const { dir: cwd, home } = await makeFolder({
    "package.json": {},
    "packages/a/mcp-codegen.config.json": config,
    "apps/deep/b/mcp-codegen.config.json": config,
    "node_modules/x/mcp-codegen.config.json": config,
  });
  await expectationsOf((line) => runCommand(line, { cwd, env: { HOME: home } })).refuses(
    "check",
    'hint: Packages below have one: "apps/deep/b/mcp-codegen.config.json", "packages/a/mcp-codegen.config.json".',
  );
});
