import { domainToASCII } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/core/json.js";
import { decodePunycode, hasFormat, isIdnHostname } from "../../src/schema/validation/format.js";
import { ASSERTED_FORMATS } from "../../src/schema/ir/parse-keywords.js";
import { printToolSchemas, printZodModule } from "../../src/schema/print/print-modules.js";
import { evaluateModule } from "./support/evaluate-module.js";

const asserted = (schema: JsonValue): ReturnType<typeof printZodModule> =>
  printZodModule(schema, { name: "Printed", formats: "assert" });

const accepts = (schema: JsonValue, value: JsonValue): boolean =>
  evaluateModule(asserted(schema).text, "Printed").safeParse(value).success;

describe("formats", () => {
  it("are annotations unless they are asserted", () => {
    const schema = { type: "string", format: "email", maxLength: 9 };
    expect(printZodModule(schema, { name: "Printed" }).text).not.toContain("check");
    const { text, diagnostics } = asserted(schema);
    expect(text).toContain('z.string().max(9).check(format("email"))');
    expect(text).toContain('import { format } from "mcp-codegen/codegen";');
    expect(diagnostics).toEqual([]);
    expect(["a@b.cd", "a", 1].map((value) => accepts(schema, value))).toEqual([true, false, false]);
  });

  it.each<[string, JsonValue, valid: readonly JsonValue[], invalid: readonly JsonValue[]]>([
    ["of strings alone", { format: "ipv6" }, [1, null, "::1"], ["1"]],
    ["in interpreted schemas", { type: "object", anyOf: [{ properties: { a: { format: "date" } } }], unevaluatedProperties: false },
      [{ a: "2024-02-29" }], [{ a: "2023-02-29" }]],
    ["in negated schemas", { not: { format: "date" } }, [], ["2024-02-29"]],
    ["in schemas that are referred to", { $ref: "#/$defs/day", $defs: { day: { format: "date" } } }, [], ["no"]],
    ["but not unknown ones", { type: "string", format: "hex-color" }, ["-"], []],
  ])("are asserted %s", (_where, schema, valid, invalid) => {
    expect([...valid, ...invalid].filter((value) => accepts(schema, value))).toEqual(valid);
  }); // prettier-ignore

  it("that are unknown are reported", () => {
    const { diagnostics } = asserted({ properties: { a: { type: "string", format: "hex-color" } } });
    expect(diagnostics).toMatchObject([{ code: "KEYWORD_LOOSENED", path: "/properties/a/format" }]);
    expect(asserted({ type: "integer", format: "int32" }).diagnostics).toEqual([]);
  });

  it("of the printer are all in the runtime", () => {
    expect([...ASSERTED_FORMATS].filter((name) => hasFormat("\u0000(", name))).toEqual([]);
    expect(hasFormat("\u0000(", "toString")).toBe(true);
  });

  it("are asserted in a tool's module, input and output", () => {
    const schema = { type: "object", properties: { at: { type: "string", format: "date-time" } } };
    const sides = { input: { schema, name: "AtInput" }, output: { schema, name: "AtOutput" } };
    const { text, checks } = printToolSchemas({ ...sides, formats: "assert", taken: [] });
    expect(checks).toEqual(["format", "schema", "type Schema"]);
    expect(text.split('.check(format("date-time"))')).toHaveLength(3);
  });
});

describe("host names", () => {
  const NAMES: readonly (readonly [what: string, name: string, isIdn: boolean, isAscii: boolean])[] = [
    ["in ASCII", "www.Example-1.com", true, true],
    ["in Punycode", "xn--bcher-kva.example", true, true],
    ["in capitals", "XN--BCHER-KVA.example", true, true],
    ["in other letters", "b\u00fccher.example", true, false],
    ["with full stops of other scripts", "\u4f8b\u3048\u3002\u30c6\u30b9\u30c8", true, false],
    ["in Punycode for ASCII alone", "xn--example-", false, false],
    ["in Punycode of a character that is not a letter", "xn--ls8h", false, false],
    ["in Punycode that ends too soon", "xn--bcher-kv9z9", false, false],
    ["with a number beyond what it can hold", "xn--99999999", false, false],
    ["in Punycode without letters before the delimiter", "xn---bcher-kva", false, false],
    ["that are not composed", "bu\u0308cher", false, false],
    ["with what looks like another letter", "\uff42\u00fccher", false, false],
    ["with letters that were set aside", "\u1100\u1161", false, false],
    ["with a joiner after a virama", "\u0915\u094d\u200d\u0937", true, false],
    ["with a non-joiner between letters that join", "\u0628\u064a\u200c\u0628\u064a", true, false],
    ["with a non-joiner after others", "a\u200cb\u00fc", false, false],
    ["from right to left", "\u05d0\u05d1.\u05d2", true, false],
    ["from right to left, with digits behind", "\u05d01.example", true, false],
    ["in both directions, label by label", "\u05d0.example", true, false],
    ["in both directions in one label", "\u05d0a", false, false],
    ["with a label of digits beside Hebrew", "\u05d0.1a", false, false],
    ["of 253 characters", `${"a".repeat(62)}.`.repeat(4) + "a", true, true],
    ["of more than 253 characters", `${"a".repeat(62)}.`.repeat(4) + "aa", false, false],
    ["whose Punycode is more than 63 characters", "\u00fc".repeat(60), false, false],
    ["of nothing", "", false, false],
  ];

  it.each(NAMES)("%s", (_what, name, isIdn, isAscii) => {
    expect(["idn-hostname", "hostname"].map((format) => hasFormat(name, format))).toEqual([isIdn, isAscii]);
  });

  it("are read from the Punycode of other implementations", () => {
    const letters = fc.constantFrom(
      ...Array.from(
        "az09-\u00e4\u00f1\u03b3\u0436\u0438\u0915\u0928\u4e2d\u6587\u304b\u30ab\ud55c\uae00\u0e01",
      ),
    );
    const text = fc.array(letters, { minLength: 1, maxLength: 20 }).map((all) => all.join(""));
    const property = fc.property(text, (label) => {
      fc.pre(/\P{ASCII}/u.test(label));
      // `domainToASCII` accepts more names than IDNA2008.
      if (isIdnHostname(label)) expect(decodePunycode(domainToASCII(label).slice("xn--".length))).toBe(label);
    });
    fc.assert(property);
  });
});

// RFC 3987: letters are `ucschar`, and characters for private use are only in queries.
it.each<[string, string, isUri: boolean, isIri: boolean]>([
  ["ASCII", "https://example.com/a?b#c", true, true],
  ["a letter beyond ASCII", "https://example.com/\u00fc?\u00fc#\u00fc", false, true],
  ["the last plane of letters", "https://example.com/\u{e1000}", false, true],
  ["a tag of a language", "https://example.com/\u{e0001}", false, false],
  ["a character for private use in the path", "https://example.com/\u{f0000}", false, false],
  ["a character for private use in the query", "https://example.com/?\u{f0000}\u{10fffd}\ue000", false, true],
  ["a character that no plane defines", "https://example.com/\u{1ffff}", false, false],
  ["an address of version 6", "https://[2001:db8::1]:80/", true, true],
  ["no address in brackets", "https://[2001:db8::1::2]/", false, false],
  ["a colon in the first part", "a:b", true, true],
  ["no scheme", "a/b:c", false, false],
])("a resource with %s", (_what, value, isUri, isIri) => {
  expect({ isUri: hasFormat(value, "uri"), isIri: hasFormat(value, "iri") }).toEqual({ isUri, isIri });
});

it.each<[format: string, valid: string, invalid: string]>([
  ["date", "2024-02-29 2000-02-29 2025-12-31", "1900-02-29 2025-02-29 2025-04-31 2025-01-00 2025-00-01 2025-13-01"],
  ["time", "00:00:00Z 23:59:59.9z 23:59:59+23:59", "24:00:00Z 23:60:00Z 00:00:00+24:00 00:00:00+00:60 00:00:00"],
  // Leap seconds.
  ["time", "23:59:60Z 22:59:60-01:00 00:59:60+01:00", "23:59:61Z 22:59:60Z 23:59:60+01:00 00:59:60-01:00"],
  ["ipv6", ":: ::1 1:2:3:4:5:6:7:8 ABCD:: 1:2:3:4:5:6:7::", "1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:: 1::2::3 12345:: :"],
  ["ipv6", "1:2:3:4:5:6:1.2.3.4 ::1.2.3.4", "1.2.3.4:: 1:2:3:4:5:6:7:1.2.3.4 ::1.2.3.256"],
  ["email", 'a@b.c "a@b"@c.d a.b@c', "@b.c a a@ a..b@c \u00fc@b.c"],
  ["email", "a@[1.2.3.4] a@[IPv6:::1]", "a@[1.2.3] a@[::1] a@[IPv6:1]"],
  ["relative-json-pointer", "0 1# 10/a 0/", "01 -1 1a # 1## 0/~2"],
  ["uri-reference", "a a:b ?q", "\\ \u00fc"],
  ["iri-reference", "\u00fc a:\u00fc", "\\"],
])("a text of the format %s: %s, but not %s", (format, valid, invalid) => {
  const accepted = `${valid} ${invalid}`.split(" ").filter((text) => hasFormat(text, format));
  expect(accepted.join(" ")).toBe(valid);
}); // prettier-ignore

describe("the dialect of a tool", () => {
  const print = (schema: JsonValue): string =>
    printToolSchemas({ input: { schema, name: "TInput" }, defaultDialect: "wordpress", taken: [] }).text;
  const properties = { n: { type: "number", required: true, minimum: 0, exclusiveMinimum: true } };

  it("is the configured one if the schema does not declare one", () => {
    expect(print({ type: "object", properties })).toContain("n: z.number().gt(0)");
  });

  it("is the one that the schema declares", () => {
    const $schema = "https://json-schema.org/draft/2020-12/schema";
    expect(print({ $schema, type: "object", properties })).toContain("n: z.number().min(0).optional()");
  });
});
