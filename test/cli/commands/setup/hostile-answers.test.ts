import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Login } from "../../../../src/core/login.js";
import { makeProject } from "../../../e2e/make-project.js";
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
  readonly folder: string;
  readonly login: () => Promise<Outcome>;
  readonly run: (line: string) => Promise<Outcome>;
  /** Runs commands, of which `login` logs in, and expects exit code 0. */
  readonly passes: (...lines: readonly string[]) => Promise<void>;
  /** Expects a login to be refused with these texts, and nothing to be saved. Returns what it printed. */
  readonly refuses: (...texts: readonly (string | RegExp)[]) => Promise<string>;
  /** Pulls, which has to fail with these texts. */
  readonly failsToPull: (...texts: readonly (string | RegExp)[]) => Promise<void>;
  readonly saved: () => Promise<readonly Login[]>;
  readonly edit: (change: (login: Login) => object | string) => Promise<void>;
  /** Lets the token of the saved login expire. */
  readonly expire: () => Promise<void>;
}

type Auth = Readonly<Record<string, string | boolean>>;

async function makeScripted(
  script?: OAuthScript,
  authOf?: Auth | ((base: string) => Auth),
  more: object = {},
): Promise<Scripted> {
  const oauth = await startScriptedOAuth(script);
  const auth = typeof authOf === "function" ? authOf(oauth.base) : authOf;
  const settings = {
    url: oauth.url,
    ...(auth !== undefined && { auth: { type: "oauth", ...auth } }),
    ...more,
  };
  const project = await makeProject({ output: false, servers: { x: settings } });
  const home = await makeProject();
  const folder = join(home.dir, "mcp-codegen", "logins");
  const env = { XDG_STATE_HOME: home.dir, CI: "" };
  const visit = async (page: string): Promise<void> => void (await (await fetch(page)).text());
  const login = (): Promise<Outcome> => logIn("x", { cwd: project.dir, env, visit });
  const run = (line: string): Promise<Outcome> => (line === "login" ? login() : project.run(line, env));
  const names = async (): Promise<readonly string[]> =>
    (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
  const saved = async (): Promise<readonly Login[]> => {
    const texts = (await names()).map((name) => readFile(join(folder, name), "utf8"));
    return (await Promise.all(texts)).map((text) => JSON.parse(text) as Login);
  };
  const edit: Scripted["edit"] = async (change) => {
    const [name = ""] = await names();
    const path = join(folder, name);
    const changed = change(JSON.parse(await readFile(path, "utf8")) as Login);
    await writeFile(path, typeof changed === "string" ? changed : JSON.stringify(changed));
  };
  return {
    oauth,
    folder,
    login,
    run,
    saved,
    edit,
    passes: async (...lines) => {
      for (const line of lines) {
        const { exitCode, stdout, stderr } = await run(line);
        expect([line, exitCode], stdout + stderr).toEqual([line, 0]);
      }
    },
    refuses: async (...texts) => {
      const { exitCode, stderr } = await login();
      expect([exitCode, await saved()]).toEqual([3, []]);
      for (const text of texts) expect(stderr).toMatch(text);
      return stderr;
    },
    failsToPull: async (...texts) => {
      const { exitCode, stdout } = await run("pull");
      expect(exitCode).toBe(3);
      for (const text of texts) expect(stdout).toMatch(text);
    },
    expire: () => edit((entry) => ({ ...entry, expiresAt: 1 })),
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
    const { passes, saved } = await makeScripted({ token: () => [200, body] });
    await passes("login");
    const [entry] = await saved();
    expect(entry?.expiresAt === undefined).toBe(!isKnown);
    if (entry?.expiresAt !== undefined) expect(entry.expiresAt).toBeLessThan(Date.now() + ENDLESS + 1);
    await passes("login --list --json", "pull", "login --out x");
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
    const { refuses } = await makeScripted(tokens(more));
    expect(await refuses(message)).not.toMatch(/Evil|schlüssel/);
  });

  it("with an empty refresh token has none", async () => {
    const { passes, saved } = await makeScripted(tokens({ refresh_token: "" }));
    await passes("login");
    expect(Object.keys((await saved())[0] ?? {})).not.toContain("refreshToken");
  });

  it("to a refresh is refused in the same way, and the login stays", async () => {
    const { passes, failsToPull, saved, oauth, expire } = await makeScripted();
    await passes("login");
    await expire();
    oauth.script = tokens({ access_token: "a\nb" });
    await failsToPull("access token that is empty, or has characters");
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
    const [access, refresh] = ["access-token-1234", "refresh-token-5678"];
    const answer = { access_token: access, refresh_token: refresh, token_type: "Bearer" };
    for (const secret of [access, refresh, "the-code"]) {
      const hostile = { ...answer, token_type: `MAC ${spell(secret)}` };
      const { refuses } = await makeScripted({ token: () => [200, hostile] });
      expect(leaks(await refuses(), secret)).toEqual([]);
    }
    for (const secret of [access, refresh, "the-code"]) {
      const hostile = { id_token: jwt(`user ${spell(secret)}`), scope: `read ${spell(secret)}` };
      const { login, run, saved } = await makeScripted({ token: () => [200, { ...answer, ...hostile }] });
      const { exitCode, stdout, stderr } = await login();
      const whoami = await run("login --list");
      expect([exitCode, leaks(stdout + stderr + whoami.stdout + whoami.stderr, secret)]).toEqual([0, []]);
      const [{ subject, grantedScopes } = {}] = await saved();
      expect([subject, grantedScopes]).toEqual([undefined, ["read"]]);
    }
    const { passes, run, oauth, expire } = await makeScripted({ token: () => [200, answer] });
    await passes("login");
    for (const error of ["temporarily_unavailable", "invalid_client"]) {
      await expire();
      const error_description = `No ${spell(refresh)}, ${spell(access)}`;
      oauth.script = { token: () => [400, { error, error_description }] };
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
    "a token with a line break":
      '{"issuer":"i","resource":"r","clientId":"c","accessToken":"a\\nb","scopes":[]}',
  };

  it.each(Object.entries(DAMAGES))("with %s fails alone", async (_what, text) => {
    const { passes, run, folder } = await makeScripted();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const damaged = join(folder, `${"0".repeat(32)}.json`);
    await writeFile(damaged, text, { mode: 0o600 });
    const has = (part: string): string => expect.stringContaining(part) as string;
    // The server requires a login, and the file may be it.
    expect(await run("pull")).toMatchObject({ exitCode: 2, stderr: has(damaged) });
    await passes("login", "pull");
    const listed = { exitCode: 2, stdout: has("issuer"), stderr: has("is damaged") };
    expect(await run("login --list")).toMatchObject(listed);
    await passes("login --out x");
  });

  it("of the same login is replaced, and a wrong end is not known", async () => {
    const { passes, run, edit } = await makeScripted();
    await passes("login");
    await edit(() => "{");
    await passes("login", "login --list");
    await edit((entry) => JSON.stringify(entry).replace(/\}$/, `,"expiresAt":9.2e21}`));
    expect((await run("login --list")).stdout).toContain("no end known");
    await passes("pull");
  });
});

describe("metadata", () => {
  it("only at openid-configuration, without the members of OpenID, is accepted", async () => {
    await (await makeScripted({ metadataAt: "openid-configuration" })).passes("login", "pull");
  });

  it("without a member that a login needs, or about another resource, is refused by name", async () => {
    const { refuses } = await makeScripted({ metadata: () => ({ token_endpoint: null }) });
    await refuses('its answer has no valid "token_endpoint"');
    const other = await makeScripted({ resource: (base) => ({ resource: `${base}/mcp/` }) });
    const url = `${other.oauth.base}/mcp/`;
    await other.refuses(
      `is about another resource: "${url}".`,
      `hint: Set the url of the server to "${url}".`,
    );
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
    const { passes, expire, oauth, saved } = await makeScripted(slashes(server, issuer), (base) =>
      configured === undefined ? {} : { issuer: base + configured },
    );
    oauth.script = { ...oauth.script, redirect: () => ({ code: "the-code", iss: oauth.base + issuer }) };
    await passes("login");
    await expire();
    // A later version of the metadata may write it in the other way.
    oauth.script = { ...oauth.script, ...slashes(server, issuer === "" ? "/" : "") };
    await passes("pull");
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
    const { refuses, oauth } = await makeScripted();
    const { base } = oauth;
    const issuer = typeof given === "string" ? given : given(base);
    oauth.script = { metadata: () => ({ issuer }) };
    const shown = issuer.replace("\u001b", " ").trim();
    const says = `the issuer does not match: its metadata names "${shown}", not "${base}".`;
    expect(await refuses(says)).not.toContain("\u001b");
  });

  it.each([
    ["", "/", (base: string) => `than the one that was asked: "${base}/", not "${base}".`],
    ["/", "", (base: string) => `than the one that was asked: "${base}", not "${base}/".`],
    ["", "/tenant", (base: string) => `another issuer than the one that was asked, "${base}".`],
  ])("in the answer to a login is compared with %j to the letter: %j", async (issuer, end, message) => {
    const { refuses, oauth } = await makeScripted(slashes("", issuer));
    oauth.script = { ...oauth.script, redirect: () => ({ code: "the-code", iss: `${oauth.base}${end}` }) };
    await refuses(message(oauth.base));
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
    await scripted.passes("login");
    await scripted.expire();
    await scripted.passes("pull");
    const wanted = expected === undefined ? scripted.oauth.url : expected;
    expect(sent(scripted)).toEqual([wanted, wanted, wanted]);
  });

  it("is the hint after invalid_target, with the server's description", async () => {
    const text = "AADSTS9010010:\r\nThe resource parameter\u001b[31m does not match. ";
    const answer = { error: "invalid_target", error_description: text + "x".repeat(500) };
    const { refuses } = await makeScripted({ redirect: () => answer });
    const shown = "AADSTS9010010: The resource parameter [31m does not match.";
    const stderr = await refuses("(invalid_target), and wrote ", shown, "auth.resource");
    expect(stderr).not.toContain("\u001b");
    expect(stderr).not.toContain("x".repeat(300));
  });

  it("descriptions of token errors are shown without what was sent", async () => {
    const answer = { error: "invalid_grant", error_description: "The code the-code is spent." };
    const { refuses } = await makeScripted({ token: () => [400, answer] });
    await refuses('it answered "invalid_grant", and wrote "The code *** is spent."');
  });
});

describe("a refresh", () => {
  const AGAIN = 'Run "npx mcp-codegen login x".';

  it.each(["invalid_client", "unauthorized_client", "invalid_request", "invalid_grant"])(
    "that is answered with %s asks for a login, which hints at the settings of a configured client too",
    async (error) => {
      const isOfClient = error.endsWith("_client");
      const { passes, failsToPull, oauth, expire } = await makeScripted(
        {},
        isOfClient ? { clientId: "mine" } : {},
      );
      await passes("login");
      await expire();
      const answer = { error, error_description: "refresh-1 is gone" };
      oauth.script = { token: () => [error === "invalid_client" ? 401 : 400, answer] };
      const settings = "Check auth.clientId and auth.clientSecret. Otherwise: ";
      await failsToPull(`${isOfClient ? settings : ""}${AGAIN}`, /^(?![^]*refresh-1)/);
      oauth.script = {};
      await passes("login", "pull");
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
    const { passes, run, oauth, expire } = await makeScripted();
    await passes("login");
    for (const [status, body] of sample(ENDS, 5)) {
      await expire();
      oauth.script = { token: () => [status, typeof body === "string" ? body : { ...body }] };
      const { exitCode, stdout } = await run("pull");
      const what = `${status} ${JSON.stringify(body)}`;
      expect(exitCode, what).toBe(3);
      expect(stdout, what).toContain(`could not be refreshed: `);
      expect(stdout, what).toContain(` (HTTP ${status}).`);
      expect(stdout, what).toMatch(/(?:hint: |^ *)Run "npx mcp-codegen login x"\./m);
    }
    oauth.script = {};
    await passes("login", "pull");
  });

  it.each([408, 429, 500, 502, 503])("that is answered with HTTP %i is tried again later", async (status) => {
    const { passes, failsToPull, oauth, expire } = await makeScripted();
    await passes("login");
    for (const body of [{ error: "temporarily_unavailable" }, "<h1>Later</h1>"]) {
      await expire();
      oauth.script = { token: () => [status, body] };
      await failsToPull(`Try again later. Otherwise: ${AGAIN}`);
    }
    oauth.script = {};
    await passes("pull");
  });

  it.each([
    ["dead", hostname(), "2147483646"],
    ["without an owner, of an earlier version", undefined, undefined],
  ])("takes over a lock that is %s before the connection times out", async (_what, host, pid) => {
    const timeouts = { connect: 20_000 };
    const { passes, expire, folder } = await makeScripted({}, undefined, { timeouts });
    await passes("login");
    await expire();
    const [name = ""] = await readdir(folder);
    await writeFile(join(folder, `${name}.lock`), pid === undefined ? "" : `${pid}-1@${host}`);
    await passes("pull");
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
    const { refuses } = await makeScripted(script);
    const why = /which is not asked: it (?:does not use HTTPS|is an address of a private network)\./;
    await refuses(why, "auth.issuer");
  });

  it.each(["/token", "/register", "/.well-known/oauth-authorization-server"])(
    "is not asked after a redirect of %s",
    async (path) => {
      const other = await startScriptedOAuth();
      const { refuses } = await makeScripted({ redirects: { [path]: `${other.base}/token` } });
      await refuses();
      expect(other.requests).toEqual([]);
    },
  );
});
