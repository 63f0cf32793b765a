import { McpCodegenError } from "./errors.js";

/** A variable without a value, and the configuration key that needs it. */
export interface MissingVariable {
  readonly name: string;
  readonly where: string;
}

/** Variables without a value and without a default: all that settings need, not only the first. Names no value. */
export class MissingVariablesError extends McpCodegenError {
  readonly variables: readonly MissingVariable[];

  constructor(variables: readonly MissingVariable[]) {
    const names = [...new Set(variables.map(({ name }) => name))];
    super("VARIABLE_MISSING", describeMissing(names, variables), {
      // Generated code reads the environment alone.
      hint: `Set ${listWords(names)} in the environment, or for the command line in ".env.local", or give ${
        names.length === 1 ? "it a default" : "them defaults"
      }: \${${names[0] ?? ""}:-…}.`,
    });
    this.variables = variables;
  }
}

function describeMissing(names: readonly string[], variables: readonly MissingVariable[]): string {
  const keysOf = (name: string): string =>
    listWords([...new Set(variables.filter((one) => one.name === name).map(({ where }) => where))]);
  const [name = ""] = names;
  if (names.length === 1) {
    const keys = new Set(variables.map(({ where }) => where));
    return `Variable "${name}" is not set, and ${keysOf(name)} ${keys.size === 1 ? "needs" : "need"} it.`;
  }
  return `Variables ${listWords(names.map((one) => `"${one}" (for ${keysOf(one)})`))} are not set.`;
}

/** `a, b and c` */
export function listWords(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}
