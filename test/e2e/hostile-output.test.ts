import { expect, it } from "vitest";
import type { Lockfile } from "../../src/core/lockfile.js";
import { WAIVERS_NAME } from "../../src/core/waivers.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

/** Characters that a terminal interprets or hides, except line feeds. */
const UNPRINTABLE = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/u;

it("no control character of a hostile server reaches the terminal", async () => {
  const kinds = ["ansi", "bidi", "hidden-unicode", "html-comment"];
  const accepted = [...kinds.flatMap((kind) => ["--accept", `poison-${kind}`]), "--reason", "A test."];
  const project = await makeProject({
    servers: {
      names: fixtureCommand("hostile-names"),
      schemas: fixtureCommand("odd-schemas"),
      twice: fixtureCommand("duplicate-names"),
    },
  });
  const outcomes = [
    await project.run(["pull", "--dry-run", ...accepted]),
    await project.run(["pull", ...accepted]),
    await project.run("pull --json"),
    await project.run("list"),
    await project.run("list --json"),
    await project.run("search tool --limit 100"),
    await project.run("check"),
  ];
  expect(outcomes.map(({ exitCode }) => exitCode)).toEqual(Array<number>(7).fill(0));
  const described = await project.run(["describe", ...(await namesIn(project))]);
  for (const { stdout, stderr } of [...outcomes, described]) {
    expect(stdout).not.toMatch(UNPRINTABLE);
    expect(stderr).not.toMatch(UNPRINTABLE);
  }
  const outside = (await project.paths()).filter(
    (path) => !/^generated\/((?:names|schemas|twice)\/[^/]+|index)\.ts$/.test(path),
  );
  expect(outside.sort()).toEqual(["mcp-codegen.config.json", LOCKFILE_NAME, WAIVERS_NAME]);
});

async function namesIn(project: Project): Promise<readonly string[]> {
  const { servers } = JSON.parse(await project.read(LOCKFILE_NAME)) as Lockfile;
  return Object.entries(servers).flatMap(([server, { tools }]) =>
    Object.keys(tools).map((tool) => `${server}__${tool}`),
  );
}

it("drift of a hostile server is also reported in printable characters", async () => {
  const project = await makePulled({ servers: { evil: fixtureCommand("drifted") } });
  await project.configure({ servers: { evil: fixtureCommand("hostile-names") } });
  const { stdout } = await project.prints("check", 1, "tool-added");
  expect(stdout).not.toMatch(UNPRINTABLE);
});
