import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/core/digest.js";
import type { JsonValue } from "../../src/core/json.js";
import type { LockedServer, Lockfile } from "../../src/core/lockfile.js";
import { lockServer } from "../../src/core/lock-server.js";
import { formatLockfile, parseLockfile } from "../../src/core/lockfile-text.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { lockOf as lockOfServer, OPTIONS, snapshotOf } from "./locks.js";

const lockOf = (...tools: readonly ToolSnapshot[]): Lockfile => lockOfServer(serverOf(...tools));

function serverOf(...tools: readonly ToolSnapshot[]): LockedServer {
  return lockServer(snapshotOf({ tools }), undefined, OPTIONS);
}

/** Writes a lock, replaces a text in it, and expects this error of parsing it. */
function expectError(
  search: string | RegExp,
  replacement: string,
  message: string,
  code = "LOCK_INVALID",
  hint = "",
): void {
  const text = formatLockfile(lockOf({ name: "get-post", inputSchema: { type: "object" } }));
  expect(text.search(search)).toBeGreaterThan(-1);
  const of = { code, message, ...(hint !== "" && { hint: expect.stringContaining(hint) as string }) };
  expect(() => parseLockfile(text.replace(search, replacement))).toThrow(
    expect.objectContaining(of) as Error,
  );
}

describe("formatLockfile", () => {
  it("sorts servers and tools by code unit and keeps the order of a definition's keys", () => {
    const a = serverOf({ name: "é" }, { name: "Z", b: 1, a: 2 }, { name: "10" }, { name: "9" });
    const text = formatLockfile({ lockfileVersion: 1, servers: { b: serverOf(), a } });
    expect(text.endsWith("}\n")).toBe(true);
    const tools = text.slice(0, text.indexOf('"b": {'));
    const names = [...tools.matchAll(/^ {8}"(.*)": \{\n *"digest"/gm)].map((match) => match[1]);
    expect(names).toEqual(["10", "9", "Z", "é"]);
    expect(text.indexOf('"a": {')).toBeLessThan(text.indexOf('"b": {'));
    expect(text).toContain('"b": 1,\n            "a": 2');
  });

  it("writes its own keys in a fixed order", () => {
    const { contract, identity, listing, tools } = serverOf({ name: "a" });
    const shop = { tools, listing, identity, contract };
    const turned = formatLockfile({ servers: { shop }, lockfileVersion: 1 });
    expect(turned).toBe(formatLockfile(lockOf({ name: "a" })));
  });

  it("keeps keys with names of the prototype", () => {
    const definition = JSON.parse(
      '{"name":"__proto__","inputSchema":{"properties":{"__proto__":{},"constructor":{}}}}',
    ) as ToolSnapshot;
    const text = formatLockfile(lockOf(definition));
    expect(text.match(/"__proto__": \{/g)).toHaveLength(2);
    expect(formatLockfile(parseLockfile(text))).toBe(text);
  });

  it("is read back unchanged, and written again with the same bytes", () => {
    const json = fc
      .jsonValue({ stringUnit: "binary" })
      .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
    const definition = fc
      .tuple(fc.string({ minLength: 1, unit: "binary" }), fc.dictionary(fc.string(), json))
      .map(([name, rest]): ToolSnapshot => ({ ...rest, name }));
    fc.assert(
      fc.property(fc.uniqueArray(definition, { selector: ({ name }) => name, maxLength: 5 }), (tools) => {
        const text = formatLockfile(lockOf(...tools));
        const read = parseLockfile(text);
        expect(read).toEqual(lockOf(...tools));
        expect(formatLockfile(read)).toBe(text);
      }),
    );
  });

  it("matches the published schema", () => {
    const schema = JSON.parse(readFileSync("docs/schemas/lockfile.schema.json", "utf8")) as object;
    const validate = new Ajv2020({ strict: true }).compile(schema);
    const server = serverOf({ name: "a" });
    const shop: LockedServer = {
      ...server,
      identity: { ...server.identity, instructions: "Be kind." },
      listing: { clientCapabilities: {}, principal: "editor", locale: "de", pages: 2 },
      tools: {
        a: {
          digest: digestOf({ name: "a" }),
          category: "c",
          unusable: "no schema",
          definition: { name: "a" },
        },
      },
    };
    const full: Lockfile = lockOfServer(shop);
    expect(validate(JSON.parse(formatLockfile(full))), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...full, extra: 1 })).toBe(false);
  });
});

describe("parseLockfile", () => {
  type Refusal = [
    what: string,
    search: string | RegExp,
    replacement: string,
    message: string,
    code?: string,
    hint?: string,
  ];
  const MERGED =
    'Take the lock of either branch ("git checkout <branch> -- mcp-codegen.lock.json"), then run "npx mcp-codegen pull".';
  const TOOL = /( {8}"get-post": \{[^]*?\n {8}\})/;
  it.each<Refusal>([
    ["a text that is not JSON", '"pages": 1', '"pages": 1,', '"mcp-codegen.lock.json" is not JSON.'],
    ["merge markers", '      "contract"', '<<<<<<< HEAD\n      "contract"', '"mcp-codegen.lock.json" has merge markers (line 5).',
      "LOCK_CONFLICTED", MERGED],
    ["a tool that a merge duplicated", TOOL, "$1,\n$1", '"mcp-codegen.lock.json" has servers.shop.tools["get-post"] twice.',
      "LOCK_INVALID", MERGED],
    ["a server that a merge duplicated", /( {4}"shop": \{[^]*?\n {4}\})/, "$1,\n$1", '"mcp-codegen.lock.json" has servers.shop twice.'],
    ["a later version", '"lockfileVersion": 1', '"lockfileVersion": 2',
      '"mcp-codegen.lock.json" has lockfileVersion 2; this mcp-codegen reads up to 1.', "LOCK_NEWER"],
    ["a definition that does not match its digest", '"type": "object"', '"type": "array"',
      'In "mcp-codegen.lock.json", the definition of tool "get-post" of server "shop" does not match its digest.'],
    ...[1_500, 20_000].map((levels): Refusal => [
      `a definition of ${levels} levels in one line`, '"type": "object"', `"type": "object", "deep": ${"[".repeat(levels)}${"]".repeat(levels)}`,
      'In "mcp-codegen.lock.json", the definition of tool "get-post" of server "shop" is nested too deeply (over 1000 levels).',
    ]),
  ])("refuses %s", (_what, search, replacement, message, code, hint) => {
    expectError(search, replacement, message, code, hint);
  }); // prettier-ignore

  it.each([
    ['"servers": {', '"servers": {}, "servers": {', "servers"],
    ['"servers": {', '"servers": { "shop": 1 }, "s\\u0065rvers": {', "servers"],
    ['"get-post": {', '"get-post": {}, "get-post": {', 'servers.shop.tools["get-post"]'],
    ['"type": "object"', '"type": "a\\\\\\":", "type": "object"', 'servers.shop.tools["get-post"].definition.inputSchema.type'],
    ['"type": "object"', '"enum": [1, { "a": 1, "a" : 2 }]', 'servers.shop.tools["get-post"].definition.inputSchema.enum[1].a'],
  ])("refuses a key that an object has twice, wherever it is: %s", (search, replacement, place) => {
    expectError(search, replacement, `"mcp-codegen.lock.json" has ${place} twice.`);
  }); // prettier-ignore

  it("accepts a property named digest", () => {
    const properties = { digest: { type: "string" }, 'a"digest":': {} };
    const lock = lockOf({ name: "a", inputSchema: { type: "object", properties } }, { name: "b" });
    expect(parseLockfile(formatLockfile(lock))).toEqual(lock);
  });

  it.each([
    ['"lockfileVersion": 1', '"lockfileVersion": "1"', "lockfileVersion: expected 1"],
    ['"servers"', '"server"', "server: unknown key; known keys: $schema, lockfileVersion, servers"],
    ['"contract": "1.0.0"', '"contract": "1.0"', "servers.shop.contract: expected a version such as 1.0.0"],
    ['"protocolVersion": "2025-11-25"', '"protocolVersion": 1', "servers.shop.identity.protocolVersion: expected a string"],
    ['"pages": 1', '"pages": -1', "servers.shop.listing.pages: expected a whole number"],
    [
      '"digest"',
      '"digests"',
      'servers.shop.tools["get-post"].digests: unknown key; known keys: digest, tokens, category, version, views, unusable, ability, definition, repeated, differs',
    ],
    ['"name": "get-post"', '"name": "other"', 'servers.shop.tools["get-post"].definition.name: expected "get-post"'],
  ])("names the place of an invalid value: %s", (search, replacement, place) => {
    expectError(search, replacement, `"mcp-codegen.lock.json" is not valid at ${place}.`);
  }); // prettier-ignore

  it.each([
    "z from './example/index.js'; globalThis.PWNED = 1; export * as q",
    ...["../evil", "/etc", "a/b", "a\\b", "C:", ".", "..", "", " ", "a b", "a\n", "\u202ea", "Shop", "1a", "a-b"],
    ...["__proto__", "constructor\u0000", "é", 'a"', "`${1}`", "*/", "static"],
  ])("refuses %j as the name of a server", (name) => {
    const lock = { lockfileVersion: 1, servers: { [name]: serverOf({ name: "a" }) } };
    const message: unknown = expect.stringMatching(/ is not valid at servers[[.].+: expected a name such as my_server\.$/s);
    const error = expect.objectContaining({ code: "LOCK_INVALID", message }) as Error;
    expect(() => parseLockfile(JSON.stringify(lock))).toThrow(error);
  }); // prettier-ignore

  it.each([
    ["a name", { variants: { "a-b": serverOf().listing } }, 'variants["a-b"]: expected a name of letters, digits and _'],
    ["the own view", { variants: { default: serverOf().listing } }, 'variants.default: "default" is the name of the server\'s own settings'],
    ["a view", { tools: { a: { ...serverOf({ name: "a" }).tools["a"], views: ["default", "x"] } } }, "tools.a.views[1]: expected a variant of the server"],
    ["a definition", { tools: { a: { ...serverOf({ name: "a" }).tools["a"], differs: { x: { name: "a" } } } } },
      "tools.a.differs.x: expected a variant of the server"],
    ["a contract", { contract: `1${"0".repeat(20)}.0.0` }, "contract: expected a version such as 1.0.0"],
  ])("refuses %s of a variant that cannot be", (_, change, place) => {
    const lock = { lockfileVersion: 1, servers: { shop: { ...serverOf({ name: "a" }), ...change } } };
    expect(() => parseLockfile(JSON.stringify(lock))).toThrow(`is not valid at servers.shop.${place}.`);
  }); // prettier-ignore

  it.each<[string, object]>([
    ["the ability", { ability: { definition: { name: "acme/get", deep: "here" } } }],
    ["a repeated definition", { repeated: [{ name: "get", deep: "here" }] }],
    ["the definition of another variant", { differs: { admin: { name: "get", deep: "here" } } }],
  ])("a lock is refused in which %s is nested too deeply", (_what, part) => {
    const { tools, ...server } = serverOf({ name: "get" });
    const shop = {
      ...server,
      variants: { admin: server.listing },
      tools: { get: { ...tools["get"], ...part } },
    };
    const lock = { lockfileVersion: 1, servers: { shop } };
    const deep = `${"[".repeat(1_001)}${"]".repeat(1_001)}`;
    expect(() => parseLockfile(JSON.stringify(lock).replace('"here"', deep))).toThrow("is nested too deeply");
  });

  it("reads a file that an editor saved with a byte order mark and CRLF", () => {
    const text = formatLockfile(lockOf({ name: "a" }));
    expect(parseLockfile(`\uFEFF${text.replaceAll("\n", "\r\n")}`)).toEqual(lockOf({ name: "a" }));
  });
});
