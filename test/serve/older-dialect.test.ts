import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { findOlderDialect } from "../../src/serve/offer-directly.js";

const DRAFT_04 = "http://json-schema.org/draft-04/schema#";
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const NOW = "https://json-schema.org/draft/2020-12/schema";

test.each<[string, string, JsonObject, boolean]>([
  ["a tuple", DRAFT_07, { properties: { a: { items: [{ type: "string" }] } } }, true],
  ["keywords beside $ref", DRAFT_07, { properties: { a: { $ref: "#/definitions/a", minLength: 1 } } }, true],
  ["a description beside $ref", DRAFT_07, { properties: { a: { $ref: "#/definitions/a", description: "A." } } }, false], // prettier-ignore
  ["dependencies", DRAFT_07, { dependencies: { a: ["b"] } }, true],
  ["a keyword that draft-07 ignores", DRAFT_07, { dependentRequired: { a: ["b"] } }, true],
  ["a keyword that draft-04 ignores", DRAFT_04, { properties: { a: { const: 1 } } }, true],
  ["the same keyword in draft-07", DRAFT_07, { properties: { a: { const: 1 } } }, false],
  ["a boolean bound", DRAFT_04, { properties: { a: { minimum: 1, exclusiveMinimum: true } } }, true],
  ["a property of such a name", DRAFT_04, { properties: { id: { type: "string" }, if: {} } }, false],
  ["the default dialect", NOW, { items: [{}], dependencies: {} }, false],
  ["an unknown dialect", "https://example.com/schema", { dependencies: {} }, false],
])("%s", (_title, $schema, schema, isKept) => {
  expect(findOlderDialect({ $schema, ...schema })).toBe(isKept ? $schema : undefined);
});
