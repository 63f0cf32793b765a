/** Runs the real program on extremely long lists with bounded memory. */
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { READ_LIMIT } from "../../src/core/limits.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject } from "./make-project.js";
import { runBinary } from "./user-project.js";

/** The heap in megabytes, in proportion to a list of 50 MB on a small machine in CI with a gigabyte. */
const HEAP = { NODE_OPTIONS: "--max-old-space-size=340" };

describe("a huge list", () => {
  it("of 10 MB is pulled, generated and checked", async () => {
    const huge = fixtureCommand("huge-list", "--tools", "20", "--megabytes", "10", "--pages", "4");
    const project = await makeProject({ servers: { huge } });
    const pulled = await runBinary(project.dir, ["pull"], HEAP);
    expect(pulled.exitCode, pulled.stderr).toBe(0);
    expect(pulled.stdout).toContain("huge new, 20 tools, contract 1.0.0");
    expect(pulled.stdout).toContain("generated: 24 files written");
    const checked = await runBinary(project.dir, ["check"], HEAP);
    expect(checked.stdout).toContain("Up to date: checked 1 server and 24 files");
  }, 120_000);

  it("of 3,000 tools is summarized", async () => {
    const huge = fixtureCommand("huge-list", "--tools", "3000");
    const project = await makeProject({ servers: { huge } });
    const { exitCode, stdout, stderr } = await runBinary(project.dir, ["pull", "--dry-run"], HEAP);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain("huge new, 3,000 tools, contract 1.0.0");
    expect(stdout).toContain("  data (guessed)  3,000 unstated  record-00000-get, ");
    expect(stdout).toContain('  … and 2,994 more: "--json" lists them all');
    expect(stdout.split("\n").length).toBeLessThan(40);
  }, 120_000);

  it("of endless pages of 1 MB is refused with the name of the limit", async () => {
    const shop = fixtureCommand("endless-cursor", "--size", "1000000");
    const project = await makeProject({ servers: { shop } });
    const pulled = await runBinary(project.dir, ["pull"], { NODE_OPTIONS: "--max-old-space-size=400" });
    expect(pulled.stdout + pulled.stderr).toMatch(/does not end within 64 MiB: it has \d+ pages so far/);
    expect(pulled.exitCode).toBe(3);
  }, 120_000);
});

describe("a huge file that agents read", () => {
  it("of 30 MB is not searched, with the name of the limit", async () => {
    const project = await makeProject({ servers: { shop: { file: "list.json" } } });
    await project.write("list.json", '{"tools":[{"name":"find_orders","inputSchema":{"type":"object"}}]}');
    await project.prints(["pull"], 0);
    await project.write("AGENTS.md", "Call `find_orders` first. ".repeat(1_200_000));
    const checked = await runBinary(project.dir, ["check"], { NODE_OPTIONS: "--max-old-space-size=100" });
    expect(checked.stdout + checked.stderr).toContain(
      "holds more than 4 MiB, so it was not searched for names of tools",
    );
    expect(checked.exitCode).toBe(3);
  });

  it("of more bytes than any file may hold is not read", async () => {
    const project = await makeProject({ servers: { shop: { file: "list.json" } } });
    await project.write("list.json", '{"tools":[{"name":"find_orders","inputSchema":{"type":"object"}}]}');
    await project.prints(["pull"], 0);
    await project.write("AGENTS.md", "");
    await truncate(join(project.dir, "AGENTS.md"), READ_LIMIT + 1);
    const checked = await project.prints(["check"], 3);
    expect(checked.stdout + checked.stderr).toContain("AGENTS.md: The file holds more than 4 MiB");
  });
});
