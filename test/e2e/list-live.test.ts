import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, makePulled } from "./make-project.js";

const shop = {
  ...fixtureCommand("drifted"),
  env: { DRIFT: "${DRIFT:-none}" },
  environments: { production: { env: { DRIFT: "${PRODUCTION:-none}" } } },
};
const away = { url: "http://127.0.0.1:9/mcp", timeouts: { connect: 2_000 } };

interface Tool {
  readonly name: string;
  readonly state?: string;
}

/** Returns the marked tools of a list report by name. */
function marksOf(document: Readonly<Record<string, unknown>>): Readonly<Record<string, string | undefined>> {
  const servers = document["servers"] as readonly {
    readonly categories: readonly { readonly tools: readonly Tool[] }[];
  }[];
  const tools = servers.flatMap(({ categories }) => categories.flatMap((category) => category.tools));
  return Object.fromEntries(tools.map(({ name, state }) => [name, state]));
}

describe("list --live", () => {
  it.each([
    ["tool-added", { "cancel-order": undefined, "find-orders": undefined, "refund-order": "unlocked" }, 3],
    ["tool-removed", { "cancel-order": "gone", "find-orders": undefined }, 1],
    ["tool-description-changed", { "cancel-order": "different", "find-orders": undefined }, 2],
  ])("marks tools that differ from the lock after %s, and writes nothing", async (drift, marks, tools) => {
    const project = (await makePulled({ servers: { shop } })).withEnv({ DRIFT: drift });
    const lock = await project.read(LOCKFILE_NAME);
    const { document } = await project.runJson("list --live");
    const servers = [{ server: "shop", contract: "1.0.0", tools }];
    expect(document).toMatchObject({ exitCode: 0, servers, unverified: [] });
    expect(marksOf(document)).toEqual(marks);
    expect(await project.read(LOCKFILE_NAME)).toBe(lock);
    if (drift !== "tool-removed") return;
    const counted = /^shop contract 1\.0\.0, 1 tool, .* tokens, 1 gone$/m;
    await project.prints("list --live", 0, counted, /^ +cancel-order\(.*\) .* gone$/m);
    await project.prints("list --live --tokens", 0, /^ +cancel-order .* gone$/m);
    expect((await project.run("list shop --live --raw")).stdout).not.toContain("cancel-order");
  });

  it("lists one environment, or all of them", async () => {
    const project = await makePulled({ servers: { shop } });
    const env = { PRODUCTION: "tool-removed" };
    const production = { server: "shop", environment: "production", tools: 1 };
    const one = await project.runJson("list --live --env production shop", env);
    expect(one.document).toMatchObject({ servers: [production] });
    const all = await project.runJson("list --live --env all", env);
    expect(all.document).toMatchObject({ servers: [{ server: "shop", tools: 2 }, production] });
    const says = "shop (production) contract 1.0.0, 1 tool";
    await project.withEnv(env).prints("list --live --env production", 0, says);
  });

  it("exits 3 and names a server that cannot be listed, and lists the others", async () => {
    const project = await makeProject({ servers: { shop, away } });
    const unlocked = await project.runJson("list --live shop");
    expect(marksOf(unlocked.document)).toEqual({ "cancel-order": "unlocked", "find-orders": "unlocked" });
    expect(unlocked.document).not.toHaveProperty("servers.0.contract");
    await project.prints("pull", 3);
    const unverified = [{ server: "away" }];
    await project.reports("list --live", { exitCode: 3, servers: [{ server: "shop" }], unverified });
    await project.prints("list --live", 3, "Not verified:\n  away:");
    await project.refuses("list --env production", "--env requires --live");
    const adHoc = ["list", "--live", "--env", "x", "--server", "node server.js"];
    await project.refuses(adHoc, "--env requires a configured server");
    await project.refuses("list --live nothing");
  });
});

describe("list --raw", () => {
  it("prints a tool list that diff and the file key read", async () => {
    const project = await makeProject({ servers: { shop } });
    const { stdout } = await project.prints("list --live --raw", 0);
    expect(JSON.parse(stdout)).toMatchObject({
      serverInfo: { name: expect.any(String) as string },
      tools: [{ name: "cancel-order", inputSchema: { type: "object" } }, { name: "find-orders" }],
    });
    await project.write("tools.json", stdout);
    const same = await project.runJson("diff tools.json shop");
    expect(same.document).toMatchObject({ exitCode: 0, changes: [] });
    const removed = await project.runJson("diff tools.json shop", { DRIFT: "tool-removed" });
    expect(removed.document).toMatchObject({ exitCode: 1, changes: [{ rule: "tool-removed" }] });
    await project.write("mcp-codegen.config.json", '{"servers":{"shop":{"file":"tools.json"}}}');
    await project.run("pull");
    expect((await project.run("list --raw")).stdout).toBe(stdout); // from the lock
  });

  it("prints no list of a server that cannot be listed, or of several, and is suggested by diff", async () => {
    const project = await makeProject({ servers: { shop, away } });
    const failed = await project.prints("list away --live --raw", 3, /^$/);
    expect(failed.stderr).toContain("away:");
    const says = '--raw prints the tool list of one server; found "shop", "away".';
    expect((await project.refuses("list --live --raw", says)).stdout).toBe("");
    await project.refuses("list --raw --tokens", "--raw cannot be used with --tokens");
    await project.write("list.json", (await project.run("list shop --live --json")).stdout);
    await project.refuses("diff list.json shop", "npx mcp-codegen list <server> --live --raw");
  });
});
