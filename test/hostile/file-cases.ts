/** A document for each file that the program reads, with every key, and its mutations field by field. */
import { digestOf, digestOfTool } from "../../src/core/digest.js";
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  mapEntries,
} from "../../src/core/json.js";
import type { KeyPath } from "../../src/core/json-pointer.js";

/** Would be a statement if a name became code. */
export const CODE = "z from './x.js'; globalThis.PWNED = 1; export * as q";

const SCHEMA = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
const TOOL = { name: "get-post", title: "Get", description: "Gets a post.", inputSchema: SCHEMA };
const ABILITY = {
  ...{ name: "shop/get-item", label: "Get item", category: "shop", input_schema: SCHEMA },
  meta: { deprecated: { since: "2.0", replacement: "shop/item", message: "Old." } },
};
const LISTING = {
  ...{ clientCapabilities: {}, principal: "editor", scopes: ["read"], locale: "de" },
  ...{ prelude: `sha256-${"0".repeat(64)}`, cacheScope: "private", pages: 1 },
};

const TOOLS = {
  "get-post": {
    tokens: 40,
    category: "posts",
    views: ["default", "admin"],
    definition: TOOL,
    repeated: [{ ...TOOL, title: "Twice" }],
    differs: { admin: { ...TOOL, title: "Admin" } },
  },
  "shop-get-item": {
    ability: { file: "plugins/shop/shop.php", definition: ABILITY },
    definition: { name: "shop-get-item", inputSchema: SCHEMA, outputSchema: { type: "object" } },
  },
  odd: { unusable: "It has no schema.", definition: { name: "odd" } },
};

const ENTRIES = {
  prompts: { review: { name: "review", arguments: [{ name: "code", required: true }] } },
  resources: { "x://readme": { uri: "x://readme", name: "readme", mimeType: "text/plain" } },
  resourceTemplates: { "x://{path}": { uriTemplate: "x://{path}", name: "file" } },
  skills: { "skill://a/SKILL.md": { uri: "skill://a/SKILL.md", name: "a", description: "A skill." } },
};

export const LOCK: JsonObject = signLock({
  $schema: "./lockfile.schema.json",
  lockfileVersion: 1,
  servers: {
    shop: {
      contract: "1.2.3",
      identity: {
        serverInfo: { name: "shop", version: "1" },
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        instructions: "Be kind.",
      },
      listing: LISTING,
      variants: { admin: LISTING },
      wordpress: { profile: "0.5", route: "execute", projected: true },
      tokenizer: "o200k_base",
      tools: TOOLS,
      ...mapEntries<object, object>(ENTRIES, (entries) =>
        mapEntries<object, object>(entries as Record<string, object>, (definition) => ({ definition })),
      ),
    },
  },
});

/** Gives every definition of a lock the digest that it has now, where it can have one. */
export function signLock(lock: JsonObject): JsonObject {
  const sign = (list: string, entry: JsonValue): JsonValue => {
    if (!isJsonObject(entry)) return entry;
    try {
      const digest = list === "tools" ? digestOfTool(entry as never) : digestOf(entry["definition"] ?? null);
      return { digest, ...entry, ...("digest" in entry && { digest }) };
    } catch {
      return entry;
    }
  };
  const mapObject = (
    value: JsonValue | undefined,
    map: (value: JsonValue, key: string) => JsonValue,
  ): JsonValue =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, map(each, key)]))
      : (value ?? null);
  return mapObject(lock, (servers, key) =>
    key !== "servers"
      ? servers
      : mapObject(servers, (server) =>
          mapObject(server, (list, name) =>
            ["tools", ...Object.keys(ENTRIES)].includes(name)
              ? mapObject(list, (entry) => sign(name, entry))
              : list,
          ),
        ),
  ) as JsonObject;
}

const DIGEST = `sha256-${"a".repeat(64)}`;

export const WAIVERS: JsonObject = {
  $schema: "./waivers.schema.json",
  waivers: [
    {
      ...{ rule: "tool-removed", server: "shop", tool: "get-post", path: "/inputSchema" },
      ...{ digests: { before: DIGEST, after: DIGEST }, reason: "No client calls it.", expires: "2027-06-30" },
    },
    { rule: "description-poisoned", server: "shop", path: "", digests: {}, reason: "Read it." },
  ],
};

export const OBSERVED: JsonObject = {
  observedVersion: 1,
  servers: {
    shop: {
      "get-post": { digest: DIGEST, samples: 2, answers: "structured", schema: SCHEMA },
      odd: { digest: DIGEST, samples: 1, answers: "text" },
    },
  },
};

export const CASSETTE: JsonObject = {
  ...{ cassetteVersion: 1, server: "shop", tool: "get-post", contract: "1.2.3" },
  calls: [
    { arguments: { id: 1 }, result: { content: [{ type: "text", text: "a" }] }, duration: 3, times: 2 },
    { arguments: { id: 2 }, error: { code: -32_000, message: "Gone.", data: { id: 2 } }, duration: 1 },
  ],
};

export const CHANGE: JsonObject = {
  ...{ tool: "create-post", server: "shop", args: { title: "Rye" }, result: { id: 4 } },
  ...{ at: "2026-01-01T00:00:00.000Z", outcome: "unfit", environment: "sandbox" },
  ...{ contract: "1.2.3", toolCallId: "c1" },
};

const ENDPOINT = { url: "https://shop.example/mcp", headers: { "X-A": "${A}" } };

export const CONFIG: JsonObject = {
  $schema: "./config.schema.json",
  output: "generated",
  importExtension: "js",
  servers: {
    shop: {
      file: "tools.json",
      timeouts: { connect: 1000, call: 1000, list: 1000 },
      readLimit: 1000000,
      include: ["tools", "prompts"],
      tools: {
        ...{ include: ["*"], exclude: ["x-*"], stripPrefix: "shop-" },
        rename: { "get-post": "fetchPost" },
        annotations: { "get-*": { readOnlyHint: true } },
      },
      prompts: { exclude: ["a"], rename: { review: "reviewCode" } },
      resources: { exclude: ["b"] },
      outputs: { odd: { type: "object" } },
      categories: { "get-*": "posts" },
      ...{
        defaults: "parse",
        validateOutput: "warn",
        schemas: "open",
        formats: "assert",
        dialect: "2020-12",
      },
      record: { redact: ["arguments.id"], keep: ["result.id"] },
      check: { failOn: "breaking", preset: "wire", rules: { "tool-removed": "safe" }, tokenBudget: 10 },
    },
    away: {
      ...{ ...ENDPOINT, transport: "http", protocol: "2025-11-25" },
      auth: { basic: { username: "${U}", password: "${P}" } },
      environments: { production: { ...ENDPOINT, production: true } },
      variants: { admin: { url: "https://shop.example/admin", capabilities: {} } },
      capabilities: { roots: {} },
      prelude: [{ tool: "login", arguments: { a: 1 } }],
    },
    local: { command: "node", args: ["-v"], env: { A: "${A}" }, cwd: "." },
  },
  check: { failOn: "any", preset: "types", rules: {}, tokenBudget: 5000 },
  serve: { tools: ["t/*.ts"], prefix: "p", hosts: ["localhost"] },
  policy: { writes: true, role: "support", roles: { support: { deny: [{ names: ["delete_*"] }] } } },
  ...{ cassettes: ["cassettes"], scripts: ["scripts/*.ts"], references: ["docs/*.md"] },
  ...{ hosts: ["anthropic"], schemas: "closed" },
};

let deep: JsonValue = 0;
for (let level = 0; level < 3000; level += 1) deep = [deep];

const VALUES: readonly JsonValue[] = [
  ...[null, true, 0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER, "", " ", "a b", "static", "default", CODE],
  ...["../evil", "/", "a//", "http://", "__proto__", "\u202e\u0000\u001b[2J", "x".repeat(300), "--version"],
  ...["${A", "${}", "[", "{a", "**", "(", "*/", "`${1}`"],
  ...[[], [null], [""], {}, { a: 1 }, { [CODE]: {} }, JSON.parse('{"__proto__": 1}') as JsonValue, deep],
];

const NAMES = [
  CODE, "../evil", "", "__proto__", "constructor", "a b", "A", "static", "default", "x".repeat(300),
]; // prettier-ignore

export interface Mutation {
  readonly what: string;
  readonly path: KeyPath;
  readonly text: string;
  /** Whether an object has a key twice, of which a parser keeps the last. */
  readonly isRepeated?: true;
}

/** Returns each mutation of a document: every value replaced, every key removed, renamed and repeated, and new keys. */
export function mutate(
  document: JsonObject,
  finish: (mutated: JsonObject) => JsonObject = (each) => each,
): readonly Mutation[] {
  const mutations: Mutation[] = [];
  const print = (value: JsonValue): string => JSON.stringify(isJsonObject(value) ? finish(value) : value);
  const visit = (value: JsonValue, path: KeyPath): void => {
    for (const other of VALUES)
      mutations.push({
        what: `${JSON.stringify(path)} = ${JSON.stringify(other).slice(0, 60)}`,
        ...{ path, text: print(replaceAt(document, path, () => other)) },
      });
    if (isJsonObject(value)) {
      for (const key of Object.keys(value)) {
        const inner = [...path, key];
        const without = Object.fromEntries(Object.entries(value).filter(([each]) => each !== key));
        const change = (what: string, object: JsonValue): void => {
          const text = print(replaceAt(document, path, () => object));
          mutations.push({ what: `${what} ${JSON.stringify(inner)}`, path: inner, text });
        };
        change("without", without);
        for (const name of NAMES) change(`${name.slice(0, 40)} for`, renameKey(value, key, name));
        const marked = print(replaceAt(document, path, () => renameKey(value, key, "TWICE")));
        const name = JSON.stringify(key);
        const text = marked.replace('"TWICE":', `${name}:${JSON.stringify(value[key])},${name}:`);
        mutations.push({ what: `twice ${JSON.stringify(inner)}`, path: inner, text, isRepeated: true });
      }
      for (const name of NAMES) {
        const text = print(replaceAt(document, path, () => addKey(value, name, { a: 1 })));
        mutations.push({ what: `more ${JSON.stringify([...path, name.slice(0, 40)])}`, path, text });
      }
      for (const [key, each] of Object.entries(value)) visit(each, [...path, key]);
    } else if (isJsonArray(value)) for (const [at, each] of value.entries()) visit(each, [...path, at]);
  };
  visit(document, []);
  return mutations;
}

function renameKey(object: JsonObject, key: string, name: string): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([each, value]) => [each === key ? name : each, value]),
  );
}

function addKey(object: JsonObject, key: string, value: JsonValue): JsonObject {
  return Object.fromEntries([...Object.entries(object), [key, value]]);
}

function replaceAt(value: JsonValue, [step, ...rest]: KeyPath, replace: () => JsonValue): JsonValue {
  if (step === undefined) return replace();
  if (isJsonArray(value))
    return value.map((each, at) => (at === step ? replaceAt(each, rest, replace) : each));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, key === step ? replaceAt(each, rest, replace) : each]),
  );
}
