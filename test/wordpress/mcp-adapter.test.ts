/** Sends the requests of recorded sessions of the MCP adapter to its stand-in, and compares the answers. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { startSite, type RunningSite } from "./start-site.js";

const DATA = resolve("../shared/data/wordpress");
const hasData = existsSync(DATA);
const NOTE = hasData ? WITH_PHP : " (skipped: no ../shared/data)";
const PLUGINS = [resolve("test/wordpress/plugins/acme-edge/acme-edge.php")];

interface Recorded {
  readonly name: string;
  readonly status: number;
  readonly answer: JsonValue;
}

/** The answers of a recorded session that were not cut off, by the name of the request. */
function readSession(file: string): readonly Recorded[] {
  return readLines(file).flatMap((line) => {
    const [, name = "", status = "", text = ""] = /^## (.+) -> (\d+) ([[{].*)$/.exec(line) ?? [];
    const answer = parse(text);
    return answer === undefined ? [] : [{ name, status: Number(status), answer }];
  });
}

/** The recorded tools that were not cut off. */
function readTools(file: string): ReadonlyMap<unknown, JsonObject> {
  const tools = readLines(file).map((line) => (line.startsWith('{"name"') ? parse(line) : undefined));
  return new Map(tools.filter(isJsonObject).map((tool) => [tool["name"], tool]));
}

function readLines(file: string): readonly string[] {
  return readFileSync(join(DATA, file), "utf8").split("\n");
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
const call = (name: string, args: object = {}) => rpc("tools/call", { name, arguments: args });

/** The recorded requests that do not depend on the plugins of the recorded site. */
const REQUESTS: Readonly<
  Record<string, readonly [body: unknown, headers?: Readonly<Record<string, string>>]>
> = {
  "no auth init": [rpc("initialize"), { authorization: "" }],
  "bad auth init": [rpc("initialize"), { authorization: `Basic ${btoa("admin:wrong")}` }],
  "no session": [rpc("tools/list"), { "mcp-session-id": "" }],
  "bad session": [rpc("tools/list"), { "mcp-session-id": "00000000-0000-4000-8000-000000000000" }],
  "bad pv header": [rpc("tools/list"), { "mcp-protocol-version": "2019-01-01" }],
  "unknown method": [rpc("foo/bar")],
  ping: [rpc("ping")],
  "server/discover (2026)": [rpc("server/discover")],
  batch: [[{ ...rpc("ping") }, { ...rpc("ping"), id: 2 }]],
  "call nope {}": [call("nope")],
  "call edge/no-schemas {}": [call("edge/no-schemas")],
  'call mcp-adapter-get-ability-info {"ability_name":"edge/private"}': [
    call("mcp-adapter-get-ability-info", { ability_name: "edge/private" }),
  ],
  'call mcp-adapter-execute-ability {"ability_name":"edge/private","parameters":{}}': [
    call("mcp-adapter-execute-ability", { ability_name: "edge/private", parameters: {} }),
  ],
};

const withoutId = (answer: JsonValue): JsonValue => {
  if (Array.isArray(answer)) return answer.map(withoutId);
  return isJsonObject(answer) ? { ...answer, id: 1 } : answer;
};

describe.skipIf(!hasPhp || !hasData).each([
  ["0.5", "mcp-adapter-default-server", "transcript-default-server-050.txt"],
  ["0.5", "acme", "transcript-adapter-050.txt"],
  ["0.4", "acme", "transcript-adapter-041.txt"],
] as const)(`the stand-in for adapter %s, server %s${NOTE}`, (adapter, server, file) => {
  let site: RunningSite;
  let session = "";

  async function send(body: unknown, headers: Readonly<Record<string, string>> = {}) {
    const all = {
      "content-type": "application/json",
      authorization: `Basic ${btoa(`${site.env.WP_USER}:${site.env.WP_PASSWORD}`)}`,
      "mcp-session-id": session,
      ...headers,
    };
    return fetch(`${site.site}/wp-json/mcp/${server}`, {
      method: "POST",
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
      body: JSON.stringify(body),
    });
  }

  beforeAll(async () => {
    site = await startSite({ plugins: PLUGINS, adapter });
    const opened = await send(rpc("initialize", { protocolVersion: "2025-06-18" }));
    session = opened.headers.get("mcp-session-id") ?? "";
  });
  afterAll(() => site.close());

  test("answers like the recorded session", async () => {
    const recorded = readSession(file).filter(({ name }) => Object.hasOwn(REQUESTS, name));
    expect(recorded.length).toBeGreaterThan(8);
    for (const { name, status, answer } of recorded) {
      if (adapter === "0.4" && name === "bad pv header") continue; // It answers with the tools of that site.
      const [body, headers] = REQUESTS[name] ?? [];
      const response = await send(body, headers);
      const got = (await response.json()) as JsonValue;
      expect([name, response.status, withoutId(got)]).toEqual([name, status, withoutId(answer)]);
    }
  });

  test("negotiates the recorded versions", async () => {
    const lines = readFileSync(join(DATA, file), "utf8").matchAll(/^init (\S+) -> 200 (\S+)$/gm);
    for (const [, wanted, version] of lines) {
      const answer = (await (await send(rpc("initialize", { protocolVersion: wanted }))).json()) as JsonValue;
      expect([wanted, answer]).toMatchObject([wanted, { result: { protocolVersion: version } }]);
    }
  });

  test("lists tools in the recorded form", async () => {
    const answer = (await (await send(rpc("tools/list"))).json()) as { result: { tools: JsonObject[] } };
    const known = readTools(file);
    const same = answer.result.tools.filter(({ name }) => known.has(name));
    expect(same.length).toBeGreaterThan(1);
    const shapeOf = (tool: JsonObject | undefined) => bare(tool?.["inputSchema"] ?? null);
    for (const tool of same) {
      const { name } = tool;
      expect([name, shapeOf(tool)]).toEqual([name, shapeOf(known.get(name))]);
    }
  });
});

/** Texts are not copied from the adapter. */
function bare(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(bare);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, item]) => key !== "description" || typeof item !== "string",
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, bare(item)]));
}
