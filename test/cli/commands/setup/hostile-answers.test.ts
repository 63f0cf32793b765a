import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Login } from "../../../../src/core/login.js";
import { makeProject, type Project } from "../../../e2e/make-project.js";
import {
  type OAuthScript,
  type ScriptedOAuth,
  startScriptedOAuth,
} from "../../../servers/start-scripted-oauth.js";
import type { Outcome } from "../../run-command.js";
import { sample } from "../../../sample.js";
import { logIn } from "./log-in.js";

interface Scripted {
  readonly oauth: ScriptedOAuth;
  readonly project: Project;
  readonly folder: string;
  readonly login: () => Promise<Outcome>;
  readonly run: (...argv: string[]) => Promise<Outcome>;
  readonly saved: () => Promise<readonly Login[]>;
  readonly edit: (change: (login: Login) => object | string) => Promise<void>;
}

type Auth = Readonly<Record<string, string | boolean>>;

async function makeScripted(
  script?: OAuthScript,
  authOf?: Auth | ((base: string) => Auth),
): Promise<Scripted> {
  const oauth = await startScriptedOAuth(script);
  const auth = typeof authOf === "function" ? authOf(oauth.base) : authOf;
  const settings = { url: oauth.url, ...(auth !== undefined && { auth: { type: "oauth", ...auth } }) };
  const [project, home] = [
    await makeProject({ output: false, servers: { x: settings } }),
    await makeProject(),
  ];
  const folder = join(home.dir, "mcp-codegen", "logins");
  const env = { XDG_STATE_HOME: home.dir, CI: "" };
  const names = async (): Promise<readonly string[]> =>
    (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
  const saved = async (): Promise<readonly Login[]> => {
    const texts = (await names()).map((name) => readFile(join(folder, name), "utf8"));
    return (await Promise.all(texts)).map((text) => JSON.parse(text) as Login);
  };
  return {
    ...{ oauth, project, folder, saved },
    login: () =>
      logIn("x", {
        cwd: project.dir,
        env,
        visit: async (page) => {
          await (await fetch(page)).text();
        },
      }),
    run: (...argv) => project.run(argv, env),
    edit: async (change) => {
      const [name = ""] = await names();
      const path = join(folder, name);
      const changed = change(JSON.parse(await readFile(path, "utf8")) as Login);
      await writeFile(path, typeof changed === "string" ? changed : JSON.stringify(changed));
    },
  };
}

const tokens = (more: object): OAuthScript => ({
  token: () => [200, { access_token: "access-1", token_type: "Bearer", ...more }],
});
const ENDLESS = 10 * 365 * 24 * 3600 * 1000;

describe("expires_in", () => {
  it.each<readonly [raw: string, isKnown: boolean]>([
    ["9223372036854775807", true],
    ["1e308", true],
    ["1e999", false],
    ["-1", false],
    ["0", false],
    ["-9e99", false],
    ['"3600"', true],
    ['"soon"', false],
    ['"NaN"', false],
    ['"9223372036854775807"', true],
    ["null", false],
    ["{}", false],
    ["[1]", false],
    ["true", false],
    ["1.5", true],
  ])("%s damages nothing", async (raw, isKnown) => {
    const body = `{"access_token":"access-1","token_type":"bearer","expires_in":${raw},"scope":null}`;
    const { login, run, saved } = await makeScripted({ token: () => [200, body] });
    expect(await login()).toMatchObject({ exitCode: 0 });
    const [entry] = await saved();
    expect(entry?.expiresAt === undefined).toBe(!isKnown);
    if (entry?.expiresAt !== undefined) expect(entry.expiresAt).toBeLessThan(Date.now() + ENDLESS + 1);
    expect(await run("login", "--list", "--json")).toMatchObject({ exitCode: 0 });
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
    expect(await run("login", "--out", "x")).toMatchObject({ exitCode: 0 });
  });
});

describe("a token answer", () => {
  it.each<readonly [what: string, more: object, message: RegExp]>([
    ["a line break in a token", { access_token: "a\r\nX-Evil: 1" }, /access token that is empty, or has/],
    ["a tab in a token", { access_token: "a\tb" }, /access token that is empty, or has/],
    ["a space in a token", { access_token: "a b" }, /access token that is empty, or has/],
    ["a letter beyond ASCII in a token", { access_token: "zugriffsschlüssel" }, /access token that is empty/],
    ["an empty token", { access_token: "" }, /access token that is empty/],
    ["a line break in a refresh token", { refresh_token: "r\r\n2" }, /refresh token that has characters/],
    ["a refresh token beyond ASCII", { refresh_token: "\u{1f511}" }, /refresh token that has characters/],
    ["tokens of the type MAC", { token_type: "mac" }, /of the type "mac", which is not "Bearer"/],
    ["tokens of the type DPoP", { token_type: "DPoP" }, /of the type "DPoP"/],
    ["a hostile type", { token_type: "x\n\u001b[31m" }, /of the type "x \[31m"/],
    ["no type", { token_type: null }, /no valid "token_type"/],
    ["no token", { access_token: null }, /no valid "access_token"/],
  ])("with %s is refused, and nothing is saved", async (_what, more, message) => {
    const { login, saved } = await makeScripted(tokens(more));
    const { exitCode, stderr } = await login();
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/Evil|schlüssel/);
    expect(await saved()).toEqual([]);
  });

  it("with an empty refresh token has none", async () => {
    const { login, saved } = await makeScripted(tokens({ refresh_token: "" }));
    expect(await login()).toMatchObject({ exitCode: 0 });
    expect(Object.keys((await saved())[0] ?? {})).not.toContain("refreshToken");
  });

  it("to a refresh is refused in the same way, and the login stays", async () => {
    const { login, run, saved, oauth, edit } = await makeScripted();
    await login();
    await edit((entry) => ({ ...entry, expiresAt: 1 }));
    oauth.script = tokens({ access_token: "a\nb" });
    const { exitCode, stdout } = await run("pull");
    expect(exitCode).toBe(3);
    expect(stdout).toContain("access token that is empty, or has characters");
    expect((await saved())[0]?.accessToken).toBe("access-1");
  });
});

describe("what an authorization server repeats of a login is not shown or saved", () => {
  const jwt = (sub: string): string =>
    ["{}", JSON.stringify({ sub }), "x"].map((part) => Buffer.from(part).toString("base64url")).join(".");
  const hex = (text: string): string => Buffer.from(text).toString("hex");
  const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
    raw: (text) => text,
    "in hexadecimal": hex,
    "in upper case": (text) => text.toUpperCase(),
    "in Base64": (text) => Buffer.from(text).toString("base64"),
  };
  const leaks = (shown: string, ...secrets: readonly string[]): readonly string[] =>
    secrets.filter((secret) =>
      Object.values(SPELLINGS).some((spell) => shown.toLowerCase().includes(spell(secret).toLowerCase())),
    );

  it.each(Object.entries(SPELLINGS))("%s", async (_what, spell) => {
    const access = "access-token-1234";
    const refresh = "refresh-token-5678";
    const answer = { access_token: access, refresh_token: refresh, token_type: "Bearer" };
    for (const secret of [access, refresh, "the-code"]) {
      const { login, saved } = await makeScripted({
        token: () => [200, { ...answer, token_type: `MAC ${spell(secret)}` }],
      });
      const { exitCode, stdout, stderr } = await login();
      expect([exitCode, await saved(), leaks(stdout + stderr, secret)]).toEqual([3, [], []]);
    }
    for (const secret of [access, refresh, "the-code"]) {
      const { login, run, saved } = await makeScripted({
        token: () => [
          200,
          { ...answer, id_token: jwt(`user ${spell(secret)}`), scope: `read ${spell(secret)}` },
        ],
      });
      const { exitCode, stdout, stderr } = await login();
      const whoami = await run("login", "--list");
      expect([exitCode, leaks(stdout + stderr + whoami.stdout + whoami.stderr, secret)]).toEqual([0, []]);
      const [{ subject, grantedScopes } = {}] = await saved();
      expect([subject, grantedScopes]).toEqual([undefined, ["read"]]);
    }
    const { login, run, oauth, edit } = await makeScripted({ token: () => [200, answer] });
    expect(await login()).toMatchObject({ exitCode: 0 });
    for (const error of ["temporarily_unavailable", "invalid_client"]) {
      await edit((entry) => ({ ...entry, expiresAt: 1 }));
      oauth.script = {
        token: () => [400, { error, error_description: `No ${spell(refresh)}, ${spell(access)}` }],
      };
      const { exitCode, stdout, stderr } = await run("pull");
      expect([exitCode, leaks(stdout + stderr, refresh, access)]).toEqual([3, []]);
    }
  });

  it("a state in the description of a refusal", async () => {
    let state = "";
    const { login } = await makeScripted({
      redirect: (query) => {
        state = query.get("state") ?? "";
        return { error: "server_error", error_description: `No ${state} or ${hex(state)}` };
      },
    });
    // The page to open has the state in its address.
    const [, error = ""] = (await login()).stderr.split("error: ");
    expect(error).toContain("(server_error), and wrote");
    expect([state.length > 10, leaks(error, state)]).toEqual([true, []]);
  });
});

describe("a damaged file", () => {
  const DAMAGES: Readonly<Record<string, string>> = {
    "no JSON": "{",
    "an empty text": "",
    "another type": "[]",
    "an incomplete login": '{"issuer":1}',
    "a token with a line break": JSON.stringify({
      ...{ issuer: "i", resource: "r", clientId: "c", accessToken: "a\nb", scopes: [] },
    }),
  };

  it.each(Object.entries(DAMAGES))("with %s fails alone", async (_what, text) => {
    const { login, run, folder } = await makeScripted();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const damaged = join(folder, `${"0".repeat(32)}.json`);
    await writeFile(damaged, text, { mode: 0o600 });
    // The server requires a login, and the file may be it.
    expect(await run("pull")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(damaged) as string,
    });
    expect(await login()).toMatchObject({ exitCode: 0 });
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
    const listed = await run("login", "--list");
    expect(listed).toMatchObject({ exitCode: 2, stdout: expect.stringContaining("issuer") as string });
    expect(listed.stderr).toContain("is damaged");
    expect(await run("login", "--out", "x")).toMatchObject({ exitCode: 0 });
  });

  it("of the same login is replaced", async () => {
    const { login, run, edit } = await makeScripted();
    await login();
    await edit(() => "{");
    expect(await login()).toMatchObject({ exitCode: 0 });
    expect(await run("login", "--list")).toMatchObject({ exitCode: 0 });
  });

  it.each(["null", "9.2e21", '"later"', "-9e20"])("with the end %s has no known end", async (raw) => {
    const { login, run, edit } = await makeScripted();
    await login();
    await edit((entry) => JSON.stringify(entry).replace(/\}$/, `,"expiresAt":${raw}}`));
    expect(await run("login", "--list")).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("no end known") as string }); // prettier-ignore
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
  });
});

describe("metadata", () => {
  it("only at openid-configuration, without the members of OpenID, is accepted", async () => {
    const { login, run } = await makeScripted({ metadataAt: "openid-configuration" });
    expect(await login()).toMatchObject({ exitCode: 0 });
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
  });

  it("without a member that a login needs names the member", async () => {
    const { login } = await makeScripted({ metadata: () => ({ token_endpoint: null }) });
    expect((await login()).stderr).toContain('its answer has no valid "token_endpoint"');
  });

  it("about another resource is refused by name, with the url to set", async () => {
    const { login, oauth } = await makeScripted({ resource: (base) => ({ resource: `${base}/mcp/` }) });
    const { exitCode, stderr } = await login();
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`is about another resource: "${oauth.base}/mcp/".`);
    expect(stderr).toContain(`hint: Set the url of the server to "${oauth.base}/mcp/".`);
  });
});

describe("an issuer", () => {
  const slashes = (server: string, issuer: string): OAuthScript => ({
    resource: (base) => ({ authorization_servers: [base + server] }),
    metadata: (base) => ({ issuer: base + issuer, authorization_response_iss_parameter_supported: true }),
  });

  it.each(
    ["", "/"].flatMap((server) =>
      ["", "/"].flatMap((issuer) =>
        [undefined, "", "/"].map((configured) => [server, issuer, configured] as const),
      ),
    ),
  )("may end with the slash of an empty path: %j, %j, %j", async (server, issuer, configured) => {
    const { login, run, edit, oauth, saved } = await makeScripted(slashes(server, issuer), (base) =>
      configured === undefined ? {} : { issuer: base + configured },
    );
    oauth.script = { ...oauth.script, redirect: () => ({ code: "the-code", iss: oauth.base + issuer }) };
    expect(await login()).toMatchObject({ exitCode: 0 });
    await edit((entry) => ({ ...entry, expiresAt: 1 }));
    // A later version of the metadata may write it in the other way.
    oauth.script = { ...oauth.script, ...slashes(server, issuer === "" ? "/" : "") };
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
    expect(await saved()).toHaveLength(1);
  });

  it.each<readonly [what: string, issuer: string | ((base: string) => string)]>([
    ["of another host", "https://evil.example"],
    ["of another path", (base) => `${base}/tenant`],
    ["with the slash of a path", (base) => `${base}/tenant/`],
    ["with two slashes", (base) => `${base}//`],
    ["with a query", (base) => `${base}/?x`],
    ["of another port", (base) => `${base}0/`],
    ["of another scheme", (base) => base.replace("http:", "https:")],
    ["with an escape sequence", "https://evil.example/\u001b[31m"],
  ])("%s is refused with both names", async (_what, given) => {
    const { login, oauth, saved } = await makeScripted();
    const { base } = oauth;
    const issuer = typeof given === "string" ? given : given(base);
    oauth.script = { metadata: () => ({ issuer }) };
    const { exitCode, stderr } = await login();
    expect(exitCode).toBe(3);
    const shown = issuer.replace("\u001b", " ").trim();
    expect(stderr).toContain(`the issuer does not match: its metadata names "${shown}", not "${base}".`);
    expect(stderr).not.toContain("\u001b");
    expect(await saved()).toEqual([]);
  });

  it.each(["", "/"])("in the answer to a login is compared with %j to the letter", async (issuer) => {
    const { login, oauth, saved } = await makeScripted(slashes("", issuer));
    const other = `${oauth.base}${issuer === "" ? "/" : ""}`;
    oauth.script = { ...oauth.script, redirect: () => ({ code: "the-code", iss: other }) };
    const { exitCode, stderr } = await login();
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`than the one that was asked: "${other}", not "${oauth.base}${issuer}".`);
    expect(await saved()).toEqual([]);
  });

  it("in the answer to a login that is another one is refused with the name that was asked", async () => {
    const { login, oauth, saved } = await makeScripted();
    oauth.script = { redirect: () => ({ code: "the-code", iss: `${oauth.base}/tenant` }) };
    const { exitCode, stderr } = await login();
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`another issuer than the one that was asked, "${oauth.base}".`);
    expect(await saved()).toEqual([]);
  });
});

describe("auth.resource", () => {
  const sent = ({ oauth }: Scripted): readonly (string | null)[] =>
    [...oauth.logins, ...oauth.tokenRequests].map((form) => form.get("resource"));

  it.each([
    [undefined, "the resource of the metadata", undefined],
    ["api://9f8e7d6c", "another resource", "api://9f8e7d6c"],
    ["https://graph.example.com", "a resource verbatim", "https://graph.example.com"],
    [false, "no resource", null],
  ])("%s requests %s at login and refresh", async (resource, _what, expected) => {
    const scripted = await makeScripted({}, resource === undefined ? {} : { resource });
    const { login, run, edit, oauth } = scripted;
    expect(await login()).toMatchObject({ exitCode: 0 });
    await edit((entry) => ({ ...entry, expiresAt: 1 }));
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
    const wanted = expected === undefined ? oauth.url : expected;
    expect(sent(scripted)).toEqual([wanted, wanted, wanted]);
  });

  it("is the hint after invalid_target, with the server's description", async () => {
    const { login } = await makeScripted({
      redirect: () => ({
        error: "invalid_target",
        error_description:
          "AADSTS9010010:\r\nThe resource parameter\u001b[31m does not match. " + "x".repeat(500),
      }),
    });
    const { exitCode, stderr } = await login();
    expect(exitCode).toBe(3);
    expect(stderr).toContain("(invalid_target), and wrote ");
    expect(stderr).toContain("AADSTS9010010: The resource parameter [31m does not match.");
    expect(stderr).toContain("auth.resource");
    expect(stderr).not.toContain("\u001b");
    expect(stderr).not.toContain("x".repeat(300));
  });

  it("descriptions of token errors are shown without what was sent", async () => {
    const { login } = await makeScripted({
      token: () => [400, { error: "invalid_grant", error_description: "The code the-code is spent." }],
    });
    const { stderr } = await login();
    expect(stderr).toContain('it answered "invalid_grant", and wrote "The code *** is spent."');
  });
});

describe("a refresh", () => {
  const refused = (error: string, more = {}): OAuthScript => ({
    token: () => [error === "invalid_client" ? 401 : 400, { error, ...more }],
  });

  it.each(["invalid_client", "unauthorized_client", "invalid_request", "invalid_grant"])(
    "that is answered with %s asks for a login",
    async (code) => {
      const { login, run, oauth, edit } = await makeScripted();
      await login();
      await edit((entry) => ({ ...entry, expiresAt: 1 }));
      oauth.script = refused(code, { error_description: "refresh-1 is gone" });
      const { exitCode, stdout } = await run("pull");
      expect(exitCode).toBe(3);
      expect(stdout).toContain('Run "npx mcp-codegen login x".');
      expect(stdout).not.toContain("refresh-1");
      oauth.script = {};
      expect(await login()).toMatchObject({ exitCode: 0 });
      expect(await run("pull")).toMatchObject({ exitCode: 0 });
    },
  );

  const ENDS: readonly (readonly [status: number, body: object | string])[] = [
    ...[400, 401, 402, 403, 404, 405, 409, 410, 418, 422, 451].flatMap((status) =>
      [{ error: "made_up" }, { error: 7 }, { message: "no" }, {}, "<h1>No</h1>", ""].map(
        (body) => [status, body] as const,
      ),
    ),
    ...[
      { error: "bad_refresh_token", error_description: "The refresh token passed is incorrect." },
      { error: "invalid_scope" },
      { error: "invalid_target" },
      { error: { message: "expired" } },
    ].map((body) => [200, body] as const),
  ];

  it("that is refused with any status or error asks for a login", async () => {
    const { login, run, oauth, edit } = await makeScripted();
    await login();
    for (const [status, body] of sample(ENDS, 5)) {
      await edit((entry) => ({ ...entry, expiresAt: 1 }));
      oauth.script = { token: () => [status, typeof body === "string" ? body : { ...body }] };
      const { exitCode, stdout } = await run("pull");
      const what = `${status} ${JSON.stringify(body)}`;
      expect(exitCode, what).toBe(3);
      expect(stdout, what).toContain(`could not be refreshed: `);
      expect(stdout, what).toContain(` (HTTP ${status}).`);
      expect(stdout, what).toMatch(/(?:hint: |^ *)Run "npx mcp-codegen login x"\./m);
    }
    oauth.script = {};
    expect(await login()).toMatchObject({ exitCode: 0 });
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
  });

  it.each([408, 429, 500, 502, 503])("that is answered with HTTP %i is tried again later", async (status) => {
    const { login, run, oauth, edit } = await makeScripted();
    await login();
    for (const body of [{ error: "temporarily_unavailable" }, "<h1>Later</h1>"]) {
      await edit((entry) => ({ ...entry, expiresAt: 1 }));
      oauth.script = { token: () => [status, body] };
      const { exitCode, stdout } = await run("pull");
      expect(exitCode).toBe(3);
      expect(stdout).toContain('Try again later. Otherwise: Run "npx mcp-codegen login x".');
    }
    oauth.script = {};
    expect(await run("pull")).toMatchObject({ exitCode: 0 });
  });

  it.each(["invalid_client", "unauthorized_client"])(
    "of a configured client that is answered with %s hints at its settings too",
    async (code) => {
      const { login, run, oauth, edit } = await makeScripted({}, { clientId: "mine" });
      await login();
      await edit((entry) => ({ ...entry, expiresAt: 1 }));
      oauth.script = refused(code);
      const { stdout } = await run("pull");
      expect(stdout).toContain("Check auth.clientId and auth.clientSecret. Otherwise: Run ");
    },
  );

  it.each([
    ["dead", hostname(), "2147483646"],
    ["without an owner, of an earlier version", undefined, undefined],
  ])("takes over a lock that is %s before the connection times out", async (_what, host, pid) => {
    const oauth = await startScriptedOAuth();
    const [project, home] = [
      await makeProject({
        output: false,
        servers: { x: { url: oauth.url, timeouts: { connect: 900 } } },
      }),
      await makeProject(),
    ];
    const env = { XDG_STATE_HOME: home.dir, CI: "" };
    await logIn("x", {
      cwd: project.dir,
      env,
      visit: async (page) => void (await (await fetch(page)).text()),
    });
    const folder = join(home.dir, "mcp-codegen", "logins");
    const [name = ""] = await readdir(folder);
    const entry = JSON.parse(await readFile(join(folder, name), "utf8")) as Login;
    await writeFile(join(folder, name), JSON.stringify({ ...entry, expiresAt: 1 }));
    await writeFile(join(folder, `${name}.lock`), pid === undefined ? "" : `${pid}-1@${host}`);
    expect(await project.run(["pull"], env)).toMatchObject({ exitCode: 0 });
    expect(await readdir(folder)).toEqual([name]);
  });
});

describe("an address on another host", () => {
  const away = "http://169.254.169.254";

  const metadata = (members: Record<string, string>): OAuthScript => ({ metadata: () => members });

  it.each<readonly [what: string, script: OAuthScript]>([
    ["the metadata of the resource", { resourceMetadata: `${away}/latest/meta-data` }],
    ["the metadata of the resource, on plain http", { resourceMetadata: "http://login.example.com/" }],
    ["the authorization server", { resource: () => ({ authorization_servers: [away] }) }],
    ["the registration", metadata({ registration_endpoint: "https://10.0.0.1/register" })],
    ["the login page", metadata({ authorization_endpoint: "https://192.168.1.1/reboot" })],
    ["the token endpoint", metadata({ token_endpoint: "https://[fe80::1]/token" })],
    ["the token endpoint, as a number", metadata({ token_endpoint: "https://2852039166/t" })],
  ])("is not asked for %s", async (_what, script) => {
    const { login, saved } = await makeScripted(script);
    const { exitCode, stderr } = await login();
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(
      /which is not asked: it (?:does not use HTTPS|is an address of a private network)\./,
    );
    expect(stderr).toContain("auth.issuer");
    expect(await saved()).toEqual([]);
  });

  it.each(["/token", "/register", "/.well-known/oauth-authorization-server"])(
    "is not asked after a redirect of %s",
    async (path) => {
      const other = await startScriptedOAuth();
      const { login, saved } = await makeScripted({ redirects: { [path]: `${other.base}/token` } });
      expect((await login()).exitCode).toBe(3);
      expect(other.requests).toEqual([]);
      expect(await saved()).toEqual([]);
    },
  );
});
