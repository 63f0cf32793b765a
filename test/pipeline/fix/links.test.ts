/** `mcp-codegen fix --write` on symbolic links, after a killed run, and where the new tool was held back. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { commitAll } from "../../e2e/git.js";
import { makeProject, type Project } from "../../e2e/make-project.js";
import { makeChangedProject } from "./changed-project.js";

const TIME = { timeout: 120_000 };

function toolsOf(name: string, more = ""): readonly object[] {
  return [
    {
      name,
      description: `Returns an order. ${more}`.trim(),
      inputSchema: { type: "object", properties: { id: { type: "integer" } } },
    },
    { name: "other", description: "Does something else.", inputSchema: { type: "object" } },
  ];
}

const RENAME = ["fix", "--write", "--rename", "shop/get_order=fetch_order"];
const textOf = (tool: string): string => `Use the tool \`mcp__shop__${tool}\` for orders.\n`;

function commit(cwd: string, path: string): void {
  execFileSync("git", ["add", path], { cwd });
  const name = ["-c", "user.name=n", "-c", "user.email=n@example.com"];
  execFileSync("git", [...name, "commit", "--quiet", "-m", "link"], { cwd });
}

async function outside(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-outside-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** A committed project, with links that `link` makes before the commit, whose server then renamed its tool. */
async function makeLinked(link: (dir: string) => Promise<void>): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "tools.json" } }, output: false });
  await project.write("tools.json", JSON.stringify({ tools: toolsOf("get_order") }));
  await link(project.dir);
  expect((await project.run(["pull"])).exitCode).toBe(0);
  await commitAll(project.dir);
  await project.write("tools.json", JSON.stringify({ tools: toolsOf("fetch_order") }));
  expect((await project.run(["pull"])).exitCode).toBe(0);
  return project;
}

it.each([
  ["a file of code", "src/linked.ts"],
  ["a folder of code", "src/linked"],
  ["a file that agents read", "notes/linked.md"],
])("leaves %s behind a link out of the project", TIME, async (_, link) => {
  const other = await outside();
  const isCode = link.startsWith("src");
  const real = join(other, link.endsWith(".md") ? "orders.md" : "orders.ts");
  const code = (wrapper: string, generated: string): string =>
    `import { ${wrapper} } from "${generated}/shop/index.js";\nexport const order = await ${wrapper}({});\n`;
  const project = await makeChangedProject({
    before: toolsOf("get_order"),
    after: toolsOf("fetch_order"),
    files: {
      "src/app.ts": code("getOrder", "../generated"),
      "mcp-codegen.config.json": JSON.stringify({
        servers: { shop: { file: "tools.json" } },
        references: ["notes/*.md"],
      }),
      "notes/index.md": textOf("get_order"),
    },
  });
  await writeFile(real, isCode ? code("getOrder", join(project.dir, "generated")) : textOf("get_order"));
  await symlink(link === "src/linked" ? other : real, join(project.dir, link));
  commit(project.dir, link);
  const before = await readFile(real, "utf8");
  for (const argv of [RENAME, [...RENAME, "--force"]]) {
    const { document } = await project.runJson(argv);
    expect(await readFile(real, "utf8")).toBe(before);
    expect(await project.read("src/app.ts")).toContain("fetchOrder");
    // Files for agents are not searched behind links.
    if (!isCode || argv.includes("--force")) continue;
    expect(document).toMatchObject({
      exitCode: 1,
      files: ["notes/index.md", "src/app.ts"],
      left: expect.arrayContaining([
        expect.objectContaining({
          line: 1,
          message: expect.stringContaining("outside the project") as unknown,
        }),
      ]) as unknown,
    });
  }
});

it("edits a file that has a link to it once, and requires that it is committed", TIME, async () => {
  const project = await makeLinked(async (dir) => {
    await writeFile(join(dir, "CLAUDE.md"), textOf("get_order"));
    await symlink("CLAUDE.md", join(dir, "AGENTS.md"));
  });
  await project.write("CLAUDE.md", `${textOf("get_order")}More.\n`);
  const { document } = await project.runJson(RENAME);
  expect(document).toMatchObject({
    exitCode: 2,
    error: { message: expect.stringContaining('"CLAUDE.md"') as unknown },
  });
  const forced = await project.runJson([...RENAME, "--force"]);
  expect(forced.document).toMatchObject({ exitCode: 0, files: ["CLAUDE.md"], left: [] });
  expect(await project.read("CLAUDE.md")).toBe(`${textOf("fetch_order")}More.\n`);
});

it("removes what a killed run left beside the files that it edits", TIME, async () => {
  const project = await makeLinked(async (dir) => {
    await mkdir(join(dir, "notes"));
    await writeFile(join(dir, "notes/AGENTS.md"), textOf("get_order"));
  });
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  await project.write(`notes/.AGENTS.md.${pid}-1.mcp-codegen-tmp`, "half");
  expect((await project.run([...RENAME, "--force"])).exitCode).toBe(0);
  expect((await project.paths()).filter((path) => path.endsWith("-tmp"))).toEqual([]);
  expect(await project.read("notes/AGENTS.md")).toBe(textOf("fetch_order"));
});

it("says that the new name is not in the lock, where pull held the new tool back", TIME, async () => {
  const project = await makeChangedProject({
    before: toolsOf("get_order"),
    after: [toolsOf("get_order")[1] ?? {}],
    files: {
      "src/app.ts": `import { getOrder } from "../generated/shop/index.js";\nexport const order = await getOrder({});\n`,
    },
  });
  const { stdout, exitCode } = await project.run(["fix"]);
  expect(exitCode).toBe(1);
  expect(stdout).not.toContain("0 renames");
  expect(stdout).toContain("the lock no longer has shop/get_order");
  expect(stdout).toContain("--rename shop/get_order=<new name>");
});
