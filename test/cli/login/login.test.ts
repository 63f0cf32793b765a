import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject, type Project } from "../../e2e/make-project.js";
import {
  startProtected,
  type ProtectedOptions,
  type ProtectedServer,
} from "../../servers/start-protected.js";
import { logIn } from "./log-in.js";

interface World {
  readonly shop: ProtectedServer;
  readonly project: Project;
  readonly env: Record<string, string>;
  readonly logins: () => Promise<readonly Record<string, unknown>[]>;
}

async function makeWorld(
  auth?: (shop: ProtectedServer) => object,
  options?: ProtectedOptions,
): Promise<World> {
  const shop = await startProtected(options);
  const own = auth?.(shop);
  const config = {
    output: false,
    servers: { shop: { url: shop.url, ...(own !== undefined && { auth: own }) } },
  };
  const [project, home] = [await makeProject(config), await makeProject()];
  const folder = join(home.dir, "mcp-codegen", "logins");
  return {
    shop,
    project,
    env: { XDG_STATE_HOME: home.dir, CI: "" },
    logins: async () => {
      const names = await readdir(folder);
      const texts = names.map((name) => readFile(join(folder, name), "utf8"));
      return (await Promise.all(texts)).map((text) => JSON.parse(text) as Record<string, unknown>);
    },
  };
}

describe("a server that requires a login", () => {
  it("is refused with the command that logs in", async () => {
    const { project, env } = await makeWorld();
    const outcome = await project.run(["pull"], env);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stdout + outcome.stderr).toMatch(/requires a login \(HTTP 401\)/);
    expect(outcome.stdout + outcome.stderr).toContain('Run "npx mcp-codegen login shop".');
  });

  it("is refused with the ways for CI in CI", async () => {
    const { project, env } = await makeWorld();
    const outcome = await project.run(["pull", "--dry-run"], { ...env, CI: "true" });
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stdout + outcome.stderr).toContain(
      "clientId, clientSecret and issuer under servers.shop.auth",
    );
  });

  it("is listed after a login, with a registered client", async () => {
    const { project, env, shop, logins } = await makeWorld();
    const login = await logIn("shop", { cwd: project.dir, env });
    expect(login).toMatchObject({ exitCode: 0 });
    expect(login.stdout).toContain('Logged in to "shop".');
    const pull = await project.run(["pull"], env);
    expect(pull).toMatchObject({ exitCode: 0 });
    const lock = JSON.parse(await project.read("mcp-codegen.lock.json")) as {
      servers: { shop: { listing: unknown } };
    };
    expect(lock.servers.shop.listing).toMatchObject({ scopes: ["tools:read"] });
    expect(await project.run(["check"], env)).toMatchObject({ exitCode: 0 });
    expect(shop.tokenRequests[0]?.get("code_verifier")).toMatch(/^[\w.~-]{43,128}$/);
    expect(shop.tokenRequests[0]?.get("resource")).toBe(shop.url);
    expect(await logins()).toMatchObject([{ issuer: shop.issuer, resource: shop.url }]);
  });

  it("is listed after a login with a client that is registered already", async () => {
    const { project, env, shop } = await makeWorld(() => ({ type: "oauth", clientId: "known" }));
    expect(await logIn("shop", { cwd: project.dir, env })).toMatchObject({ exitCode: 0 });
    expect(shop.clients).toEqual(["known"]);
    expect(await project.run(["pull"], env)).toMatchObject({ exitCode: 0 });
  });
});
