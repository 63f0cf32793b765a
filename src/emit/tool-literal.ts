import { isJsonObject, type JsonValue } from "../contract/json.js";
import type { FormatOptions } from "./format-text.js";
import { printLiteral } from "./print-literal.js";

/** What a module has for the tool's definition, as the last thing in it, while it is formatted. */
export const PLACEHOLDER = "-";

/** The end of a formatted module with the placeholder. */
const END = /(?<=\n)([ \t]*inputSchema: \(\) => )["']-["'](,?)(\n[ \t]*\}\);?\n)$/;

/**
 * A formatted module with the definition in the placeholder's stead: the bytes that Prettier gives for the whole.
 * Undefined where the definition's layout is not certain.
 */
export function insertLiteral(
  outline: string,
  inputSchema: JsonValue,
  options: FormatOptions,
): string | undefined {
  const end = END.exec(outline);
  if (end === null || !isJsonObject(inputSchema)) return undefined;
  const [, head = "", comma = "", rest = ""] = end;
  const literal = printLiteral(inputSchema, options, { before: `${head}(`, after: `)${comma}` });
  return literal === undefined
    ? undefined
    : `${outline.slice(0, end.index)}${head}(${literal})${comma}${rest}`;
}
