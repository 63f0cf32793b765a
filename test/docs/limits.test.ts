import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEEPEST_LOCKABLE, DEEPEST_USABLE, READ_LIMIT_TEXT } from "../../src/contract/limits.js";

const DOCS = readFileSync(new URL("../../docs/schemas.md", import.meta.url), "utf8");

test.each([
  ["Bytes of one file", READ_LIMIT_TEXT],
  ["Output of one git command", READ_LIMIT_TEXT],
  ["One HTTP answer", READ_LIMIT_TEXT],
  ["Depth of a definition that is locked", `${DEEPEST_LOCKABLE} levels`],
  ["Depth of a definition that code is generated from", `${DEEPEST_USABLE} levels`],
])("docs/schemas.md names the limit of: %s", (what, limit) => {
  const row = DOCS.split("\n").find((line) => line.startsWith(`| ${what} `));
  expect(row).toContain(`| ${limit} `);
});
