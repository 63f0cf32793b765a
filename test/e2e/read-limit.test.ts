/** `servers.<name>.readLimit`: the maximum size of an answer or a saved list. */
import { describe, expect, it, test } from "vitest";
import { HIGHEST_READ_LIMIT } from "../../src/core/limits.js";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { makeProject } from "./make-project.js";

const ARGUMENTS = ["--tools", "20", "--megabytes", "1"] as const;
const TOO_LITTLE = 100_000;
const ENOUGH = 5_000_000;

describe("readLimit", () => {
  it.each([
    [TOO_LITTLE, 3, "wrote a line of more than 100000 bytes"],
    [ENOUGH, 0, ""],
  ])("of %i bytes bounds an answer over stdio", async (readLimit, exitCode, message) => {
    const huge = { ...fixtureCommand("huge-list", ...ARGUMENTS), readLimit };
    const { prints } = await makeProject({ servers: { huge } });
    const pulled = await prints(["pull"], exitCode);
    expect(pulled.stdout + pulled.stderr).toContain(message);
  });

  it.each([
    [TOO_LITTLE, 3, "100000 bytes"],
    [ENOUGH, 0, ""],
  ])("of %i bytes bounds an answer over HTTP", async (readLimit, exitCode, message) => {
    const fixture = await startFixture("huge-list", { args: ARGUMENTS });
    try {
      const { prints } = await makeProject({ servers: { huge: { url: fixture.url, readLimit } } });
      const pulled = await prints(["pull"], exitCode);
      expect(pulled.stdout + pulled.stderr).toContain(message);
    } finally {
      await fixture.close();
    }
  });

  it.each([
    [50, 2, '"tools.json" holds more than 50 bytes'],
    [ENOUGH, 0, ""],
  ])("of %i bytes bounds a saved list", async (readLimit, exitCode, message) => {
    const { run, write } = await makeProject({ servers: { shop: { file: "tools.json", readLimit } } });
    const tool = { name: "a", description: "A tool.", inputSchema: { type: "object" } };
    await write("tools.json", JSON.stringify({ tools: [tool] }));
    const pulled = await run(["pull"]);
    expect(pulled.stdout + pulled.stderr).toContain(message);
    expect(pulled.exitCode === 0, pulled.stderr).toBe(exitCode === 0);
  });

  test("is rejected beyond the maximum length of a string", async () => {
    const shop = { file: "tools.json", readLimit: HIGHEST_READ_LIMIT + 1 };
    const { refuses } = await makeProject({ servers: { shop } });
    await refuses(["pull"], "at most 524288000 bytes (500 MiB)");
  });
});
