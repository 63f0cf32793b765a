import { describe, expect, test } from "vitest";
import type { EndpointSettings } from "../../src/core/connection-settings.js";
import { expandVariables, resolveEndpoint } from "../../src/client/resolve-endpoint.js";
import { endpointOf } from "./endpoint.js";

describe("expandVariables", () => {
  const variables: { readonly [name: string]: string } = { HOST: "example.com", EMPTY: "" };
  const lookup = (name: string): string | undefined => variables[name];

  test.each([
    ["https://${HOST}/mcp", "https://example.com/mcp"],
    ["${NONE:-https://localhost}/x", "https://localhost/x"],
    ["${EMPTY:-full}", "full"],
    ["${NONE:-}", ""],
    ["[${EMPTY}]", "[]"],
    ["${not a variable} $HOST ${1}", "${not a variable} $HOST ${1}"],
    ["${HOST}${HOST}", "example.comexample.com"],
  ])("%s", (text, expected) => {
    expect(expandVariables(text, lookup, "servers.x.url")).toBe(expected);
  });

  test("names a missing variable and the key that needs it", () => {
    expect(() => expandVariables("a${NONE}", lookup, "servers.x.url")).toThrow(
      expect.objectContaining({
        code: "VARIABLE_MISSING",
        message: 'Variable "NONE" has no value, and servers.x.url needs it.',
      }),
    );
  });

  test("names all missing variables at once, with the keys that need them", () => {
    const settings = {
      url: "${A}/mcp",
      auth: { basic: { username: "${B}", password: "${C:-c}" } },
      headers: { "x-a": "${A}", "x-d": "${D}" },
    };
    expect(() => endpointOf(settings, {})).toThrow(
      expect.objectContaining({
        message:
          'Variables "A" (for servers.test.url and servers.test.headers.x-a), "B" (for servers.test.auth.basic.username) and "D" (for servers.test.headers.x-d) have no value.',
        hint: 'Set A, B and D in the environment, or for the command line in ".env.local", or give them defaults: ${A:-…}.',
      }),
    );
    expect(() => endpointOf({ command: "${A}", args: ["${B}"], env: { X: "${A}" } }, {})).toThrow(
      expect.objectContaining({ message: expect.stringContaining('"A"') as string }),
    );
  });

  test.each([
    [{ url: "http://h/${A}" }, "servers.test.url"],
    [{ url: "http://h", auth: { bearer: "${A}" } }, "servers.test.auth.bearer"],
    [{ url: "http://h", auth: { basic: { username: "u", password: "${A}" } } }, "servers.test.auth.basic.password"],
    [{ url: "http://h", headers: { "x-tenant": "t-${A}" } }, "servers.test.headers.x-tenant"],
  ])("takes an empty variable for a missing one in %j", (settings, where) => {
    const message = `Variable "A" has no value, and ${where} needs it.`;
    expect(() => endpointOf(settings, { A: "" })).toThrow(message);
    const withDefault = JSON.parse(JSON.stringify(settings).replace("${A}", "${A:-}")) as EndpointSettings;
    expect(() => endpointOf(withDefault, { A: "" })).not.toThrow();
  }); // prettier-ignore

  test("refuses a bearer token with its scheme, and never shows it", () => {
    const settings = { url: "http://h", auth: { bearer: "${A}" } };
    expect(() => endpointOf(settings, { A: "bearer s3cret-token" })).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        message: 'servers.test.auth.bearer begins with "Bearer", which is sent before it.',
        hint: "Write the token alone.",
      }),
    );
    expect(endpointOf(settings, { A: "bearer-1" })).toMatchObject({
      headers: { authorization: "Bearer bearer-1" },
    });
  });

  test.each([
    [{ url: "http://me:s3cret@h", auth: { bearer: "t" } }, '"authorization" twice: by the user of url and by auth'],
    [{ url: "http://${A}@h", headers: { Authorization: "t" } }, '"authorization" twice: by the user of url and by headers.Authorization'],
    [{ url: "http://h", auth: { bearer: "t" }, headers: { authorization: "t" } }, '"authorization" twice: by auth and by headers.authorization'],
    [{ url: "http://h", headers: { "X-A": "1", "x-a": "2" } }, '"x-a" twice: by headers.X-A and by headers.x-a'],
  ])("refuses two settings of one header: %j", (settings, twice) => {
    const message = `servers.test sets the header ${twice}.`;
    expect(() => endpointOf(settings, { A: "a" })).toThrow(message);
    expect(() => endpointOf({ url: "http://h", environments: { next: settings } }, { A: "a" })).not.toThrow();
  }); // prettier-ignore

  test("lets an environment replace a login by a header", () => {
    const settings = { url: "http://h", auth: { bearer: "t" }, environments: { next: { headers: { Authorization: "n" } } } };
    const endpoint = resolveEndpoint(settings, { environment: "next", lookup: () => undefined, where: "servers.x" });
    expect(endpoint).toMatchObject({ headers: { authorization: "n" } });
  }); // prettier-ignore

  test("gives a program an empty variable as it is", () => {
    const settings = { command: "x", args: ["${A}"], env: { A: "${A}" } };
    expect(endpointOf(settings, { A: "" })).toMatchObject({ args: [""], env: { A: "" } });
  });

  test("names the key of the environment for a value that the environment sets", () => {
    const settings = {
      url: "${BASE}/mcp",
      auth: { bearer: "${TOKEN}" },
      headers: { "x-a": "${A}" },
      environments: { staging: { url: "http://h/${PATH_S}" }, own: { headers: { "x-b": "${B}" } } },
    };
    const resolve = (
      environment: string,
      variables: { readonly [name: string]: string },
    ): (() => unknown) => {
      const lookup = (name: string): string | undefined => variables[name];
      return () => resolveEndpoint(settings, { environment, lookup, where: "servers.x" });
    };
    expect(resolve("staging", {})).toThrow(
      'Variable "PATH_S" has no value, and servers.x.environments.staging.url needs it.',
    );
    expect(resolve("own", { BASE: "http://h", TOKEN: "t" })).toThrow(
      'Variables "A" (for servers.x.headers.x-a) and "B" (for servers.x.environments.own.headers.x-b) have no value.',
    );
  });

  test("does not expand the value of a variable", () => {
    expect(expandVariables("${A}", () => "${B}", "x")).toBe("${B}");
  });
});

describe("resolveEndpoint", () => {
  test("turns every kind of credentials into headers", () => {
    const basic = endpointOf(
      { url: "http://h/mcp", auth: { basic: { username: "ä", password: "${PW}" } } },
      { PW: "p w" },
    );
    expect(basic).toMatchObject({
      headers: { authorization: `Basic ${Buffer.from("ä:p w").toString("base64")}` },
    });
    const bearer = endpointOf(
      { url: "http://h/", auth: { bearer: "${T}" }, headers: { "X-A": "b" } },
      { T: "t" },
    );
    expect(bearer).toMatchObject({ headers: { authorization: "Bearer t", "x-a": "b" }, transport: "auto" });
    const userinfo = endpointOf({ url: "http://${U}:${P}@h/mcp" }, { U: "me", P: "s%40cret" });
    expect(userinfo).toMatchObject({
      url: "http://h/mcp",
      label: "http://h/mcp",
      headers: { authorization: `Basic ${Buffer.from("me:s@cret").toString("base64")}` },
    });
    expect(userinfo.secrets).toContain("s@cret");
  });

  test("masks passwords but not user names", () => {
    const basic = { username: "${U}", password: "${P:-}" };
    const { secrets } = endpointOf({ url: "http://h/", auth: { basic } }, { U: "admin", P: "sesame" });
    expect(secrets).toContain("sesame");
    expect(secrets).not.toContain("admin");
    // Some services take an API key as the user name, without a password.
    expect(endpointOf({ url: "http://h/", auth: { basic } }, { U: "key_1234" }).secrets).toContain(
      "key_1234",
    );
  });

  test("keeps a public literal", () => {
    const endpoint = endpointOf({ url: "http://h/", headers: { a: { value: "${NOT}", public: true } } });
    expect(endpoint).toMatchObject({ headers: { a: "${NOT}" } });
  });

  test("never shows a resolved value in its label", () => {
    const endpoint = endpointOf({ url: "${WP_URL}/mcp" }, { WP_URL: "https://internal.example" });
    expect(endpoint).toMatchObject({ url: "https://internal.example/mcp", label: "${WP_URL}/mcp" });
  });

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
  ])("gives environment %s the headers it may have", (environment, headers) => {
    expect(endpointOf(wordpress, { TOKEN: "t0ken" }, environment)).toMatchObject({ kind: "http" });
    expect(endpointOf(wordpress, { TOKEN: "t0ken" }, environment)).toHaveProperty("headers", headers);
  });

  test("requires no variable that another origin does not need", () => {
    expect(endpointOf(wordpress, {}, "other")).toMatchObject({ url: "https://else.example/mcp" });
    expect(endpointOf(wordpress, {}, "local")).toMatchObject({ kind: "stdio", args: ["server.js"] });
  });

  test("requires no variable of the base settings for an environment that is complete without them", () => {
    const settings = {
      url: "${BASE}/mcp",
      auth: { bearer: "${BASE_TOKEN}" },
      headers: { "x-base": "${BASE_HEADER}" },
      environments: { production: { url: "${PROD}/mcp", auth: { bearer: "${PROD_TOKEN}" } }, mirror: { url: "${PROD}/mirror" } },
    }; // prettier-ignore
    const variables = { PROD: "https://prod.test", PROD_TOKEN: "p" };
    expect(endpointOf(settings, variables, "production")).toMatchObject({
      url: "https://prod.test/mcp",
      headers: { authorization: "Bearer p" },
    });
    // An unknown address passes nothing on.
    expect(endpointOf(settings, variables, "mirror")).toMatchObject({ headers: {} });
    expect(() => endpointOf(settings, {}, "production")).toThrow(/"PROD" .*"PROD_TOKEN"/);
    expect(() => endpointOf(settings, variables)).toThrow(/"BASE" .*"BASE_TOKEN" .*"BASE_HEADER"/);
  });

  test("applies the same rule to a URL that overrides the environment", () => {
    const resolve = (url: string) =>
      resolveEndpoint(wordpress, {
        where: "servers.wp",
        lookup: () => "t0ken",
        environment: "same",
        overrides: { url },
      });
    expect(resolve("https://site.example/third")).toMatchObject({ headers: { "x-key": "t0ken" } });
    expect(resolve("http://site.example/third")).toHaveProperty("headers", {});
  });

  test.each([
    [{}, "CONFIG_INVALID", "neither a url nor a command"],
    [{ url: "ftp://x/" }, "CONFIG_INVALID", "not an http: or https: URL"],
    [{ url: "http://x/", command: "x" }, "CONFIG_INVALID", "both"],
  ])("refuses %o", (settings, code, message) => {
    expect(() => endpointOf(settings)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) as unknown }),
    );
  });

  test("names the known environments", () => {
    expect(() => endpointOf(wordpress, {}, "staging")).toThrow(
      expect.objectContaining({ code: "SERVER_UNKNOWN", hint: expect.stringContaining('"same"') as unknown }),
    );
  });

  describe("takes the parts of an address in a variable for secrets", () => {
    const ADDRESS =
      "https://us3r:p%40ss-W0rd@hooks.example.com/api/mcp/s/Kx7qP2mZ9v/550e8400-e29b-41d4-a716-446655440000/mcp?sig=correct-horse&mode=full&t=a%2Bb%2Fc12345#fr4gm3nt";
    const PARTS = [
      ...["us3r", "p%40ss-W0rd", "p@ss-W0rd", "Kx7qP2mZ9v", "550e8400-e29b-41d4-a716-446655440000"],
      ...["correct-horse", "a%2Bb%2Fc12345", "a+b/c12345", "fr4gm3nt"],
    ];
    const WORDS = ["api", "mcp", "full", "hooks.example.com", "https:"];

    test.each<[string, EndpointSettings, string]>([
      ["a whole url", { url: "${A}" }, ADDRESS],
      ["an argument", { command: "npx", args: ["mcp-remote", "${A}"] }, ADDRESS],
      ["the environment", { command: "npx", env: { REMOTE: "${A}" } }, ADDRESS],
      ["a header", { url: "https://h.example/mcp", headers: { "x-upstream": "${A}" } }, ADDRESS],
      ["an address of a database", { command: "npx", env: { DB: "${A}" } }, ADDRESS.replace("https:", "postgres:")],
    ])("in %s", (_what, settings, address) => {
      const { secrets, credentials = [] } = endpointOf(settings, { A: address });
      for (const part of PARTS) expect(secrets).toContain(part);
      for (const part of PARTS.filter(({ length }) => length >= 8)) expect(credentials).toContain(part);
      for (const word of WORDS) expect([...secrets, ...credentials]).not.toContain(word);
    }); // prettier-ignore

    test.each([
      ["https://h.example/${A}", "s/Kx7qP2mZ9v/mcp?sig=correct-horse"],
      ["https://h.example${A}", "/s/Kx7qP2mZ9v/mcp?sig=correct-horse"],
      ["https://${A}", "h.example/s/Kx7qP2mZ9v/mcp?sig=correct-horse"],
      ["https://h.example/s/${A}", "Kx7qP2mZ9v?sig=correct-horse"],
      ["https://h.example/s/Kx7/mcp${A}", "?k=Kx7qP2mZ9v&sig=correct-horse"],
    ])("in %s", (url, value) => {
      const { secrets, credentials = [] } = endpointOf({ url }, { A: value });
      for (const part of ["Kx7qP2mZ9v", "correct-horse"]) {
        expect(secrets).toContain(part);
        expect(credentials).toContain(part);
      }
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
      expect(secrets.filter((each) => value.includes(each) && each !== value && each.length < 40)).toEqual(
        [],
      );
    });

    test("and a user name without a password", () => {
      expect(endpointOf({ url: "https://${A}@h.example/mcp" }, { A: "key-1234" }).credentials).toContain(
        "key-1234",
      );
    });
  });
});
