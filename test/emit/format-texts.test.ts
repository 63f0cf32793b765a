import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatText, formatTexts } from "../../src/emit/format-text.js";
import { GOLDEN, readCases } from "./golden-cases.js";

const SETTINGS = [{}, { semi: false, singleQuote: true }, { printWidth: 40, useTabs: true }];

// Some of them declare the same names.
const modules = readCases()
  .flatMap(({ name }) => [`${name}/index.ts`, `${name}/index.ts`])
  .map((path) => readFileSync(join(GOLDEN, path), "utf8"))
  .concat(
    'import * as z from "zod";\n\n\nexport const a = [1];\nexport interface A { b: 1 }\n',
    "// Only a comment.\n",
    'import * as z from "zod";\n/** A. */\nexport const a = [2]\n/** End. */',
    "export {};\n",
  );

describe("modules formatted together", () => {
  it.each(SETTINGS)("are what each gives alone, with %j", async (options) => {
    const alone = await Promise.all(modules.map((text) => formatText(text, options)));
    expect(await formatTexts(modules, options)).toEqual(alone);
  });

  it("are formatted one by one where one holds the separator", async () => {
    const texts = ["$$;\n$$;\n", "let a=1"];
    expect(await formatTexts(texts, {})).toEqual(["$$;\n$$;\n", "let a = 1;\n"]);
  });

  it("fail with the error of the one that is no TypeScript", async () => {
    await expect(formatTexts(["let a", "let = = 1"], {})).rejects.toThrow(SyntaxError);
  });

  it("are none where there are none", async () => {
    expect(await formatTexts([], {})).toEqual([]);
  });
});
