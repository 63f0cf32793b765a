import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../cli/run-command.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject, makePulled, type Project } from "./make-project.js";

const DRIFTED = fixtureCommand("drifted").args[0];
const CONFIG = "mcp-codegen.config.json";

/**
 * A project whose server is `bakery@1.4.2`. `npm` and `npx` are stand-ins for the registry: the newest version is 2.0.0, and
 * that is the server with one tool more.
 */
async function makeBakery(
  newest = "2.0.0",
): Promise<{ readonly project: Project; readonly env: NodeJS.ProcessEnv }> {
  const project = await makeProject({
    output: false,
    servers: { bakery: { command: "npx", args: ["-y", "@scope/bakery@1.4.2"] } },
  });
  const bin = join(project.dir, "bin");
  await project.write("bin/npm", `#!/bin/sh\n[ "$*" = "view @scope/bakery version" ] && echo ${newest}\n`);
  await project.write(
    "bin/npx",
    `#!/bin/sh\ncase "$2" in *@2.0.0) export DRIFT=tool-added;; esac\nexec "${process.execPath}" "${DRIFTED}"\n`,
  );
  for (const name of ["npm", "npx"]) await chmod(join(bin, name), 0o755);
  const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  return { project, env };
}

describe.skipIf(process.platform === "win32")("pull --upgrade", () => {
  it("shows the difference, writes the version and pulls", async () => {
    const { project, env } = await makeBakery();
    // A child gets the PATH of this process.
    const before = process.env["PATH"];
    process.env["PATH"] = env["PATH"];
    try {
      await project.withEnv(env).prints(["pull"], 0);
      const lock = await project.read("mcp-codegen.lock.json");

      const shown = await project.run(["pull", "--upgrade", "--dry-run"], env);
      expect(shown.stdout).toContain("bakery: @scope/bakery 1.4.2 → 2.0.0");
      expect(shown.stdout).toContain("refund-order");
      expect(shown.stdout).toContain("Nothing was written (--dry-run).");
      expect(shown.stdout).toContain("To accept: npx mcp-codegen pull --upgrade bakery");
      expect(await project.read(CONFIG)).toContain("@scope/bakery@1.4.2");
      expect(await project.read("mcp-codegen.lock.json")).toBe(lock);

      const refused = await runCommand(["pull", "--upgrade", "bakery"], { cwd: project.dir, env, keys: "n" });
      expect(refused.exitCode).toBe(0);
      expect(await project.read(CONFIG)).toContain("@scope/bakery@1.4.2");

      const { document } = await project.runJson(["pull", "--upgrade", "--dry-run"], env);
      expect(document).toMatchObject({ report: "pull", servers: [{ server: "bakery", status: "changed" }] });

      const { exitCode, stdout } = await project.run(["pull", "--upgrade"], env);
      expect(exitCode, stdout).toBe(0);
      expect(stdout.match(/^bakery · 1 safe · contract 1\.0\.0 → 1\.1\.0$/gm)).toHaveLength(1);
      expect(stdout).toMatch(/lock\.json.*: written/);
      expect(stdout).not.toMatch(/would be written|Nothing was written|To accept/);
      expect(await project.read(CONFIG)).toContain('"@scope/bakery@2.0.0"');
      expect(await project.read("mcp-codegen.lock.json")).not.toBe(lock);
      await project.withEnv(env).prints(["check"], 0);

      const again = await project.run(["pull", "--upgrade"], env);
      expect(again.stdout).toContain("Every pinned package is at its newest version.");
      expect((await project.runJson(["pull", "--upgrade"], env)).document).toMatchObject({
        servers: [{ server: "bakery", status: "unchanged" }],
      });
    } finally {
      process.env["PATH"] = before;
    }
  });

  it.each([
    [CONFIG, (config: string) => config],
    [
      "mcp-codegen.config.ts",
      (config: string) => `// @scope/bakery@1.4.2 is from "@scope/bakery@1.4.2"\nexport default ${config};`,
    ],
  ])("edits the named server alone in %s, and pulls the new version", async (name, write) => {
    const { project, env } = await makeBakery();
    const args = ["-y", "@scope/bakery@1.4.2"];
    const servers = { other: { command: "npx", args }, bakery: { command: "npx", args } };
    await rm(join(project.dir, CONFIG));
    await project.write(name, write(JSON.stringify({ output: false, servers }, null, 2)));
    const before = process.env["PATH"];
    process.env["PATH"] = env["PATH"];
    try {
      await project.withEnv(env).prints(["pull"], 0);
      const lock = await project.read("mcp-codegen.lock.json");
      const text = await project.read(name);
      await project.withEnv(env).prints(["pull", "--upgrade", "bakery"], 0);
      const at = text.lastIndexOf("1.4.2");
      expect(await project.read(name)).toBe(`${text.slice(0, at)}2.0.0${text.slice(at + 5)}`);
      expect(await project.read("mcp-codegen.lock.json")).not.toBe(lock);
    } finally {
      process.env["PATH"] = before;
    }
  });

  it("refuses a server without an exact version, and a registry that does not answer", async () => {
    const { project, env } = await makeBakery();
    await project.write("bin/npm", "#!/bin/sh\nexit 1\n");
    const failed = await project.withEnv(env).prints(["pull", "--upgrade"], 3);
    expect(failed.stderr).toContain('hint: Run "npm view @scope/bakery version" to see why.');
    // Before the changes of the tools, which the next pull could not take.
    const computed = await makeBakery();
    await computed.project.write(
      "mcp-codegen.config.js",
      `export default ${(await computed.project.read(CONFIG)).replace("1.4.2", '" + "1.4.2')};\n`,
    );
    await rm(join(computed.project.dir, CONFIG));
    const refused = await computed.project
      .withEnv(computed.env)
      .refuses(["pull", "--upgrade"], 'does not contain "@scope/bakery@1.4.2" as one text');
    expect(refused.stdout).not.toContain("refund-order");
    const other = await makeProject({ servers: { site: { url: "https://example.com/mcp" } } });
    await other.refuses(
      ["pull", "--upgrade", "site"],
      'Server "site" starts no package with an exact version.',
    );
  });
});

it("check names servers that start the newest version of a package, and does not fail for them", async () => {
  const { command, args } = fixtureCommand("drifted");
  const server = {
    command: "npx",
    args: ["-y", "@scope/never-published"],
    environments: { local: { command, args } },
  };
  const project = await makePulled({ output: false, servers: { bakery: { command, args } } });
  await project.writeJson(CONFIG, { output: false, servers: { bakery: server } });
  const { exitCode, document } = await project.runJson(["check", "--env", "local"]);
  expect(exitCode).toBe(0);
  expect(document).toMatchObject({ notes: [{ rule: "SERVER_UNPINNED", server: "bakery" }] });
});

it("init pins the newest version in the cache of npx, and check does not depend on it", async () => {
  const project = await makeProject();
  const home = await makeProject();
  for (const version of ["1.9.0", "1.10.2"]) {
    const folder = `.npm/_npx/${version}/node_modules/@scope/bakery`;
    await home.writeJson(`${folder}/package.json`, { version });
  }
  const bakery = { command: "npx", args: ["-y", "@scope/bakery"] };
  await project.writeJson(".mcp.json", { mcpServers: { bakery } });
  const init = ["init", "--yes", "--config", CONFIG];
  await project.withEnv({ HOME: home.dir }).prints(init, 0);
  expect(await project.read(CONFIG)).toContain('"@scope/bakery@1.10.2"');
  await project.writeJson(CONFIG, { output: false, servers: { bakery } });
  const { stdout } = await project.run(["doctor", "--offline"], { HOME: home.dir });
  expect(stdout).toContain('The command of "bakery" starts the newest @scope/bakery,');
  expect(stdout).toContain('Write "@scope/bakery@<version>" in servers.bakery.args.');
});
