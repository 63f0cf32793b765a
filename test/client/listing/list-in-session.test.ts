import { describe, expect, it } from "vitest";
import { hideInSnapshot, hideSecretsOf } from "../../../src/client/listing/list-in-session.js";
import { attachTokens } from "../../../src/client/oauth/tokens.js";
import type { ConnectionSettings } from "../../../src/core/connection-settings.js";
import type { JsonObject } from "../../../src/core/json.js";
import type { ServerSnapshot } from "../../../src/core/snapshot.js";
import { diffServer } from "../../../src/drift/diff-server.js";
import { endpointOf } from "../endpoint.js";

const SECRET = 'zq+7/"Ünic"?~Tok&9';
const TOKEN = "zq7-Tok9_secret.marker";
const url = "https://shop.example/mcp";
const publicly = (value: string) => ({ value, public: true }) as const;
const user = publicly("ada");

/** The places of a configuration that hold a secret, and the text that the server was sent. */
const KINDS: Readonly<Record<string, readonly [settings: ConnectionSettings, secret: string]>> = {
  "a bearer token": [{ url, auth: { bearer: "${V}" } }, SECRET],
  "a password": [{ url, auth: { basic: { username: user, password: "${V}" } } }, SECRET],
  "a user and password": [{ url, auth: { basic: { username: user, password: "${V}" } } }, `ada:${SECRET}`],
  "a short password as it is sent": [{ url, auth: { basic: { username: user, password: "${SHORT}" } } }, Buffer.from("ada:shop").toString("base64")],
  "a client secret": [{ url, auth: { type: "oauth", clientId: "c", clientSecret: "${V}" } }, SECRET],
  "a header with a secret name": [{ url, headers: { "X-Api-Key": "${V}" } }, SECRET],
  "the token in a header": [{ url, headers: { Authorization: "Token ${V}" } }, SECRET],
  "a random header": [{ url, headers: { "X-Tenant": "${RANDOM}" } }, "tn-4f9a8b7c6d5e4f3a2b1c"],
  "a variable with a secret name": [{ command: "shop", env: { OPTIONS: "k=${SHOP_TOKEN}" } }, SECRET],
  "an environment value with a secret name": [{ command: "shop", env: { SHOP_SECRET: "${V}" } }, SECRET],
  "an environment value with the shape of a secret": [{ command: "shop", env: { DB: "${DB}" } }, "postgres://ada:lovelace@db/shop"],
  "an argument": [{ command: "shop", args: ["--token=${SHOP_TOKEN}"] }, SECRET],
  "the query of a URL": [{ url: `${url}?api_key=\${TOKEN_TEXT}` }, TOKEN],
  "the user information of a URL": [{ url: "https://ada:${TOKEN_TEXT}@shop.example/mcp" }, TOKEN],
}; // prettier-ignore
const VARIABLES = {
  V: SECRET,
  SHORT: "shop",
  SHOP_TOKEN: SECRET,
  TOKEN_TEXT: TOKEN,
  RANDOM: "tn-4f9a8b7c6d5e4f3a2b1c",
  DB: "postgres://ada:lovelace@db/shop",
};

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const escapeAll = (text: string): string =>
  text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const ENCODINGS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  "inside a text": (secret) => `Log in with ${secret}, please.`,
  Base64: base64,
  "Base64 without padding": (secret) => base64(secret).replace(/=+$/, ""),
  "Base64 for URLs": (secret) => Buffer.from(secret).toString("base64url"),
  "Base64 after one byte": (secret) => base64(`:${secret} rest`),
  "Base64 after two bytes": (secret) => base64(`a:${secret} rest`),
  "Base64 for URLs after two bytes": (secret) => Buffer.from(`a:${secret}~`).toString("base64url"),
  "percent-encoded": encodeURIComponent,
  "percent-encoded in lower case": (secret) =>
    encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase()),
  "every byte percent-encoded": (secret) => Buffer.from(secret).toString("hex").replace(/../g, "%$&"),
  "Base64, percent-encoded": (secret) => encodeURIComponent(base64(`?${secret}?`)),
  "as JSON": (secret) => JSON.stringify({ secret }),
  "as JSON in JSON": (secret) => JSON.stringify(JSON.stringify({ secret })),
  "with every character escaped": escapeAll,
};

const inTool = (tool: JsonObject): Partial<ServerSnapshot> => ({
  tools: [{ name: "get", inputSchema: { type: "object" }, ...tool }],
});
const inInput = (schema: JsonObject): Partial<ServerSnapshot> =>
  inTool({ inputSchema: { type: "object", properties: { id: schema } } });

/** Everything that a server lists. */
const PLACES: Readonly<Record<string, (text: string) => Partial<ServerSnapshot>>> = {
  "a description": (text) => inTool({ description: text }),
  "a title": (text) => inTool({ title: text }),
  "a tool's name": (text) => ({ tools: [{ name: text, inputSchema: { type: "object" } }] }),
  "a property's name": (text) => inTool({ inputSchema: { type: "object", properties: { [text]: {} } } }),
  "a default": (text) => inInput({ type: "string", default: text }),
  "a value of an enum": (text) => inInput({ enum: ["a", text] }),
  "an example": (text) => inInput({ examples: [{ deep: [text] }] }),
  "a pattern": (text) => inInput({ type: "string", pattern: text }),
  "a format": (text) => inInput({ type: "string", format: text }),
  "an output schema": (text) => inTool({ outputSchema: { type: "object", description: text } }),
  annotations: (text) => inTool({ annotations: { title: text } }),
  _meta: (text) => inTool({ _meta: { "example.com/request": { headers: [text] } } }),
  "an unknown key": (text) => inTool({ [text]: true }),
  "a repeated tool": (text) => ({
    ...inTool({}),
    repeated: [{ name: "get", inputSchema: { type: "object" }, description: text }],
  }),
  "a prompt": (text) => ({ prompts: { ask: { name: "ask", description: text } } }),
  "a resource's URI": (text) => ({ resources: { [text]: { uri: text, name: "r" } } }),
  "a resource template": (text) => ({
    resourceTemplates: { "x:{id}": { uriTemplate: "x:{id}", name: text } },
  }),
  instructions: (text) => ({ identity: { ...identity, instructions: text } }),
  "the server's information": (text) => ({ identity: { ...identity, serverInfo: { name: text } } }),
};

const identity = { serverInfo: { name: "shop" }, protocolVersion: "2025-11-25", capabilities: {} };
const snapshotOf = (part: Partial<ServerSnapshot>): ServerSnapshot => ({
  server: "shop",
  identity,
  listing: { clientCapabilities: {}, pages: 1 },
  tools: [],
  unusable: {},
  diagnostics: [],
  ...part,
});

describe.each(Object.entries(KINDS))("%s", (_kind, [settings, secret]) => {
  const hide = hideSecretsOf(endpointOf(settings, VARIABLES));

  it.each(Object.keys(ENCODINGS))("that the server lists %s is hidden and found everywhere", (encoding) => {
    const text = ENCODINGS[encoding]?.(secret) ?? "";
    const raw = [secret, base64(secret).replace(/=+$/, "").slice(0, -1)];
    for (const [place, make] of Object.entries(PLACES)) {
      const hidden = hideInSnapshot(snapshotOf(make(text)), hide);
      const written = JSON.stringify(hidden);
      const shown = raw.filter((each) => written.includes(JSON.stringify(each).slice(1, -1)));
      expect(shown, place).toEqual([]);
      const rules = diffServer("shop", undefined, hidden).map(({ rule }) => rule);
      expect(rules, place).toContain("poison-repeated-secret");
      expect(written).not.toContain(text);
    }
  });
});

/** Values that a server may be given and may list without giving anything away. */
const HARMLESS: Readonly<Record<string, readonly [settings: ConnectionSettings, value: string]>> = {
  ...Object.fromEntries(
    ["1", "true", "debug", "shop", "production", "eu-central-1", "2025-06-18", "20250618", "my-project-2024"]
      .concat("en-US")
      .map((value) => [`the value ${value}`, [{ command: "shop", env: { MODE: "${V}" } }, value]]),
  ),
  "a folder": [{ command: "shop", args: ["${V}"] }, "/home/ada/projects/shop-2"],
  "an address": [{ url: "${V}/mcp" }, "https://shop.example/api/v2"],
  "the name of a model": [{ command: "shop", env: { MODEL: "${V}" } }, "gpt-4o-mini-2024-07-18"],
  "a word as a password": [{ url, auth: { basic: { username: user, password: "${V}" } } }, "password"],
  "a short token": [{ url, auth: { bearer: "${V}" } }, "t0ken"],
  "a user": [{ url, auth: { basic: { username: "${V}", password: "${P}" } } }, "ada.lovelace7"],
  "a public token": [{ url, auth: { bearer: publicly(TOKEN) } }, TOKEN],
  "a public header": [{ url, headers: { "X-Api-Key": publicly(TOKEN) } }, TOKEN],
  "a public environment value": [{ command: "shop", env: { API_KEY: publicly(TOKEN) } }, TOKEN],
  "a literal environment value": [{ command: "shop", env: { MODE: "production-7" } }, "production-7"],
};

it.each(Object.entries(HARMLESS))("%s has no finding", (_kind, [settings, value]) => {
  const hide = hideSecretsOf(endpointOf(settings, { V: value, P: "tr0ub4dor-and-3" }));
  for (const make of Object.values(PLACES)) {
    const listed = snapshotOf(make(`Lists ${value} and ${base64(value)}.`));
    expect(hideInSnapshot(listed, hide)).toBe(listed);
  }
});

it("hides the tokens of a program, which are known only after a request", async () => {
  const provider = () => Promise.resolve(TOKEN);
  const endpoint = attachTokens(endpointOf({ url }), { server: "shop", provider });
  const listed = snapshotOf(inTool({ description: base64(TOKEN) }));
  expect(hideInSnapshot(listed, hideSecretsOf(endpoint))).toBe(listed);
  if (endpoint.kind === "http") await endpoint.tokens?.token();
  const hidden = JSON.stringify(hideInSnapshot(listed, hideSecretsOf(endpoint)));
  expect(hidden).not.toContain(base64(TOKEN).slice(2, -3));
});

it("keeps one of two tools whose names are equal without the secret, in the order of names", () => {
  const hide = hideSecretsOf(endpointOf({ url, auth: { bearer: "${V}" } }, { V: TOKEN }));
  const tools = [{ name: "a" }, { name: TOKEN }, { name: encodeURIComponent(base64(TOKEN)) }];
  const names = hideInSnapshot(snapshotOf({ tools }), hide).tools.map(({ name }) => name);
  expect(names).toEqual([...names].sort());
  expect(new Set(names).size).toBe(names.length);
});
