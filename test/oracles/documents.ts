/** Documents that people and programs write, whole and spoilt at each of their places, and what their readers say of them. */
import { readLine } from "../../src/agent/replay/parse-changes.js";
import { formatConfig } from "../../src/config/format-config.js";
import { validateConfig } from "../../src/config/validate-config.js";
import { McpCodegenError } from "../../src/core/errors.js";
import { readFormat } from "../../src/core/format.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";
import { formatLockfile, parseLockfile } from "../../src/core/lockfile-text.js";
import { EMPTY_LOCK } from "../../src/core/lockfile.js";
import { OBSERVED_FORMAT } from "../../src/core/observed.js";
import { WAIVERS_FORMAT } from "../../src/core/waivers.js";
import { parseCassetteFile } from "../../src/runtime/cassette/cassette-file.js";
import { listTools, lockList } from "../testing/lock-tools.js";

const SHA = `sha256-${"0f".repeat(32)}`;
const CONFIG = {
  $schema: "./config.schema.json",
  ...{ output: "src/generated", importExtension: "none", cassettes: ["calls"], scripts: ["scripts/*.ts"], hosts: ["openai"] },
  ...{ references: ["*.md"], embedder: "embed.js", serve: { tools: ["tools"], prefix: "x_" } },
  check: { failOn: "breaking", preset: "wire", tokenBudget: 900, rules: { "tool-added": "breaking" } },
  policy: {
    ...{ focusMode: "shop", role: "guest", roles: { guest: {} }, writes: { shop: true, files: false } },
    focusModes: { shop: { allow: [{ categories: ["a*"], names: ["*"], effects: ["reads"] }], deny: [] } },
  },
  servers: {
    shop: {
      ...{ url: "${URL:-http://localhost:1}/mcp", transport: "http", headers: { "X-Key": "${KEY}", Accept: { value: "a/b", public: true } } },
      auth: { basic: { username: { value: "editor", public: true }, password: "${PASSWORD}" } },
      environments: { sandbox: { url: "http://localhost:1/mcp", auth: { bearer: "${TOKEN}" } } },
      ...{ timeouts: { connect: 1000, call: 2000, list: 3000 }, capabilities: { elicitation: {} }, include: ["prompts"] },
      tools: { include: ["shop-*"], exclude: ["*-x"], stripPrefix: "shop-", rename: { a: "b" }, annotations: { "get-*": { readOnlyHint: true } } },
      ...{ categories: { "shop-*": "content" }, defaults: "parse", validateOutput: "warn", validateInput: "warn", check: { failOn: "never" } },
    },
    files: { command: "npx", args: ["-y", "x", ""], env: { DEBUG: "", API_TOKEN: "${TOKEN}" }, cwd: "." },
    plugin: { php: { paths: ["acme"], core: "wordpress", bootstrap: "boot.php", options: { unit: "kg" }, constants: { WP_DEBUG: true } } },
    offline: { file: "snapshots/tools.json" },
  },
} satisfies JsonObject; // prettier-ignore
const LOCK = JSON.parse(
  formatLockfile({
    ...EMPTY_LOCK,
    servers: { shop: lockList(listTools([{ name: "get", description: "Gets.", inputSchema: { type: "object" } }])) },
  }),
) as JsonObject; // prettier-ignore
const WAIVERS = {
  waivers: [{ rule: "tool-removed", server: "shop", tool: "get", path: "/a/*", literal: true, digests: { before: SHA, after: SHA }, reason: "Known.", check: "--offline", expires: "2026-12-31" }],
} satisfies JsonObject; // prettier-ignore
const CALLS = {
  ...{ cassetteVersion: 1, server: "shop", tool: "get", contract: "1.0.0" },
  calls: [
    { arguments: { id: 1 }, result: { content: [] }, duration: 5, times: 2 },
    { arguments: { id: 1 }, n: 2, error: { code: -32000, message: "No.", data: [1] }, duration: 6 },
  ],
} satisfies JsonObject;
const OBSERVED = { observedVersion: 1, servers: { shop: { get: { digest: SHA, samples: 3, answers: "json", schema: { type: "object" } } } } } satisfies JsonObject; // prettier-ignore
const CHANGE = { tool: "get", server: "shop", args: { id: 1 }, result: { id: 1 }, at: "2026-01-01T00:00:00.000Z", contract: "1.0.0", toolCallId: "c1", outcome: "unfit", answer: {} } satisfies JsonObject; // prettier-ignore

/** By their names: a valid document, and its reader, which throws. */
const DOCUMENTS: Readonly<Record<string, readonly [JsonObject, (document: JsonObject) => unknown]>> = {
  config: [CONFIG, (document) => validateConfig(document, "config.json")],
  formatted: [CONFIG, async (document) => formatConfig(await validateConfig(document, "config.json"), "ts")],
  lock: [LOCK, (document) => parseLockfile(JSON.stringify(document))],
  waivers: [WAIVERS, (document) => readFormat(WAIVERS_FORMAT, document, "waivers.json")],
  cassette: [CALLS, (document) => parseCassetteFile(JSON.stringify(document, null, 1), "get.json", { server: "shop", tool: "get" })],
  observed: [OBSERVED, (document) => readFormat(OBSERVED_FORMAT, document, "observed.json")],
  change: [CHANGE, (document) => readLine(JSON.stringify(document))],
}; // prettier-ignore

const SPOILT: readonly JsonValue[] = [null, true, -1, 2.5, "", "x y", [], ["a", "a"], {}, { "": 1 }];

/** Yields a document whole, then with each of its values replaced by others and removed, and with a key too many. */
function* spoil(value: JsonValue): Generator<JsonValue> {
  if (typeof value !== "object" || value === null) return;
  const parts = Object.entries(value);
  for (const [at, [key, part]] of parts.entries()) {
    const rebuilt = (other: readonly (readonly [string, JsonValue])[]): JsonValue => {
      const entries = [...parts.slice(0, at), ...other, ...parts.slice(at + 1)];
      return isJsonObject(value) ? Object.fromEntries(entries) : entries.map(([, item]) => item);
    };
    yield rebuilt([]);
    for (const other of SPOILT) yield rebuilt([[key, other]]);
    for (const other of spoil(part)) yield rebuilt([[key, other]]);
  }
  if (isJsonObject(value)) yield { ...value, extra: 1 };
}

async function answerOf(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error instanceof McpCodegenError ? [error.code, error.message, error.hint] : String(error);
  }
}

/** What the reader of each kind of document says of it, whole and spoilt. */
export async function answersOfDocuments(): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const answers = new Map<string, readonly unknown[]>();
  for (const [name, [document, read]] of Object.entries(DOCUMENTS)) {
    const all = [document, ...spoil(document)].filter(isJsonObject);
    answers.set(name, await Promise.all(all.map((each) => answerOf(() => read(each)))));
  }
  return answers;
}
