import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Config } from "../../src/config/config.js";
import type { JsonValue } from "../../src/contract/json.js";
import { outlineOf } from "../../src/contract/lock-outline.js";
import type { Lockfile } from "../../src/contract/lockfile.js";
import { withDefinitions } from "../../src/emit/emit.js";
import { fillFile } from "../../src/emit/fill-file.js";
import { formatText, formatWithPrettier, type FormatOptions } from "../../src/emit/format-text.js";
import { layOut } from "../../src/emit/layout/lay-out.js";
import { planFiles } from "../../src/emit/plan-files.js";
import { quoteLiteral } from "../../src/schema/identifiers.js";
import { judgeTools } from "../../src/listing/judge-tools.js";
import { lockOf, readCases } from "./golden-cases.js";

const LISTS = fileURLToPath(new URL("../../../shared/data/tool-lists/", import.meta.url));
const hasLists = existsSync(LISTS);
const skipped = hasLists ? "" : " (skipped: ../shared/data/tool-lists is not there)";

const SETTINGS: readonly FormatOptions[] = [
  {},
  { printWidth: 110, singleQuote: true, semi: false },
  { printWidth: 50, tabWidth: 4, trailingComma: "none" },
  { printWidth: 40, useTabs: true, bracketSpacing: false, trailingComma: "es5" },
];

/** The modules of a lock before they are formatted. */
async function modulesOf(lock: Lockfile, config: Config): Promise<readonly string[]> {
  const { files } = planFiles(outlineOf(lock), config, { prettierConfig: "", importExtension: "js" });
  const texts: string[] = [];
  for (const { task } of files.map((file) => withDefinitions(file, lock))) {
    const filled = await fillFile(task);
    if (!("refused" in filled)) texts.push(filled.text);
  }
  return texts;
}

/** Whether a module is laid out here; it then has the bytes that Prettier gives it. */
async function isLaidOut(text: string, options: FormatOptions): Promise<boolean> {
  const printed = layOut(text, options);
  if (printed === undefined) return false;
  expect(printed, JSON.stringify(options)).toBe(await formatWithPrettier(text, options));
  return true;
}

describe("layOut gives the bytes of Prettier", () => {
  it.each(readCases().map(({ name, lock, config }) => ({ name, lock, config })))(
    "for the modules of $name",
    async ({ lock, config }) => {
      for (const text of await modulesOf(lock, config))
        for (const options of SETTINGS) await isLaidOut(text, options);
    },
    120_000,
  );

  it.skipIf(!hasLists)(
    `for modules of real tools, nearly all of them${skipped}`,
    async () => {
      const tools = readdirSync(LISTS).flatMap((file) => {
        const list = JSON.parse(readFileSync(join(LISTS, file), "utf8")) as { tools: readonly JsonValue[] };
        return judgeTools(file, [{ entries: list.tools, at: ["tools"] }]).tools;
      });
      const some = new Map(tools.filter((_, at) => at % 6 === 0).map((tool) => [tool.name, tool]));
      const config: Config = { servers: {} };
      const texts = await modulesOf(lockOf(config, { real: [...some.values()] }), config);
      let laidOut = 0;
      for (const [at, text] of texts.entries())
        if (await isLaidOut(text, SETTINGS[at % SETTINGS.length] ?? {})) laidOut += 1;
      expect(laidOut / texts.length).toBeGreaterThan(0.97);
    },
    300_000,
  );

  const word = fc.oneof(
    fc.constantFrom(
      "type",
      "description",
      "it's",
      'say "x"',
      "\\ \"'",
      "a-b",
      "1",
      "é – “x”",
      "日本",
      "__proto__",
    ),
    fc.string({ maxLength: 70 }),
  );
  const scalar = fc.oneof(
    word.map((text) => JSON.stringify(text)),
    fc.integer().map(String),
    fc.constantFrom("true", "null", "1e21", "-0.5", "Money", "integer"),
  );
  const { expression } = fc.letrec<{ readonly expression: string }>((tie) => ({
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      scalar,
      fc.array(tie("expression"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
      fc.array(fc.tuple(word, tie("expression")), { maxLength: 4 }).map((members) => {
        const entries = new Map(members.map(([key, value]) => [JSON.stringify(key), value]));
        entries.delete('"__proto__"');
        return `({ ${[...entries].map(([key, value]) => `${key}: ${value}`).join(", ")} })`;
      }),
      tie("expression").map((body) => `() => ${body}`),
      fc
        .tuple(
          fc.constantFrom("z", "Money", "z.iso", "fitsNot"),
          fc.array(
            fc.tuple(
              fc.constantFrom("array", "describe", "min", "looseObject", "lazy"),
              fc.array(tie("expression"), { maxLength: 3 }),
            ),
            { maxLength: 4 },
          ),
        )
        .map(([start, calls]) =>
          [start, ...calls.map(([name, values]) => `.${name}(${values.join(", ")})`)].join(""),
        ),
    ),
  }));

  it("for texts of any script, whose characters take one column, two or none", async () => {
    const characters = ["a", "é", "中", "あ", "（", "💡", "⚠️", "👍🏽", "🇩🇪", "👩‍💻", "–", "≤", "e\u0301", "©"];
    const text = fc.string({ unit: fc.constantFrom(...characters, "word ", "word "), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, text, fc.constantFrom(...SETTINGS), async (one, other, options) => {
        const value = `{ one: ${quoteLiteral(one)}, other: [${quoteLiteral(other)}, 1] }`;
        const module = `export const a: Tool<A, B> = /* @__PURE__ */ f(${value});\n`;
        expect(await isLaidOut(module, options)).toBe(true);
      }),
      { numRuns: 500 },
    );
  }, 120_000);

  it("for any value", async () => {
    let laidOut = 0;
    const runs = 300;
    await fc.assert(
      fc.asyncProperty(expression, fc.constantFrom(...SETTINGS), async (value, options) => {
        const text =
          `export const a: Tool<A, B> = /* @__PURE__ */ f({\n  value: ${value},\n});\n` +
          `const b: A = /* @__PURE__ */ z.lazy(() => ${value}) as never;\n`;
        if (await isLaidOut(text, options)) laidOut += 1;
      }),
      { numRuns: runs },
    );
    expect(laidOut).toBeGreaterThan(runs / 2);
  }, 120_000);

  const { type } = fc.letrec<{ readonly type: string }>((tie) => ({
    type: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(
        "string",
        "null",
        "undefined",
        "Money",
        "unknown",
        '"a long literal of some words"',
        "12",
      ),
      tie("type").map((item) => `(${item})[]`),
      fc.array(tie("type"), { minLength: 2, maxLength: 4 }).map((types) => `(${types.join(" | ")})`),
      fc.array(tie("type"), { minLength: 2, maxLength: 3 }).map((types) => `(${types.join(" & ")})`),
      fc.array(tie("type"), { maxLength: 3 }).map((types) => `[${types.join(", ")}]`),
      fc
        .array(fc.tuple(fc.constantFrom("name", "'", "a_long_name", "[k: string]", "b?"), tie("type")), {
          minLength: 1,
          maxLength: 4,
        })
        .map((members) => {
          const lines = members.map(
            ([key, value], at) => `/** Says what it is. */\n${key === "'" ? `"it's ${at}"` : key}: ${value}`,
          );
          return `{\n${lines.join("\n")}\n}`;
        }),
    ),
  }));

  it("for any type", async () => {
    let laidOut = 0;
    const runs = 300;
    await fc.assert(
      fc.asyncProperty(type, fc.constantFrom(...SETTINGS), async (value, options) => {
        const text = `export interface A {\nvalue: ${value}\n}\n\nexport type B = ${value};\n`;
        if (await isLaidOut(text, options)) laidOut += 1;
      }),
      { numRuns: runs },
    );
    expect(laidOut).toBeGreaterThan(runs / 2);
  }, 120_000);
});

describe("formatText", () => {
  it.each<[string, FormatOptions]>([
    ["quotes that are not as needed", { quoteProps: "consistent" }],
    ["objects that collapse", { objectWrap: "collapse" }],
  ])("leaves %s to Prettier", async (_, options) => {
    const text = `export const a: A = /* @__PURE__ */ f({\n  a: ${quoteLiteral({ "a-b": 1, c: 2 })},\n});\n`;
    expect(layOut(text, options)).toBeUndefined();
    expect(await formatText(text, options)).toBe(await formatWithPrettier(text, options));
  });

  it.each(["let a = 1;", "export const a = b ? c : d;", "// a\n", "export const a: A = /* x */ `b`;"])(
    "leaves what it does not know to Prettier: %s",
    async (text) => {
      expect(layOut(text, {})).toBeUndefined();
      expect(await formatText(text, {})).toBe(await formatWithPrettier(text, {}));
    },
  );
});
