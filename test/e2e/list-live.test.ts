import { describe, expect, it } from "vitest";
import { complaints } from "../report/schemas.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject, makePulled } from "./make-project.js";

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
    ["none", { "cancel-order": undefined, "find-orders": undefined }, 2],
    ["tool-added", { "cancel-order": undefined, "find-orders": undefined, "refund-order": "unlocked" }, 3],
    ["tool-removed", { "cancel-order": "gone", "find-orders": undefined }, 1],
    ["tool-description-changed", expect.objectContaining({ "cancel-order": "different" }) as unknown, 2],
  ])("marks tools that differ from the lock after %s, and writes nothing", async (drift, marks, tools) => {
    const project = await makePulled({ servers: { shop } });
    const lock = await project.read("mcp-codegen.lock.json");
    const { document, exitCode } = await project.runJson(["list", "--live"], { DRIFT: drift });
    expect(exitCode).toBe(0);
    expect(complaints(document)).toEqual([]);
    expect(document).toMatchObject({
      servers: [{ server: "shop", contract: "1.0.0", tools }],
      unverified: [],
    });
    expect(marksOf(document)).toEqual(marks);
    expect(await project.read("mcp-codegen.lock.json")).toBe(lock);
  });

  it("prints the marks, and counts them", async () => {
    const project = await makePulled({ servers: { shop } });
    const { stdout } = await project.run(["list", "--live"], { DRIFT: "tool-removed" });
    expect(stdout).toMatch(/^shop contract 1\.0\.0, 1 tool, .* tokens, 1 gone$/m);
    expect(stdout).toMatch(/^ +cancel-order\(.*\) .* gone$/m);
    const { stdout: tokens } = await project.run(["list", "--live", "--tokens"], { DRIFT: "tool-removed" });
    expect(tokens).toMatch(/^ +cancel-order .* gone$/m);
  });

  it("lists one environment, or all of them", async () => {
    const project = await makePulled({ servers: { shop } });
    const env = { PRODUCTION: "tool-removed" };
    const one = await project.runJson(["list", "--live", "--env", "production", "shop"], env);
    expect(one.document).toMatchObject({
      servers: [{ server: "shop", environment: "production", tools: 1 }],
    });
    const all = await project.runJson(["list", "--live", "--env", "all"], env);
    expect(all.document).toMatchObject({
      servers: [
        { server: "shop", tools: 2 },
        { server: "shop", environment: "production", tools: 1 },
      ],
    });
    const { stdout } = await project.run(["list", "--live", "--env", "production"], env);
    expect(stdout).toContain("shop (production) contract 1.0.0, 1 tool");
  });

  it("lists everything as unlocked without a lock", async () => {
    const project = await makeProject({ servers: { shop } });
    const { document, exitCode } = await project.runJson(["list", "--live", "--server", "shop"]);
    expect(exitCode).toBe(0);
    expect(marksOf(document)).toEqual({ "cancel-order": "unlocked", "find-orders": "unlocked" });
    expect(document).not.toHaveProperty("servers.0.contract");
  });

  it("exits 3 and names a server that cannot be listed, and lists the others", async () => {
    const project = await makeProject({ servers: { shop, away } });
    await project.prints(["pull"], 3);
    const { document, exitCode } = await project.runJson(["list", "--live"]);
    expect(exitCode).toBe(3);
    expect(complaints(document)).toEqual([]);
    expect(document).toMatchObject({ servers: [{ server: "shop" }], unverified: [{ server: "away" }] });
    expect((await project.run(["list", "--live"])).stdout).toContain("Not verified:\n  away:");
  });

  it("rejects --env without --live, and for a server without environments", async () => {
    const project = await makeProject({ servers: { shop } });
    await project.refuses(["list", "--env", "production"], "--env requires --live");
    const adHoc = await project.run(["list", "--live", "--env", "x", "--server", "node server.js"]);
    expect(adHoc.stderr).toContain("--env requires a configured server");
    expect(await project.run(["list", "--live", "nothing"])).toMatchObject({ exitCode: 2 });
  });
});

describe("list --raw", () => {
  it("prints a tool list that diff and the file key read", async () => {
    const project = await makeProject({ servers: { shop } });
    const { stdout } = await project.prints(["list", "--live", "--raw"], 0);
    expect(JSON.parse(stdout)).toMatchObject({
      serverInfo: { name: expect.any(String) as string },
      tools: [{ name: "cancel-order", inputSchema: { type: "object" } }, { name: "find-orders" }],
    });
    await project.write("tools.json", stdout);
    const same = await project.runJson(["diff", "tools.json", "shop"]);
    expect(same.document).toMatchObject({ exitCode: 0, changes: [] });
    const removed = await project.runJson(["diff", "tools.json", "shop"], { DRIFT: "tool-removed" });
    expect(removed.document).toMatchObject({ exitCode: 1, changes: [{ rule: "tool-removed" }] });
    await project.write("mcp-codegen.config.json", '{"servers":{"shop":{"file":"tools.json"}}}');
    await project.run(["pull"]);
    expect((await project.run(["list", "--raw"])).stdout).toBe(stdout); // from the lock
  });

  it("prints the server's list, not the lock", async () => {
    const project = await makePulled({ servers: { shop } });
    const { stdout } = await project.run(["list", "shop", "--live", "--raw"], { DRIFT: "tool-removed" });
    expect(stdout).not.toContain("cancel-order");
  });

  it("prints no list of a server that cannot be listed, or of several", async () => {
    const project = await makeProject({ servers: { shop, away } });
    const failed = await project.run(["list", "away", "--live", "--raw"]);
    expect(failed).toMatchObject({ exitCode: 3, stdout: "" });
    expect(failed.stderr).toContain("away:");
    const several = await project.run(["list", "--live", "--raw"]);
    expect(several).toMatchObject({ exitCode: 2, stdout: "" });
    expect(several.stderr).toContain('--raw prints the tool list of one server; found "shop", "away".');
    await project.run(["pull"]);
    await project.refuses(["list", "--raw", "--tokens"], "--raw cannot be used with --tokens");
  });

  it("is suggested by diff for a document without a tool list", async () => {
    const project = await makeProject({ servers: { shop } });
    const { stdout } = await project.run(["list", "--live", "--json"]);
    await project.write("list.json", stdout);
    await project.refuses(["diff", "list.json", "shop"], "npx mcp-codegen list <server> --live --raw");
  });
});
