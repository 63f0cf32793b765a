import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/core/digest.js";
import type { JsonValue } from "../../src/core/json.js";
import { outlineOf, readOutline, type LockOutline } from "../../src/core/lock-outline.js";
import { formatLockfile, parseLockfile } from "../../src/core/lockfile-text.js";
import type { LockedServer, Lockfile } from "../../src/core/lockfile.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";

function serverOf(...tools: readonly ToolSnapshot[]): LockedServer {
  return {
    contract: "1.0.0",
    identity: { serverInfo: { name: "shop", version: "1" }, protocolVersion: "2025-11-25", capabilities: {} },
    listing: { clientCapabilities: {}, pages: 1 },
    tools: Object.fromEntries(
      tools.map((definition) => [definition.name, { digest: digestOf(definition), definition }]),
    ),
  };
}

const LOCK: Lockfile = {
  lockfileVersion: 1,
  servers: {
    shop: serverOf(
      {
        name: "get-cart",
        inputSchema: { type: "object" },
        outputSchema: { type: "object" },
        annotations: { title: "Cart", readOnlyHint: true },
      },
      { name: "add-item", inputSchema: { properties: { outputSchema: {}, definition: { a: 1 } } } },
    ),
    empty: serverOf(),
  },
};
const TEXT = formatLockfile(LOCK);
const read = (text: string): LockOutline | undefined => readOutline(Buffer.from(text));

describe("readOutline", () => {
  it("returns the same as parsing the whole file", () => {
    expect(read(TEXT)).toEqual(outlineOf(LOCK));
    expect(read(TEXT)?.servers["shop"]?.tools["get-cart"]?.definition.hasOutput).toBe(true);
    expect(read(TEXT)?.servers["shop"]?.tools["add-item"]?.definition.hasOutput).toBe(false);
    expect(read(TEXT)?.servers["shop"]?.tools["get-cart"]?.definition.isReadOnly).toBe(true);
    expect(read(TEXT)?.servers["shop"]?.tools["add-item"]?.definition.isReadOnly).toBe(false);
  });

  it("returns the same for random locks", () => {
    const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
    const hint = fc.constantFrom("readOnlyHint", "title", "nested");
    const hints = fc.oneof(
      json,
      fc.dictionary(hint, fc.oneof(fc.boolean(), fc.dictionary(hint, fc.boolean()), json)),
    );
    const definition = fc
      .tuple(fc.string({ minLength: 1 }), fc.dictionary(fc.string(), json), fc.option(json), fc.option(hints))
      .map(([name, rest, outputSchema, annotations]): ToolSnapshot => ({
        ...rest,
        name,
        ...(outputSchema !== null && { outputSchema }),
        ...(annotations !== null && { annotations }),
      }));
    fc.assert(
      fc.property(
        fc.uniqueArray(definition, { selector: ({ name }) => name, maxLength: 5 }),
        json,
        (tools, value) => {
          const server = serverOf(...tools);
          const serverInfo = { name: "a", definition: { value }, outputSchema: {} };
          const identity = { ...server.identity, serverInfo };
          const lock: Lockfile = { lockfileVersion: 1, servers: { a: server, b: { ...server, identity } } };
          const outline = read(formatLockfile(lock));
          // A text that looks like a definition elsewhere is left to the parser.
          expect(outline).toBeUndefined();
          const plain: Lockfile = { lockfileVersion: 1, servers: { a: server } };
          expect(read(formatLockfile(plain))).toEqual(outlineOf(plain));
        },
      ),
    );
  });

  it("changes with every byte of a definition", () => {
    const digestIn = (text: string): string | undefined =>
      read(text)?.servers["shop"]?.tools["get-cart"]?.definition.text;
    const start = TEXT.indexOf('"name": "get-cart"');
    const end = TEXT.indexOf("\n          }", start);
    const original = digestIn(TEXT);
    expect(original).toBeDefined();
    for (let at = start; at < end; at += 1) {
      const other = TEXT[at] === "x" ? "y" : "x";
      expect(digestIn(TEXT.slice(0, at) + other + TEXT.slice(at + 1))).not.toBe(original);
    }
  });

  it.each([
    ["an editor's layout", JSON.stringify(LOCK, null, 4)],
    ["a byte order mark and CRLF", `\uFEFF${TEXT.replaceAll("\n", "\r\n")}`],
    ["merge markers", TEXT.replace('      "contract"', '<<<<<<< HEAD\n      "contract"')],
    ["a tool twice", TEXT.replace(/( {8}"get-cart": \{[^]*?\n {8}\})/, "$1,\n$1")],
    ["another version", TEXT.replace('"lockfileVersion": 1', '"lockfileVersion": 2')],
    ["a wrong shape", TEXT.replace('"pages": 1', '"pages": "1"')],
    ["an end too soon", TEXT.slice(0, TEXT.indexOf("get-cart") + 80)],
    ["nothing", ""],
  ])("leaves a file with %s to the parser", (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it("leaves a definition that is a number to the parser", () => {
    const numbered = TEXT.replace(/"definition": \{\n[^]*?\n {10}\}/, '"definition": 0');
    expect(read(numbered)).toBeUndefined();
    expect(() => parseLockfile(numbered)).toThrow(/definition: expected an object/);
  });
});
