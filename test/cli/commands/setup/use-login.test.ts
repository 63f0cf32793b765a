import process from "node:process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { openLoginStore } from "../../../../src/files/login-store.js";
import { makeProject } from "../../../e2e/make-project.js";
import { startProtected } from "../../../servers/start-protected.js";
import { containing, editLogin, makeWorld } from "./make-world.js";

const BIN = fileURLToPath(new URL("../../../../bin/mcp-codegen.js", import.meta.url));

describe("a login", () => {
  it("is refreshed when the server refuses its token", async () => {
    const { logIn, run, shop, logins, expireToken } = await makeWorld();
    await logIn();
    const [before] = await logins();
    await expireToken();
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
    expect(shop.tokenRequests.map((form) => form.get("grant_type"))).toEqual([
      "authorization_code",
      "refresh_token",
    ]);
    expect(shop.tokenRequests[1]?.get("resource")).toBe(shop.url);
    const [after] = await logins();
    expect(after?.accessToken).not.toBe(before?.accessToken);
    expect(after?.refreshToken).not.toBe(before?.refreshToken);
  });

  it("is refreshed before its token expires", async () => {
    const { logIn, run, shop, folder } = await makeWorld();
    await logIn();
    await editLogin(folder, (login) => ({ ...login, expiresAt: Date.now() + 1000 }));
    const refused = shop.received.length;
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
    expect(shop.tokenRequests).toHaveLength(2);
    expect(new Set(shop.received.slice(refused))).toHaveProperty("size", 1);
  });

  it("that was revoked is reported with the command that logs in", async () => {
    const { logIn, run, shop, logins, expireToken } = await makeWorld();
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
  });

  it("without a refresh token is reported when its token expires", async () => {
    const { logIn, run, folder, expireToken } = await makeWorld();
    await logIn();
    await expireToken();
    await editLogin(folder, (login) => ({ ...login, refreshToken: undefined }));
    expect(await run("pull")).toMatchObject({
      exitCode: 3,
      text: containing("cannot be refreshed"),
    });
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
    expect(await project.runJson(["login", "--list"], env)).toMatchObject({
      document: { logins: [{ servers: [] }] },
    });
    expect(await run("doctor")).toMatchObject({ text: containing('You are not logged in to "shop".') });
    expect(await run("login", "--out", "shop")).toMatchObject({ text: containing("Logged out") });
  });

  it("for the URL of an environment or a variant is listed with the server", async () => {
    const { logIn, shop, project, env } = await makeWorld();
    await logIn();
    const at = { url: shop.url };
    const far = { url: "http://127.0.0.1:9/mcp" };
    await project.configure({
      output: false,
      servers: {
        environment: { ...far, environments: { next: at } },
        variant: { ...far, variants: { admin: at } },
        both: { ...far, environments: { next: { url: at.url } }, variants: { admin: {} } },
        neither: { ...far, environments: { next: far }, variants: { admin: far } },
      },
    });
    const { document } = await project.runJson(["login", "--list"], env);
    expect(document).toMatchObject({ logins: [{ servers: ["environment", "variant", "both"] }] });
  });

  it("of another issuer replaces the login for the same server", async () => {
    const { logIn, folder, logins } = await makeWorld();
    await logIn();
    const store = openLoginStore({ dir: folder, now: () => 0, uid: process.getuid?.(), host: "h" });
    const [login] = await logins();
    if (login === undefined) throw new Error("There is no login.");
    await store.save({ ...login, issuer: "https://login.example.com" });
    expect(await logins()).toMatchObject([{ issuer: "https://login.example.com" }]);
  });

  it("is asked for at most twice when the server refuses every token", async () => {
    const { logIn, run, shop } = await makeWorld();
    await logIn();
    shop.refusesAll = true;
    const before = shop.requests;
    expect(await run("pull")).toMatchObject({
      exitCode: 3,
      text: containing("refused the token (HTTP 401)"),
    });
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
    expect(await run("call", "list_orders")).toMatchObject({
      exitCode: 3,
      text: containing('"tools:write"'),
    });
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
    const codes = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = spawn(process.execPath, [BIN, "pull", "--dry-run"], {
          cwd: project.dir,
          env: { PATH: process.env["PATH"], ...env },
          stdio: "ignore",
        });
        const [code] = (await once(child, "exit")) as [number];
        return code;
      }),
    );
    expect(codes).toEqual([0, 0, 0]);
    expect(shop.tokenRequests.map((form) => form.get("grant_type"))).toEqual([
      "authorization_code",
      "refresh_token",
    ]);
    const [login] = await logins();
    expect(await shop.provider.RefreshToken.find(login?.refreshToken ?? "")).toMatchObject({
      isExpired: false,
    });
  });

  it("is shown without tokens, and ends with logout", async () => {
    const { logIn, run, shop, logins, project, env } = await makeWorld();
    await logIn();
    const [login] = await logins();
    const { text } = await run("login", "--list");
    expect(text).toContain(`shop (${shop.url})`);
    expect(text).toMatch(/token +59 min left, refreshed automatically/);
    expect(text).not.toContain(login?.accessToken);
    const { document } = await project.runJson(["login", "--list", "shop"], env);
    expect(document).toMatchObject({
      logins: [{ servers: ["shop"], issuer: shop.issuer, scopes: ["tools:read"] }],
    });
    expect(await run("login", "--out", "shop")).toMatchObject({
      exitCode: 0,
      text: 'Logged out of "shop". The tokens are revoked.\n',
    });
    expect(await shop.provider.RefreshToken.find(login?.refreshToken ?? "")).toBeUndefined();
    expect((await project.runJson(["login", "--out", "shop"], env)).document).toMatchObject({
      wasLoggedIn: false,
    });
    expect(await run("login", "--list", "shop")).toMatchObject({ exitCode: 1 });
  });
});

describe("a saved login", () => {
  it("of another user is refused", async () => {
    const { logIn, folder } = await makeWorld();
    await logIn();
    const store = openLoginStore({ dir: folder, now: () => 0, uid: 4242, host: "h" });
    await expect(store.readAll()).rejects.toThrow("belongs to another user");
  });

  it.skipIf(process.platform === "win32")("that others can read is refused", async () => {
    const { logIn, run, folder } = await makeWorld();
    await logIn();
    const [name = ""] = await readdir(folder);
    await chmod(join(folder, name), 0o644);
    const { exitCode, text } = await run("login", "--list");
    expect(exitCode).toBe(2);
    expect(text).toContain("can be read or written by other users");
    expect(text).toContain("chmod 600");
  });

  it.skipIf(process.platform === "win32")("that is a link is refused", async () => {
    const { logIn, run, folder } = await makeWorld();
    await logIn();
    const [name = ""] = await readdir(folder);
    await rename(join(folder, name), join(folder, "elsewhere"));
    await symlink(join(folder, "elsewhere"), join(folder, name));
    expect(await run("login", "--list")).toMatchObject({
      exitCode: 2,
      text: containing("is a symbolic link"),
    });
  });

  it("that is damaged is refused", async () => {
    const { logIn, run, folder } = await makeWorld();
    await logIn();
    await editLogin(folder, () => ({ issuer: 1 }));
    expect(await run("pull")).toMatchObject({ text: containing("is damaged") });
  });

  it("goes only to its resource", async () => {
    const dir = (await makeProject()).dir;
    const store = openLoginStore({
      dir: join(dir, "logins"),
      now: () => 0,
      uid: process.getuid?.(),
      host: "h",
    });
    const login = {
      issuer: "https://a.example",
      clientId: "c",
      accessToken: "t",
      scopes: [],
      grantedScopes: [],
    };
    await store.save({ ...login, resource: "https://shop.example.com/mcp" });
    const urls = ["", "/", "/sub", "2", "/../admin"].map((end) => `https://shop.example.com/mcp${end}`);
    const found = await Promise.all(
      [...urls, "http://shop.example.com/mcp", "nonsense"].map((url) => store.find(url)),
    );
    expect(found.map((each) => each !== undefined)).toEqual([true, true, true, false, false, false, false]);
  });
});

describe("client credentials", () => {
  const robot = (shop: { readonly issuer: string }): object => ({
    type: "oauth",
    clientId: "robot",
    clientSecret: "${ROBOT_SECRET}",
    issuer: shop.issuer,
  });
  const secret = { ROBOT_SECRET: "robot-secret-marker", CI: "true" };

  it("list and check a server without a login", async () => {
    const { project, env, shop } = await makeWorld(robot);
    expect(await project.run(["pull", "--no-frozen"], { ...env, ...secret })).toMatchObject({ exitCode: 0 });
    expect(await project.run(["check"], { ...env, ...secret })).toMatchObject({ exitCode: 0 });
    expect(await project.run(["call", "list_orders"], { ...env, ...secret })).toMatchObject({ exitCode: 0 });
    expect(await project.read("mcp-codegen.lock.json")).toContain('"tools:read"');
    expect(shop.tokenRequests[0]?.get("grant_type")).toBe("client_credentials");
  });

  it("replace a saved login that has ended", async () => {
    const { project, env, shop, logIn, logins, expireToken, folder } = await makeWorld();
    await logIn();
    await project.configure({ output: false, servers: { shop: { url: shop.url, auth: robot(shop) } } });
    const [login] = await logins();
    await expireToken();
    await (await shop.provider.RefreshToken.find(login?.refreshToken ?? ""))?.destroy();
    const list = ["list", "shop", "--live"];
    expect(await project.run(list, { ...env, ...secret })).toMatchObject({ exitCode: 0 });
    await editLogin(folder, (saved) => ({ ...saved, expiresAt: Date.now() - 1000 }));
    expect(await project.run(list, { ...env, ...secret })).toMatchObject({ exitCode: 0 });
  });

  it("get further scopes, which check reports", async () => {
    const { project, env, shop } = await makeWorld(robot);
    await project.run(["pull", "--no-frozen"], { ...env, ...secret });
    shop.scopes = ["tools:read", "tools:write"];
    const { exitCode, stdout } = await project.run(["check"], { ...env, ...secret });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("server-scope-added");
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
    const project = await makeProject({
      servers: {
        shop: {
          url: "https://shop.example.com/mcp",
          auth: { type: "oauth", clientId: "robot", clientSecret: "literal" },
        },
      },
    });
    expect((await project.run(["pull"])).stderr).toContain('"clientSecret" needs "clientId" and "issuer"');
  });
});
