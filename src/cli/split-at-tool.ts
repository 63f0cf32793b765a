import { COMMANDS } from "./command-table.js";
import { GLOBAL_OPTIONS, OPTIONS, type OptionName, type OptionSpec } from "./options.js";

/** A command line of `call`, cut behind the tool's name: what follows is no business of the parser. */
export function splitAtTool(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly rest: readonly string[];
} {
  const command = findPositional(argv, 0, GLOBAL_OPTIONS);
  if (argv[command] !== "call") return { own: argv, rest: [] };
  const tool = findPositional(argv, command + 1, [...GLOBAL_OPTIONS, ...COMMANDS.call.options]);
  return { own: argv.slice(0, tool + 1), rest: argv.slice(tool + 1) };
}

/** The index of the first word that is neither an option nor the value of one. */
function findPositional(argv: readonly string[], from: number, names: readonly OptionName[]): number {
  const takers = new Set(
    names.flatMap((name) => {
      const { flag, value }: OptionSpec = OPTIONS[name];
      return value === undefined ? [] : [flag];
    }),
  );
  let at = from;
  while (argv[at]?.startsWith("-") === true) at += takers.has(argv[at] ?? "") ? 2 : 1;
  return at;
}
