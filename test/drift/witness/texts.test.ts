import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { compilePair } from "./check-witness.js";

const schemaOf = (text: JsonObject): JsonObject => ({
  type: "object",
  properties: { u: { type: "string", ...text } },
});

describe("a rule for texts that is added beside others", () => {
  it.each<[JsonObject, JsonObject]>([
    [{ minLength: 1 }, { minLength: 1, pattern: "^[^~]+$" }],
    [{ minLength: 2 }, { minLength: 2, pattern: "^\\S(.*\\S)?$" }],
    [{ maxLength: 5 }, { maxLength: 5, pattern: "\\bfoo\\b" }],
    [{ minLength: 1 }, { minLength: 1, not: { pattern: "~" } }],
    [{}, { pattern: "^(?!.*\\.\\.)" }],
    [{ minLength: 3, maxLength: 9 }, { minLength: 3, maxLength: 9, pattern: "^(?!.*--)[a-z-]+$" }],
    [{ pattern: "^[a-z]+(-[a-z]+)*$" }, { pattern: "^[a-z]+(-[a-z]+)*$", maxLength: 3 }],
    [{ pattern: "^a+$" }, { pattern: "^a+$", minLength: 4 }],
    [{ pattern: "^(?=.*\\d)[a-z0-9]{8,}$" }, { pattern: "^(?=.*\\d)(?=.*[x-z])[a-z0-9]{8,}$" }],
    [{ pattern: "^(?!-)[a-z-]+$" }, { pattern: "^(?!-)(?!.*-$)[a-z-]+$" }],
    [{ pattern: "^(?!xn--)[a-z]+$" }, { pattern: "^(?!a)[a-z]+$" }],
    [{ pattern: "^.{3,}$" }, { pattern: "^(?![^]*evil).{3,}$" }],
    [{ pattern: "^[^/]+$" }, { pattern: "^[^/]+(?<!\\.)$" }],
    [{ pattern: "foo|bar", minLength: 5 }, { pattern: "foo", minLength: 5 }],
  ])("has a counterexample: %j to %j", (wide, narrow) => {
    const [before, after] = [schemaOf(wide), schemaOf(narrow)];
    const changes = diffTools([{ name: "t", inputSchema: before }], [{ name: "t", inputSchema: after }]);
    expect(changes.map((change) => change.class)).toEqual(["breaking"]);
    expect(compilePair(before, after)(changes[0]?.witness ?? null)).toBe(true);
  }); // prettier-ignore
});
