import { printer } from "prettier/doc";
import type { FormatOptions } from "../format-text.js";
import { layoutOf } from "./layout-options.js";
import { parseModule } from "./parse-module.js";
import { printModule } from "./print-module.js";
import { Unsure } from "./unsure.js";

/**
 * A generated module in the bytes that Prettier would give it, from Prettier's own printer of documents but without its
 * parser and the parts that know all of TypeScript: that takes a fraction of the time. Undefined where the module holds
 * anything whose layout is not known here; then Prettier is to be asked.
 */
export function layOut(text: string, options: FormatOptions): string | undefined {
  const layout = layoutOf(options);
  if (layout === undefined) return undefined;
  try {
    const { printWidth, tabWidth, useTabs } = layout;
    return printer.printDocToString(printModule(parseModule(text), layout), { printWidth, tabWidth, useTabs })
      .formatted;
  } catch (error) {
    if (error instanceof Unsure) return undefined;
    throw error;
  }
}
