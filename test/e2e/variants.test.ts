import { describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { startFaultProxy } from "../servers/fault-proxy.js";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { runTypeScript } from "./user-project.js";
import { LOCKFILE_NAME, makeProject, type Project } from "./make-project.js";

const ENV = { ADMIN_TOKEN: "admin-token" };

/** A server with an account that sees more, over HTTP. */
async function startShop(
  ...args: readonly string[]
): Promise<{ readonly url: string; readonly variants: JsonObject }> {
  const server = await startFixture("views", { args });
  onTestFinished(() => server.close());
  return { url: server.url, variants: { admin: { auth: { bearer: "${ADMIN_TOKEN}" } } } };
}

async function configure(project: Project, shop: object): Promise<void> {
  await project.configure({ servers: { shop } });
}

describe("variants of a server", () => {
  it("are locked once, with who lists what, and stay byte for byte", async () => {
    const project = await makeProject();
    await configure(project, await startShop());
    await project.withEnv(ENV).prints(["pull"], 0);
    const { variants, tools } = await project.locked("shop");
    expect(Object.keys(variants ?? {})).toEqual(["admin"]);
    expect(Object.entries(tools).map(([name, { views }]) => [name, views])).toEqual([
      ["audit", ["admin"]],
      ["list", undefined],
      ["remove", undefined],
      ["search", undefined],
    ]);
    expect(tools["search"]?.differs).toMatchObject({
      admin: { inputSchema: { properties: { deleted: {} } } },
    });
    const before = await project.read(LOCKFILE_NAME);
    expect((await project.run(["pull"], ENV)).stdout).toContain("shop unchanged, 4 tools");
    expect(await project.read(LOCKFILE_NAME)).toBe(before);
    for (const argv of [["check"], ["check", "--offline"], ["check", "--full", "--offline"]])
      await project.withEnv(ENV).prints(argv, 0);
  });

  it("by flags of a command are locked too", async () => {
    const project = await makeProject();
    const own = fixtureCommand("views");
    const readOnly = { args: [...own.args, "--read-only", "yes"] };
    await configure(project, { ...own, variants: { readOnly } });
    await project.prints(["pull"], 0);
    expect((await project.locked("shop")).tools["remove"]?.views).toEqual(["default"]);
    expect(await project.read("generated/shop/remove.ts")).toContain("Not in variant `readOnly`.");
  });

  it("are each listed once while nothing has changed", async () => {
    const project = await makeProject();
    const { url, ...shop } = await startShop();
    const proxy = await startFaultProxy(url, () => "none");
    onTestFinished(() => proxy.close());
    await configure(project, { ...shop, url: proxy.url });
    await project.run(["pull"], ENV);
    const lists = (): number => proxy.requests.filter(({ method }) => method === "tools/list").length;
    const before = lists();
    await project.withEnv(ENV).prints(["check"], 0);
    expect(lists() - before).toBe(2);
  });

  it("that lose a tool, or whose definition changes, are found", async () => {
    const project = await makeProject();
    await configure(project, await startShop());
    await project.run(["pull"], ENV);
    await configure(project, await startShop("--lose", "yes"));
    const { stdout } = await project
      .withEnv(ENV)
      .prints(["check"], 1, /breaking {2}- remove {2}"admin" \[variant-tool-removed\]/);
    expect(stdout).not.toContain("[tool-removed]");
    const shop = await startShop();
    await configure(project, {
      ...shop,
      variants: { other: { headers: { "x-a": { value: "b", public: true } } } },
    });
    const changed = await project.run(["check"], ENV);
    expect(changed.stdout).toContain("[variant-removed]");
    expect(changed.stdout).toContain("[variant-added]");
    expect(changed.stdout).toContain("[tool-removed]");
  });

  it("that cannot be listed leave the lock as it is", async () => {
    const project = await makeProject();
    const shop = await startShop();
    await configure(project, shop);
    await project.run(["pull"], ENV);
    const before = await project.read(LOCKFILE_NAME);
    await configure(project, {
      ...shop,
      variants: { admin: { url: "http://127.0.0.1:9/mcp", timeouts: undefined } },
    });
    await project
      .withEnv(ENV)
      .prints(["pull"], 3, 'Variant "admin": The server at "http://127.0.0.1:9/mcp" cannot be reached');
    expect(await project.read(LOCKFILE_NAME)).toBe(before);
  });

  it("are not compared with the list of another account", async () => {
    const project = await makeProject();
    const { url } = await startShop();
    const asUser = (username: string): object => ({
      url,
      variants: {
        admin: {
          auth: { basic: { username: { value: username, public: true }, password: "${ADMIN_TOKEN}" } },
        },
      },
    });
    await configure(project, asUser("anna"));
    await project.withEnv(ENV).prints(["pull"], 0);
    await configure(project, asUser("otto"));
    await project.run(["generate"]);
    await project
      .withEnv(ENV)
      .prints(
        ["check"],
        3,
        'Variant "admin": The lock was made as "anna", and this list as "otto"',
        "npx mcp-codegen pull shop",
      );
    // Reviewing the other list updates the account.
    await project.withEnv(ENV).prints(["pull"], 0);
    await project.withEnv(ENV).prints(["check"], 0);
  });

  it("select an account and a type in generated code", async () => {
    const project = await makeProject();
    await configure(project, { ...(await startShop()), auth: { bearer: "${TOKEN}" } });
    await project.run(["pull"], { ...ENV, TOKEN: "t" });
    expect(await project.read("generated/shop/audit.ts")).toContain("Only in variant `admin`.");
    const program = `import { connect } from "./generated/shop/index.js";
       const [own, admin] = [connect(), connect({ variant: "admin" })];
       // @ts-expect-error Only the variant has it.
       own.audit;
       // @ts-expect-error There is no such variant.
       connect({ variant: "other" });
       console.log(JSON.stringify([(await own.list({ id: 1 })).text, (await admin.audit({ id: 1 })).text]));
       await own.close();
       await admin.close();`;
    const env = { ...ENV, TOKEN: "t" };
    expect(await runTypeScript(project, program, { env })).toEqual([
      "list as Bearer t",
      "audit as Bearer admin-token",
    ]);
  });
});
