import process from "node:process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { openLoginStore } from "../../../../src/files/login-store.js";
import { makeProject } from "../../../e2e/make-project.js";
import { BIN } from "../../../serve/start-serve.js";
import { startProtected } from "../../../servers/start-protected.js";
import { containing, editLogin, makeWorld } from "./make-world.js";

describe("a login", () => {
  it("is refreshed when the server refuses its token, and before the token expires", async () => {
    const { logIn, run, shop, logins, expireToken, folder } = await makeWorld();
    await logIn();
    const [before] = await logins();
    await expireToken();
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
    const types = shop.tokenRequests.map((form) => form.get("grant_type"));
    expect(types).toEqual(["authorization_code", "refresh_token"]);
    expect(shop.tokenRequests[1]?.get("resource")).toBe(shop.url);
    const [after] = await logins();
    expect(after?.accessToken).not.toBe(before?.accessToken);
    expect(after?.refreshToken).not.toBe(before?.refreshToken);
    await editLogin(folder, (login) => ({ ...login, expiresAt: Date.now() + 1000 }));
    const refused = shop.received.length;
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
    expect(shop.tokenRequests).toHaveLength(3);
    expect(new Set(shop.received.slice(refused))).toHaveProperty("size", 1);
  });

  it("that was revoked, or has no refresh token, is reported with the command that logs in", async () => {
    const { logIn, run, shop, logins, expireToken, folder } = await makeWorld();
    await logIn();
    const [login] = await logins();
    await expireToken();
    await (await shop.provider.RefreshToken.find(login?.refreshToken ?? ""))?.destroy();
    const { exitCode, text } = await run("pull");
    expect(exitCode).toBe(3);
    expect(text).toMatch(
      /The login for the server at "[^"]*" has expired or was revoked, and cannot be refreshed\./,
    );
    expect(text).toContain('Run "npx mcp-codegen login shop".');
    expect((await run("login", "--list")).text).toMatch(/token +expired\n/);
    expect(await logIn()).toMatchObject({ exitCode: 0 });
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
    await expireToken();
    await editLogin(folder, (saved) => ({ ...saved, refreshToken: undefined }));
    expect(await run("pull")).toMatchObject({ exitCode: 3, text: containing("cannot be refreshed") });
  });

  it("is not refreshed at another issuer", async () => {
    const { logIn, run, shop, expireToken } = await makeWorld();
    await logIn();
    await expireToken();
    const other = await startProtected();
    shop.namedIssuer = other.issuer;
    const { exitCode, text } = await run("pull");
    expect(exitCode).toBe(3);
    expect(text).toContain(`names the authorization server "${other.issuer}", not "${shop.issuer}"`);
    expect(other.tokenRequests).toEqual([]);
  });

  it("is not used if the configuration names another issuer", async () => {
    const { logIn, run, shop, project, env } = await makeWorld();
    await logIn();
    const before = shop.received.length;
    const auth = { type: "oauth", issuer: "https://login.example.com" };
    await project.configure({ output: false, servers: { shop: { url: shop.url, auth } } });
    expect(await run("pull")).toMatchObject({ exitCode: 3, text: containing("requires a login") });
    expect(shop.received).toHaveLength(before);
    expect(await run("login", "--list", "shop")).toMatchObject({ exitCode: 1 });
    const { document } = await project.runJson("login --list", env);
    expect(document).toMatchObject({ logins: [{ servers: [] }] });
    expect(await run("doctor")).toMatchObject({ text: containing('You are not logged in to "shop".') });
    expect(await run("login", "--out", "shop")).toMatchObject({ text: containing("Logged out") });
  });

  it("for the URL of an environment or a variant is listed with the server", async () => {
    const { logIn, shop, project, env } = await makeWorld();
    await logIn();
    const [at, far] = [{ url: shop.url }, { url: "http://127.0.0.1:9/mcp" }];
    const servers = {
      environment: { ...far, environments: { next: at } },
      variant: { ...far, variants: { admin: at } },
      both: { ...far, environments: { next: at }, variants: { admin: {} } },
      neither: { ...far, environments: { next: far }, variants: { admin: far } },
    };
    await project.configure({ output: false, servers });
    const logins = [{ servers: ["environment", "variant", "both"] }];
    await project.withEnv(env).reports("login --list", { logins });
  });

  it("is asked for at most twice when the server refuses every token", async () => {
    const { logIn, run, shop } = await makeWorld();
    await logIn();
    shop.refusesAll = true;
    const before = shop.requests;
    const text = containing("refused the token (HTTP 401)");
    expect(await run("pull")).toMatchObject({ exitCode: 3, text });
    expect(shop.tokenRequests).toHaveLength(2);
    expect(shop.requests - before).toBeLessThanOrEqual(4);
  });

  it("gets further scopes by another login, which check reports", async () => {
    const { logIn, run, shop } = await makeWorld();
    await logIn();
    await run("pull");
    shop.scopes = ["tools:read", "tools:write"];
    const refused = await run("check");
    expect(refused.exitCode).toBe(3);
    expect(refused.text).toContain('requires a login with the scopes "tools:read", "tools:write".');
    const whoami = await run("login", "--list");
    expect(whoami.text).toMatch(/scopes +tools:read\n/);
    expect(whoami.text).toMatch(/missing +tools:write: the next login requests them\n/);
    expect(await logIn()).toMatchObject({ exitCode: 0 });
    const { exitCode, text } = await run("check");
    expect(exitCode).toBe(1);
    expect(text).toContain("server-scope-added");
    expect(text).toContain("tools:write");
    expect((await run("login", "--list")).text).toMatch(/scopes +tools:read tools:write\n/);
  });

  it("gets the scopes that a call needs, which are not those of the list", async () => {
    const { logIn, run, shop } = await makeWorld();
    await logIn();
    await run("pull");
    shop.callScopes = ["tools:write"];
    const refused = await run("call", "list_orders");
    expect(refused).toMatchObject({ exitCode: 3, text: containing('"tools:write"') });
    expect(await logIn()).toMatchObject({ exitCode: 0 });
    expect(await run("call", "list_orders")).toMatchObject({ exitCode: 0 });
    expect(await run("check")).toMatchObject({ exitCode: 0 });
  });

  it("is refreshed once by three processes", async () => {
    const { logIn, project, env, shop, logins, expireToken } = await makeWorld();
    await logIn();
    await expireToken();
    const before = shop.received.length;
    // The first refresh is answered when the server has refused the old token of all processes.
    shop.beforeToken = () => vi.waitUntil(() => shop.received.length >= before + 3, { timeout: 20_000 });
    const codes = [1, 2, 3].map(async () => {
      const options = {
        cwd: project.dir,
        env: { PATH: process.env["PATH"], ...env },
        stdio: "ignore",
      } as const;
      const child = spawn(process.execPath, [BIN, "pull", "--dry-run"], options);
      return ((await once(child, "exit")) as [number])[0];
    });
    expect(await Promise.all(codes)).toEqual([0, 0, 0]);
    const types = shop.tokenRequests.map((form) => form.get("grant_type"));
    expect(types).toEqual(["authorization_code", "refresh_token"]);
    const [login] = await logins();
    const saved = await shop.provider.RefreshToken.find(login?.refreshToken ?? "");
    expect(saved).toMatchObject({ isExpired: false });
  });

  it("is shown without tokens, and ends with logout", async () => {
    const { logIn, run, shop, logins, project, env } = await makeWorld();
    await logIn();
    const [login] = await logins();
    const { text } = await run("login", "--list");
    expect(text).toContain(`shop (${shop.url})`);
    expect(text).toMatch(/token +59 min left, refreshed automatically/);
    expect(text).not.toContain(login?.accessToken);
    const user = project.withEnv(env);
    await user.reports("login --list shop", {
      logins: [{ servers: ["shop"], issuer: shop.issuer, scopes: ["tools:read"] }],
    });
    await user.prints("login --out shop", 0, /^Logged out of "shop"\. The tokens are revoked\.\n$/);
    expect(await shop.provider.RefreshToken.find(login?.refreshToken ?? "")).toBeUndefined();
    await user.reports("login --out shop", { wasLoggedIn: false });
    expect(await run("login", "--list", "shop")).toMatchObject({ exitCode: 1 });
  });
});

it("a saved login of another user is refused", async () => {
  const { logIn, folder } = await makeWorld();
  await logIn();
  const store = openLoginStore({ dir: folder, now: () => 0, uid: 4242, host: "h" });
  await expect(store.readAll()).rejects.toThrow("belongs to another user");
});

describe("client credentials", () => {
  const robot = (shop: { readonly issuer: string }): object => ({
    type: "oauth",
    clientId: "robot",
    clientSecret: "${ROBOT_SECRET}",
    issuer: shop.issuer,
  });
  const secret = { ROBOT_SECRET: "robot-secret-marker", CI: "true" };

  it("list, check and call a server without a login, and report further scopes", async () => {
    const { project, env, shop } = await makeWorld(robot);
    const inCi = project.withEnv({ ...env, ...secret });
    for (const line of ["pull --no-frozen", "check", "call list_orders"]) await inCi.prints(line, 0);
    expect(await project.read("mcp-codegen.lock.json")).toContain('"tools:read"');
    expect(shop.tokenRequests[0]?.get("grant_type")).toBe("client_credentials");
    shop.scopes = ["tools:read", "tools:write"];
    await inCi.prints("check", 1, "server-scope-added");
  });

  it("replace a saved login that has ended", async () => {
    const { project, env, shop, logIn, logins, expireToken, folder } = await makeWorld();
    await logIn();
    await project.configure({ output: false, servers: { shop: { url: shop.url, auth: robot(shop) } } });
    const [login] = await logins();
    await expireToken();
    await (await shop.provider.RefreshToken.find(login?.refreshToken ?? ""))?.destroy();
    const inCi = project.withEnv({ ...env, ...secret });
    await inCi.prints("list shop --live", 0);
    await editLogin(folder, (saved) => ({ ...saved, expiresAt: Date.now() - 1000 }));
    await inCi.prints("list shop --live", 0);
  });

  it("get no scopes beyond the configured ones", async () => {
    const { project, env, shop } = await makeWorld((one) => ({ ...robot(one), scopes: ["tools:read"] }));
    shop.scopes = ["tools:write"];
    const { exitCode, stdout, stderr } = await project.run(["pull", "--dry-run"], { ...env, ...secret });
    expect(exitCode).toBe(3);
    expect(stdout + stderr).toContain("Add them to servers.shop.auth.scopes if you agree.");
  });

  it.each([
    ["a wrong secret", { ROBOT_SECRET: "wrong-secret" }, '"invalid_client"'],
    ["no secret", {}, "ROBOT_SECRET"],
  ])("report %s", async (_what, variables, message) => {
    const { project, env } = await makeWorld(robot);
    const { stdout, stderr } = await project.run(["pull", "--dry-run"], { ...env, CI: "true", ...variables });
    expect(stdout + stderr).toContain(message);
    expect(stdout + stderr).not.toContain("wrong-secret");
  });

  it("go to the configured issuer only", async () => {
    const { project, env, shop } = await makeWorld(robot);
    const other = await startProtected();
    shop.namedIssuer = other.issuer;
    expect(await project.run(["pull", "--dry-run"], { ...env, ...secret })).toMatchObject({ exitCode: 3 });
    expect(other.tokenRequests).toEqual([]);
  });

  it("need an issuer, and a secret from a variable", async () => {
    const auth = { type: "oauth", clientId: "robot", clientSecret: "literal" };
    const project = await makeProject({ servers: { shop: { url: "https://shop.example.com/mcp", auth } } });
    await project.refuses("pull", '"clientSecret" needs "clientId" and "issuer"');
  });
});
