import { describe, expect, test } from "vitest";
import type { EndpointSettings } from "../../src/core/connection-settings.js";
import { expandVariables, resolveEndpoint } from "../../src/client/resolve-endpoint.js";
import { endpointOf } from "./endpoint.js";

type Variables = { readonly [name: string]: string };
const containing = (words: string): string => expect.stringContaining(words) as string;

describe("expandVariables", () => {
  const variables: Variables = { HOST: "example.com", EMPTY: "", NESTED: "${HOST}" };
  const lookup = (name: string): string | undefined => variables[name];

  test.each([
    ["https://${HOST}/mcp", "https://example.com/mcp"],
    ["${NONE:-https://localhost}/x", "https://localhost/x"],
    ["${EMPTY:-full}", "full"],
    ["${NONE:-}", ""],
    ["[${EMPTY}]", "[]"],
    ["${not a variable} $HOST ${1}", "${not a variable} $HOST ${1}"],
    ["${HOST}${HOST}", "example.comexample.com"],
    ["${NESTED}", "${HOST}"],
  ])("%s", (text, expected) => {
    expect(expandVariables(text, lookup, "servers.x.url")).toBe(expected);
  });

  test("names a missing variable and the key that needs it", () => {
    const message = 'Variable "NONE" has no value, and servers.x.url needs it.';
    const error = expect.objectContaining({ code: "VARIABLE_MISSING", message }) as Error;
    expect(() => expandVariables("a${NONE}", lookup, "servers.x.url")).toThrow(error);
  });
});

describe("a missing variable", () => {
  const needs = (name: string, ...keys: readonly string[]): string =>
    `"${name}" (for ${keys.map((key) => `servers.test.${key}`).join(" and ")})`;

  test("is named with all others, and the keys that need them", () => {
    const headers = { a: "${A}", b: "${B}", c: "${C:-c}", d: "${D}" };
    const [a, b, d] = [needs("A", "url", "headers.a"), needs("B", "headers.b"), needs("D", "headers.d")];
    const where = 'in the environment, or for the command line in ".env.local"';
    const error = {
      message: `Variables ${a}, ${b} and ${d} have no value.`,
      hint: `Set A, B and D ${where}, or give them defaults: \${A:-…}.`,
    };
    const containingError = expect.objectContaining(error) as Error;
    expect(() => endpointOf({ url: "${A}/mcp", headers })).toThrow(containingError);
    const program = { command: "${A}", args: ["${B}"], env: { X: "${A}" } };
    const both = `Variables ${needs("A", "command", "env.X")} and ${needs("B", "args[0]")} have no value.`;
    expect(() => endpointOf(program)).toThrow(both);
  });

  test("is named with the key of the environment that sets its value", () => {
    const settings = {
      url: "${BASE}/mcp",
      headers: { "x-a": "${A}" },
      environments: { staging: { url: "http://h/${PATH_S}" }, own: { headers: { "x-b": "${B}" } } },
    };
    const path = 'Variable "PATH_S" has no value, and servers.test.environments.staging.url needs it.';
    expect(() => endpointOf(settings, {}, "staging")).toThrow(path);
    const both = `${needs("A", "headers.x-a")} and ${needs("B", "environments.own.headers.x-b")}`;
    expect(() => endpointOf(settings, { BASE: "http://h" }, "own")).toThrow(
      `Variables ${both} have no value.`,
    );
  });

  test.each([
    [{ url: "http://h/${A}" }, "url"],
    [{ url: "http://h", auth: { bearer: "${A}" } }, "auth.bearer"],
    [{ url: "http://h", auth: { basic: { username: "u", password: "${A}" } } }, "auth.basic.password"],
    [{ url: "http://h", headers: { "x-tenant": "t-${A}" } }, "headers.x-tenant"],
  ])("may be an empty one: %j", (settings, key) => {
    const message = `Variable "A" has no value, and servers.test.${key} needs it.`;
    expect(() => endpointOf(settings, { A: "" })).toThrow(message);
    const withDefault = JSON.parse(JSON.stringify(settings).replace("${A}", "${A:-}")) as EndpointSettings;
    expect(() => endpointOf(withDefault, { A: "" })).not.toThrow();
  });

  test("is not an empty one of a program", () => {
    const settings = { command: "x", args: ["${A}"], env: { A: "${A}" } };
    expect(endpointOf(settings, { A: "" })).toMatchObject({ args: [""], env: { A: "" } });
  });
});

describe("credentials", () => {
  const basicOf = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
  const basic = { username: "ä", password: "${A}" };

  test.each<[settings: EndpointSettings, headers: object]>([
    [{ url: "http://h/mcp", auth: { basic } }, { authorization: basicOf("ä:a b%40") }],
    [{ url: "http://h/", auth: { bearer: "${A}" } }, { authorization: "Bearer a b%40" }],
    [{ url: "http://h/", headers: { "X-A": "b" } }, { "x-a": "b" }],
    [{ url: "http://${U}:${A}@h/mcp" }, { authorization: basicOf("me:a b@") }],
    [{ url: "http://h/", headers: { a: { value: "${NOT}", public: true } } }, { a: "${NOT}" }],
  ])("become headers: %j", (settings, headers) => {
    expect(endpointOf(settings, { A: "a b%40", U: "me" })).toMatchObject({ headers, transport: "auto" });
  });

  test("of a URL are in no address, and are secrets without their encoding", () => {
    const endpoint = endpointOf({ url: "http://${U}:${P}@h/mcp" }, { U: "me", P: "s%40cret" });
    const [url, secrets] = ["http://h/mcp", expect.arrayContaining(["s@cret"]) as string[]];
    expect(endpoint).toMatchObject({ url, label: url, secrets });
  });

  test("are a bearer token without its scheme, which is never shown", () => {
    const settings = { url: "http://h", auth: { bearer: "${A}" } };
    const error = {
      code: "CONFIG_INVALID",
      message: 'servers.test.auth.bearer begins with "Bearer", which is sent before it.',
      hint: "Write the token alone.",
    };
    const containingError = expect.objectContaining(error) as Error;
    expect(() => endpointOf(settings, { A: "bearer s3cret-token" })).toThrow(containingError);
    const headers = { authorization: "Bearer bearer-1" };
    expect(endpointOf(settings, { A: "bearer-1" })).toMatchObject({ headers });
  });

  const bearer = "t";
  const [upper, lower, login] = [{ Authorization: "t" }, { authorization: "t" }, "authorization"];
  test.each<[settings: EndpointSettings, header: string, one: string, other: string]>([
    [{ url: "http://me:s3cret@h", auth: { bearer } }, login, "the user of url", "auth"],
    [{ url: "http://${A}@h", headers: upper }, login, "the user of url", "headers.Authorization"],
    [{ url: "http://h", auth: { bearer }, headers: lower }, login, "auth", "headers.authorization"],
    [{ url: "http://h", headers: { "X-A": "1", "x-a": "2" } }, "x-a", "headers.X-A", "headers.x-a"],
  ])("set each header once: %j", (settings, header, one, other) => {
    const message = `servers.test sets the header "${header}" twice: by ${one} and by ${other}.`;
    expect(() => endpointOf(settings, { A: "a" })).toThrow(message);
    expect(() => endpointOf({ url: "http://h", environments: { next: settings } }, { A: "a" })).not.toThrow();
  });

  test("hide passwords but no user names, unless there is no password", () => {
    const settings = { url: "http://h/", auth: { basic: { username: "${U}", password: "${P:-}" } } };
    const { secrets } = endpointOf(settings, { U: "admin", P: "sesame" });
    expect(["sesame", "admin"].map((text) => secrets.includes(text))).toEqual([true, false]);
    // Some services take an API key as the user name.
    expect(endpointOf(settings, { U: "key_1234" }).secrets).toContain("key_1234");
  });
});

describe("an endpoint", () => {
  test("shows no resolved value in its label", () => {
    const endpoint = endpointOf({ url: "${WP_URL}/mcp" }, { WP_URL: "https://internal.example" });
    expect(endpoint).toMatchObject({ url: "https://internal.example/mcp", label: "${WP_URL}/mcp" });
  });

  test.each([
    [{}, "neither a url nor a command"],
    [{ url: "ftp://x/" }, "not an http: or https: URL"],
    [{ url: "http://x/", command: "x" }, "both"],
  ])("cannot be %o", (settings, words) => {
    const error = expect.objectContaining({ code: "CONFIG_INVALID", message: containing(words) }) as Error;
    expect(() => endpointOf(settings)).toThrow(error);
  });
});

describe("an environment", () => {
  const wordpress = {
    url: "https://site.example/mcp",
    auth: { bearer: "${TOKEN}" },
    headers: { "x-key": "${TOKEN}" },
    environments: {
      same: { url: "https://site.example/other" },
      other: { url: "https://else.example/mcp" },
      lookalike: { url: "https://site.example:8443/mcp" },
      keyed: { headers: { "x-more": "1" } },
      local: { command: "node", args: ["server.js"] },
    },
  };

  test.each([
    ["same", { authorization: "Bearer t0ken", "x-key": "t0ken" }],
    ["other", {}],
    ["lookalike", {}],
    ["keyed", { authorization: "Bearer t0ken", "x-key": "t0ken", "x-more": "1" }],
  ])("%s has the headers it may have", (environment, headers) => {
    expect(endpointOf(wordpress, { TOKEN: "t0ken" }, environment)).toHaveProperty("headers", headers);
  });

  test("may replace a login by a header", () => {
    const next = { headers: { Authorization: "n" } };
    const settings = { url: "http://h", auth: { bearer: "t" }, environments: { next } };
    expect(endpointOf(settings, {}, "next")).toMatchObject({ headers: { authorization: "n" } });
  });

  test("of another origin needs no variable of the base settings", () => {
    expect(endpointOf(wordpress, {}, "other")).toMatchObject({ url: "https://else.example/mcp" });
    expect(endpointOf(wordpress, {}, "local")).toMatchObject({ kind: "stdio", args: ["server.js"] });
  });

  test("that is complete needs no variable of the base settings", () => {
    const production = { url: "${PROD}/mcp", auth: { bearer: "${PROD_TOKEN}" } };
    const settings = {
      url: "${BASE}/mcp",
      auth: { bearer: "${BASE_TOKEN}" },
      headers: { "x-base": "${BASE_HEADER}" },
      environments: { production, mirror: { url: "${PROD}/mirror" } },
    };
    const variables = { PROD: "https://prod.test", PROD_TOKEN: "p" };
    const endpoint = { url: "https://prod.test/mcp", headers: { authorization: "Bearer p" } };
    expect(endpointOf(settings, variables, "production")).toMatchObject(endpoint);
    // An unknown address passes nothing on.
    expect(endpointOf(settings, variables, "mirror")).toHaveProperty("headers", {});
    expect(() => endpointOf(settings, {}, "production")).toThrow(/"PROD" .*"PROD_TOKEN"/);
    expect(() => endpointOf(settings, variables)).toThrow(/"BASE" .*"BASE_TOKEN" .*"BASE_HEADER"/);
  });

  test.each([
    ["https://site.example/third", { authorization: "Bearer t0ken", "x-key": "t0ken" }],
    ["http://site.example/third", {}],
  ])("passes to the overriding URL %s what it may have", (url, headers) => {
    const options = { where: "servers.wp", lookup: () => "t0ken", environment: "same", overrides: { url } };
    expect(resolveEndpoint(wordpress, options)).toHaveProperty("headers", headers);
  });

  test("that is unknown is answered with those that are known", () => {
    const error = expect.objectContaining({ code: "SERVER_UNKNOWN", hint: containing('"same"') }) as Error;
    expect(() => endpointOf(wordpress, {}, "staging")).toThrow(error);
  });
});

describe("the parts of an address in a variable are secrets", () => {
  const ADDRESS =
    "https://us3r:p%40ss-W0rd@hooks.example.com/api/mcp/s/Kx7qP2mZ9v/550e8400-e29b-41d4-a716-446655440000/mcp?sig=correct-horse&mode=full&t=a%2Bb%2Fc12345#fr4gm3nt";
  const LONG = [
    ...["p%40ss-W0rd", "p@ss-W0rd", "Kx7qP2mZ9v", "550e8400-e29b-41d4-a716-446655440000"],
    ...["correct-horse", "a%2Bb%2Fc12345", "a+b/c12345", "fr4gm3nt"],
  ];
  const WORDS = ["api", "mcp", "full", "hooks.example.com", "https:"];

  test.each<[string, EndpointSettings, string]>([
    ["a whole url", { url: "${A}" }, ADDRESS],
    ["an argument", { command: "npx", args: ["mcp-remote", "${A}"] }, ADDRESS],
    ["the environment", { command: "npx", env: { REMOTE: "${A}" } }, ADDRESS],
    ["a header", { url: "https://h.example/mcp", headers: { "x-upstream": "${A}" } }, ADDRESS],
    ["a database", { command: "npx", env: { DB: "${A}" } }, ADDRESS.replace("https:", "postgres:")],
  ])("in %s", (_what, settings, address) => {
    const { secrets, credentials = [] } = endpointOf(settings, { A: address });
    expect(secrets).toEqual(expect.arrayContaining(["us3r", ...LONG]));
    expect(credentials).toEqual(expect.arrayContaining(LONG));
    for (const word of WORDS) expect([...secrets, ...credentials]).not.toContain(word);
  });

  test.each([
    ["https://h.example/${A}", "s/Kx7qP2mZ9v/mcp?sig=correct-horse"],
    ["https://h.example${A}", "/s/Kx7qP2mZ9v/mcp?sig=correct-horse"],
    ["https://${A}", "h.example/s/Kx7qP2mZ9v/mcp?sig=correct-horse"],
    ["https://h.example/s/${A}", "Kx7qP2mZ9v?sig=correct-horse"],
    ["https://h.example/s/Kx7/mcp${A}", "?k=Kx7qP2mZ9v&sig=correct-horse"],
  ])("in %s", (url, value) => {
    const parts = expect.arrayContaining(["Kx7qP2mZ9v", "correct-horse"]) as string[];
    expect(endpointOf({ url }, { A: value })).toMatchObject({ secrets: parts, credentials: parts });
  });

  test("and not those of an address that the configuration has", () => {
    const url = "https://h.example/wp-json/Kx7qP2mZ9v/mcp";
    expect(endpointOf({ url })).toMatchObject({ secrets: [], credentials: [] });
    expect(endpointOf({ url: "${A:-https://h.example/Kx7qP2mZ9v}" })).toMatchObject({ secrets: [] });
  });

  test("and not the words of a WordPress", () => {
    const value =
      "https://blog2.example.com/wp-json/mcp/mcp-adapter-default-server/v1/McpServer?rest_route=posts";
    const { secrets, credentials } = endpointOf({ url: "${A}" }, { A: value });
    expect(credentials).toEqual([]);
    expect(secrets.filter((each) => value.includes(each) && each !== value && each.length < 40)).toEqual([]);
  });

  test("and a user name without a password", () => {
    const { credentials } = endpointOf({ url: "https://${A}@h.example/mcp" }, { A: "key-1234" });
    expect(credentials).toContain("key-1234");
  });
});
