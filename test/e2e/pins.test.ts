import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand } from "../cli/run-command.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

const DRIFTED = fixtureCommand("drifted").args[0];
const CONFIG = "mcp-codegen.config.json";
const ARGS = ["-y", "@scope/bakery@1.4.2"];

/**
 * A project whose server is `bakery@1.4.2`. `npm` and `npx` are stand-ins for the registry: the newest version is 2.0.0, and
 * that is the server with one tool more.
 */
async function makeBakery(): Promise<Project> {
  const project = await makeProject({ output: false, servers: { bakery: { command: "npx", args: ARGS } } });
  await project.write("bin/npm", `#!/bin/sh\n[ "$*" = "view @scope/bakery version" ] && echo 2.0.0\n`);
  await project.write(
    "bin/npx",
    `#!/bin/sh\ncase "$2" in *@2.0.0) export DRIFT=tool-added;; esac\nexec "${process.execPath}" "${DRIFTED}"\n`,
  );
  const bin = join(project.dir, "bin");
  for (const name of ["npm", "npx"]) await chmod(join(bin, name), 0o755);
  // A child gets the PATH of this process.
  const before = process.env["PATH"] ?? "";
  process.env["PATH"] = `${bin}:${before}`;
  onTestFinished(() => void (process.env["PATH"] = before));
  return project;
}

describe.skipIf(process.platform === "win32")("pull --upgrade", () => {
  it("shows the difference, writes the version and pulls", async () => {
    const project = await makeBakery();
    await project.prints("pull", 0);
    const before = await project.files();
    await project.prints(
      "pull --upgrade --dry-run",
      0,
      "bakery: @scope/bakery 1.4.2 → 2.0.0",
      "refund-order",
      "  take it  npx mcp-codegen pull --upgrade bakery\n\n",
      "Nothing was written (--dry-run).",
      "To accept: npx mcp-codegen pull --upgrade bakery",
    );
    expect((await runCommand("pull --upgrade bakery", { cwd: project.dir, keys: "n" })).exitCode).toBe(0);
    const servers = [{ server: "bakery", status: "changed" }];
    await project.reports("pull --upgrade --dry-run", { report: "pull", servers });
    expect(await project.files()).toEqual(before);

    const { stdout } = await project.prints("pull --upgrade", 0, /lock\.json.*: written/);
    expect(stdout).toContain("bakery · 1 safe\n\nbakery: contract 1.0.0 → 1.1.0\n");
    expect(stdout.match(/contract 1\.0\.0 → 1\.1\.0$/gm)).toHaveLength(1);
    expect(stdout).not.toMatch(/would be written|Nothing was written|To accept/);
    expect(await project.read(CONFIG)).toContain('"@scope/bakery@2.0.0"');
    expect(await project.read(LOCKFILE_NAME)).not.toBe(before[LOCKFILE_NAME]);
    await project.prints("check", 0);
    await project.prints("pull --upgrade", 0, "Every pinned package is at its newest version.");
    await project.reports("pull --upgrade", { servers: [{ server: "bakery", status: "unchanged" }] });
  });

  it.each([
    [CONFIG, ""],
    ["mcp-codegen.config.ts", `// @scope/bakery@1.4.2 is from "@scope/bakery@1.4.2"\nexport default `],
  ])("edits the named server alone in %s, and pulls the new version", async (name, start) => {
    const project = await makeBakery();
    const servers = { other: { command: "npx", args: ARGS }, bakery: { command: "npx", args: ARGS } };
    await rm(join(project.dir, CONFIG));
    const text = `${start}${JSON.stringify({ output: false, servers }, null, 2)}`;
    await project.write(name, text);
    await project.prints("pull", 0);
    const lock = await project.read(LOCKFILE_NAME);
    await project.prints("pull --upgrade bakery", 0);
    const at = text.lastIndexOf("1.4.2");
    expect(await project.read(name)).toBe(`${text.slice(0, at)}2.0.0${text.slice(at + 5)}`);
    expect(await project.read(LOCKFILE_NAME)).not.toBe(lock);
  });

  it("refuses a server without an exact version, and a registry that does not answer", async () => {
    const project = await makeBakery();
    // Before the changes of the tools, which the next pull could not take.
    const config = (await project.read(CONFIG)).replace("1.4.2", '" + "1.4.2');
    await project.write("mcp-codegen.config.js", `export default ${config};\n`);
    const js = "--config mcp-codegen.config.js";
    const says = 'does not contain "@scope/bakery@1.4.2" as one text';
    const refused = await project.refuses(`pull --upgrade ${js}`, says);
    expect(refused.stdout).not.toContain("refund-order");
    await project.write("bin/npm", "#!/bin/sh\nexit 1\n");
    const failed = await project.prints("pull --upgrade", 3);
    expect(failed.stderr).toContain('hint: Run "npm view @scope/bakery version" to see why.');
    const other = await makeProject({ servers: { site: { url: "https://example.com/mcp" } } });
    await other.refuses("pull --upgrade site", 'Server "site" starts no package with an exact version.');
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
  const notes = [{ rule: "SERVER_UNPINNED", server: "bakery" }];
  await project.reports("check --env local", { exitCode: 0, notes });
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
  const { stdout } = await project.run("doctor --offline", { HOME: home.dir });
  expect(stdout).toContain('The command of "bakery" starts the newest @scope/bakery,');
  expect(stdout).toContain('Write "@scope/bakery@<version>" in servers.bakery.args.');
});
