import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/core/digest.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { Lockfile } from "../../src/core/lockfile.js";
import { emit } from "../../src/emit/emit.js";
import { PatternSteps } from "../../src/schema/pattern/pattern-automaton.js";
import { readPattern } from "../../src/schema/pattern/pattern.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";
import { within } from "./within.js";

/** A repeated choice of different characters: each may follow each. */
const costly = (at: number): string => {
  const characters = Array.from({ length: 900 }, (_, index) => String.fromCharCode(0x4e00 + index));
  return `^(${characters.join("|")})*${at}$`;
};

const nested = (levels: number): JsonObject => {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < levels; level += 1) schema = { type: "object", properties: { a: schema } };
  return schema;
};

const lockOf = (inputSchema: JsonObject, unusable?: string): Lockfile => {
  const definition = { name: "grow", inputSchema };
  const tool = {
    definition,
    digest: digestOf({ name: "grow" }),
    ...(unusable !== undefined && { unusable }),
  };
  const identity = { serverInfo: { name: "x" }, protocolVersion: "2025-11-25", capabilities: {} };
  const listing = { clientCapabilities: {}, pages: 1 };
  const server = { contract: "1.0.0", identity, listing, tools: { grow: tool } };
  return { lockfileVersion: 1, servers: { s: server } };
};

describe("limits", () => {
  it("a pattern is analysed in a limited number of steps, and the reason names the limit", () => {
    const reading = within(() => readPattern(costly(0)));
    expect(reading).toMatchObject({ problem: `takes more than ${PatternSteps.most} steps to analyse` });
    expect(reading.steps).toBe(PatternSteps.most);
  });

  it.each<[string, (patterns: readonly string[]) => JsonValue]>([
    ["oneOf", (patterns) => ({ oneOf: patterns.map((pattern) => ({ type: "string", pattern })) })],
    ["patternProperties", (patterns) => ({ patternProperties: Object.fromEntries(patterns.map((pattern) => [pattern, {}])) })],
  ])("1,000 expensive patterns in %s are rejected with one sentence", (_, make) => {
    const schema = make(Array.from({ length: 1000 }, (__, at) => costly(at)));
    expect(() => within(() => printZodModule(schema, { name: "Grown" }))).toThrow(
      "The patterns of the schema take more than 5000000 steps to analyse.",
    );
  }); // prettier-ignore

  it("1,000 ordinary patterns are accepted", () => {
    const oneOf = Array.from({ length: 1000 }, (_, at) => ({ type: "string", pattern: `^[a-z]{1,8}-k${at}[0-9]+$` })); // prettier-ignore
    expect(within(() => printZodModule({ oneOf }, { name: "Grown" })).diagnostics).toEqual([]);
  });

  it.each([101, 1000, 10_000])("emit rejects a definition of %i nested objects with one sentence", async (levels) => {
    await expect(emit(lockOf(nested(levels)), { servers: { s: { file: "x" } } })).rejects.toMatchObject({
      code: "SCHEMA_INVALID",
      message: 'The definition of "grow" of "s" is nested too deeply (over 200 levels).',
    });
  }); // prettier-ignore

  it("emit omits a tool that is locked as unusable", async () => {
    const files = await emit(lockOf(nested(300), "It is nested too deeply."), { servers: { s: { file: "x" } } }); // prettier-ignore
    expect(files.map(({ path }) => path)).toEqual(["index.ts", "s/index.ts", "s/server.ts"]);
  });
});
