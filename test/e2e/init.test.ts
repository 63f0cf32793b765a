import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkContract } from "../../src/testing/index.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject } from "./make-project.js";

const CONFIG = "mcp-codegen.config.ts";
const ATTRIBUTES = "generated/** linguist-generated text eol=lf -merge";
const WORKFLOW = ".github/workflows/mcp-contract.yml";

describe("init", () => {
  it("configures the example server", async () => {
    const project = await makeProject();
    const { document } = await project.runJson("init --example --yes");
    expect(document).toEqual({
      report: "init",
      exitCode: 0,
      wrote: [CONFIG, ".gitattributes", ".gitignore"],
      servers: ["example"],
      next: ["npm install mcp-codegen zod", "npx mcp-codegen pull"],
    });
    expect(await project.read(CONFIG)).toMatch(/"example-server"[^]*check: \{ failOn: "any" \}/);
    expect(await project.read(".gitattributes")).toBe(`${ATTRIBUTES}\n`);
    expect(await project.read(".gitignore")).toBe(".env.local\n");
  });

  it.each([
    ["dist", "dist\n.env.local\n"],
    [".env*\n", ".env*\n"],
    ["*.local\n!.env.local\n", "*.local\n!.env.local\n.env.local\n"],
  ])("lets git ignore .env.local, where .gitignore has %j", async (before, after) => {
    const project = await makeProject();
    execFileSync("git", ["init", "--quiet"], { cwd: project.dir });
    await project.write(".gitignore", before);
    const { document } = await project.runJson("init --yes");
    expect(await project.read(".gitignore")).toBe(after);
    expect((document["wrote"] as readonly string[]).includes(".gitignore")).toBe(before !== after);
    execFileSync("git", ["check-ignore", ".env.local"], { cwd: project.dir });
  });

  it("imports the servers of editors without their secrets", async () => {
    const project = await makeProject();
    const token = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    const servers = {
      "My Site": { url: "https://example.com/mcp", headers: { Authorization: `Bearer ${token}` } },
      files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] },
    };
    await project.writeJson(".mcp.json", { mcpServers: servers });
    const { document, stderr } = await project.runJson("init --yes");
    expect(document).toMatchObject({ servers: ["my_site", "files"] });
    expect(stderr).toMatch(/note: Set [A-Z_]+/);
    // Neither is the team's own server, so only dangerous changes fail.
    expect((await project.read(CONFIG)).match(/check: \{ failOn: "dangerous" \}/g)).toHaveLength(2);
    expect(JSON.stringify(await project.files()).split(token)).toHaveLength(2); // .mcp.json alone
    // There is no lock, and the configuration itself is fine.
    await project.refuses("generate", "npx mcp-codegen pull");
  });

  it("explains how to add a server, writes JSON for a JSON file, and never overwrites it", async () => {
    const project = await makeProject();
    await project.prints("init --yes", 0, "no servers", "add a server to mcp-codegen.config.ts");
    await project.run("init --example --yes --config mine.json");
    expect(JSON.parse(await project.read("mine.json"))).toHaveProperty("servers.example.command");
    await project.refuses("init --yes --config mine.json", 'A configuration already exists: "mine.json".');
  });

  it("writes nothing beside a configuration, and adds the line to .gitattributes once", async () => {
    const project = await makeProject({ servers: {} });
    await project.write(".gitattributes", "*.png binary");
    const before = await project.files();
    await project.refuses(
      "init --example --yes",
      'A configuration already exists: "mcp-codegen.config.json".',
    );
    expect(await project.files()).toEqual(before);
    for (const name of ["second.json", "third.json"]) {
      await project.run(`init --yes --config ${name}`);
      expect(await project.read(".gitattributes")).toBe(`*.png binary\n${ATTRIBUTES}\n`);
    }
  });
});

describe("init --server", () => {
  it("configures a server that the team builds, without code, and a workflow that checks it", async () => {
    const project = await makeProject();
    await project.reports(["init", "--server", "node server.js --stdio"], {
      servers: ["server"],
      wrote: ["mcp-codegen.config.json", ".gitignore", WORKFLOW],
      next: ["npx mcp-codegen pull"],
    });
    const server = { command: "node", args: ["server.js", "--stdio"], check: { failOn: "any" } };
    const config = { output: false, servers: { server } };
    expect(JSON.parse(await project.read("mcp-codegen.config.json"))).toMatchObject(config);
    expect(await project.read(WORKFLOW)).toMatch(/run: npx --yes mcp-codegen@\d+\.\d+\.\d+ check\n$/);
  });

  it.each([
    ["requirements.txt", ["setup-python", "pip install -r requirements.txt"]],
    ["uv.lock pyproject.toml", ["setup-uv", "uv sync --locked"]],
    ["composer.json", ["composer install --no-interaction"]],
    ["Cargo.toml", ["cargo build --release"]],
    ["package-lock.json package.json", ["npm ci", "npm run build --if-present"]],
    ["go.mod package.json", ["npm install", "npm run build --if-present", "setup-go", "go build ./..."]],
    ["README.md", ["# Add the steps here that install what your server needs"]],
  ])("installs what a server with %s needs", async (files, steps) => {
    const project = await makeProject();
    for (const file of files.split(" ")) await project.write(file, file === "package.json" ? "{}" : "");
    await project.run("init --server ./server");
    const [, between = ""] =
      /setup-node.*\n.*\n([^]*?).*# npm has mcp-codegen from its first release/.exec(
        await project.read(WORKFLOW),
      ) ?? [];
    const lines = between.split("\n").filter((line) => line.trim() !== "" && !line.includes("with:"));
    expect(lines).toEqual(steps.map((step) => expect.stringContaining(step) as string));
  });

  it("runs the mcp-codegen that the project depends on, under the name by which tests locked the server", async () => {
    const project = await makeProject();
    await project.write("package.json", '{"devDependencies":{"mcp-codegen":"*"}}');
    const lock = join(project.dir, LOCKFILE_NAME);
    await checkContract(fixtureCommand("drifted"), { lock, name: "orders", update: true });
    await project.reports(["init", "--server", "npx tsx main.ts"], { servers: ["orders"] });
    expect(await project.read(WORKFLOW)).toContain("run: npx mcp-codegen check\n");
  });

  it("keeps a workflow that exists, and refuses a secret in the command", async () => {
    const project = await makeProject();
    await project.write(WORKFLOW, "mine\n");
    await project.prints("init --server https://shop.example/mcp", 0);
    expect(await project.read(WORKFLOW)).toBe("mine\n");
    const other = await makeProject();
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    const { stderr } = await other.refuses(["init", "--server", `TOKEN=${secret} node server.js`]);
    expect(stderr).not.toContain(secret);
    expect(await other.paths()).toEqual([]);
  });
});
