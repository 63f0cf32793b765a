import { Command, Option } from "commander";
import { isJsonArray } from "../core/json.js";
import { usageError } from "./command-spec.js";
import {
  allFlagsOf,
  flagOf,
  type OptionSpec,
  type OptionTable,
  type OptionValues,
  printOption,
} from "./options.js";

/** Adds the options of a table to a command of the parser. */
export function addOptions(command: Command, table: OptionTable): void {
  for (const [name, spec] of Object.entries(table)) {
    const option = new Option(printOption(name, spec), spec.help);
    const [flag = "", ...opposites] = allFlagsOf(name, spec);
    if (spec.repeatable === true || spec.range !== undefined)
      option.argParser((text, before: unknown) => readValue(flag, text, spec, before));
    command.addOption(spec.choices === undefined ? option : option.choices(spec.choices));
    // Shown beside the flag itself.
    for (const opposite of opposites) command.addOption(new Option(opposite).hideHelp());
  }
}

/**
 * Reads the text after a flag, with the values before it for a repeatable option.
 *
 * @throws McpCodegenError `USAGE` for a number outside the range
 */
function readValue(
  flag: string,
  text: string,
  { range, repeatable }: OptionSpec,
  before: unknown,
): string | number | readonly unknown[] {
  if (repeatable === true) return [...(isJsonArray(before) ? before : []), text];
  if (range === undefined) return text;
  const number = /^(?:\d{1,9}|\d{0,9}\.\d{1,9})$/.test(text) ? Number(text) : Number.NaN;
  const { from, to, hasParts = false } = range;
  if (number >= from && number <= to && (hasParts || Number.isInteger(number))) return number;
  throw usageError(
    `${flag} takes a ${hasParts ? "" : "whole "}number from ${from} to ${to}, not ${JSON.stringify(text)}.`,
  );
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
