import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { outlineOf } from "../../src/core/lock-server.js";
import { digestOfCode } from "../../src/core/generated-file.js";
import { withDefinitions } from "../../src/emit/emit.js";
import { fillFile } from "../../src/emit/fill-file.js";
import { reasonOfRefusal } from "../../src/emit/tool-schemas.js";
import { loadFormat, loadOxfmt, type FormatOptions } from "../../src/emit/format-text.js";
import { planFiles } from "../../src/emit/plan-files.js";
import type { RenderedFile, RenderTask } from "../../src/emit/render-task.js";
import { format } from "prettier";
import { readCases } from "./golden-cases.js";
import { sample } from "../sample.js";

const STYLES: readonly FormatOptions[] = [
  { printWidth: 110, singleQuote: true, semi: false },
  { printWidth: 50, tabWidth: 4, trailingComma: "none" },
  { printWidth: 40, useTabs: true, bracketSpacing: false, trailingComma: "es5", arrowParens: "avoid" },
  { quoteProps: "consistent", objectWrap: "collapse" },
  { printWidth: 200, experimentalOperatorPosition: "start", quoteProps: "preserve" },
];

async function formatByOxfmt(text: string, options: FormatOptions = {}): Promise<string> {
  const format = await loadOxfmt(options);
  return format(text);
}

function fillOrRefuse(task: RenderTask): RenderedFile | string {
  try {
    return fillFile(task);
  } catch (error) {
    return reasonOfRefusal(error);
  }
}

// check and generate compare only code, so any formatting is accepted.
it.each(readCases())(
  "oxfmt and Prettier print the same code in every style: $name",
  async ({ lock, config }) => {
    const { files } = planFiles(outlineOf(lock), config, { prettierConfig: "", importExtension: "js" });
    for (const { task } of files.map((file) => withDefinitions(file, lock))) {
      const filled = fillOrRefuse(task);
      if (typeof filled === "string") continue;
      const code = digestOfCode(await formatByOxfmt(filled.text));
      for (const options of sample(STYLES, 2)) {
        expect(digestOfCode(await formatByOxfmt(filled.text, options)), filled.text).toBe(code);
        expect(
          digestOfCode(await format(filled.text, { ...options, parser: "typescript" })),
          filled.text,
        ).toBe(code);
      }
    }
  },
);

it("oxfmt breaks lines at 100 columns, as Prettier does with this width", async () => {
  const text = `export const list = [${"1_000_000, ".repeat(8)}1_000];`;
  expect(await formatByOxfmt(text)).toBe(await format(text, { parser: "typescript", printWidth: 100 }));
});

it("a module that cannot be parsed is an error", async () => {
  await expect(formatByOxfmt("export const = 1;")).rejects.toThrow("oxfmt could not format");
});

it("oxfmt is given the settings of .editorconfig as they are now", async () => {
  const dir = await mkdtemp(join(tmpdir(), "editorconfig-"));
  const project = { usesPrettier: false, prettier: undefined, hasEditorConfig: true };
  for (const indentation of [3, 8]) {
    await writeFile(
      join(dir, ".editorconfig"),
      `root = true\n[*]\nindent_style = space\nindent_size = ${indentation}\n`,
    );
    const format = await loadFormat(join(dir, "a.ts"), project);
    const indent = " ".repeat(indentation);
    expect(await format("if (a) {\nb();\n}\n")).toBe(`if (a) {\n${indent}b();\n}\n`);
  }
  await rm(dir, { recursive: true });
});
