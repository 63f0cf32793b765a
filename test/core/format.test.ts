import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { CONFIG_FORMAT } from "../../src/config/config.js";
import {
  anyNumber,
  anyText,
  either,
  findProblems,
  flag,
  FormatError,
  list,
  mapOf,
  matching,
  oneOf,
  optional,
  parseValue,
  record,
  text,
  type ValueFormat,
  wholeNumber,
} from "../../src/core/format.js";
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
  ["observations", OBSERVED_FORMAT.format,
    { observedVersion: 1, servers: { shop: { ["__proto__"]: { digest: "d", samples: 1, answers: "json", schema: {} } } } }],
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
]; // prettier-ignore

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

const SIZE = record({ width: wholeNumber(1), unit: optional(oneOf("px", "em")) });

const ROWS: [string, ValueFormat<unknown>, unknown, readonly string[]][] = [
  ["a text", anyText, 1, [": expected a string"]],
  ["a text that is not empty", text, "", [": expected a non-empty string"]],
  ["a number", anyNumber, "1", [": expected a number"]],
  ["true or false", flag, 0, [": expected true or false"]],
  ["a whole number", wholeNumber(0), -1, [": expected a whole number"]],
  ["a whole number that is exact", wholeNumber(0), 2 ** 53, [": expected a whole number"]],
  ["a whole number from a least one", wholeNumber(2), 1, [": expected a whole number from 2"]],
  ["the least and the most number", list(wholeNumber(2, "2 to 4", 4)), [1, 2, 4, 5], ["0: 2 to 4", "3: 2 to 4"]],
  ["one of three values", oneOf<string | number | null>("a", 1, null), "b", [': expected "a", 1 or null']],
  ["one of many values", oneOf(1, 2, 3, 4, 5), 6, [": expected one of 1, 2, 3, 4, 5"]],
  ["a pattern", matching(anyText, /^a/, "expected an a"), "b", [": expected an a"]],
  ["a list", list(flag), {}, [": expected a list"]],
  ["a map", mapOf(flag), [], [": expected an object"]],
  ["the names and values of a map", mapOf(flag, undefined, oneOf("a")), { b: 1 }, ['b: expected "a"', "b: expected true or false"]],
  ["an object", SIZE, [], [": expected an object"]],
  ["a key that is missing", SIZE, {}, ["width: expected a whole number from 1 (missing)"]],
  ["a key that is not known", SIZE, { width: 1, w: 1 }, ["w: unknown key; known keys: width, unit"]],
  ["an optional key", SIZE, { width: 1, unit: "cm" }, ['unit: expected "px" or "em"']],
  ["no key of an open object", record({ a: optional(flag) }, { isOpen: true }), { b: 1 }, []],
  ["exactly one of two keys", record({ a: optional(flag), b: optional(flag) }, { either: ["a", "b"] }), { a: true, b: true }, [': expected either "a" or "b"']],
  ["one of two formats", either("a text or a size", text, SIZE), 1, [": a text or a size"]],
  ["the rule of the only format of this type", either("a text or a size", text, SIZE), "", [": expected a non-empty string"]],
]; // prettier-ignore

it.each(ROWS)("names what is wrong with %s", (_what, format, value, problems) => {
  expect(
    findProblems(format, value).map(
      ({ path, text: expected, isMissing }) =>
        `${path.join(".")}: ${expected}${isMissing ? " (missing)" : ""}`,
    ),
  ).toEqual(problems);
});
