import { Command } from "commander";
import { addOptions } from "../../add-options.js";
import { usageError } from "../../command-spec.js";
import {
  flagOf,
  GLOBAL_OPTIONS,
  type GlobalOptions,
  type OptionTable,
  type OptionValues,
} from "../../options.js";
import type { ArgumentSchema } from "./flags/argument-schema.js";
import { CALL_FLAGS } from "./spec.js";

/** The options of `call` that follow the tool's name. */
interface TrailingOptions {
  readonly isHelp: boolean;
  readonly options: OptionValues<typeof CALL_FLAGS> & GlobalOptions;
  /** The remaining words, which are the tool's flags. */
  readonly words: readonly string[];
}

/** Options that must precede the tool's name, since they decide which tool it names. */
const BEFORE = ["config", "envFile"] as const;

/**
 * Separates the options of the command from the tool's flags after the tool's name. A flag that is a parameter of the tool
 * is the tool's.
 *
 * @throws McpCodegenError `USAGE`
 */
export function extractTrailingOptions(words: readonly string[], schema: ArgumentSchema): TrailingOptions {
  const table = { ...GLOBAL_OPTIONS, ...CALL_FLAGS, help: { help: "print help" } };
  const { options, words: left } = extractOptions(words, table, schema.names);
  const { help, ...values } = options;
  const early = BEFORE.find((name) => values[name] !== undefined);
  if (early !== undefined) {
    const flag = flagOf(early, GLOBAL_OPTIONS[early]);
    throw usageError(
      `${flag} must precede the name of the tool.`,
      `For example: npx mcp-codegen call ${flag} … <tool>.`,
    );
  }
  const isHelp = help === true || (words.length === 1 && words[0] === "-h");
  return { isHelp, options: values, words: left };
}

/**
 * Separates the options of a table from other words.
 *
 * @param others names that count as words here
 * @throws CommanderError for an option without its value
 */
export function extractOptions<T extends OptionTable>(
  words: readonly string[],
  table: T,
  others: ReadonlySet<string> = new Set(),
): { readonly options: OptionValues<T>; readonly words: readonly string[] } {
  const rows = Object.entries(table).filter(([name, spec]) => !others.has(flagOf(name, spec).slice(2)));
  const parser = new Command()
    .helpOption(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined });
  addOptions(parser, Object.fromEntries(rows));
  const { operands, unknown } = parser.parseOptions([...words]);
  const flags = new Set(rows.map(([name, spec]) => flagOf(name, spec)));
  // The parser reads `--yes=no` as a word.
  for (const word of unknown) {
    const [flag = ""] = word.split("=", 1);
    if (flags.has(flag)) throw usageError(`${flag} takes no value.`);
  }
  const values = Object.entries(parser.opts()).filter(
    ([name]) => parser.getOptionValueSource(name) === "cli",
  );
  // Each value was read by the table, so it has its type.
  return { options: Object.fromEntries(values) as OptionValues<T>, words: [...operands, ...unknown] };
}
