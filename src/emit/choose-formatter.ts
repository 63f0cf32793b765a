import { isJsonObject } from "../contract/json.js";
import type { ProjectFormat } from "../contract/generated-file.js";
import type { FormatOptions, Formatter } from "./format-text.js";

/** The Prettier options that oxfmt also has and that affect TypeScript. */
const OPTIONS = [
  ...["printWidth", "tabWidth", "useTabs", "semi", "singleQuote", "quoteProps", "trailingComma"],
  ...["bracketSpacing", "objectWrap", "arrowParens"],
];

/**
 * Chooses the formatter of generated files: the project's own Prettier where it uses Prettier, so that its `prettier
 * --check` passes; otherwise oxfmt.
 *
 * @param path A path of any generated file.
 */
export async function chooseFormatter(path: string, project: ProjectFormat): Promise<Formatter> {
  const { usesPrettier, prettier, hasEditorConfig } = project;
  if (usesPrettier) return { by: "prettier", path, ...(prettier !== undefined && { module: prettier }) };
  return { by: "oxfmt", options: hasEditorConfig ? await readEditorConfig(path) : {} };
}

/** Oxfmt reads no configuration when called as a library, so Prettier reads `.editorconfig`. */
async function readEditorConfig(path: string): Promise<FormatOptions> {
  const { resolveConfig } = await import("prettier");
  const resolved: unknown = await resolveConfig(path, { editorconfig: true, useCache: false });
  return isJsonObject(resolved) ? selectOptions(resolved) : {};
}

/** Returns the options that affect how oxfmt prints TypeScript. */
export function selectOptions(options: FormatOptions): FormatOptions {
  return Object.fromEntries(Object.entries(options).filter(([option]) => OPTIONS.includes(option)));
}
