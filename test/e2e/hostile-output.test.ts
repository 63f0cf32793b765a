import { expect, it } from "vitest";
import type { Lockfile } from "../../src/core/lockfile.js";
import { WAIVERS_NAME } from "../../src/core/waivers.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

/** Characters that a terminal interprets or hides, except line feeds. */
const UNPRINTABLE = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/u;

it.each([
  ["hostile-names", ["ansi", "bidi", "hidden-unicode", "html-comment"]],
  ["odd-schemas", []],
  ["duplicate-names", []],
])("no control character of %s reaches the terminal", async (name, kinds) => {
  const names = kinds.flatMap((kind) => ["--accept", `poison-${kind}`]);
  const accepted = names.length === 0 ? [] : [...names, "--reason", "A test."];
  const project = await makeProject({ servers: { evil: fixtureCommand(name) } });
  const outcomes = [
    await project.run(["pull", "--dry-run", ...accepted]),
    await project.run(["pull", ...accepted]),
    await project.run(["pull", "--json"]),
    await project.run(["list"]),
    await project.run(["list", "--json"]),
    await project.run(["search", "tool", "--limit", "100"]),
    await project.run(["check"]),
  ];
  expect(outcomes.map(({ exitCode }) => exitCode)).toEqual(Array<number>(7).fill(0));
  const described = await project.run(["describe", ...(await namesIn(project))]);
  for (const { stdout, stderr } of [...outcomes, described]) {
    expect(stdout).not.toMatch(UNPRINTABLE);
    expect(stderr).not.toMatch(UNPRINTABLE);
  }
  const outside = (await project.paths()).filter(
    (path) => !/^generated\/(evil\/[^/]+|index)\.ts$/.test(path),
  );
  expect(outside.sort()).toEqual([
    "mcp-codegen.config.json",
    LOCKFILE_NAME,
    ...(kinds.length === 0 ? [] : [WAIVERS_NAME]),
  ]);
});

async function namesIn(project: Project): Promise<readonly string[]> {
  const { servers } = JSON.parse(await project.read(LOCKFILE_NAME)) as Lockfile;
  return Object.keys(servers["evil"]?.tools ?? {});
}

it("drift of a hostile server is also reported in printable characters", async () => {
  const project = await makePulled({ servers: { evil: fixtureCommand("drifted") } });
  await project.configure({ servers: { evil: fixtureCommand("hostile-names") } });
  const { stdout } = await project.prints(["check"], 1, "tool-added");
  expect(stdout).not.toMatch(UNPRINTABLE);
});
