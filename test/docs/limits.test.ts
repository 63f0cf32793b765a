import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  AGENT_FILE_LIMIT,
  DEEPEST_LOCKABLE,
  DEEPEST_USABLE,
  formatLimit,
  LIST_LIMIT,
  READ_LIMIT,
} from "../../src/core/limits.js";

const DOCS = readFileSync(new URL("../../docs/generated-code.md", import.meta.url), "utf8");

test.each([
  ["Bytes of one file", formatLimit(READ_LIMIT)],
  ["Output of one git command", formatLimit(READ_LIMIT)],
  ["One HTTP answer", formatLimit(READ_LIMIT)],
  ["All pages of one list, before another is asked", formatLimit(LIST_LIMIT)],
  ["One file that agents read", formatLimit(AGENT_FILE_LIMIT)],
  ["Depth of a definition that is locked", `${DEEPEST_LOCKABLE} levels`],
  ["Depth of a definition that code is generated from", `${DEEPEST_USABLE} levels`],
])("docs/generated-code.md names the limit of: %s", (what, limit) => {
  const row = DOCS.split("\n").find((line) => line.startsWith(`| ${what} `));
  expect(row).toContain(`| ${limit} `);
});
