import { type Command, Option } from "commander";
import { readValue } from "./command-spec.js";
import { allFlagsOf, type OptionTable, printOption } from "./options.js";

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
