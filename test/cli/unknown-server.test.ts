/** No command passes for the name of a server that neither the configuration nor the lock has. */
import { expect, test } from "vitest";
import { type CommandName, COMMANDS } from "../../src/cli/command-table.js";
import { commitAll } from "../e2e/git.js";
import { makeProject, type Project } from "../e2e/make-project.js";

/** The command lines of each command that takes names of servers. */
const LINES: { readonly [Command in CommandName]?: readonly (readonly string[])[] } = {
  pull: [[], ["--dry-run"], ["shop"], ["--upgrade"], ["--php"]],
  check: [[], ["--offline"], ["--offline", "shop"], ["--against", "HEAD"], ["--php"], ["--offline", "--hosts", "cursor"]], // prettier-ignore
  watch: [[]],
  generate: [["--learn"]],
  diff: [["HEAD", "mcp-codegen.lock.json"]],
  log: [[]],
  list: [[], ["--live"], ["--tokens"], ["shop"]],
  serve: [[], ["--direct"]],
  mock: [[], ["--http", "0"]],
  login: [[], ["--out"], ["--list"]],
};

async function makeShop(): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "tools.json" } } });
  await project.writeJson("tools.json", { tools: [{ name: "get", inputSchema: { type: "object" } }] });
  await project.write("tsconfig.json", "{}");
  expect((await project.run(["pull"])).exitCode).toBe(0);
  await commitAll(project.dir);
  return project;
}

test("every command that takes names of servers is in the table", () => {
  const takers = Object.entries(COMMANDS).filter(
    ([, spec]) => "arguments" in spec && Object.keys(spec.arguments).some((name) => name.includes("server")),
  );
  expect(takers.map(([name]) => name).sort()).toEqual(Object.keys(LINES).sort());
});

const CASES = Object.entries(LINES).flatMap(([command, lines]) =>
  lines.map((line) => [[command, ...line, "nosuch"].join(" "), [command, ...line, "nosuch"]] as const),
);

test.each(CASES)("%s fails", async (_line, argv) => {
  const project = await makeShop();
  await project.refuses(argv, /server.* "nosuch"/);
});

test.each<[command: string, ...rest: string[]]>([
  ["call", "--record", "nosuch__get"],
  ["call", "nosuch__get"],
  ["describe", "nosuch__get"],
  ["search", "get", "--server", "nosuch"],
  ["list", "--context", "--server", "nosuch"],
  ["fix", "--rename", "nosuch/get=take"],
  ["generate", "nosuch"],
  ["page", "nosuch"],
  ["doctor", "nosuch"],
])("%s does not pass: %j", async (command, ...rest) => {
  const project = await makeShop();
  expect((await project.run([command, ...rest])).exitCode).toBeGreaterThan(0);
});

test("a host after a space is not a server", async () => {
  const project = await makeShop();
  const argv = ["check", "--offline", "--hosts", "anthropic", "gemini"];
  await project.refuses(argv, "--hosts anthropic,gemini");
});
