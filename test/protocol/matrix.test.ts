import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { LEGACY_VERSIONS, MODERN_VERSIONS } from "../../src/core/connection.js";
import { parseLockfile } from "../../src/core/lockfile-text.js";
import { openSession } from "../../src/client/open-session.js";
import { LOCKFILE_NAME, makeProject, type Project } from "../e2e/make-project.js";
import { startWatch } from "../e2e/watch/start-watch.js";
import { BIN, startServe, TOKEN } from "../serve/start-serve.js";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { endpointOf } from "../client/endpoint.js";

const VERSIONS = [...MODERN_VERSIONS, ...LEGACY_VERSIONS.slice(0, 4)];
const env = { MCP_CODEGEN_ENABLE_WRITES: "1" };

/** Creates a project with a server that speaks one version over one transport. */
async function projectOf(
  transport: "stdio" | "http" | "sse",
  protocol: string,
  [name, ...flags]: readonly [string, ...string[]] = ["paged"],
): Promise<Project> {
  const args = [...flags, ...(transport === "sse" ? [] : ["--era", "both"])];
  if (transport === "stdio")
    return makeProject({ servers: { shop: { ...fixtureCommand(name, ...args), protocol } } });
  const fixture = await startFixture(name, { transport, args });
  onTestFinished(() => fixture.close());
  return makeProject({
    servers: { shop: { url: fixture.url, protocol, ...(transport === "sse" && { transport }) } },
  });
}

const cells = VERSIONS.flatMap((version) =>
  (["stdio", "http", "sse"] as const)
    // The transport of 2024-11-05 ends with the legacy era.
    .filter((transport) => transport !== "sse" || !MODERN_VERSIONS.includes(version))
    .map((transport) => [version, transport] as const),
);

describe.each(cells)("%s over %s", (version, transport) => {
  test("pull, check and call", async () => {
    const project = await projectOf(transport, version);
    expect(await project.run(["pull"])).toMatchObject({ exitCode: 0 });
    const { identity, tools } = parseLockfile(await project.read(LOCKFILE_NAME)).servers["shop"] ?? {};
    expect([identity?.protocolVersion, Object.keys(tools ?? {}).length]).toEqual([version, 8]);
    const checked = await project.runJson(["check"]);
    expect([checked.exitCode, checked.document["changes"]]).toEqual([0, []]);
    const called = await project.run(["call", "shop__page-1-tool-1", "--id", "1", "--yes"], env);
    expect(called).toMatchObject({ exitCode: 0, stdout: "called page-1-tool-1\n" });
  });

  test("watch", async () => {
    const { dir, write } = await makeProject();
    await write("tools.json", `["one"]`);
    const flags = ["--file", join(dir, "tools.json"), "--notify", "yes"];
    const project = await projectOf(transport, version, ["follows-file", ...flags]);
    const watch = startWatch(project.dir, ["--interval", "86400"]);
    await watch.see(/shop: locked 1 tool · .*\n.*\nWatching shop \(notifications/);
    await write("tools.json", `["one", "two"]`);
    await watch.see(/shop: 1 safe · 1 tool added \(two\)/);
    expect([await watch.stop(), watch.stderr()]).toEqual([130, ""]);
    const { identity } = parseLockfile(await project.read(LOCKFILE_NAME)).servers["shop"] ?? {};
    expect(identity?.protocolVersion).toBe(version);
  });

  test("serve --direct to a client of the same version", async () => {
    const project = await projectOf(transport, version);
    await project.run(["pull"]);
    // `serve` has no transport of 2024-11-05.
    const session = await openSession(await clientEndpoint(project, transport, version));
    onTestFinished(() => session.close());
    expect(session.identity.protocolVersion).toBe(version);
    const { tools } = await session.request("tools/list", {});
    expect(tools).toHaveLength(8);
    const result = await session.request("tools/call", {
      name: "shop__page-1-tool-1",
      arguments: { id: 1 },
    });
    expect(result["content"]).toEqual([{ type: "text", text: "called page-1-tool-1" }]);
  });
});

async function clientEndpoint(project: Project, transport: string, protocol: string) {
  if (transport === "stdio") {
    const args = [BIN, "serve", "--direct"];
    return endpointOf({ command: process.execPath, args, cwd: project.dir, env, protocol });
  }
  const serve = await startServe(project.dir, ["--direct"], env);
  onTestFinished(async () => {
    await serve.stop();
  });
  return endpointOf({ url: serve.url, auth: { bearer: "${TOKEN}" }, protocol }, { TOKEN });
}
