import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { countZodSteps, MAX_ZOD_STEPS, planSchema } from "../../src/schema/print/plan-module.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";
import { evaluateModule, printToolModule } from "../schema/support/evaluate-module.js";
import { GROWING_SCHEMAS } from "./growing-schemas.js";
import { within } from "./within.js";

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

  it.each(schemas)("%s: parse ends, also the second time", { timeout: 60_000 }, (_, schema, value) => {
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
