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
  });
});

it("a file for agents of more bytes than any file may hold is not read", async () => {
  const project = await makeProject({ servers: { shop: { file: "list.json" } } });
  await project.write("list.json", '{"tools":[{"name":"find_orders","inputSchema":{"type":"object"}}]}');
  await project.prints("pull", 0);
  await project.write("AGENTS.md", "");
  await truncate(join(project.dir, "AGENTS.md"), READ_LIMIT + 1);
  const checked = await project.prints("check", 3);
  expect(checked.stdout + checked.stderr).toContain("AGENTS.md: The file holds more than 4 MiB");
});
