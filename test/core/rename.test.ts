import { expect, it } from "vitest";
import type { Change } from "../../src/core/change.js";
import { currentTool, describeRenamed, toolRenamesNamed, withOtherNames } from "../../src/core/rename.js";

const changeOf = (rule: string, tool: string, after?: string | string[], confidence?: number): Change => ({
  ...{ rule, class: "breaking", security: false, server: "shop", tool, path: "", impacts: [] },
  ...(after !== undefined && { after }),
  ...(confidence !== undefined && { confidence }),
});

it.each([
  ["a renamed tool", changeOf("tool-renamed", "get", "fetch"), "fetch", "renamed to `fetch`"],
  ["a guess", changeOf("tool-renamed", "get", "fetch", 0.9), "fetch", "perhaps renamed to `fetch`"],
  [
    "a split tool",
    changeOf("tool-renamed", "get", ["one", "all"], 0.7),
    "get",
    "perhaps split into `one`, `all`",
  ],
  ["a tool split into one part", changeOf("tool-renamed", "get", ["all"]), "all", "split into `all`"],
  ["a property", changeOf("input-property-renamed", "get", "max"), "get", "renamed to `max`"],
  ["a change without a new name", changeOf("tool-renamed", "get"), "get", "renamed"],
])("names the tool of %s as it is now, and what became of it", (_, change, name, text) => {
  expect([currentTool(change), describeRenamed(change, String)]).toEqual([name, text]);
});

// One tool took the place of two, one of which had been split: one of these names brings all others.
const GROUP = [
  changeOf("tool-renamed", "first", "all"),
  changeOf("tool-renamed", "second", ["all", "rest"]),
  changeOf("tool-renamed", "apart", "away"),
  changeOf("tool-removed", "gone"),
];

it.each([
  [["first"], ["all", "first", "rest", "second"]],
  [["rest"], ["all", "first", "rest", "second"]],
  [["away"], ["apart", "away"]],
  [["gone"], ["gone"]],
  [[], []],
])("adds to %s the other names of these tools", (chosen, names) => {
  for (const changes of [GROUP, GROUP.toReversed()])
    expect([...withOtherNames(chosen, changes)].sort()).toEqual(names);
});

it("reads the names of tools in what a person names, also with dots", () => {
  const named = [
    "shop/get_order=fetch_order",
    "shop/orders.get=fetch",
    "shop/get",
    "get=fetch",
    "shop/=x",
    "shop/a=",
  ];
  expect(toolRenamesNamed(named)).toEqual([
    { server: "shop", before: "get_order", after: "fetch_order", confidence: 1 },
    { server: "shop", before: "orders.get", after: "fetch", confidence: 1 },
  ]);
});
