import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import type { EntryList } from "../../src/core/entries.js";
import { diffEntries } from "../../src/drift/diff-entries.js";

/** The changes of one entry as `rule class path`; `!` marks a security finding. */
function found(
  list: EntryList,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): readonly string[] {
  const side = (entry: JsonObject | undefined): JsonObject => ({
    [list]: entry === undefined ? {} : { "a/b": entry },
  });
  return diffEntries("shop", side(before), side(after)).map(
    (change) =>
      `${change.rule} ${change.class}${change.security ? "!" : ""} ${change.path.slice(`/${list}/a~1b`.length)}`,
  );
}

const book = { name: "book", description: "Title.", required: true };
const tone = { name: "tone" };
const file = (uri: string, digest: string): JsonObject => ({ uri, digest: `sha256:${digest}`, size: 1 });

describe("prompts", () => {
  it.each<[string, JsonObject | undefined, JsonObject | undefined, readonly string[]]>([
    ["a new prompt", undefined, { name: "a/b" }, ["prompt-added safe "]],
    ["a lost prompt", { name: "a/b" }, undefined, ["prompt-removed breaking "]],
    ["the same prompt", { name: "a/b", arguments: [book] }, { arguments: [book], name: "a/b" }, []],
    ["arguments in another order", { arguments: [book, tone] }, { arguments: [tone, book] }, []],
    ["a new required argument", { arguments: [tone] }, { arguments: [tone, book] }, ["prompt-required-argument-added breaking /arguments/1"]],
    ["the first argument", {}, { arguments: [tone] }, ["prompt-optional-argument-added safe /arguments/0"]],
    ["a removed argument", { arguments: [tone, book] }, { arguments: [tone] }, ["prompt-argument-removed breaking /arguments/1"]],
    ["an argument that became required", { arguments: [tone] }, { arguments: [{ ...tone, required: true }] },
      ["prompt-argument-became-required breaking /arguments/0"]],
    ["an argument that became optional", { arguments: [book] }, { arguments: [{ ...book, required: false }] },
      ["prompt-argument-became-optional safe /arguments/0"]],
    ["an absent and a false required", { arguments: [tone] }, { arguments: [{ ...tone, required: false }] }, []],
    ["other texts", { title: "A", description: "B", arguments: [book] }, { title: "C", arguments: [{ ...book, description: "D" }] },
      ["prompt-text-changed dangerous /arguments/0/description", "prompt-text-changed dangerous /description", "prompt-text-changed dangerous /title"]],
    ["other metadata", { _meta: { a: 1 } }, { _meta: { a: 2 } }, ["prompt-details-changed safe /_meta/a"]],
    ["arguments that cannot be read", { arguments: [book] }, { arguments: [{ required: true }] }, ["prompt-details-changed unknown /arguments"]],
    ["an argument with the name of another one", { arguments: [book, tone] }, { arguments: [{ ...tone, required: true }, book, tone] },
      ["prompt-details-changed unknown /arguments"]],
    ["an argument that has the name of another one, which changes", { arguments: [tone, tone] }, { arguments: [{ ...tone, description: "Any." }, tone] },
      ["prompt-details-changed unknown /arguments"]],
  ])("%s", (_, before, after, expected) => {
    expect(found("prompts", before, after)).toEqual(expected);
  }); // prettier-ignore
});

describe.each(["resources", "resourceTemplates"] as const)("%s", (list) => {
  it.each<[string, JsonObject | undefined, JsonObject | undefined, readonly string[]]>([
    ["a new one", undefined, { name: "a" }, ["resource-added safe "]],
    ["a lost one", { name: "a" }, undefined, ["resource-removed breaking "]],
    ["another type", { mimeType: "a/b" }, { mimeType: "c/d" }, ["resource-type-changed dangerous /mimeType"]],
    ["another name", { name: "a" }, { name: "b" }, ["resource-text-changed dangerous /name"]],
    ["another size", { size: 1 }, { size: 2 }, ["resource-details-changed safe /size"]],
  ])("%s", (_, before, after, expected) => {
    expect(found(list, before, after)).toEqual(expected);
  });
});

describe("skills", () => {
  const files = [file("s/SKILL.md", "a"), file("s/run.py", "b")];
  it.each<[string, JsonObject | undefined, JsonObject | undefined, readonly string[]]>([
    ["a new skill", undefined, { frontmatter: {} }, ["skill-added safe "]],
    ["a lost skill", { frontmatter: {} }, undefined, ["skill-removed breaking "]],
    ["files in another order", { resources: files }, { resources: [...files].reverse() }, []],
    ["another, a new and a lost file", { resources: files }, { resources: [file("s/new.md", "c"), file("s/SKILL.md", "d")] },
      ["skill-files-changed dangerous! /resources/1", "skill-files-changed dangerous! /resources/0", "skill-files-changed dangerous! /resources/1"]],
    ["no digests any more", { resources: files }, { resources: "dynamic" }, ["skill-became-dynamic dangerous! /resources"]],
    ["digests again", { resources: "dynamic" }, { resources: files }, ["skill-files-changed dangerous! /resources"]],
    ["another description", { frontmatter: { description: "A." } }, { frontmatter: { description: "B." } },
      ["skill-text-changed dangerous /frontmatter/description"]],
    ["a further tool", { frontmatter: { "allowed-tools": "Read Bash(git add:*)" } }, { frontmatter: { "allowed-tools": "Bash(git add:*) Bash(git push:*)" } },
      ["skill-tools-widened dangerous! /frontmatter/allowed-tools"]],
    ["tools for the first time", { frontmatter: {} }, { frontmatter: { "allowed-tools": ["Read"] } },
      ["skill-tools-widened dangerous! /frontmatter/allowed-tools"]],
    ["fewer tools", { frontmatter: { "allowed-tools": "Read, Write" } }, { frontmatter: { "allowed-tools": "Read" } },
      ["skill-details-changed dangerous /frontmatter/allowed-tools"]],
    ["another licence", { frontmatter: { license: "MIT" } }, { frontmatter: {} }, ["skill-details-changed dangerous /frontmatter/license"]],
  ])("%s", (_, before, after, expected) => {
    expect(found("skills", before, after)).toEqual(expected);
  }); // prettier-ignore
});

it("a list that was not requested on one side is not compared", () => {
  expect(diffEntries("shop", {}, { prompts: { a: { name: "a" } } })).toEqual([]);
  expect(diffEntries("shop", { prompts: { a: { name: "a" } } }, {})).toEqual([]);
});
