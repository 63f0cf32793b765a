import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/contract/json.js";
import { formatText, type FormatOptions } from "../../src/emit/format-text.js";
import { printLiteral } from "../../src/emit/print-literal.js";
import { quoteLiteral } from "../../src/schema/identifiers.js";

const LISTS = fileURLToPath(new URL("../../../shared/data/tool-lists/", import.meta.url));
const hasLists = existsSync(LISTS);
const skipped = hasLists ? "" : " (skipped: ../shared/data/tool-lists is not there)";

const SETTINGS: readonly FormatOptions[] = [
  {},
  { printWidth: 110, singleQuote: true },
  { printWidth: 60, tabWidth: 4, trailingComma: "none" },
  { useTabs: true, bracketSpacing: false, trailingComma: "es5", objectWrap: "collapse" },
];

const BEFORE = "  inputSchema: () => (";

/** The literal as Prettier prints it where a generated module has it. */
async function formatLiteral(value: JsonObject, options: FormatOptions): Promise<string> {
  const text = await formatText(
    `call({\n  inputSchema: () => (${quoteLiteral(value)}),\n other: "${"o".repeat(120)}" });`,
    options,
  );
  return text.slice(text.indexOf("() => (") + 7, text.lastIndexOf("),\n"));
}

function printHere(value: JsonObject, options: FormatOptions): string | undefined {
  const { useTabs = false, tabWidth = 2 } = options;
  const indent = useTabs === true ? "\t" : " ".repeat(Number(tabWidth));
  return printLiteral(value, options, { before: BEFORE.replace("  ", indent), after: ")," });
}

async function expectSame(value: JsonObject, options: FormatOptions): Promise<boolean> {
  const printed = printHere(value, options);
  if (printed === undefined) return false;
  expect(printed, JSON.stringify(options)).toBe(await formatLiteral(value, options));
  return true;
}

const word = fc.oneof(
  fc.constantFrom(
    "type",
    "string",
    "description",
    "default",
    "it's",
    'say "x"',
    "\\ \"'",
    "a-b",
    "1",
    "é – → “x”",
    "日本",
    "e\u0301",
  ),
  fc.string({ maxLength: 70 }),
  fc.string({ unit: "grapheme", maxLength: 30 }),
);
const key = fc.oneof(word, fc.constantFrom("$ref", "enum", "properties", "k".repeat(60), "k k".repeat(30)));
const json = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    word,
    fc.constantFrom(null, true, false, 0, -1, 1e21, 1e-7, 0.5, 123456789),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
})).object;

describe("a literal printed apart", () => {
  it.each(SETTINGS)("is what Prettier gives, for any JSON, with %j", async (options) => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        await expectSame(value, options);
      }),
      { numRuns: 300 },
    );
  });

  it.runIf(hasLists)(
    `is what Prettier gives, for the definitions of public servers, and nearly always given${skipped}`,
    async () => {
      const schemas = readdirSync(LISTS).flatMap((file) =>
        (
          JSON.parse(readFileSync(`${LISTS}${file}`, "utf8")) as {
            readonly tools: readonly { readonly inputSchema: JsonObject }[];
          }
        ).tools.map(({ inputSchema }) => inputSchema),
      );
      const same = await Promise.all(
        schemas.map((schema, at) => expectSame(schema, SETTINGS[at % SETTINGS.length] ?? {})),
      );
      expect(same.filter(Boolean).length / schemas.length).toBeGreaterThan(0.9);
    },
    120_000,
  );

  it.each([
    ["a key that sets a prototype", { ["__proto__"]: 1 }, {}],
    ["a list of numbers over several lines", { enum: Array.from({ length: 40 }, (_, at) => at + 100) }, {}],
    ["letters whose width decides", { type: "日本".repeat(15) }, {}],
    ["quotes around every key", { type: "string" }, { quoteProps: "consistent" }],
  ])("is left to Prettier: %s", (_, value: JsonObject, options: FormatOptions) => {
    expect(printHere(value, options)).toBeUndefined();
  });
});
