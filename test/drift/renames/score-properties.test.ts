import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { scoreProperties } from "../../../src/drift/renames/rename-evidence.js";

const NONE = { words: 0, name: 0 };
const text = (description?: string): JsonObject => ({
  type: "string",
  ...(description !== undefined && { description }),
});

const ROWS: [string, string, string, JsonObject, JsonObject, number][] = [
  ["the same words", "issueNumber", "issue_number", text(), text(), 0.99],
  ["an abbreviation", "q", "query", text(), text(), 0.7],
  ["another spelling", "color", "colour", text(), text(), 0.875],
  ["each its own word", "user_name", "team_name", text(), text(), 0.469],
  ["a word more", "title", "post_title", text(), text(), 0.75],
  ["nothing in common", "title", "slug", text(), text(), 0.1875],
  ["the same description", "slug", "path", text("The address of a post."), text("The address of a post."), 0.8],
  ["another description", "slug", "slug_text", text("The address of a post."), text("How many there are."), 0.45],
  ["a schema with another rule", "limit", "limits", { type: "integer" }, { type: "integer", minimum: 1 }, 0.925],
  ["another type", "limit", "limits", { type: "integer" }, text(), 0.75],
  ["opposite words", "include_tags", "exclude_tags", text(), text(), 0],
  ["other opposite words", "start_time", "end_time", text(), text(), 0],
]; // prettier-ignore

test.each(ROWS)("%s: %s → %s", (_what, was, is, before, after, score) => {
  expect(scoreProperties([was, before], [is, after], NONE)).toBeCloseTo(score, 3);
});

test.each([
  [{ words: 0.8, name: 0 }, 0.777],
  [{ words: 0, name: 0.5 }, 0.642],
  [{ words: 0, name: 1 }, 0.867],
])("the evidence %j of other tools counts", (evidence, score) => {
  const before = text("The key of a page in the wiki.");
  const after = text("The key of a page in the space.");
  expect(scoreProperties(["wiki_ref", before], ["space_target", after], evidence)).toBeCloseTo(score, 3);
});
