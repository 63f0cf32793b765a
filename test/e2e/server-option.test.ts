import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject } from "./make-project.js";

function commandOf(...fixture: Parameters<typeof fixtureCommand>): string {
  const { command, args } = fixtureCommand(...fixture);
  return [command, ...args].map((word) => JSON.stringify(word)).join(" ");
}

describe("pull --server", () => {
  it("needs no configuration, and offers one", async () => {
    const project = await makeProject();
    const { exitCode, stdout } = await project.run(["pull", "--server", commandOf("drifted")]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("save this as mcp-codegen.config.ts");
    expect(await project.read("generated/drifted/server.ts")).toContain("drifted.js");
  });

  it("leaves what another one wrote as it is", async () => {
    const project = await makeProject();
    await project.run(["pull", "--server", commandOf("drifted")]);
    const before = await project.files();
    await project.run(["pull", "--server", commandOf("paged")]);
    const after = await project.files();
    const own = Object.keys(before).filter((path) => path.startsWith("generated/drifted/"));
    expect(own).toHaveLength(4);
    for (const path of own) expect(after[path], path).toBe(before[path]);
    expect(after["generated/index.ts"]).toMatch(/drifted[^]*paged/);
  });

  it("does not offer to keep a server that cannot be listed", async () => {
    const project = await makeProject();
    const { exitCode, stdout } = await project.run(["pull", "--server", "no-such-program"]);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('Command "no-such-program" was not found.');
    expect(stdout).not.toContain("its block in the lock");
    expect(stdout).not.toContain("To keep this server");
  });

  it.each([
    "https://editor:hunter2hunter2@example.com/mcp",
    "TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789 npx -y some-server",
    "npx --token ghp_abcdefghijklmnopqrstuvwxyz0123456789 some-server",
    "npx some-server --api-key=hunter2hunter2",
    "https://example.com/mcp?token=hunter2hunter2",
  ])("refuses the secret in %s before anything is started, and does not repeat it", async (text) => {
    const project = await makeProject();
    const { exitCode, stdout, stderr } = await project.run(["pull", "--server", text]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: "--server": servers\..*\nhint: /);
    expect(stdout + stderr).not.toMatch(/hunter2|abcdefghij/i);
    expect(await project.paths()).toEqual([]);
  });
});
