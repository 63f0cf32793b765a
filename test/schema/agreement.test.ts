import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/core/json.js";
import { assertAgreement, compileModules } from "./support/compile-modules.js";
import { emitCases } from "../emit/golden-cases.js";
import { expected } from "../data/files.js";
import { runs, sample } from "../sample.js";
import { readToolLists } from "./support/data.js";
import { printToolModule } from "./support/evaluate-module.js";
import { SCHEMAS } from "./support/schemas.js";

const SETTINGS = [{ exactOptionalPropertyTypes: true }, { exactOptionalPropertyTypes: false }];

describe("types and Zod", () => {
  it.each(SETTINGS)("agree for every kind of schema (%o)", (settings) => {
    const modules = new Map<string, string>();
    for (const [name, schema] of Object.entries<JsonValue>(SCHEMAS)) {
      modules.set(name, assertAgreement(printToolModule(schema, schema)));
    }
    expect(compileModules(modules, settings)).toEqual([]);
  });

  it.each(SETTINGS)("agree for every kind of open schema (%o)", (settings) => {
    const modules = new Map<string, string>();
    for (const [name, schema] of Object.entries<JsonValue>(SCHEMAS)) {
      modules.set(name, assertAgreement(printToolModule(schema, schema, { isOpen: true })));
    }
    const open = [...modules.values()].filter((text) =>
      text.includes("z.output<typeof ToolInput>, ToolInput>"),
    );
    expect(open.length).toBeGreaterThan(30);
    expect(compileModules(modules, settings)).toEqual([]);
  });

  it("differences are detected", () => {
    const right = assertAgreement(
      printToolModule({ type: "object", properties: { a: { type: "string" } }, required: ["a"] }),
    );
    const plant = (from: string, to: string): string => {
      expect(right).toContain(from);
      return right.replace(from, to);
    };
    const modules = new Map([
      ["wider", plant("a: string;\n", "a: string | number;\n")],
      ["narrower", plant("a: string;\n", 'a: "x";\n')],
      ["optional", plant("a: string;\n", "a?: string;\n")],
      ["missing", plant("a: string;\n", "\n")],
      ["more", plant("a: string;\n", "a: string;\nb: number;\n")],
    ]);
    const found = compileModules(modules, { exactOptionalPropertyTypes: true });
    for (const name of modules.keys())
      expect(
        found.filter((message) => message.startsWith(`${name}.ts`)),
        name,
      ).not.toEqual([]);
  });

  it.each(SETTINGS)("agree in every golden file, and in what is generated (%o)", async (settings) => {
    const modules = new Map(
      (await readGenerated()).map(([path, text]) => [path.replaceAll(/[^\w]/gu, "_"), assertAgreement(text)]),
    );
    expect(modules.size).toBeGreaterThan(100);
    expect(compileModules(modules, settings)).toEqual([]);
  });

  it("differences in a golden file are detected", async () => {
    const modules = new Map(
      (await readGenerated()).flatMap(([path, text], index) => {
        // A few modules are enough to show it.
        if (index % 4 !== 0) return [];
        const wrong = text.replace(
          /^ {2}(\w+)\??: (?:string|number|boolean)(?: \| undefined)?;$/mu,
          "  $1: symbol;",
        );
        return wrong === text ? [] : [[path.replaceAll(/[^\w]/gu, "_"), assertAgreement(wrong)] as const];
      }),
    );
    expect(modules.size).toBeGreaterThan(10);
    const found = compileModules(modules, { exactOptionalPropertyTypes: true });
    const silent = [...modules.keys()].filter(
      (name) => !found.some((message) => message.startsWith(`${name}.ts`) && message.includes("Mutual<")),
    );
    expect(silent).toEqual([]);
  });

  it("agree for tools as servers list them", () => {
    const tools = readToolLists();
    const step = Number(process.env["EVERY"] ?? expected(1, 64));
    // Tools whose output schema differs from the previous one's, and some others.
    const chosen = tools.filter(
      ({ output }, index) =>
        index % step === 0 ||
        (output !== undefined && JSON.stringify(output) !== JSON.stringify(tools[index - 1]?.output)),
    );
    const modules = new Map<string, string>();
    for (const [index, { input, output }] of sample(chosen, 3).entries())
      modules.set(`tool${index}`, assertAgreement(printToolModule(input, output)));
    expect(modules.size).toBeGreaterThan(runs(expected(30, 80), 3));
    expect(compileModules(modules, { exactOptionalPropertyTypes: true })).toEqual([]);
  });
});

/** The modules of tools in the golden files and in the `generated` folder. */
async function readGenerated(): Promise<readonly (readonly [path: string, text: string])[]> {
  const folder = fileURLToPath(new URL("../../generated/", import.meta.url));
  const example = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => [path, readFileSync(`${folder}${path}`, "utf8")] as const);
  const golden = (await emitCases()).map(({ path, text }) => [path, text] as const);
  return [...golden, ...example].filter(([, text]) => /\bschema\(/u.test(text));
}
