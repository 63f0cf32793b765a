import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { CONFIG_FORMAT } from "../../src/config/config.js";
import { FormatError, parseValue, type ValueFormat } from "../../src/core/format.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { LOCK_FORMAT } from "../../src/core/lockfile-text.js";
import { OBSERVED_FORMAT } from "../../src/core/observed.js";
import { WAIVERS_FORMAT } from "../../src/core/waivers.js";
import { CASSETTE_FORMAT } from "../../src/runtime/cassette/cassette-file.js";

const DIGEST = `sha256-${"a".repeat(64)}`;
const LISTING = { clientCapabilities: {}, scopes: ["read"], pages: 1 };
const TOOL = { digest: DIGEST, tokens: 3, views: ["default"], definition: { name: "constructor" } };
const FILES: readonly (readonly [string, ValueFormat<unknown>, JsonObject])[] = [
  [
    "a configuration",
    CONFIG_FORMAT,
    {
      output: false,
      servers: {
        shop: {
          url: "https://shop.example/mcp",
          auth: { type: "oauth", clientId: "a", issuer: "https://login.example", redirectPort: 80 },
          headers: { constructor: "${KEY}", Accept: { value: "text/plain", public: true } },
          timeouts: { call: 1 },
          readLimit: 2,
          prelude: [{ tool: "log-in", arguments: {} }],
          tools: { rename: { a: "b" }, annotations: { "*": { readOnlyHint: true } } },
          outputs: { a: {}, b: "b.json" },
        },
      },
      check: { rules: { "tool-removed": "safe" } },
    },
  ],
  [
    "a lock",
    LOCK_FORMAT.format,
    {
      lockfileVersion: 1,
      servers: {
        shop: {
          contract: "1.0.0",
          identity: { serverInfo: {}, protocolVersion: "2025-11-25", capabilities: {} },
          listing: LISTING,
          variants: { admin: LISTING },
          wordpress: { profile: "0.5", route: "tools", projected: true },
          tools: { constructor: TOOL },
          prompts: { review: { digest: DIGEST, definition: { name: "review" } } },
        },
      },
    },
  ],
  [
    "waivers",
    WAIVERS_FORMAT.format,
    {
      waivers: [
        {
          ...{ rule: "tool-removed", server: "shop", tool: "a", path: "/inputSchema", reason: "known" },
          ...{ digests: { before: DIGEST }, expires: "2026-12-31" },
        },
      ],
    },
  ],
  [
    "observations",
    OBSERVED_FORMAT.format,
    {
      observedVersion: 1,
      servers: { shop: { ["__proto__"]: { digest: "d", samples: 1, answers: "json", schema: {} } } },
    },
  ],
  [
    "a cassette",
    CASSETTE_FORMAT.format,
    {
      cassetteVersion: 1,
      server: "shop",
      tool: "a",
      calls: [
        { arguments: {}, result: {}, duration: 1, times: 2 },
        { arguments: {}, error: { code: 1, message: "m" }, duration: 0.5 },
      ],
    },
  ],
];

/** Returns the value with one part removed, replaced or added, in each place. */
function mutationsOf(value: JsonValue): readonly JsonValue[] {
  const others: readonly JsonValue[] = [null, -1, "", " ", [], {}].filter(
    (other) => JSON.stringify(other) !== JSON.stringify(value),
  );
  if (typeof value !== "object" || value === null) return others;
  if (Array.isArray(value)) {
    const list: readonly JsonValue[] = value;
    return [...others, ...list.flatMap((item, at) => mutationsOf(item).map((other) => list.with(at, other)))];
  }
  const entries = Object.entries(value);
  return [
    ...others,
    Object.fromEntries([...entries, ["extra", 1]]),
    ...entries.flatMap(([key, item]) => [
      Object.fromEntries(entries.filter(([other]) => other !== key)),
      ...mutationsOf(item).map((other) =>
        Object.fromEntries(entries.map(([one, old]) => [one, one === key ? other : old])),
      ),
    ]),
  ];
}

function accepts(format: ValueFormat<unknown>, value: JsonValue): boolean {
  try {
    parseValue(format, value);
    return true;
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

describe.each(FILES)("the format of %s", (_name, format, value) => {
  it("reads what it prints", () => {
    const read = parseValue(format, value);
    expect(read).toEqual(value);
    expect(parseValue(format, JSON.parse(format.print(read)))).toEqual(value);
  });

  it("accepts no value that its schema rejects, and rejects few others", () => {
    const validate = new Ajv2020({ strict: true, strictRequired: false }).compile(format.schema);
    expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
    const mutations = mutationsOf(value);
    const looser = mutations.filter((other) => accepts(format, other) && !validate(other));
    expect(looser).toEqual([]);
    // JSON Schema cannot say that a name is that of the key, or that a text is a date.
    const stricter = mutations.filter((other) => !accepts(format, other) && validate(other));
    expect(stricter.length / mutations.length).toBeLessThan(0.1);
  });
});

it("a damaged tool with the name of a member of objects is refused", () => {
  const [, , lock] = FILES[1] ?? [];
  const damaged = JSON.stringify(lock).replace(JSON.stringify(TOOL), '{"digest":1}');
  expect(() => parseValue(LOCK_FORMAT.format, JSON.parse(damaged))).toThrow("expected a string");
});
