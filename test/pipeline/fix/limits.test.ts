/** `mcp-codegen fix` where it must not edit, and what it lists instead. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openProject } from "../../../src/project/project.js";
import { digestOfTool } from "../../../src/core/digest.js";
import { formatLockfile, parseLockfile } from "../../../src/core/lockfile-text.js";
import { fix } from "../../../src/pipeline/fix/fix.js";
import { commitAll } from "../../e2e/git.js";
import { LOCKFILE_NAME, type Project } from "../../e2e/make-project.js";
import { makeChangedProject } from "./changed-project.js";

const toolOf = (name: string, limit = "limit"): object => ({
  name,
  description: "Acts on an order of the shop by its number, with the lines and the customer.",
  inputSchema: { type: "object", properties: { id: { type: "integer" }, [limit]: { type: "integer" } } },
});

const RENAME = ["--rename", "shop/get_order=fetch_order"];

const code = (wrapper: string, generated = "../generated"): string =>
  `import { ${wrapper} } from "${generated}/shop/index.js";\nexport const order = await ${wrapper}({});\n`;

/** A project whose server renamed its tool. */
function makeRenamed(
  files: Readonly<Record<string, string>>,
  after = toolOf("fetch_order"),
): Promise<Project> {
  return makeChangedProject({ before: [toolOf("get_order")], after: [after], files });
}

describe("fix", () => {
  it("edits no text, no configuration and no file of another kind, and lists each line that has an old name", async () => {
    const texts = {
      "mcp-codegen.config.json":
        '{ "servers": { "shop": { "file": "tools.json", "categories": { "get_order": "orders" } } } }\n',
      ".claude/settings.json":
        '{ "permissions": { "allow": ["mcp__shop__get_order"],\n "deny": ["mcp__shop__get_orders"] } }\n',
      "CLAUDE.md": "# get_order\n\nCall it with `limit`, at least in getOrder.\n",
      "web/Order.vue": `<script setup lang="ts">\n${code("getOrder")}</script>\n`,
      "plugin/orders.php": '<?php\ncall_tool( "shop/get-order" );\n$arguments = array( "limit" => 3 );\n',
      "src/other.ts": 'export const named = ["get_order", "getOrder"];\n// limit of get_order\n',
      "notes.md": "The limit of another tool, and getOrders.\n",
    };
    const project = await makeRenamed(
      { "src/app.ts": code("getOrder"), ...texts },
      toolOf("fetch_order", "max_lines"),
    );
    const named = [...RENAME, "--rename", "shop/fetch_order.limit=max_lines"];
    const { document, exitCode } = await project.runJson(["fix", "--write", ...named]);
    expect(exitCode).toBe(1);
    expect(document["files"]).toEqual(["src/app.ts"]);
    expect(await project.read("src/app.ts")).toBe(code("fetchOrder"));
    for (const [path, text] of Object.entries(texts)) expect(await project.read(path)).toBe(text);
    const tool = "names `get_order`, renamed to `fetch_order`";
    const limit = "names `limit`, renamed to `max_lines`";
    const places = [
      [".claude/settings.json", 1, tool],
      ["CLAUDE.md", 1, tool],
      ["CLAUDE.md", 3, tool],
      ["mcp-codegen.config.json", 1, tool],
      ["plugin/orders.php", 2, tool],
      ["plugin/orders.php", 3, limit],
      ["src/other.ts", 1, tool],
      ["src/other.ts", 2, tool],
      ["web/Order.vue", 2, tool],
      ["web/Order.vue", 3, tool],
    ];
    expect(document["left"]).toEqual(places.map(([file, line, message]) => ({ file, line, message })));
    // The rename is done: no guess is open, and the places stay listed.
    const again = await project.runJson(["fix", ...named]);
    expect(again.document).toMatchObject({ exitCode: 1, guessed: [], files: [], left: document["left"] });
  });

  it("prints the first 40 places, and counts the others", async () => {
    const texts = ["CLAUDE.md", "AGENTS.md", ".cursorrules"].map((file) => [file, "get_order\n".repeat(20)]);
    const files = Object.fromEntries(texts) as Record<string, string>;
    const project = await makeRenamed({ "src/app.ts": code("getOrder"), ...files });
    const { stdout } = await project.run(["fix", ...RENAME]);
    expect(stdout.match(/^left for you .*/gm)).toHaveLength(40);
    expect(stdout).toContain('\n… and 20 more: "--json" lists them all\n');
  });

  it("keeps the bytes of a file but for the names, and leaves one that is not UTF-8", async () => {
    const project = await makeRenamed({
      "src/mark.ts": `\uFEFF${code("getOrder").replaceAll("\n", "\r\n")}`,
    });
    const latin = Buffer.from(`// caf\u00E9\n${code("getOrder")}`, "latin1");
    await writeFile(join(project.dir, "src/latin.ts"), latin);
    await commitAll(project.dir);
    const { document } = await project.runJson(["fix", "--write", "--against", "HEAD^", ...RENAME]);
    const text = (await readFile(join(project.dir, "src/mark.ts"))).toString("utf8");
    expect(text).toBe(`\uFEFF${code("fetchOrder").replaceAll("\n", "\r\n")}`);
    expect(await readFile(join(project.dir, "src/latin.ts"))).toEqual(latin);
    expect(document["left"]).toContainEqual({
      file: "src/latin.ts",
      line: 2,
      message: "has a name that was renamed, and is not edited: the file is not in UTF-8",
    });
  });

  it("leaves a file behind a link out of the project, and edits one with a link within it once", async () => {
    const outside = await mkdtemp(join(tmpdir(), "mcp-codegen-outside-"));
    onTestFinished(() => rm(outside, { recursive: true, force: true }));
    const project = await makeRenamed({ "src/app.ts": code("getOrder") });
    const real = join(outside, "orders.ts");
    await writeFile(real, code("getOrder", join(project.dir, "generated")));
    await symlink(real, join(project.dir, "src/linked.ts"));
    await symlink("app.ts", join(project.dir, "src/same.ts"));
    await commitAll(project.dir);
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    await project.write(`src/.app.ts.${pid}-0-1.mcp-codegen-tmp`, "half");
    const { document } = await project.runJson(["fix", "--write", "--against", "HEAD^", ...RENAME]);
    expect(document["files"]).toEqual(["src/app.ts"]);
    expect(await project.read("src/app.ts")).toBe(code("fetchOrder"));
    expect(await readFile(real, "utf8")).toBe(code("getOrder", join(project.dir, "generated")));
    const message =
      "has a name that was renamed, and is not edited: the file is outside the project, where a link may lead";
    expect(document["left"]).toContainEqual({ file: "src/linked.ts", line: 1, message });
    expect((await project.paths()).filter((path) => path.endsWith("-tmp"))).toEqual([]);
  });

  it("applies a guess only if a person names or confirms it, and says so", async () => {
    const project = await makeRenamed({ "src/app.ts": code("getOrder") });
    for (const argv of [["fix"], ["fix", "--yes", "--write", "--force"]]) {
      const { stdout, exitCode } = await project.run(argv);
      expect(exitCode).toBe(1);
      expect(stdout).toBe(`not applied   shop/get_order=fetch_order is a guess (97 percent)
1 rename since HEAD is not certain, and was not applied.
To apply it: npx mcp-codegen fix --rename shop/get_order=fetch_order
`);
    }
    expect(await project.read("src/app.ts")).toBe(code("getOrder"));
    const loaded = await openProject({ cwd: project.dir });
    if (loaded === undefined) throw new Error("There is no configuration.");
    const options = { against: "HEAD", named: [], tsconfig: "tsconfig.json", hasCompiler: true };
    for (const answer of [false, true]) {
      const report = await fix(loaded, {
        ...{ ...options, write: true, force: false },
        confirm: ({ before, after }) =>
          Promise.resolve(answer && before === "get_order" && after === "fetch_order"),
      });
      expect([report.applied.length, report.guessed.length]).toEqual(answer ? [1, 0] : [0, 1]);
      expect(await project.read("src/app.ts")).toBe(code(answer ? "fetchOrder" : "getOrder"));
    }
  });

  it("applies a rename that the server declares", async () => {
    const project = await makeRenamed({ "src/app.ts": code("getOrder") });
    const now = await project.read(LOCKFILE_NAME);
    const lock = parseLockfile(now);
    const { shop } = lock.servers;
    const tool = shop?.tools["fetch_order"];
    if (shop === undefined || tool === undefined) throw new Error("The tool is not locked.");
    const definition = { name: "shop/get_order", meta: { deprecated: { replacement: "fetch_order" } } };
    const old = { ...tool, definition: { ...tool.definition, name: "get_order" }, ability: { definition } };
    const tools = { get_order: { ...old, digest: digestOfTool(old) } };
    await project.write(LOCKFILE_NAME, formatLockfile({ ...lock, servers: { shop: { ...shop, tools } } }));
    await commitAll(project.dir);
    await project.write(LOCKFILE_NAME, now);
    const applied = [{ rename: "shop/get_order=fetch_order" }];
    await project.reports("fix --write", { exitCode: 0, applied, left: [] });
    expect(await project.read("src/app.ts")).toBe(code("fetchOrder"));
  });

  it("says that there is nothing to edit, that code was not searched, and what does not compile", async () => {
    const project = await makeRenamed({ "src/app.ts": 'import "../generated/shop/index.js";\n' });
    const nothing = /^Nothing to edit: no name that your code uses has changed since HEAD\.\n$/;
    await project.prints("fix", 0, nothing);
    await project.write("src/app.ts", code("getBill"));
    await project.prints("fix", 0, "Nothing to edit: ");
    await rm(join(project.dir, "tsconfig.json"));
    await project.prints(
      "fix",
      1,
      "Your code was not searched, since it has no tsconfig.json; without one, pass --project.",
      "To apply it: npx mcp-codegen fix --rename shop/get_order=fetch_order",
    );
    await commitAll(project.dir);
    const same = await project.prints("fix", 0);
    expect(same.stdout)
      .toBe(`Nothing to edit: the lock has not changed since HEAD. Changes of the configuration, such as tools.rename, are not compared.
If a server has the change, take it first: npx mcp-codegen pull
If the change is committed, name a commit before it: npx mcp-codegen fix --against HEAD~1
`);
    const says = /the lock has not changed since HEAD\.\n.*add --against HEAD~1\..* pull" first/;
    await project.refuses(["fix", ...RENAME], says);
    const other = { name: "other", inputSchema: { type: "object" } };
    const gone = await makeRenamed({ "src/app.ts": code("getOrder") }, other);
    const left = /^left for you {2}src\/app\.ts:1 .* no exported member 'getOrder'/;
    const open = "No rename since HEAD is open: 1 place left for you. If you know one";
    await gone.prints("fix", 1, left, open);
  });
});
