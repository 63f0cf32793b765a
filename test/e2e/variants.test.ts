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

const configure = (project: Project, shop: object): Promise<void> => project.configure({ servers: { shop } });

async function configured(shop: object): Promise<Project> {
  const project = await makeProject();
  await configure(project, shop);
  return project.withEnv(ENV);
}

describe("variants of a server", () => {
  it("are locked once, with who lists what, and stay byte for byte", async () => {
    const project = await configured(await startShop());
    await project.prints("pull", 0);
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
    await project.prints("pull", 0, "shop unchanged, 4 tools");
    expect(await project.read(LOCKFILE_NAME)).toBe(before);
    for (const line of ["check", "check --offline", "check --full --offline"]) await project.prints(line, 0);
  });

  it("by flags of a command are locked too", async () => {
    const own = fixtureCommand("views");
    const readOnly = { args: [...own.args, "--read-only", "yes"] };
    const project = await configured({ ...own, variants: { readOnly } });
    await project.prints("pull", 0);
    expect((await project.locked("shop")).tools["remove"]?.views).toEqual(["default"]);
    expect(await project.read("generated/shop/remove.ts")).toContain("Not in variant `readOnly`.");
  });

  it("are each listed once while nothing has changed", async () => {
    const { url, ...shop } = await startShop();
    const proxy = await startFaultProxy(url, () => "none");
    onTestFinished(() => proxy.close());
    const project = await configured({ ...shop, url: proxy.url });
    await project.run("pull");
    const lists = (): number => proxy.requests.filter(({ method }) => method === "tools/list").length;
    const before = lists();
    await project.prints("check", 0);
    expect(lists() - before).toBe(2);
  });

  it("that lose a tool, or whose definition changes, are found", async () => {
    const project = await configured(await startShop());
    await project.run("pull");
    await configure(project, await startShop("--lose", "yes"));
    const lost = /breaking {2}- remove {2}"admin" \[variant-tool-removed\]/;
    expect((await project.prints("check", 1, lost)).stdout).not.toContain("[tool-removed]");
    const variants = { other: { headers: { "x-a": { value: "b", public: true } } } };
    await configure(project, { ...(await startShop()), variants });
    await project.prints("check", 1, "[variant-removed]", "[variant-added]", "[tool-removed]");
  });

  it("that cannot be listed leave the lock as it is", async () => {
    const shop = await startShop();
    const project = await configured(shop);
    await project.run("pull");
    const before = await project.read(LOCKFILE_NAME);
    await configure(project, { ...shop, variants: { admin: { url: "http://127.0.0.1:9/mcp" } } });
    const says = 'Variant "admin": The server at "http://127.0.0.1:9/mcp" cannot be reached';
    await project.prints("pull", 3, says);
    expect(await project.read(LOCKFILE_NAME)).toBe(before);
  });

  it("are not compared with the list of another account", async () => {
    const { url } = await startShop();
    const asUser = (value: string): object => ({
      url,
      variants: {
        admin: { auth: { basic: { username: { value, public: true }, password: "${ADMIN_TOKEN}" } } },
      },
    });
    const project = await configured(asUser("anna"));
    await project.prints("pull", 0);
    await configure(project, asUser("otto"));
    await project.run("generate");
    const says = 'Variant "admin": The lock was made as "anna", and this list as "otto"';
    await project.prints("check", 3, says, "npx mcp-codegen pull shop");
    // Reviewing the other list updates the account.
    for (const line of ["pull", "check"]) await project.prints(line, 0);
  });

  it("select an account and a type in generated code", async () => {
    const project = await makeProject();
    await configure(project, { ...(await startShop()), auth: { bearer: "${TOKEN}" } });
    await project.run("pull", { ...ENV, TOKEN: "t" });
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
