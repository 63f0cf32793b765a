/** The parts of the documentation that are generated. `npx vitest run --config test/vitest.config.ts test/docs -u` writes them. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { expectFresh } from "./expect-fresh.js";
import { printConformance } from "./print-conformance.js";
import { printEntries } from "./print-entries.js";
import { listLoadFailures } from "./print-load-failures.js";
import { printAction } from "./print-action.js";
import { printAttacks } from "./print-attacks.js";
import { printHostNames, printHosts } from "./print-hosts.js";
import { printRules } from "./print-rules.js";
import { printMessages, printProblems } from "./print-problems.js";
import { printSupport } from "./print-support.js";
import { readProblems } from "../wordpress/site-problems.js";
import { DECLARATIONS, printConfigReference, readConfigTypes } from "./print-config-reference.js";

test("docs/ci.md has every input and output of the Action", () =>
  expectFresh("ci.md", "action", printAction()));

test("docs/drift.md has every rule", () => expectFresh("drift.md", "rules", printRules()));

test("docs/hosts.md has every host", () => expectFresh("hosts.md", "host names", printHostNames()));
test("docs/hosts.md has every rule", () => expectFresh("hosts.md", "hosts", printHosts()));

test("docs/drift.md has the patterns, and counts what they find", () =>
  expectFresh("drift.md", "attacks", printAttacks()));

test("docs/CHANGELOG.md has the exports of each entry", () =>
  expectFresh("CHANGELOG.md", "entries", printEntries()));

test("docs/generated-code.md shows how each keyword is printed", () =>
  expectFresh("generated-code.md", "support", printSupport()));

test("docs/architecture.md counts every scenario of the conformance suite", () =>
  expectFresh("architecture.md", "conformance", printConformance()));

test.each([
  ["site problems", readProblems],
  ["load failures", listLoadFailures],
])("docs/wordpress.md has the %s, and each has its message", async (mark, list) => {
  const problems = await list();
  const messages = new URL(`../wordpress/${mark.replace(" ", "-")}.txt`, import.meta.url);
  await expect(printMessages(problems)).toMatchFileSnapshot(fileURLToPath(messages));
  await expectFresh("wordpress.md", mark, printProblems(problems));
});

describe("docs/configuration.md", () => {
  test("has the keys of the types, with their descriptions", () =>
    expectFresh("configuration.md", "keys", printConfigReference()));

  const readKeys = readConfigTypes(DECLARATIONS);
  test.each([
    ...["Config", "ServerConfig", "ToolsConfig", "EntriesConfig", "WordPressConfig", "PhpConfig"],
    ...["CheckConfig", "ServeConfig", "PolicyConfig"],
  ])("editors show a description of each key of %s", (name) => {
    expect(readKeys(name).filter((key) => key.text === "")).toEqual([]);
  });
});
