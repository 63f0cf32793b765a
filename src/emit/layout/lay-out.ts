import { printer, type builders } from "prettier/doc";
import type { FormatOptions } from "../format-text.js";
import { layoutOf } from "./layout-options.js";
import { parseModule } from "./parse-module.js";
import { printDocument } from "./print-document.js";
import { printModule } from "./print-module.js";
import { Unsure } from "./unsure.js";

/**
 * A generated module in the bytes that Prettier would give it, without its parser and the parts that know all of
 * TypeScript: that takes a fraction of the time. Undefined where the module holds anything whose layout is not known
 * here; then Prettier is to be asked.
 */
export function layOut(text: string, options: FormatOptions): string | undefined {
  const layout = layoutOf(options);
  if (layout === undefined) return undefined;
  try {
    const doc = printModule(parseModule(text), layout);
    // Prettier's printer only reads lists, though its types would let it write to them.
    return printDocument(doc, layout) ?? printer.printDocToString(doc as builders.Doc, layout).formatted;
  } catch (error) {
    if (error instanceof Unsure) return undefined;
    throw error;
  }
}
