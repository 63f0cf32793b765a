import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scrubSecrets, secretForms } from "../../src/client/server-errors.js";

const bytes = (text: string): readonly string[] =>
  [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0"));
const strict = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${bytes(mark).join("").toUpperCase()}`);

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "#39",
};

/** What servers, frameworks and proxies make of a text that they repeat. */
const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  "upper case": (text) => text.toUpperCase(),
  "lower case": (text) => text.toLowerCase(),
  "a capital": (text) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase(),
  hexadecimal: (text) => bytes(text).join(""),
  "hexadecimal in upper case": (text) => bytes(text).join("").toUpperCase(),
  "percent-encoded": encodeURIComponent,
  "percent-encoded in lower case": (text) =>
    encodeURIComponent(text).replace(/%../g, (at) => at.toLowerCase()),
  "strictly percent-encoded": strict,
  "every byte percent-encoded": (text) => bytes(text).join("").replace(/../g, "%$&"),
  "percent-encoded twice": (text) => encodeURIComponent(strict(text)),
  "encoded as a form": (text) => new URLSearchParams({ a: text }).toString().slice(2),
  "escaped in JSON": (text) => JSON.stringify(text).slice(1, -1),
  "escaped in HTML": (text) => text.replace(/[&<>"']/g, (mark) => `&${ENTITIES[mark] ?? ""};`),
  Base64: (text) => Buffer.from(text).toString("base64"),
  "Base64 in a longer text": (text) => Buffer.from(`me:${text}!`).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
};

describe("a secret is removed from a text that repeats it", () => {
  const SECRETS = ["hunter2-Sesame", `a b&c<d>"e"'f'`, "100%/sure?", "pässwört+ß", "(it's)*me!", "kx7Qp2mZ"];

  it.each(Object.entries(SPELLINGS))("as %s", (_what, spell) => {
    for (const secret of SECRETS) {
      const shown = scrubSecrets(`Cannot use [${spell(secret)}] here.`, secretForms(secret));
      expect(shown, secret).toMatch(/^Cannot use \[.{0,8}\*\*\*.{0,8}\] here\.$/u);
    }
  });

  it("whatever the secret", () => {
    // A lone surrogate cannot be encoded.
    const secret = fc
      .string({ unit: "binary", minLength: 8, maxLength: 30 })
      .filter((text) => text.trim().length >= 8 && !/\p{Surrogate}/u.test(text));
    const spellings = Object.entries(SPELLINGS).filter(([name]) => !/capital|twice|HTML|longer/.test(name));
    fc.assert(
      fc.property(secret, fc.constantFrom(...spellings), (text, [, spell]) => {
        const shown = scrubSecrets(`x ${spell(text)} y`, secretForms(text));
        expect(shown).toContain("***");
        expect(shown).not.toContain(spell(text));
      }),
    );
  });

  it("and nothing else of the text changes", () => {
    const text = "İstanbul: THE KEY Hunter2-SESAME is wrong, hunter3 is not; ß and SS stay.";
    expect(scrubSecrets(text, secretForms("hunter2-Sesame"))).toBe(
      "İstanbul: THE KEY *** is wrong, hunter3 is not; ß and SS stay.",
    );
    expect(scrubSecrets("a cat", secretForms("cat"))).toBe("a cat");
  });

  it("in time that grows with the text", () => {
    const forms = secretForms(`${"a".repeat(2_000)}b`);
    expect(scrubSecrets("a".repeat(200_000), forms)).toHaveLength(200_000);
  });
});
