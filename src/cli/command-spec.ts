import { McpCodegenError } from "../core/errors.js";
import type { Context } from "./context.js";
import { allFlagsOf, type OptionTable, type OptionValues, printOption } from "./options.js";

/** The help of a command, and its options: loaded at each start. */
export interface CommandHelp {
  readonly summary: string;
  /** Lines, joined by spaces when printed. */
  readonly description: readonly string[];
  /** Positional arguments in order, in the syntax of commander. */
  readonly arguments?: readonly { readonly name: string; readonly help: string }[];
  readonly options: OptionTable;
  /** Options that cannot be combined. The first that applies is reported. */
  readonly conflicts?: readonly OptionConflict[];
  readonly examples: readonly { readonly line: string; readonly does: string }[];
}

/** A command with the modules that it needs to run, which `load` imports. */
export interface CommandSpec<T extends OptionTable> extends CommandHelp {
  readonly options: T;
  load(): Promise<Runner<T>>;
}

/** A command whose options are not known. */
export interface AnyCommand extends CommandHelp {
  load(): Promise<(context: Context, args: readonly string[], options: never) => Promise<number>>;
}

/**
 * Runs one command with its positional arguments and options, and returns the exit code. Throws `McpCodegenError` for
 * expected errors.
 */
export type Runner<T extends OptionTable> = (
  context: Context,
  args: readonly string[],
  options: OptionValues<T>,
) => Promise<number>;

/** An option and those that it excludes or requires, as they are written: `--env all`, `--no-impact`. */
interface OptionConflict {
  readonly option: string;
  readonly excludes?: readonly string[];
  readonly requires?: string;
  /** With this option, there is no conflict. */
  readonly unless?: string;
  /** The end of the message, such as `, which contacts no server`. */
  readonly because?: string;
}

export function defineCommand<const T extends OptionTable>(spec: CommandSpec<T>): CommandSpec<T> {
  return spec;
}

/** Throws `USAGE` for options that cannot be combined. */
export function assertCompatible(
  conflicts: readonly OptionConflict[],
  table: OptionTable,
  values: { readonly [name: string]: unknown },
): void {
  const isGiven = (text: string): boolean => {
    const [flag = "", value] = text.split(" ");
    return Object.entries(table).some(([name, spec]) => {
      const at = allFlagsOf(name, spec).indexOf(flag);
      const given = values[name];
      if (at < 0 || given === undefined) return false;
      if (value !== undefined) return given === value;
      return typeof given !== "boolean" || given === (at === 0);
    });
  };
  const describe = (text: string): string => {
    const found = Object.entries(table).find(([name, spec]) => allFlagsOf(name, spec).includes(text));
    return found === undefined ? text : printOption(...found);
  };
  for (const { option, excludes = [], requires, unless, because = "" } of conflicts) {
    if (!isGiven(option) || (unless !== undefined && isGiven(unless))) continue;
    const excluded = excludes.find(isGiven);
    if (excluded !== undefined)
      throw usageError(
        `${option} cannot be used with ${excluded}${because}.`,
        `Remove one of them${unless === undefined ? "" : `, or add ${describe(unless)}`}.`,
      );
    if (requires !== undefined && !isGiven(requires))
      throw usageError(`${option} requires ${requires}${because}.`, `Add ${describe(requires)}.`);
  }
}

/** Returns the error for wrong input on the command line. */
export function usageError(message: string, hint?: string, cause?: unknown): McpCodegenError {
  return new McpCodegenError("USAGE", message, { hint, cause });
}
