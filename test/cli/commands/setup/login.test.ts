import process from "node:process";
import { existsSync, readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeProject } from "../../../e2e/make-project.js";
import { browse, startProtected } from "../../../servers/start-protected.js";
import { logIn, writeBrowser } from "./log-in.js";
import { containing, makeWorld } from "./make-world.js";

const DOCUMENT = "https://client.example.com/mcp-codegen.json";

describe("a server that requires a login", () => {
  it("is refused with the command that logs in, and with the ways for CI in CI", async () => {
    const { run, project, env } = await makeWorld();
    const { exitCode, text } = await run("pull");
    expect(exitCode).toBe(3);
    expect(text).toMatch(/requires a login \(HTTP 401\)/);
    expect(text).toContain('Run "npx mcp-codegen login shop".');
    const inCi = project.withEnv({ ...env, CI: "true" });
    const ways = "clientId, clientSecret and issuer under servers.shop.auth";
    await inCi.prints("pull --dry-run", 3, ways);
    await inCi.refuses("login shop");
  });

  it("is refused in a variant at another URL with the command that logs in to that", async () => {
    const { shop, project, env, logIn } = await makeWorld();
    await logIn();
    const { url } = await startProtected();
    const servers = { shop: { url: shop.url, variants: { admin: { url } } } };
    await project.configure({ output: false, servers });
    const { stdout } = await project.run(["list", "shop", "--live"], env);
    expect(stdout).toContain(`Run "npx mcp-codegen login ${url}".`);
  });

  it("is refused in an environment with the command that logs in there", async () => {
    const { shop, project, env } = await makeWorld();
    const environments = { next: { url: shop.url } };
    const servers = { shop: { url: "http://127.0.0.1:9/mcp", environments } };
    await project.configure({ output: false, servers });
    const argv = ["list", "shop", "--live", "--env", "next"];
    const { stdout } = await project.run(argv, env);
    expect(stdout).toContain('Run "npx mcp-codegen login shop --env next".');
    const inCi = await project.run(argv, { ...env, CI: "true" });
    expect(inCi.stdout).toContain("issuer under servers.shop.environments.next.auth");
    const { stdout: listed } = await project.run(["login", "--list", "shop", "--env", "next"], env);
    expect(listed).toContain('Run "npx mcp-codegen login shop --env next".');
  });
});

describe("login", () => {
  it("registers a client, and saves what later commands need", async () => {
    const { logIn, run, shop, project, logins } = await makeWorld();
    const login = await logIn();
    expect(login).toMatchObject({ exitCode: 0 });
    expect(login.stdout).toContain('Logged in to "shop".');
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
    const lock: unknown = JSON.parse(await project.read("mcp-codegen.lock.json"));
    expect(lock).toMatchObject({ servers: { shop: { listing: { scopes: ["tools:read"] } } } });
    expect(await run("check")).toMatchObject({ exitCode: 0 });
    expect(await run("call", "list_orders", "--yes")).toMatchObject({ exitCode: 0 });
    expect(shop.tokenRequests).toHaveLength(1);
    expect(shop.tokenRequests[0]?.get("code_verifier")).toMatch(/^[\w.~-]{43,128}$/);
    expect(shop.tokenRequests[0]?.get("resource")).toBe(shop.url);
    expect(await logins()).toMatchObject([{ issuer: shop.issuer, resource: shop.url }]);
  });

  it("registers again only for other scopes, and after a login that did not end", async () => {
    const { logIn, shop } = await makeWorld();
    await logIn();
    await logIn();
    shop.scopes = ["tools:read", "tools:write"];
    await logIn();
    await logIn();
    await logIn({ args: ["--wait", "1"], visit: async (page) => void (await browse(page)) });
    await logIn();
    const [first = "", , other = "", , , last = ""] = shop.clients;
    expect(shop.clients).toEqual([first, first, other, other, other, last]);
    expect(new Set(shop.clients).size).toBe(3);
  });

  it("registers again if the port of the registered address is taken", async () => {
    const { logIn, shop, logins } = await makeWorld();
    await logIn();
    const [login] = await logins();
    const other = createServer();
    const port = Number(new URL(login?.redirectUrl ?? "").port);
    await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    expect(await logIn()).toMatchObject({ exitCode: 0 });
    expect(new Set(shop.clients).size).toBe(2);
  });

  it("uses a client that is registered already", async () => {
    const { logIn, run, shop } = await makeWorld(() => ({ type: "oauth", clientId: "known" }));
    expect(await logIn()).toMatchObject({ exitCode: 0 });
    expect(shop.clients).toEqual(["known"]);
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
  });

  it("uses a client metadata document before it registers a client", async () => {
    const document = {
      client_id: DOCUMENT,
      client_name: "mcp-codegen",
      application_type: "native",
      redirect_uris: ["http://127.0.0.1/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
    const configuration = { fetch: () => Promise.resolve(Response.json(document)) };
    const auth = (): object => ({ type: "oauth", clientId: DOCUMENT });
    const { logIn, run, shop } = await makeWorld(auth, { configuration });
    expect(await logIn()).toMatchObject({ exitCode: 0 });
    expect(shop.clients).toEqual([DOCUMENT]);
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
  });

  it("registers a client where metadata documents are not supported", async () => {
    const { logIn, shop } = await makeWorld(() => ({ type: "oauth", clientId: DOCUMENT }), {
      metadata: (metadata) => ({ ...metadata, client_id_metadata_document_supported: false }),
    });
    expect(await logIn()).toMatchObject({ exitCode: 0 });
    expect(shop.clients).not.toContain(DOCUMENT);
  });

  it("logs in to a URL without a configuration, for every project", async () => {
    const { shop, env, project } = await makeWorld();
    const empty = await makeProject();
    expect(await logIn(shop.url, { cwd: empty.dir, env })).toMatchObject({ exitCode: 0 });
    expect(await empty.run(["list", "--server", shop.url], env)).toMatchObject({ exitCode: 0 });
    expect(await project.run(["pull"], env)).toMatchObject({ exitCode: 0 });
    expect(shop.tokenRequests).toHaveLength(1);
  });

  it.skipIf(process.platform === "win32")("opens the page in the browser", async () => {
    const { logIn, env, project } = await makeWorld();
    const opened = join(project.dir, "opened");
    const outcome = await logIn({
      browser: true,
      env: { ...env, BROWSER: await writeBrowser(project.dir, opened) },
      visit: async (page) => {
        await vi.waitUntil(() => existsSync(opened), { timeout: 10_000 });
        expect(readFileSync(opened, "utf8")).toBe(page);
        await (await fetch(await browse(page))).text();
      },
    });
    expect(outcome).toMatchObject({ exitCode: 0 });
  });

  it("saves tokens where only the user can read them", async () => {
    const { logIn, folder } = await makeWorld();
    await logIn();
    const [name = ""] = await readdir(folder);
    expect((await stat(`${folder}/${name}`)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(dirname(folder))).mode & 0o777).toBe(0o700);
  });

  it.each<readonly [what: string, tamper: (redirect: URL) => void, message: RegExp]>([
    ["another issuer", ({ searchParams }) => { searchParams.set("iss", "https://evil.example"); }, /another issuer than the one/], // prettier-ignore
    ["no issuer", ({ searchParams }) => { searchParams.delete("iss"); }, /another issuer than the one/], // prettier-ignore
    ["another code", ({ searchParams }) => { searchParams.set("code", "guess"); }, /issued no token .*"invalid_grant"/], // prettier-ignore
    ["an error with hostile text", ({ searchParams }) => { searchParams.delete("code"); searchParams.set("error", "<b>evil"); }, /was refused by the authorization server\./], // prettier-ignore
  ])("refuses an answer with %s", async (_what, tamper, message) => {
    const { logIn, run } = await makeWorld();
    const { exitCode, stderr } = await logIn({ tamper });
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/evil|guess/);
    expect(await run("login", "--list")).toMatchObject({ text: "You are not logged in to any server.\n" });
  });

  it("goes on after answers to other logins and malformed requests", async () => {
    const { logIn, logins } = await makeWorld();
    const { exitCode, stdout } = await logIn({
      visit: async (page) => {
        const redirect = await browse(page);
        const other = new URL(redirect);
        other.searchParams.set("state", "guess");
        for (const url of [other, `${redirect.origin}//`]) await (await fetch(url)).text();
        await (await fetch(redirect)).text();
      },
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: containing("Logged in") });
    expect(await logins()).toHaveLength(1);
  });

  it("reports that the user refused", async () => {
    const { logIn, shop } = await makeWorld();
    shop.allows = false;
    const stderr = containing("was refused or cancelled");
    expect(await logIn()).toMatchObject({ exitCode: 3, stderr });
  });

  it.each<readonly [what: string, change: object, message: RegExp]>([
    ["without PKCE", { code_challenge_methods_supported: undefined }, /without PKCE/],
    ["that registers no clients", { registration_endpoint: undefined }, /registers no clients/],
    ["with a login page that is a file", { authorization_endpoint: "file:///etc/passwd" }, /does not use HTTPS/], // prettier-ignore
  ])("refuses an authorization server %s", async (_what, change, message) => {
    const { logIn } = await makeWorld(undefined, { metadata: (metadata) => ({ ...metadata, ...change }) });
    const { exitCode, stderr } = await logIn();
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(message);
  });

  it("refuses an issuer that is not the configured one", async () => {
    const { logIn } = await makeWorld(() => ({ type: "oauth", issuer: "https://login.example.com" }));
    const stderr = containing('not "https://login.example.com"');
    expect(await logIn()).toMatchObject({ exitCode: 3, stderr });
  });

  it("ends when no answer comes, and frees its port", async () => {
    const redirectPort = await findFreePort();
    const { logIn } = await makeWorld(() => ({ type: "oauth", clientId: "known", redirectPort }));
    const outcome = await logIn({ args: ["--wait", "1"], visit: () => Promise.resolve() });
    const stderr = containing("did not end within 1 second.");
    expect(outcome).toMatchObject({ exitCode: 3, stderr });
    await expect(fetch(`http://127.0.0.1:${redirectPort}/`)).rejects.toThrow();
  });

  it("ends with Ctrl-C, and frees its port", async () => {
    const redirectPort = await findFreePort();
    const { logIn, logins } = await makeWorld(() => ({ type: "oauth", clientId: "known", redirectPort }));
    const interrupt = new AbortController();
    const outcome = await logIn({
      signal: interrupt.signal,
      visit: async (page) => {
        await browse(page);
        interrupt.abort("SIGINT");
      },
    });
    expect(outcome.exitCode).toBe(130);
    await expect(fetch(`http://127.0.0.1:${redirectPort}/`)).rejects.toThrow();
    await expect(logins()).rejects.toThrow();
  });
});

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return typeof address === "object" && address !== null ? address.port : 0;
}
