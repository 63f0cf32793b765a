import { isJsonObject } from "../contract/json.js";
import type { FormatOptions } from "./format-text.js";

/** The options that can change how TypeScript is printed. The parser is ours, and plugins are not loaded. */
const OPTIONS = [
  ...["printWidth", "tabWidth", "useTabs", "semi", "singleQuote", "quoteProps", "trailingComma"],
  ...["bracketSpacing", "objectWrap", "arrowParens", "experimentalTernaries", "experimentalOperatorPosition"],
];

/**
 * What the user's own Prettier configuration, `.editorconfig` included, says about a TypeScript file at this path.
 * Throws `CONFIG_INVALID` when the configuration cannot be read.
 */
export async function resolveFormat(path: string): Promise<FormatOptions> {
  const { resolveConfig } = await import("prettier");
  const resolved: unknown = await resolveConfig(path, { editorconfig: true, useCache: false });
  if (!isJsonObject(resolved)) return {};
  return Object.fromEntries(Object.entries(resolved).filter(([option]) => OPTIONS.includes(option)));
}
