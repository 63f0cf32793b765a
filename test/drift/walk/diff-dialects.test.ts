import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { foldChanges } from "../../../src/report/fold-changes.js";
import { compilePair } from "../witness/check-witness.js";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";
const text = { type: "string" };

const changesOf = (key: "inputSchema" | "outputSchema", before: JsonObject, after: JsonObject) =>
  diffTools([{ name: "t", [key]: before }], [{ name: "t", [key]: after }]);
const namesOf = (changes: ReturnType<typeof diffTools>): readonly string[] =>
  changes.map((change) => `${change.rule} ${change.class}`);

/** A schema whose keywords mean the same in both dialects, but whose pattern no proof supports. */
const shared: JsonObject = {
  type: "object",
  properties: { id: { ...text, pattern: "^(?=.*a)(?!b).*$" }, next: { $ref: "#/definitions/Page" } },
  required: ["id"],
  definitions: { Page: { type: "object", properties: { next: { $ref: "#/definitions/Page" } } } },
};
/** Has no meaning before 2019-09. */
const dependent: JsonObject = {
  type: "object",
  properties: { a: text, b: text },
  dependentRequired: { a: ["b"] },
};

describe("a changed dialect", () => {
  it("is safe when it changes no meaning", () => {
    const changes = changesOf(
      "inputSchema",
      { $schema: DRAFT_07, ...shared },
      { $schema: DRAFT_2020, ...shared },
    );
    expect(namesOf(changes)).toEqual(["schema-dialect-changed safe"]);
    expect(changes[0]?.reason).toBe("The keywords mean the same in both dialects.");
  });

  it("is safe beside a breaking change with a witness", () => {
    const narrower = { ...shared, required: ["id", "next"] };
    const [before, after] = [
      { $schema: DRAFT_07, ...shared },
      { $schema: DRAFT_2020, ...narrower },
    ];
    const changes = changesOf("inputSchema", before, after);
    expect(namesOf(changes)).toEqual([
      "schema-dialect-changed safe",
      "input-property-became-required breaking",
    ]);
    expect(compilePair(shared, narrower, "draft-07")(changes[1]?.witness ?? null)).toBe(true);
  });

  it("reads a schema without $schema as 2020-12, regardless of the other schema", () => {
    const [before, after] = [dependent, { ...dependent, $schema: DRAFT_07 }];
    expect(namesOf(changesOf("inputSchema", before, after))).toEqual([
      "schema-dialect-changed safe",
      "input-constraint-removed safe",
    ]);
    const changes = changesOf("inputSchema", after, before);
    expect(namesOf(changes)).toEqual(["schema-dialect-changed unknown", "input-constraint-added breaking"]);
    expect(changes[1]?.witness).toEqual({ a: "" });
  });

  it("is classified by the direction that matters to callers", () => {
    const [before, after] = [
      { ...dependent, $schema: DRAFT_07 },
      { ...dependent, $schema: DRAFT_2020 },
    ];
    expect(namesOf(changesOf("outputSchema", before, after))).toContain("schema-dialect-changed safe");
    expect(namesOf(changesOf("inputSchema", before, after))).toContain("schema-dialect-changed unknown");
  });

  it("is reported once for a server", () => {
    const list = (dialect: string) =>
      ["a", "b", "c"].map((name) => ({
        name,
        inputSchema: { ...shared, $schema: dialect },
        outputSchema: { ...shared, $schema: dialect },
      }));
    const changes = diffTools(list(DRAFT_07), list(DRAFT_2020));
    expect(changes).toHaveLength(6);
    expect(foldChanges(changes)).toHaveLength(1);
  });
});
