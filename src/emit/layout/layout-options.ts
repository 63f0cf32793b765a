import type { FormatOptions } from "../format-text.js";

/** What of Prettier's options changes the layout of a generated module. */
export interface Layout {
  readonly printWidth: number;
  readonly tabWidth: number;
  readonly useTabs: boolean;
  readonly semicolon: string;
  readonly quote: '"' | "'";
  /** Whether the last of several lines in brackets ends with a comma; in a call only where it is `all`. */
  readonly trailingComma: "all" | "es5" | "none";
  readonly isSpaced: boolean;
}

/** Undefined for options whose effect is not known here. */
export function layoutOf(options: FormatOptions): Layout | undefined {
  const { printWidth = 80, tabWidth = 2, useTabs = false, semi = true, singleQuote = false } = options;
  const { trailingComma = "all", bracketSpacing = true, quoteProps = "as-needed" } = options;
  const { objectWrap = "preserve", experimentalOperatorPosition = "end" } = options;
  const isPlain =
    quoteProps === "as-needed" && objectWrap === "preserve" && experimentalOperatorPosition === "end";
  if (!isPlain || typeof printWidth !== "number" || typeof tabWidth !== "number") return undefined;
  if (trailingComma !== "all" && trailingComma !== "es5" && trailingComma !== "none") return undefined;
  return {
    printWidth,
    tabWidth,
    useTabs: useTabs === true,
    semicolon: semi === false ? "" : ";",
    quote: singleQuote === true ? "'" : '"',
    trailingComma,
    isSpaced: bracketSpacing !== false,
  };
}
