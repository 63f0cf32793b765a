import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkContract } from "../../src/testing/index.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject } from "./make-project.js";

const CONFIG = "mcp-codegen.config.ts";
const ATTRIBUTES = "generated/** linguist-generated text eol=lf -merge";

describe("init", () => {
  it("configures the example server, and pull works from there", async () => {
    const project = await makeProject();
    const { document, stderr } = await project.runJson(["init", "--example", "--yes"]);
    expect(document).toEqual({
      report: "init",
      exitCode: 0,
      wrote: [CONFIG, ".gitattributes", ".gitignore"],
      servers: ["example"],
      next: ["npm install mcp-codegen zod", "npx mcp-codegen pull"],
    });
    expect(stderr).toContain("npx mcp-codegen pull");
    expect(await project.read(CONFIG)).toContain('"example-server"');
    expect(await project.read(CONFIG)).toContain('check: { failOn: "any" }');
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
    const { document } = await project.runJson(["init", "--yes"]);
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
    const { document, stderr } = await project.runJson(["init", "--yes"]);
    expect(document).toMatchObject({ servers: ["my_site", "files"] });
    expect(stderr).toMatch(/note: Set [A-Z_]+/);
    // Neither is the team's own server, so only dangerous changes fail.
    expect((await project.read(CONFIG)).match(/check: \{ failOn: "dangerous" \}/g)).toHaveLength(2);
    expect(JSON.stringify(await project.files()).split(token)).toHaveLength(2); // .mcp.json alone
    await project.refuses(["generate"]); // no lock: the configuration itself is fine
    expect((await project.run(["generate"])).stderr).toContain("npx mcp-codegen pull");
  });

  it("writes an empty configuration and explains how to add a server", async () => {
    const project = await makeProject();
    await project.prints(["init", "--yes"], 0, "no servers", "add a server to mcp-codegen.config.ts");
  });

  it("writes JSON for a JSON file", async () => {
    const project = await makeProject();
    await project.run(["init", "--example", "--yes", "--config", "mine.json"]);
    expect(JSON.parse(await project.read("mine.json"))).toHaveProperty("servers.example.command");
    await project.refuses(["init", "--yes", "--config", "mine.json"]);
  });

  it("never overwrites a configuration, and adds the line to .gitattributes once", async () => {
    const project = await makeProject({ servers: {} });
    await project.write(".gitattributes", "*.png binary");
    const before = await project.files();
    await project.refuses(
      ["init", "--example", "--yes"],
      'A configuration already exists: "mcp-codegen.config.json".',
    );
    expect(await project.files()).toEqual(before);

    const other = await makeProject();
    await other.write(".gitattributes", "*.png binary");
    await other.run(["init", "--yes"]);
    expect(await other.read(".gitattributes")).toBe(`*.png binary\n${ATTRIBUTES}\n`);
    await other.run(["init", "--yes", "--config", "second.json"]);
    expect(await other.read(".gitattributes")).toBe(`*.png binary\n${ATTRIBUTES}\n`);
  });
});

describe("init --server", () => {
  it("configures a server that the team builds, without code, and a workflow that checks it", async () => {
    const project = await makeProject();
    expect((await project.runJson(["init", "--server", "node server.js --stdio"])).document).toMatchObject({
      servers: ["server"],
      wrote: ["mcp-codegen.config.json", ".gitignore", ".github/workflows/mcp-contract.yml"],
      next: ["npx mcp-codegen pull"],
    });
    expect(JSON.parse(await project.read("mcp-codegen.config.json"))).toMatchObject({
      output: false,
      servers: { server: { command: "node", args: ["server.js", "--stdio"], check: { failOn: "any" } } },
    });
    expect(await project.read(".github/workflows/mcp-contract.yml")).toMatch(
      /run: npx --yes mcp-codegen@\d+\.\d+\.\d+ check\n$/,
    );
  });

  it.each([
    [["requirements.txt"], ["setup-python", "pip install -r requirements.txt"]],
    [
      ["uv.lock", "pyproject.toml"],
      ["setup-uv", "uv sync --locked"],
    ],
    [["composer.json"], ["composer install --no-interaction"]],
    [["Cargo.toml"], ["cargo build --release"]],
    [
      ["package-lock.json", "package.json"],
      ["npm ci", "npm run build --if-present"],
    ],
    [
      ["go.mod", "package.json"],
      ["npm install", "npm run build --if-present", "setup-go", "go build ./..."],
    ],
    [[], ["# Add the steps here that install what your server needs"]],
  ])("installs what a server with %j needs", async (files, steps) => {
    const project = await makeProject();
    for (const file of files) await project.write(file, file === "package.json" ? "{}" : "");
    await project.run(["init", "--server", "./server"]);
    const lines = (await project.read(".github/workflows/mcp-contract.yml")).split("\n");
    const between = lines.slice(
      lines.findIndex((line) => line.includes("setup-node")) + 2,
      lines.findIndex((line) => line.includes("mcp-codegen@")),
    );
    const found = between.filter((line) => !line.includes("with:"));
    expect(found).toHaveLength(steps.length);
    for (const [at, step] of steps.entries()) expect(found[at]).toContain(step);
  });

  it("runs the mcp-codegen that the project depends on", async () => {
    const project = await makeProject();
    await project.write("package.json", '{"devDependencies":{"mcp-codegen":"*"}}');
    await project.run(["init", "--server", "node server.js"]);
    expect(await project.read(".github/workflows/mcp-contract.yml")).toContain(
      "run: npx mcp-codegen check\n",
    );
  });

  it("takes the name under which tests locked the server", async () => {
    const project = await makeProject();
    await checkContract(fixtureCommand("drifted"), {
      lock: join(project.dir, LOCKFILE_NAME),
      name: "orders",
      update: true,
    });
    expect((await project.runJson(["init", "--server", "npx tsx main.ts"])).document).toMatchObject({
      servers: ["orders"],
    });
  });

  it("keeps a workflow that exists, and refuses a secret in the command", async () => {
    const project = await makeProject();
    await project.write(".github/workflows/mcp-contract.yml", "mine\n");
    await project.prints(["init", "--server", "https://shop.example/mcp"], 0);
    expect(await project.read(".github/workflows/mcp-contract.yml")).toBe("mine\n");
    const other = await makeProject();
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    const { stderr } = await other.prints(["init", "--server", `TOKEN=${secret} node server.js`], 2);
    expect(stderr).not.toContain(secret);
    expect(await other.paths()).toEqual([]);
  });
});
