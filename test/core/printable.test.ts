import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, printJson } from "../../src/core/printable.js";

/** Characters that must not reach a terminal, as escapes so that this file stays readable. */
const HOSTILE: Readonly<Record<string, string>> = {
  "an ANSI colour": "\u001b[31mred\u001b[0m",
  "a title change": "\u001b]0;owned\u0007",
  "an 8-bit control sequence": "\u009b31m",
  "a carriage return": "harmless\rerror: none",
  "a right-to-left override": "abc\u202Etxt.exe",
  "an isolate": "\u2066hidden\u2069",
  "zero-width characters": "pa\u200Bss\u200Cwo\u200Drd",
  "tag characters": "a\u{E0041}\u{E0042}",
  "variation selectors": "a\u{E0101}\uFE01",
  "a line separator": "a\u2028b",
  "a lone surrogate": "a\uD800b",
  "a blank letter": "a\u3164b",
};

const FORBIDDEN = /[\p{C}\p{Zl}\p{Zp}\u3164]|\u{E0101}|\uFE01/u;

describe("text from a server", () => {
  it.each(Object.entries(HOSTILE))("is printed without %s", (_, text) => {
    expect(text).toMatch(FORBIDDEN);
    expect(printable(text)).not.toMatch(FORBIDDEN);
    expect(printJson({ text })).not.toMatch(
      new RegExp(FORBIDDEN.source.replace("\\p{C}", "\\x7f-\\x9f\\p{Cf}"), "u"),
    );
  });

  it("shows what it replaced", () => {
    expect(printable("a\n\u001b[0m\u{E0041}")).toBe("a\\n\\u{1B}[0m\\u{E0041}");
  });

  it("keeps letters, emoji and the selector they use", () => {
    expect(printable("Grüße, 世界 ❤️")).toBe("Grüße, 世界 ❤️");
  });

  it("is cut between characters", () => {
    expect(printable("😀😀😀", 2)).toBe("😀…");
    expect(printable("😀😀", 2)).toBe("😀😀");
    expect(printable("x".repeat(1_000_000), 10)).toBe("xxxxxxxxx…");
  });

  it("never contains a forbidden character, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text)).not.toMatch(FORBIDDEN);
      }),
    );
  });
});

describe("JSON for a terminal", () => {
  it("is indented by two spaces", () => {
    expect(printJson({ a: ["\u001b"] })).toBe('{\n  "a": [\n    "\\u001b"\n  ]\n}');
  });

  it("keeps its meaning", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(JSON.parse(printJson({ text }))).toEqual({ text });
      }),
    );
  });
});

describe("text in a log of continuous integration", () => {
  it.each([
    ["::error::owned", "\\u{3A}:error::owned"],
    ["  ::add-mask::x", "\\u{20} ::add-mask::x"],
    ["a ##[error]b", "a \\u{23}#[error]b"],
    ["##vso[task.complete]", "\\u{23}#vso[task.complete]"],
    ["std::vector, # a, ## b", "std::vector, # a, ## b"],
  ])("is not a command: %s", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });
});
