import { describe, expect, it } from "vitest";
import type { Config } from "../../src/config/config.js";
import { validateConfig } from "../../src/config/validate-config.js";
import { McpCodegenError } from "../../src/core/errors.js";
import { HIGHEST_READ_LIMIT } from "../../src/core/limits.js";

const FULL: Config = {
  $schema: "./config.schema.json",
  output: "src/generated",
  importExtension: "none",
  check: { failOn: "breaking", preset: "model", rules: { "tool-added": "safe" } },
  policy: {
    focusMode: "shop",
    focusModes: {
      shop: { allow: [{ categories: ["commerce"], names: ["*"], effects: ["reads"] }], deny: [] },
    },
    role: "guest",
    roles: { guest: {} },
    writes: { wordpress: true, files: false, static: false },
  },
  servers: {
    wordpress: {
      url: "${WP_URL:-http://localhost:8001}/wp-json/mcp/mcp-adapter-default-server",
      transport: "http",
      auth: { basic: { username: { value: "editor", public: true }, password: "${WP_APP_PASSWORD}" } },
      headers: { "X-Api-Key": "Key ${WP_KEY}", Accept: { value: "application/json", public: true } },
      environments: {
        sandbox: { url: "http://localhost:8001/mcp" },
        other: { auth: { bearer: "${TOKEN}" } },
      },
      timeouts: { connect: 1000, call: 2000, list: 3000 },
      capabilities: { elicitation: {}, roots: { listChanged: true } },
      tools: {
        include: ["wordpress-*"],
        exclude: ["*-delete-*"],
        stripPrefix: "wordpress-",
        rename: { a: "b" },
        annotations: { "get-*": { readOnlyHint: true, openWorldHint: false } },
      },
      categories: { "wordpress-*": "content" },
      defaults: "parse",
      validateOutput: "warn",
      validateInput: "warn",
      check: { failOn: "never" },
    },
    files: { command: "npx", args: ["-y", "x", ""], env: { DEBUG: "" }, cwd: "." },
    plugin: {
      php: {
        paths: ["acme"],
        core: "wordpress",
        bootstrap: "boot.php",
        theme: "themes/acme",
        options: { acme_unit: "kg", acme_limits: { orders: [1, null] } },
        constants: { WP_DEBUG: true, ACME_KEY: "a", ACME_LIMIT: 2.5, ACME_NONE: null },
      },
    },
    offline: { file: "snapshots/tools.json" },
  },
};

async function problemsOf(config: unknown): Promise<readonly string[]> {
  return (await errorOf(config)).message.split("\n");
}

async function errorOf(config: unknown): Promise<McpCodegenError> {
  try {
    await validateConfig(config, "c.json");
  } catch (error) {
    if (error instanceof McpCodegenError) return error;
    throw error;
  }
  throw new Error("The configuration was accepted.");
}

const server = (settings: object): object => ({
  servers: { shop: { url: "https://shop.example/mcp", ...settings } },
});

type Refused = [line: string, config: unknown];
type Setting = [line: string, settings: object];

/** By what follows "servers.shop" in the message, and the settings of that server. */
const OF_A_SERVER: readonly Setting[] = [
  ['.check: unknown key "severity"; known keys: "failOn", "preset", "rules", "tokenBudget"', { check: { severity: 1 } }],
  [': unknown key "ulr", did you mean "url"?', { ulr: "x" }],
  ['.environments.live: unknown key "hedders", did you mean "headers"?', { environments: { live: { hedders: {} } } }],
  [': expected exactly one of "url", "command" and "file", or "php"', { command: "x" }],
  ['.php.constants.ABSPATH: cannot be set', { php: { paths: ["acme"], constants: { WP_DEBUG: true, ABSPATH: "/srv/" } } }],
  ['.php: unknown key "stubs"; use "options" or "constants", or define the functions in "bootstrap"', { php: { paths: ["acme"], stubs: { acme_unit: "kg" } } }],
  ...["core", "theme"].map((key): Setting => [`.php.${key}: does not apply together with "wordpress"`, { php: { wordpress: "site", [key]: "wp" } }]),
  ...["options", "constants"].map((key): Setting => [`.php.${key}: does not apply together with "command"`, { php: { command: "wp", [key]: {} } }]),
  ['.php: expected "paths", "wordpress" or "command"', { php: { core: "wp" } }],
  ['.php: expected "wordpress" or "command", not both', { php: { wordpress: "site", command: "wp" } }],
  ['.php.constants.WP_DEBUG: expected a string, a number, true, false or null', { php: { paths: ["acme"], constants: { WP_DEBUG: [true] } } }],
  ['.cwd: applies only together with "command"', { cwd: "." }],
  ['.timeouts.call: expected a whole number of milliseconds from 1 to 2147483647', { timeouts: { call: 0 } }],
  ['.timeouts.connect: expected a whole number of milliseconds from 1 to 2147483647', { timeouts: { connect: 2 ** 31 } }],
  ...["all", "default"].map((name): Setting => [`.environments.${name}: "${name}" cannot be the name of an environment`, { environments: { [name]: {} } }]),
  ['.variants.a: expected exactly one of "url" and "command"', { variants: { a: { url: "https://a.example", command: "a" } } }],
  ['.variants.default: "default" is the name of the server\'s own settings', { variants: { default: {} } }],
  ['.variants.admin.auth.bearer: literal values are refused here; write "${SHOP_ADMIN_TOKEN}", or { value, public: true } if it is not a secret',
    { variants: { admin: { auth: { bearer: "ghp_0123456789abcdefghijklmnopqrstuvwxyz" } } } }],
  ...["customer.email", "arguments", "result..iban"].map((path): Setting => [
    '.record.redact[0]: expected a path that starts with "arguments." or "result.", such as "arguments.customer.email"', { record: { redact: [path] } }]),
  ['.check.rules: unknown rule "tool-addd", did you mean "tool-added"?', { check: { rules: { "tool-addd": "safe" } } }],
  ['.check.rules["tool-added"]: expected "breaking", "dangerous" or "safe"', { check: { rules: { "tool-added": "unknown" } } }],
  ['.check.preset: expected "wire", "types", "model" or "strict"', { check: { preset: "wires" } }],
  ['.readLimit: expected a whole number of bytes from 1, and at most 524288000 bytes (500 MiB)', { readLimit: HIGHEST_READ_LIMIT + 1 }],
  ['.auth.redirectPort: expected a port from 1 to 65535', { auth: { type: "oauth", redirectPort: 70_000 } }],
  ['.auth.issuer: expected a URL that starts with "http://" or "https://"', { auth: { type: "oauth", issuer: "sesame" } }],
  ['.tools.include[0]: expected a non-empty string', { tools: { include: [""] } }],
  ['.validateOutput: expected "tolerant", "strict", "warn" or "off"', { validateOutput: "loud" }],
  ['.prelude[0].arguments: expected numbers that JavaScript can hold; write longer ones as strings',
    { prelude: [{ tool: "log-in", arguments: { account: 1234567890123456800 } }] }],
  ['.validateInput: expected "strict" or "warn"', { validateInput: "off" }],
  ['.tools.rename["get-post"]: expected a name that TypeScript accepts', { tools: { rename: { "get-post": "get-post" } } }],
  ['.auth: expected { basic: { username, password } }, { bearer } or { type: "oauth" } with its client', { auth: { basic: { username: "${U}" } } }],
  ['.capabilities.a: expected JSON', { capabilities: { a: () => 1 } }],
  ['.tools.annotations["*"]: unknown key "readonlyHint", did you mean "readOnlyHint"?', { tools: { annotations: { "*": { readonlyHint: true } } } }],
  ['.timeouts: expected an object', { timeouts: "long" }],
]; // prettier-ignore

const REFUSED: readonly Refused[] = [
  ['expected an object', "x"],
  ['missing key "servers"', {}],
  ['unknown key "outptu", did you mean "output"?', { servers: {}, outptu: "x" }],
  ['servers["My-Shop"]: expected a name of a-z, 0-9, _ and - that starts with a letter, such as "my_shop"', { servers: { "My-Shop": { url: "https://x" } } }],
  ['servers["my-shop"]: there is also "my_shop", and a hyphen counts as an underscore',
    { servers: { "my-shop": { url: "https://x" }, my_shop: { url: "https://x" } } }],
  ['policy.writes["my-shop"]: there is also "my_shop", and a hyphen counts as an underscore',
    { servers: { "my-shop": { url: "https://x" } }, policy: { writes: { "my-shop": false, my_shop: true } } }],
  ['servers.shop: expected exactly one of "url", "command" and "file", or "php"', { servers: { shop: { tools: {} } } }],
  ['check.rules: unknown rule "x"; "npx mcp-codegen explain" lists them', { servers: {}, check: { rules: { x: "safe" } } }],
  ['check: unknown key "consumers"; use "check --against" with the lock of each caller', { ...server({}), check: { consumers: ["c.json"] } }],
  ['servers.shop.url: expected a URL that starts with "http://" or "https://"', { servers: { shop: { url: "shop" } } }],
  ['servers.s.args[1]: expected a string', { servers: { s: { command: "x", args: ["a", 1] } } }],
  ['servers.shop.wordpress.route: "rest" applies only together with "url"', { servers: { shop: { command: "x", wordpress: { route: "rest" } } } }],
  ['policy.focusMode: unknown focus mode "admin"; known: "full-admin", "content-editing", "read-only", "mine"',
    { servers: {}, policy: { focusMode: "admin", focusModes: { mine: {} } } }],
  ['policy.role: unknown role "constructor"; known: "content-editor"', { servers: {}, policy: { role: "constructor" } }],
  ['policy.writes.shpo: unknown server "shpo"; known: "shop", "static"', { ...server({}), policy: { writes: { shpo: true } } }],
  ['policy.writes: expected true, false or an object of true and false by server', { servers: {}, policy: { writes: "yes" } }],
  ['policy: unknown key "focusmode", did you mean "focusMode"?', { servers: {}, policy: { focusmode: "read-only" } }],
  ['policy.roles.guest: unknown key "alow", did you mean "allow"?', { servers: {}, policy: { roles: { guest: { alow: [] } } } }],
  ['policy.roles.guest.allow[0]: unknown key "tools"; known keys: "categories", "names", "effects"',
    { servers: {}, policy: { roles: { guest: { allow: [{ tools: [] }] } } } }],
  ...OF_A_SERVER.map(([line, settings]): Refused => [`servers.shop${line}`, server(settings)]),
]; // prettier-ignore

describe("validateConfig", () => {
  it("accepts every documented key", async () => {
    expect(await validateConfig(FULL, "c.json")).toEqual(FULL);
  });

  it("accepts a server and a variant with the name of a member of objects", async () => {
    const url = "https://shop.example/mcp";
    const config = { servers: { constructor: { url, variants: { constructor: { url } } } } };
    expect(await validateConfig(config, "c.json")).toMatchObject(config);
  });

  it("names a server without hyphens, and knows it by either form in a policy", async () => {
    const servers = { "my-own-shop": { url: "https://x" }, mail: { url: "https://y" } };
    for (const key of ["my-own-shop", "my_own_shop"]) {
      const policy = { writes: { [key]: true } };
      expect(await validateConfig({ servers, policy }, "c.json")).toMatchObject({
        servers: { my_own_shop: servers["my-own-shop"], mail: servers.mail },
        policy: { writes: { my_own_shop: true } },
      });
    }
  });

  it("adds the default output folder", async () => {
    expect(await validateConfig({ servers: {} }, "c.json")).toEqual({ servers: {}, output: "generated" });
  });

  it.each(REFUSED)("refuses with %s", async (line, config) => {
    expect(await problemsOf(config)).toEqual([`"c.json": ${line}`]);
  });

  it("reports every problem at once", async () => {
    expect(await problemsOf({ servrs: {}, output: 1 })).toEqual([
      '"c.json": unknown key "servrs", did you mean "servers"?',
      '"c.json": output: expected the path of a folder, or false',
      '"c.json": missing key "servers"',
    ]);
  });
});

/** Returns settings with a URL, unless they set it to undefined. */
function reached(settings: object): { readonly url?: string | undefined } {
  return { url: "https://shop.example/mcp", ...settings };
}

const GITHUB = `ghp_${"a1B2".repeat(9)}`;

describe("a literal secret", () => {
  const ROWS: [string, object, string][] = [
    ["auth", { auth: { bearer: "open sesame" } }, "servers.shop.auth.bearer"],
    ["auth", { auth: { basic: { username: "editor", password: "${P}" } } }, "servers.shop.auth.basic.username"],
    ["auth", { auth: { basic: { username: "${U}", password: "${P:-sesame}" } } }, "servers.shop.auth.basic.password"],
    ["an environment", { environments: { live: { auth: { bearer: "sesame" } } } }, "servers.shop.environments.live.auth.bearer"],
    ["headers", { headers: { "X-Site": "sesame" } }, 'servers.shop.headers["X-Site"]'],
    ["headers beside a variable", { headers: { Cookie: `\${A}; ${GITHUB}` } }, "servers.shop.headers.Cookie"],
    ["a URL's userinfo", { url: "https://editor:sesame@shop.example/mcp" }, "servers.shop.url"],
    ["a URL's parameter", { url: "https://shop.example/mcp?site=1&api_key=sesame" }, "servers.shop.url"],
    ["a URL's path", { url: `https://shop.example/s/${"aB3".repeat(12)}/mcp` }, "servers.shop.url"],
    ["an argument", { url: undefined, command: "npx", args: ["x", "--api-key", "sesame"] }, "servers.shop.args[2]"],
    ["an argument", { url: undefined, command: "npx", args: ["x", "--token=sesame"] }, "servers.shop.args[1]"],
    ["an argument of docker", { url: undefined, command: "docker", args: ["-e", "GH_TOKEN=sesame"] }, "servers.shop.args[1]"],
    ["an argument", { url: undefined, command: "x", args: ["postgresql://me:sesame@db/shop"] }, "servers.shop.args[0]"],
    ["the command of a WordPress", { url: undefined, php: { command: "ssh --password sesamesesame host wp" } }, "servers.shop.php.command"],
    ["env by its name", { url: undefined, command: "x", env: { GITHUB_TOKEN: "sesame" } }, "servers.shop.env.GITHUB_TOKEN"],
    ["env by its shape", { url: undefined, command: "x", env: { HOLE: GITHUB } }, "servers.shop.env.HOLE"],
    ["env by its default", { url: undefined, command: "x", env: { API_KEY: "${K:-sesame}" } }, "servers.shop.env.API_KEY"],
  ]; // prettier-ignore

  it.each(ROWS)("in %s is rejected and never shown: %o", async (_where, settings, place) => {
    const { url, ...rest } = reached(settings);
    const error = await errorOf({ servers: { shop: { ...(url !== undefined && { url }), ...rest } } });
    expect(error.code).toBe("SECRET_LITERAL");
    expect(error.message.split("\n")).toHaveLength(1);
    expect(error.message).toContain(`"c.json": ${place}: `);
    expect(`${error.message} ${error.hint ?? ""}`).not.toMatch(/sesame|ghp_|aB3aB3/);
  });

  it.each<[string, object]>([
    ["public", { auth: { bearer: { value: "anonymous", public: true } } }],
    ["a variable with a word before it", { headers: { Authorization: "Token ${TOKEN}" } }],
    ["an empty text", { headers: { "X-Empty": "" } }],
    ["a harmless parameter", { url: "https://shop.example/mcp?site=1&key=${KEY}" }],
    ["a UUID in a path", { url: "https://shop.example/4f9c1a2e-7b64-4a0e-9d9b-0c1d2e3f4a5b/mcp" }],
    ["a switch", { url: undefined, command: "x", env: { USE_API_KEY: "true", MAX_TOKENS: "4096", LOG: "debug" } }], // prettier-ignore
    ["ordinary arguments", { url: undefined, command: "npx", args: ["-y", "@scope/server-x@1.2.3", "--port", "80"] }], // prettier-ignore
  ])("is not found in %s", async (_what, settings) => {
    const { url, ...rest } = reached(settings);
    const config = { servers: { shop: { ...(url !== undefined && { url }), ...rest } } };
    await expect(validateConfig(config, "c.json")).resolves.toMatchObject(config);
  });
});

describe("a pattern for names", () => {
  /** A configuration for each list of names. */
  const LISTS: readonly (readonly [place: string, make: (pattern: string) => object])[] = [
    ...["focusModes", "roles"].flatMap((kind) =>
      ["allow", "deny"].flatMap((list) =>
        ["names", "categories"].map((of): readonly [string, (pattern: string) => object] => [
          `policy.${kind}.own.${list}[0].${of}[0]`,
          (pattern) => ({ ...server({}), policy: { [kind]: { own: { [list]: [{ [of]: [pattern] }] } } } }),
        ]),
      ),
    ),
    ...["include", "exclude"].map((list): readonly [string, (pattern: string) => object] => [
      `servers.shop.tools.${list}[0]`,
      (pattern) => server({ tools: { [list]: [pattern] } }),
    ]),
    ...["redact", "keep"].map((list): readonly [string, (pattern: string) => object] => [
      `servers.shop.record.${list}[0]`,
      (pattern) => server({ record: { [list]: [`result.${pattern}`] } }),
    ]),
    ["servers.shop.prompts.exclude[0]", (pattern) => server({ prompts: { exclude: [pattern] } })],
    ["servers.shop.resources.exclude[0]", (pattern) => server({ resources: { exclude: [pattern] } })],
    [
      "servers.shop.tools.annotations",
      (pattern) => server({ tools: { annotations: { [pattern]: { readOnlyHint: true } } } }),
    ],
    ["servers.shop.categories", (pattern) => server({ categories: { [pattern]: "shop" } })],
  ];

  it.each(LISTS)("is refused with its place, or accepted, at %s", async (place, make) => {
    const at = (pattern: string): string =>
      place.endsWith("]") ? place : `${place}[${JSON.stringify(pattern)}]`;
    for (const pattern of ["[gd]elete_*", "!get_*", "+(a|b)_*", "get_(a)", "^get", "a\\*", "{a, b}_*"])
      expect(await problemsOf(make(pattern))).toEqual([
        expect.stringContaining(`"c.json": ${at(pattern)}: expected a name, or a pattern with "*"`),
      ]);
    for (const pattern of ["get_post", "get_*", "{get,list}_?", "*"])
      expect(await validateConfig(make(pattern), "c.json")).toMatchObject(make(pattern));
    const template = problemsOf(make("repo-{owner}/*"));
    if (place.includes("resources")) await expect(template).rejects.toThrow("accepted");
    else expect(await template).toEqual([expect.stringContaining("braces belong to a list")]);
  });
});
