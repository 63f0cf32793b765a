import type { VariableLookup } from "../contract/connection.js";
import { MissingVariablesError, type MissingVariable } from "../contract/missing-variables.js";

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Replaces every `${NAME}` and `${NAME:-default}` in a text. As in a shell, the default also replaces an
 * empty variable. Other spellings are kept as they are.
 *
 * @param where the configuration key that holds the text, for the error
 * @throws MissingVariablesError with all variables that have no value
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
