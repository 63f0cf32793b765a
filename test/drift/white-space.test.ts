/** Texts that changed in white space only. Security rules read the text as it was sent. */
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/change.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { ServerSnapshot } from "../../src/core/snapshot.js";
import { diffDeprecations } from "../../src/drift/diff-metadata.js";
import { diffServer } from "../../src/drift/diff-server.js";
import { SIDES } from "../../src/drift/rules/named-rules.js";
import { snapshotOf } from "../core/locks.js";

/** A server with a text at one place. */
type Site = (text: string) => Partial<ServerSnapshot>;

const identity = (rest: JsonObject): Partial<ServerSnapshot> => ({
  identity: { serverInfo: { name: "shop", version: "1" }, protocolVersion: "2025-11-25", capabilities: {}, ...rest },
}); // prettier-ignore
const toolSite =
  (site: (text: string) => JsonObject): Site =>
  (text) => ({ tools: [{ name: "a", ...site(text) }] });
const entrySite =
  (list: string, site: (text: string) => JsonObject): Site =>
  (text) => ({ [list]: { x: site(text) } });

/** Where a schema may have a text. */
const SCHEMAS: Readonly<Record<string, (note: JsonObject) => JsonObject>> = {
  root: (note) => note,
  property: (note) => ({ properties: { p: { type: "string", ...note } } }),
  "nested property": (note) => ({ properties: { p: { properties: { q: note } } } }),
  items: (note) => ({ properties: { p: { type: "array", items: note } } }),
  prefixItems: (note) => ({ properties: { p: { type: "array", prefixItems: [note] } } }),
  definition: (note) => ({ properties: { p: { $ref: "#/$defs/D" } }, $defs: { D: { type: "string", ...note } } }), // prettier-ignore
  "beside a reference": (note) => ({ properties: { p: { $ref: "#/$defs/D", ...note } }, $defs: { D: { type: "string" } } }), // prettier-ignore
  allOf: (note) => ({ properties: { p: { allOf: [{ type: "string" }, note] } } }),
  "branch of a union": (note) => ({ properties: { p: { anyOf: [{ type: "string", ...note }, { type: "number" }] } } }), // prettier-ignore
  "branch with a constant": (note) => ({ properties: { p: { oneOf: [{ const: "a", ...note }, { const: "b" }] } } }), // prettier-ignore
  "branch with a tag": (note) => ({
    properties: { p: { oneOf: [{ properties: { kind: { const: "a" }, q: note } }, { properties: { kind: { const: "b" } } }] } },
  }), // prettier-ignore
  patternProperties: (note) => ({ patternProperties: { "^a": { type: "string", ...note } } }),
  additionalProperties: (note) => ({ additionalProperties: { type: "string", ...note } }),
};

const SITES: Readonly<Record<string, Site>> = {
  "a tool's title": toolSite((title) => ({ title })),
  "a tool's annotated title": toolSite((title) => ({ annotations: { title } })),
  "a tool's description": toolSite((description) => ({ description })),
  ...Object.fromEntries(
    SIDES.flatMap((side) =>
      ["title", "description", "$comment"].flatMap((key) =>
        Object.entries(SCHEMAS).map(([where, wrap]): [string, Site] => [
          `${key}, ${where} of the ${side}`,
          toolSite((text) => ({ [`${side}Schema`]: { type: "object", ...wrap({ [key]: text }) } })),
        ]),
      ),
    ),
  ),
  ...Object.fromEntries(
    ["title", "description"].flatMap((key): [string, Site][] => [
      [
        `the server's ${key}`,
        (text) => identity({ serverInfo: { name: "shop", version: "1", [key]: text } }),
      ],
      [`a prompt's ${key}`, entrySite("prompts", (text) => ({ name: "x", [key]: text }))],
      [`an argument's ${key}`, entrySite("prompts", (text) => ({ arguments: [{ name: "y", [key]: text }] }))],
      [`a resource's ${key}`, entrySite("resources", (text) => ({ uri: "x", [key]: text }))],
      [`a template's ${key}`, entrySite("resourceTemplates", (text) => ({ uriTemplate: "x", [key]: text }))],
    ]),
  ),
  "a resource's name": entrySite("resources", (name) => ({ uri: "x", name })),
  "a skill's description": entrySite("skills", (description) => ({ uri: "x", frontmatter: { description } })),
  "a skill's name": entrySite("skills", (name) => ({ uri: "x", frontmatter: { name } })),
  "the server's instructions": (instructions) => identity({ instructions }),
};

const found = (site: Site, before: string, after: string): readonly Change[] => {
  const of = (text: string): ServerSnapshot => snapshotOf({ tools: [{ name: "a" }], ...site(text) });
  return diffServer("shop", of(before), of(after));
};

const TEXT = "Syncs the record with the store. Use it after an update.";
const SPACES: Readonly<Record<string, string>> = {
  "a line break": TEXT.replace(". ", ".\n"),
  "a break and an indent": TEXT.replace(". ", ".\n    "),
  "Windows line breaks": TEXT.replace(". ", ".\r\n"),
  "two spaces": TEXT.replace(". ", ".  "),
  "a no-break space": TEXT.replace(". ", ".\u00a0"),
  "white space around it": `\n  ${TEXT}\n`,
};

describe.each(Object.entries(SITES))("%s", (_where, site) => {
  it.each(Object.entries(SPACES))("is equal with %s", (_what, other) => {
    expect(found(site, TEXT, other)).toEqual([]);
    expect(found(site, other, TEXT)).toEqual([]);
  });

  it("differs with another word, and without the space between two words", () => {
    expect(found(site, TEXT, TEXT.replace("Use", "Never use"))).not.toEqual([]);
    expect(found(site, TEXT, TEXT.replace("the store", "thestore"))).not.toEqual([]);
  });

  it.each([
    ["a zero-width space", TEXT.replace("store", "st\u200bore")],
    ["a byte order mark", TEXT.replace(". ", ".\ufeff ")],
    ["tag characters", `${TEXT}\u{e0041}\u{e0042}`],
    ["a text that is moved out of sight", TEXT.replace(". ", `.${" ".repeat(90)}`)],
    ["a text that is moved off the screen", TEXT.replace(". ", `.${"\n".repeat(30)}`)],
  ])("has a security finding for %s", (_what, after) => {
    expect(found(site, TEXT, after).filter(({ security }) => security)).toHaveLength(1);
  });
});

it("a deprecation's message is equal with other white space", () => {
  const ability = (message: JsonValue): JsonObject => ({
    t: { definition: { name: "t", meta: { deprecated: { message, since: "1" } } } },
  });
  const rules = (after: string): readonly string[] =>
    diffDeprecations("shop", ability(TEXT) as never, ability(after) as never).map(({ rule }) => rule);
  for (const other of Object.values(SPACES)) expect(rules(other)).toEqual([]);
  expect(rules(`${TEXT} Or not.`)).toEqual(["tool-deprecated"]);
});
