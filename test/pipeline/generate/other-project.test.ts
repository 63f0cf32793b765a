/** An output folder that belongs to another project is not changed. */
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject, type Project } from "../../e2e/make-project.js";

const toolsOf = (name: string): string =>
  JSON.stringify({ tools: [{ name, inputSchema: { type: "object" } }] });
const TOOLS = toolsOf("list");

/** Writes a project with one server below a folder, and pulls it. */
async function pull(parent: Project, dir: string, config: object): Promise<void> {
  await parent.write(`${dir}/tools.json`, TOOLS);
  await parent.writeJson(`${dir}/mcp-codegen.config.json`, config);
  await parent.prints(["pull", "--config", `${dir}/mcp-codegen.config.json`], 0);
}

const FILE = { file: "tools.json" };

it.each<[what: string, output: string, servers: object, refused: string, tools: string]>([
  ["a link to it", "generated", { shop: FILE, site: FILE }, "shop", TOOLS],
  ["its path", "../theirs/generated", { shop: FILE, site: FILE }, "site", TOOLS],
  ["a link to it, where all names of servers are equal", "generated", { shop: FILE }, "shop", toolsOf("find")], // prettier-ignore
])("is refused by %s", async (_, output, servers, refused, tools) => {
  const parent = await makeProject();
  await pull(parent, "theirs", { servers });
  await mkdir(join(parent.dir, "ours"));
  await symlink(join(parent.dir, "theirs/generated"), join(parent.dir, "ours/generated"), "junction");
  await parent.write("ours/tools.json", tools);
  await parent.writeJson("ours/mcp-codegen.config.json", { output, servers: { shop: FILE } });
  const before = await parent.files();
  const says = `The output folder "${output}" has the code of server "${refused}" of another project, whose lock is "../theirs/mcp-codegen.lock.json".`;
  await parent.refuses("pull --config ours/mcp-codegen.config.json", says);
  expect(await parent.files()).toEqual(before);
});

it("may be linked by a project whose code is the same", async () => {
  const parent = await makeProject();
  await pull(parent, "theirs", { servers: { shop: FILE } });
  await mkdir(join(parent.dir, "ours"));
  await symlink(join(parent.dir, "theirs/generated"), join(parent.dir, "ours/generated"), "junction");
  await pull(parent, "ours", { servers: { shop: FILE } });
});

it("is not what a project above it writes", async () => {
  const parent = await makeProject();
  await pull(parent, ".", { output: "packages/a/generated", servers: { shop: FILE, site: FILE } });
  await pull(parent, "packages/a", { output: "code", servers: { shop: FILE } });
  await parent.configure({ output: "packages/a/generated", servers: { shop: FILE } });
  await parent.prints(["pull", "--remove"], 0);
});
