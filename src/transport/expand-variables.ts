import type { VariableLookup } from "../contract/connection.js";
import { MissingVariablesError, type MissingVariable } from "../contract/missing-variables.js";

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * The text with every `${NAME}` and `${NAME:-default}` replaced. As in a shell, the default replaces an empty variable too.
 * Anything else that looks like a variable is left as it is.
 *
 * @param where The configuration key that holds the text, for the error.
 * @throws MissingVariablesError for the variables without a value, all of them.
 */
export function expandVariables(text: string, lookup: VariableLookup, where: string): string {
  const missing: MissingVariable[] = [];
  const expanded = text.replace(VARIABLE, (_match, name: string, fallback: string | undefined) => {
    const value = lookup(name);
    if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
    if (value === undefined) missing.push({ name, where });
    return value ?? "";
  });
  if (missing.length > 0) throw new MissingVariablesError(missing);
  return expanded;
}
