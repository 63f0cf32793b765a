import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { runCommand } from "../cli/run-command.js";
import { LOCKFILE_NAME, makeProject, type Project } from "./make-project.js";

const SECRET = "k3y-of-the-project";
const ENV = { PROJECT_KEY: SECRET, MCP_CODEGEN_ENABLE_WRITES: "1" };

function configure(project: Project, more: object = {}, ...args: readonly string[]): Promise<void> {
  const prelude = [{ tool: "select_project", arguments: { id: 1, key: "${PROJECT_KEY}" } }];
  const shop = { ...fixtureCommand("selects", ...args), env: { KEY: "${PROJECT_KEY}" }, prelude, ...more };
  return project.configure({ servers: { shop } });
}

async function made(more: object = {}, ...args: readonly string[]): Promise<Project> {
  const project = await makeProject();
  await configure(project, more, ...args);
  return project.withEnv(ENV);
}

describe("calls before a list", () => {
  it("are made once they were confirmed, in every session, and leave no secret", async () => {
    const project = await made();
    const says = 'The calls before the list ("prelude": "select_project") were not confirmed.';
    await project.prints("pull", 3, says);
    expect(await project.paths()).not.toContain(LOCKFILE_NAME);
    await project.prints("pull --prelude", 0, "+ deploy");
    for (const line of ["check", "pull"]) await project.prints(line, 0);
    await project.prints("call deploy --id 7 --yes", 0, "deployed 7");
    expect(JSON.stringify(await project.files())).not.toContain(SECRET);
    expect(await project.read("generated/shop/server.ts")).toContain("select_project");
  });

  it("are asked about at a terminal", async () => {
    const project = await made();
    const yes = await runCommand(["pull"], { cwd: project.dir, env: ENV, keys: "y" });
    expect(yes.stdout + yes.stderr).toContain(
      'Call "select_project" before the tools of server "shop" are listed?',
    );
    expect(yes.stderr).toContain('Tool "select_project" would get:\n  "id": 1\n  "key": "${PROJECT_KEY}"\n');
    expect(yes.exitCode, yes.stdout + yes.stderr).toBe(0);
  });

  it("have to be confirmed again when they change, and are not in generated code until then", async () => {
    const project = await made();
    await project.run("pull --prelude");
    const prelude = [{ tool: "select_project", arguments: { id: 2, key: "${PROJECT_KEY}" } }];
    await configure(project, { prelude });
    await project.prints("check", 1, "were not confirmed");
    await project.withEnv({ PROJECT_KEY: undefined }).run("generate");
    expect(await project.read("generated/shop/server.ts")).not.toContain("select_project");
  });

  it("are refused unless the tool is read-only, by the server or by the configuration", async () => {
    const project = await made({}, "--hint", "no");
    const says = '"prelude" calls "select_project", which is not marked as read-only.';
    await project.prints("pull --prelude", 3, says);
    const tools = { annotations: { "select_*": { readOnlyHint: true } } };
    await configure(project, { tools }, "--hint", "no");
    await project.prints("pull --prelude", 0);
  });

  it("that fail are reported without the secrets in them", async () => {
    const project = await made({ env: { KEY: { value: "another", public: true } } });
    const says = 'The call of "select_project" in "prelude" failed: no project with key';
    expect((await project.prints("pull --prelude", 3, says)).stdout).not.toContain(SECRET);
  });
});
