import { ts } from "ts-morph";
import { expect, it } from "vitest";
import type { Change } from "../../src/core/change.js";
import { describeMismatch, type Spot } from "../../src/impact/describe-hit.js";

const RENAMED: Change = {
  ...{ rule: "tool-renamed", class: "breaking", security: false, server: "library", path: "", impacts: [] },
  ...{ tool: "get_book", after: "fetch_book" },
};

it.each([
  ["calls", "getBook", "calls `getBook`"],
  ["calls", "libraryGetBook", "calls `libraryGetBook` of tool `get_book`"],
  ["imports", "GetBookOutput", "imports `GetBookOutput` of tool `get_book`"],
  ["imports", "../generated/library/get-book.js", "imports `../generated/library/get-book.js`"],
  ["reads", "title", "uses tool `get_book`"],
] as const)("code that %s %s names the renamed tool beside a longer name", (does, name, says) => {
  const spot: Spot = { node: ts.factory.createNull(), does, names: [name] };
  expect(describeMismatch(spot, RENAMED, "")).toBe(`${says}, renamed to \`fetch_book\``);
});
