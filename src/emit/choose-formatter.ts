import { isJsonObject } from "../contract/json.js";
import type { ProjectFormat } from "../contract/project-format.js";
import type { FormatOptions, Formatter } from "./format-text.js";

/** The options of Prettier that oxfmt has too, and that can change how TypeScript is printed. */
const OPTIONS = [
  ...["printWidth", "tabWidth", "useTabs", "semi", "singleQuote", "quoteProps", "trailingComma"],
  ...["bracketSpacing", "objectWrap", "arrowParens"],
];

/**
 * The formatter of generated files: the project's own Prettier where it uses Prettier, so that its `prettier --check` passes,
 * and oxfmt otherwise.
 *
 * @param path of any generated file
 */
export async function chooseFormatter(path: string, project: ProjectFormat): Promise<Formatter> {
  const { usesPrettier, prettier, hasEditorConfig } = project;
  if (usesPrettier) return { by: "prettier", path, ...(prettier !== undefined && { module: prettier }) };
  return { by: "oxfmt", options: hasEditorConfig ? await readEditorConfig(path) : {} };
}

/** Oxfmt reads no configuration when it is called by a program, and Prettier knows what `.editorconfig` means. */
async function readEditorConfig(path: string): Promise<FormatOptions> {
  const { resolveConfig } = await import("prettier");
  const resolved: unknown = await resolveConfig(path, { editorconfig: true, useCache: false });
  return isJsonObject(resolved) ? selectOptions(resolved) : {};
}

/** Those of the options that change how oxfmt prints TypeScript. */
export function selectOptions(options: FormatOptions): FormatOptions {
  return Object.fromEntries(Object.entries(options).filter(([option]) => OPTIONS.includes(option)));
}
