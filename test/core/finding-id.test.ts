import { expect, test } from "vitest";
import type { Change } from "../../src/core/change.js";
import { acceptOptions, findingId, isFindingId } from "../../src/core/waivers.js";

const change = (more: Partial<Change> = {}): Change => ({
  ...{ rule: "input-property-removed", class: "breaking", security: false },
  ...{ server: "shop", tool: "add", path: "/inputSchema/properties/a", impacts: ["wire"] },
  ...more,
});
const changes = (count: number): readonly Change[] =>
  Array.from({ length: count }, (_, index) => change({ path: `/${index}` }));

test.each<[string, Partial<Change>]>([
  ["its rule", { rule: "input-property-renamed" }],
  ["its server", { server: "blog" }],
  ["its tool", { tool: "list" }],

  ["its path", { path: "" }],
  ["its value before", { before: null }],
  ["its value after", { after: null }],
])("a finding is named by %s", (_what, more) => {
  expect(findingId(change())).toMatch(/^[0-9a-f]{12}$/);
  expect(findingId(change(more))).not.toBe(findingId(change()));
  expect(isFindingId(findingId(change(more)))).toBe(true);
  const { tool: _, ...ofServer } = change(more);
  expect(findingId(ofServer)).not.toBe(findingId(change(more)));
});

test("a finding is not named by its class, nor by the order of keys", () => {
  expect(findingId(change({ class: "safe", impacts: [] }))).toBe(findingId(change()));
  expect(findingId(change({ after: { a: 1, b: 2 } }))).toBe(findingId(change({ after: { b: 2, a: 1 } })));
});

test.each([
  ["0123456789ab", true],
  ["0123456789a", false],
  ["0123456789abc", false],
  ["0123456789AB", false],
  ["input-property-removed", false],
])("%s is the name of a finding: %s", (text, isName) => {
  expect(isFindingId(text)).toBe(isName);
});

test("up to eight findings are accepted by their names, and more by their rules", () => {
  expect(acceptOptions([])).toEqual([]);
  const named = (list: readonly Change[]): readonly string[] =>
    list.map((each) => `--accept ${findingId(each)}`);
  expect(acceptOptions([change(), change()])).toEqual([...named([change()]), '--reason "\u2026"']);
  expect(acceptOptions(changes(8))).toEqual([...named(changes(8)), '--reason "\u2026"']);
  expect(acceptOptions(changes(9))).toEqual(["--accept input-property-removed", '--reason "\u2026"']);
});
