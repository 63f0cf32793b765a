import { mkdir, mkdtemp, realpath, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Outcome, runCommand } from "../cli/run-command.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { EXAMPLE, type Project, expectationsOf } from "./make-project.js";

const SECRET = "sk-test-0123456789abcdef0123456789abcdef";

interface Folder extends Pick<Project, "prints" | "refuses"> {
  readonly dir: string;
  readonly home: string;
  readonly run: (argv: readonly string[], keys?: string) => Promise<Outcome>;
}

const roots: string[] = [];
afterAll(() => Promise.all(roots.map((root) => rm(root, { recursive: true, force: true, maxRetries: 3 }))));

/** A folder below one with these files of an editor, and a home folder, which may have some too. */
async function makeFolder(
  files: { readonly [path: string]: object },
  inHome: { readonly [path: string]: object } = {},
): Promise<Folder> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "mcp-codegen-editor-")));
  roots.push(root);
  const [dir, home] = [join(root, "project", "src"), join(root, "home")];
  await Promise.all([dir, home].map((folder) => mkdir(folder, { recursive: true })));
  for (const [folder, texts] of [
    [join(root, "project"), files],
    [home, inHome],
  ] as const) {
    for (const [path, value] of Object.entries(texts)) {
      await mkdir(join(folder, path, ".."), { recursive: true });
      await writeFile(join(folder, path), JSON.stringify(value));
    }
  }
  const run: Folder["run"] = (argv, keys) =>
    runCommand(argv, { cwd: dir, env: { HOME: home, XDG_STATE_HOME: join(home, "state") }, keys });
  return { dir: join(root, "project"), home, run, ...expectationsOf((argv) => run(argv)) };
}

describe("in a folder without a configuration", () => {
  let two: Folder;
  beforeAll(async () => {
    two = await makeFolder({
      ".mcp.json": { mcpServers: { bakery: EXAMPLE } },
      ".cursor/mcp.json": { mcpServers: { drifted: fixtureCommand("drifted") } },
    });
    // The first start of both commands.
    expect(await two.run(["list"], "y")).toMatchObject({ exitCode: 0 });
  });

  it("every command uses the servers of the editors' files", async () => {
    for (const [argv, ...expected] of [
      [["list"], "bakery not locked, 12 tools", "drifted not locked"],
      [["list", "bakery", "--signatures"], "type Args = {", "type Result = {"],
      [["list", "--server", "bakery"], "bakery not locked, 12 tools"],
      [["search", "open", "orders"], "bakery__list-orders"],
      [["describe", "bakery.get-post"], "TypeScript:", "type Args = {", "npx mcp-codegen call"],
      [["call", "bakery.list-posts", "per_page=1"], '"posts": ['],
      [["call", "bakery__list-posts", "per_page:=1", "--page", "1"], '"posts": ['],
      [["call", "bakery.listPosts", "--per_page", "1"], '"posts": ['],
      [["call", "list-posts", "per_page=1"], '"posts": ['],
    ] as const)
      expect((await two.prints(argv, 0, ...expected)).stderr).toBe("");
  });

  it("starts no server that a command does not name", async () => {
    const { dir, run } = await makeFolder({
      ".mcp.json": {
        mcpServers: { bakery: EXAMPLE, broken: { command: join(tmpdir(), "missing-program") } },
      },
    });
    const { exitCode, stderr } = await run(["call", "bakery.list-posts", "per_page=1"], "y");
    expect({ dir, exitCode }).toEqual({ dir, exitCode: 0 });
    expect(stderr).not.toContain("missing-program");
    // All of them are needed here, and one of them fails.
    const listed = await run(["list"], "y");
    expect(listed).toMatchObject({ exitCode: 0 });
    expect(listed.stderr).toContain("broken: not listed: ");
  });

  it("asks before the first start of a command, and again after it changed", async () => {
    const { dir, run, refuses } = await makeFolder({ ".mcp.json": { mcpServers: { bakery: EXAMPLE } } });
    await refuses(
      ["list"],
      'error: ".mcp.json" names a command that was not started before: node ',
      "init --yes",
    );
    const refused = await run(["list"], "n");
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("The commands were not started.");
    for (const shown of ['  "command": "node"\n', '  "args": ["']) expect(refused.stderr).toContain(shown);
    expect((await run(["list"], "y")).exitCode).toBe(0);
    expect((await run(["list"])).exitCode).toBe(0);
    const changed = { bakery: { ...EXAMPLE, args: [...EXAMPLE.args, "--next"] } };
    await writeFile(join(dir, ".mcp.json"), JSON.stringify({ mcpServers: changed }));
    expect((await run(["list"])).exitCode).toBe(2);
  });

  it("shows all that decides what is started, also behind a long argument", async () => {
    const long = {
      ...EXAMPLE,
      args: [...EXAMPLE.args, "x".repeat(50_000), "--last"],
      env: { NODE_OPTIONS: "--inspect" },
    };
    const { run } = await makeFolder({ ".mcp.json": { mcpServers: { bakery: long } } });
    const { stderr } = await run(["list"], "n");
    for (const shown of ['"--last"', "(50,000 characters)", '"env": {"NODE_OPTIONS":"--inspect"}'])
      expect(stderr).toContain(shown);
  });

  it("passes a secret that a file writes out, and repeats it nowhere", async () => {
    const env = { SHOP_TOKEN: SECRET };
    const { home, run } = await makeFolder({ ".mcp.json": { mcpServers: { bakery: { ...EXAMPLE, env } } } });
    const { exitCode, stdout, stderr } = await run(["list", "--verbose"], "y");
    expect(exitCode).toBe(0);
    expect(stdout + stderr).not.toContain(SECRET);
    expect(await readFile(join(home, "state/mcp-codegen/started-commands.json"), "utf8")).not.toContain(
      SECRET,
    );
  });

  it("reads the files of the user where a project has none", async () => {
    const { run } = await makeFolder({}, { ".cursor/mcp.json": { mcpServers: { bakery: EXAMPLE } } });
    expect(stripVTControlCharacters((await run(["list"], "y")).stdout)).toContain(
      "bakery not locked, 12 tools",
    );
  });

  it("says what is wrong", async () => {
    const { run, refuses } = await makeFolder({ ".mcp.json": { mcpServers: { bakery: EXAMPLE } } });
    await run(["list"], "y");
    for (const [argv, message] of [
      [["list", "bakrey"], '.mcp.json has no server "bakrey".'],
      [["call", "bakery.list-post"], 'Did you mean "list-posts"'],
      [["pull", "--server", "bakery"], 'Server "bakery" comes from .mcp.json.'],
      [["check"], "No mcp-codegen configuration found."],
    ] as const)
      await refuses(argv, message);
  });
});

it("names --server in a folder without servers", async () => {
  const { refuses } = await makeFolder({});
  for (const command of ["list", "search x", "describe x", "call x"])
    await refuses(command.split(" "), 'pass --server "<command or URL>"');
});

it("names the packages of a monorepo that have a configuration", async () => {
  const config = { servers: {} };
  const { dir, home } = await makeFolder({
    "package.json": {},
    "packages/a/mcp-codegen.config.json": config,
    "apps/deep/b/mcp-codegen.config.json": config,
    "node_modules/x/mcp-codegen.config.json": config,
  });
  const { exitCode, stderr } = await runCommand(["check"], { cwd: dir, env: { HOME: home } });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(
    'hint: Packages below have one: "apps/deep/b/mcp-codegen.config.json", "packages/a/mcp-codegen.config.json".',
  );
});
