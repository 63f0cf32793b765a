import { expect, it, onTestFinished } from "vitest";
import { openToolset, openServedTools } from "../../src/serve/open-toolset.js";
import { offerDirectly } from "../../src/serve/offer-directly.js";
import { makeProject, LOCKFILE_NAME, makePulled } from "../e2e/make-project.js";
import { toAiSdkTools, createRegistry } from "../../src/agent/index.js";
import { connectServer } from "../../src/project/tools/locked-tools.js";
import { loadConfig } from "../../src/config/load-config.js";
import { readLockfile } from "../../src/files/project-records.js";
import { fixtureCommand } from "../servers/start-fixture.js";

const ROLES = { guest: { deny: [{ names: ["get_*", "delete_*"] }] } };

async function warningsOf(servers?: readonly string[]): Promise<readonly string[]> {
  const project = await makeProject({
    output: false,
    servers: { shop: { file: "shop.json" }, blog: { file: "blog.json" } },
    policy: { roles: ROLES },
  });
  for (const server of ["shop", "blog"]) {
    const tools = [{ name: "get_it", inputSchema: { type: "object" } }];
    await project.write(`${server}.json`, JSON.stringify({ tools }));
  }
  expect((await project.run(["pull"])).exitCode).toBe(0);
  const warnings: string[] = [];
  const toolset = await openToolset({
    ...{ cwd: project.dir, variables: {}, role: "guest", servers },
    onWarning: (message) => warnings.push(message),
  });
  onTestFinished(() => toolset.close());
  await toolset.answer("search_tools", { query: "it" });
  await offerDirectly(toolset.direct.source, toolset.direct.options).list([]);
  return warnings;
}

it("a denied name that no tool has is reported once, however the tools are served", async () => {
  expect(await warningsOf()).toEqual(['No tool matches "delete_*", which role "guest" denies.']);
});

it("a denied name may be for a server that is not served", async () => {
  expect(await warningsOf(["shop"])).toEqual([]);
});

it("a tool that only user interfaces call is not offered to models, and stays callable", async () => {
  const project = await makePulled({ servers: { apps: fixtureCommand("apps") } });
  expect(await project.read("generated/apps/refresh.ts")).toContain('visibility: "app"');
  expect(await project.read("generated/apps/add.ts")).not.toContain("visibility");
  expect((await project.run(["list"])).stdout).toMatch(/refresh\(id\) .* not for models/);
  const env = { MCP_CODEGEN_ENABLE_WRITES: "1" };
  const called = await project.run(["call", "refresh", "--id", "1", "--yes"], env);
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
