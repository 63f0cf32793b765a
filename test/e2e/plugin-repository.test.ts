/** The repository of a WordPress plugin without TypeScript: PHP, a lock, and no generated code. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSnippets } from "../docs/read-snippets.js";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { HEADER, onInit, register } from "../sources/php/make-plugin.js";
import { commitAll, git } from "./git.js";
import { LOCKFILE_NAME, makeProject, type Project } from "./make-project.js";

const CONFIG = { output: false, servers: { acme: { php: { paths: ["."] } } } };

const plugin = (views: string): string =>
  HEADER +
  onInit(
    register(
      "get-product",
      `'input_schema' => array( 'type' => 'object', 'properties' => array(
        'view' => array( 'type' => 'string', 'enum' => array( ${views} ) ) ) ),
      'meta' => array( 'mcp' => array( 'public' => true ) )`,
    ),
  );

async function makePlugin(): Promise<Project> {
  const project = await makeProject(CONFIG);
  await project.write("acme.php", plugin("'full', 'short'"));
  return project;
}

/** A branch with another enum value in PHP and lock than `main`. */
async function makeBranch(): Promise<Project> {
  const project = await makePlugin();
  await project.run("pull");
  await commitAll(project.dir);
  await git(project.dir, "switch", "--quiet", "--create", "feature");
  await project.write("acme.php", plugin("'full', 'brief'"));
  await project.run("pull");
  return project;
}

describe.skipIf(!hasPhp)(`a plugin without TypeScript${WITH_PHP}`, () => {
  it("is locked and checked only from PHP, without --php and without generated code", async () => {
    const project = await makePlugin();
    const { stdout } = await project.prints("pull", 0, "mcp-codegen.lock.json: written");
    expect(stdout).not.toContain("npm install");
    expect(await project.paths()).toEqual([LOCKFILE_NAME, "acme.php", "mcp-codegen.config.json"].sort());
    await project.prints("pull", 0, "mcp-codegen.lock.json: unchanged");
    await project.prints("check", 0, "Up to date: checked 1 server against the lock.");
    await project.prints("list", 0, "acme-get-product(view?)");
    await project.refuses("generate", "output: false, which generates no code");
    await project.refuses("check --impact", "--impact requires generated code");

    const meta = "'meta' => array( ";
    const deprecated = "'deprecated' => array( 'since' => '2.0.0', 'replacement' => 'acme/fetch' ),";
    const text = plugin("'full', 'short'");
    await project.write("acme.php", text.replace(meta, `${meta}${deprecated} `));
    const after = { since: "2.0.0", replacement: "acme/fetch" };
    const changes = [{ rule: "tool-deprecated", class: "dangerous", after }];
    await project.reports("check", { exitCode: 1, changes });
    await project.run("pull");
    await project.prints("check", 0);
    // What lacks code is not verified, and what WordPress refuses is removed.
    const shown = text.replace(meta, `${meta}'show_in_rest' => ACME_SHOW, `);
    await project.write("acme.php", shown);
    await project.reports("check", { exitCode: 3, changes: [], unverified: [{ server: "acme" }] });
    await project.write("acme.php", shown.replace("ACME_SHOW", "'yes'"));
    const reason = expect.stringContaining("WordPress would not register it: ") as string;
    await project.reports("check", { exitCode: 1, changes: [{ rule: "tool-removed", reason }] });

    await project.write("acme.php", text);
    await project.prints("check", 1, "tool-undeprecated");
    // A server with a saved list is read next to one with only PHP.
    await project.writeJson("list.json", { tools: [{ name: "ping", inputSchema: { type: "object" } }] });
    const saved = { file: "list.json" };
    await project.configure({ ...CONFIG, servers: { ...CONFIG.servers, saved } });
    const tools = ["acme", "saved"].map((server) => ({ server, tools: 1 }));
    await project.reports("pull", { servers: tools });
    await project.prints("check", 0);

    const snippets = readSnippets("docs/wordpress.md", await readFile("docs/wordpress.md", "utf8"));
    const documented = await makeProject(CONFIG);
    await documented.write("acme.php", snippets.find(({ note }) => note === "plugin")?.text ?? "");
    await documented.reports("pull", { exitCode: 0, php: [{ abilities: 1, refused: [], notes: [] }] });
    await documented.prints("list", 0, "acme-get-product(id)");
  });

  it("check --php --against and diff compare PHP with the lock at a git ref, not with the branch's lock", async () => {
    const project = await makeBranch();
    await project.prints("check", 0);
    const argv = ["check", "--php", "--against", "main", "--fail-on", "breaking"];
    await project.prints([...argv, "--format", "github"], 1, "::error file=acme.php,line=6,");
    const { stderr } = await project.runJson(argv);
    expect(stderr).toContain('Checked 1 server against "main": 2 changes.');
    await project.prints("check --against main --fail-on breaking", 1);
    await project.prints("diff main acme --format markdown", 1, "1 breaking, 1 safe");
    await project.write("acme.php", plugin("'full', 'short', 'brief'"));
    await project.prints(argv, 0);
  });

  it("check --php --against compares PHP with the lock of its caller, by path and by URL", async () => {
    const project = await makePlugin();
    await project.prints("pull", 0);
    // The caller names the server differently.
    const text = (await project.read(LOCKFILE_NAME)).replace('"acme": {', '"shop": {');
    await project.write("caller.json", text);
    const server = createServer((request, response) => {
      if (request.url === "/lock.json") response.end(text);
      else response.writeHead(404).end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await project.prints(`check --php --against ${base}/lock.json`, 0, "Up to date");
    await project.write("acme.php", plugin("'full', 'brief'"));
    const { document } = await project.runJson("check --php --against caller.json");
    const php = { file: "acme.php", line: 6 };
    const removed = { rule: "input-enum-value-removed", server: "acme", php };
    expect(document["changes"]).toContainEqual(expect.objectContaining(removed));

    const { stderr } = await project.prints(`check --php --against ${base}/gone.json`, 3);
    const hint = "hint: Check the URL and the network, or compare with a file or a git ref.";
    expect(stderr).toContain(`${base}/gone.json answers with HTTP 404.\n${hint}\n`);
    const other = JSON.parse(text) as { servers: { shop: object } };
    const { shop } = other.servers;
    await project.writeJson("caller.json", { ...other, servers: { a: shop, b: shop } });
    const says = /"caller\.json" has no server "acme"\.\n.*"a", "b"\./;
    await project.refuses("check --php --against caller.json", says);
    await project.write("caller.json", "{");
    await project.refuses("check --php --against caller.json", '"caller.json": ');
  });
});

it("abilities that only a page registers are locked from a saved list", async () => {
  const project = await makeProject({ servers: { editor: { file: "abilities.json" } } });
  const ability = {
    name: "acme/insert-block",
    label: "Insert a block",
    description: "Inserts a block into the editor.",
    category: "block-editor",
    input_schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    meta: { annotations: { clientRegistered: true } },
  };
  const save = (...list: readonly object[]): Promise<void> => project.writeJson("abilities.json", list);
  await save(ability);
  expect((await project.run("pull")).stdout).toContain("editor new, 1 tool");
  const module = await project.read("generated/editor/acme-insert-block.ts");
  expect(module).toContain('throughAbility("acme/insert-block")');
  await project.prints("check", 0);
  await save({ ...ability, input_schema: { ...ability.input_schema, required: [] } });
  expect((await project.run("check")).stdout).toContain("input-property-became-optional");
});
