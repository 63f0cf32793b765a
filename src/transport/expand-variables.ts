import type { VariableLookup } from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * The text with every `${NAME}` and `${NAME:-default}` replaced. As in a shell, the default stands in for an empty
 * variable too. Anything else that looks like a variable is left as it is.
 *
 * @param where The configuration key that holds the text, for the error.
 * @throws McpCodegenError `VARIABLE_MISSING`, naming the variable and the key and never a value.
 */
export function expandVariables(text: string, lookup: VariableLookup, where: string): string {
  return text.replace(VARIABLE, (_match, name: string, fallback: string | undefined) => {
    const value = lookup(name);
    if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
    if (value !== undefined) return value;
    throw new McpCodegenError("VARIABLE_MISSING", `Variable "${name}" is not set, and ${where} needs it.`, {
      hint: `Set ${name} in the environment, or give it a default: \${${name}:-…}.`,
    });
  });
}
