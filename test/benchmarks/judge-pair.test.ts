import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/change.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { judgePair } from "../../benchmarks/oracle/judge-pair.js";

const object = (properties: JsonObject): ToolSnapshot => ({
  name: "t",
  inputSchema: { type: "object", properties, required: ["a"] },
});
const before = object({ a: { type: "string" }, b: { type: "integer" } });
const after = object({ a: { type: "string", maxLength: 3 }, b: { type: "integer", minimum: 1 } });
const changes = diffTools([before], [after]);

/** The changes with another witness for the longest string. */
const withWitness = (witness: JsonValue): readonly Change[] =>
  changes.map((change) => (change.path.endsWith("maxLength") ? { ...change, witness } : change));

describe("the oracle", () => {
  it("agrees with correct findings", () => {
    expect(judgePair(before, after, changes)).toMatchObject({
      breaks: 1,
      missed: [],
      witnesses: 2,
      refuted: [],
      misdirected: [],
      unwitnessed: [],
    });
  });

  it("finds breaks without a finding", () => {
    const verdict = judgePair(before, after, changes.filter(({ path }) => !path.endsWith("minimum"))); // prettier-ignore
    expect(verdict.missed).toHaveLength(1);
    expect(verdict.missed[0]).toContain("inputSchema b:");
  });

  it("refutes a witness that both schemas accept", () => {
    expect(judgePair(before, after, withWitness({ a: "ab" })).refuted).toHaveLength(1);
  });

  it("rejects a witness that shows another change", () => {
    expect(judgePair(before, after, withWitness({ a: "ab", b: 0 })).misdirected).toHaveLength(1);
  });

  it("counts what is breaking without a witness", () => {
    const bare = changes.map((change): Change => {
      const copy: { -readonly [K in keyof Change]: Change[K] } = { ...change };
      delete copy.witness;
      return copy;
    });
    expect(judgePair(before, after, bare).unwitnessed).toHaveLength(2);
  });
});
