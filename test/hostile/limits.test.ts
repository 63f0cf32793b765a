import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/core/digest.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { Lockfile } from "../../src/core/lockfile.js";
import { emit } from "../../src/emit/emit.js";
import { PatternSteps } from "../../src/schema/pattern/pattern-automaton.js";
import { readPattern } from "../../src/schema/pattern/pattern.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";
import { within } from "./within.js";
import { countZodSteps, MAX_ZOD_STEPS, planSchema } from "../../src/schema/print/plan-module.js";
import { evaluateModule, printToolModule } from "../schema/support/evaluate-module.js";
import { GROWING_SCHEMAS } from "./growing-schemas.js";

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

const deep = (levels: number, key = "p0"): JsonValue => {
  let value: JsonObject = {};
  for (let level = 0; level < levels; level += 1) value = { [key]: value };
  return value;
};

const shape = (name: string, size: number): JsonObject => {
  const make = GROWING_SCHEMAS[name];
  if (make === undefined) throw new Error(`There is no shape "${name}".`);
  return make(size);
};

const tuples = (size: number): JsonObject => ({
  type: "object",
  properties: { value: { $ref: "#/$defs/d0" } },
  $defs: Object.fromEntries(
    Array.from({ length: size }, (_, at) => {
      const next = { $ref: `#/$defs/d${Math.min(at + 1, size - 1)}` };
      return [`d${at}`, at === size - 1 ? { type: "string" } : { type: "array", prefixItems: [next, next] }];
    }),
  ),
});

describe("generated schemas with very many paths", () => {
  const schemas: readonly (readonly [name: string, schema: JsonObject, value: JsonValue])[] = [
    ["references that double", shape("references that double in properties", 120), { value: deep(60) }],
    ["tuples that double", tuples(60), { value: JSON.parse("[".repeat(40) + "]".repeat(40)) as JsonValue }],
  ]; // prettier-ignore

  it.each(schemas)("%s: parse ends, also the second time", (_, schema, value) => {
    const text = printToolModule(schema);
    const exported = [...text.matchAll(/^export const (\w+)/gm)].map(([, name = ""]) => name);
    const results = within(() => {
      const parser = evaluateModule(text, "ToolInput");
      return [parser.safeParse(value).success, parser.safeParse(value).success, parser.safeParse(7).success];
    });
    expect(results).toEqual([true, true, false]);
    expect(exported.length).toBeGreaterThan(50);
  });

  it("an invalid value is reported at its path", () => {
    const { text, diagnostics } = printZodModule(shape("references that double in properties", 60), {
      name: "Grown",
    });
    const parser = evaluateModule(text, "Grown");
    const result = within(() => parser.safeParse({ value: { p0: { p1: { p0: 7 } } } }));
    expect(result.error?.issues.map(({ path }) => path)).toEqual([["value", "p0", "p1", "p0"]]);
    expect(diagnostics).toEqual([
      {
        code: "SCHEMA_FALLBACK",
        path: "",
        message: `The definitions refer to each other on more paths than Zod can follow (limit: ${MAX_ZOD_STEPS} steps), so each reference is a check.`,
      },
    ]);
  });

  it("a tree of ordinary definitions is generated without checks", () => {
    const { text, diagnostics } = printZodModule(shape("references that double in properties", 10), { name: "Grown" }); // prettier-ignore
    expect(text).not.toContain("fits");
    expect(diagnostics).toEqual([]);
  });

  it("counting stops at the limit", () => {
    const names = { taken: new Set<string>(), checks: new Map() };
    const options = { name: "Grown", side: "input", hasTypes: true, names } as const;
    const { declarations, context } = planSchema(shape("references that double in properties", 200), options);
    const root = declarations.at(-1)?.node ?? { kind: "any", at: "" };
    expect(countZodSteps(root, context.definitions)).toBeLessThan(MAX_ZOD_STEPS + 100);
  });
});
