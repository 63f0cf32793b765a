import { expect, it } from "vitest";
import { toAiSdkTools, createRegistry } from "../../src/agent/index.js";
import { connectServer } from "../../src/project/tools/locked-tools.js";
import { loadConfig } from "../../src/config/load-config.js";
import { readLockfile } from "../../src/files/project-records.js";
import { openServedTools } from "../../src/serve/open-toolset.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makePulled } from "../e2e/make-project.js";

it("a tool that only user interfaces call is not offered to models, and stays callable", async () => {
  const project = await makePulled({ servers: { apps: fixtureCommand("apps") } });
  expect(await project.read("generated/apps/refresh.ts")).toContain('visibility: "app"');
  expect(await project.read("generated/apps/add.ts")).not.toContain("visibility");
  expect((await project.run(["list"])).stdout).toMatch(/refresh\(id\) .* not for models/);
  const called = await project.run(["call", "refresh", "--id", "1", "--yes"], {
    MCP_CODEGEN_ENABLE_WRITES: "1",
  });
  expect(called.stdout).toContain("called refresh");

  const loaded = await loadConfig({ cwd: project.dir });
  if (loaded === undefined) throw new Error("There is no configuration.");
  const lock = await readLockfile(`${project.dir}/${LOCKFILE_NAME}`);
  const lookup = (): undefined => undefined;
  const tools = connectServer(loaded, lock.servers["apps"], { server: "apps" }, { lookup });
  if (tools === undefined) throw new Error("The server is not locked.");
  const registry = createRegistry({ servers: [tools] });
  expect((await registry.getTools()).map(({ name }) => name)).toEqual(["apps__add", "apps__show"]);
  expect(Object.keys(await toAiSdkTools({ ...tools }))).toEqual(["add", "show"]);
  const served = openServedTools(loaded, lock, { lookup, now: () => 0 });
  expect((await served.getTools()).map(({ name }) => name).sort()).toEqual(["apps__add", "apps__show"]);
  await Promise.all([served.close(), tools.close()]);
});
