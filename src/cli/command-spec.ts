import { basename } from "node:path";
import { McpCodegenError } from "../core/errors.js";
import type { Context } from "./context.js";
import {
  allFlagsOf,
  GLOBAL_OPTIONS,
  type OptionSpec,
  type OptionTable,
  type OptionValues,
  printOption,
} from "./options.js";

/** The help of a command, and its options: loaded at each start. */
export interface CommandHelp {
  readonly summary: string;
  /** Lines, joined by spaces when printed. */
  readonly description: readonly string[];
  /** The help of each positional argument by its name in the syntax of commander, in order. */
  readonly arguments?: { readonly [name: string]: string };
  readonly options: OptionTable;
  /** Options that cannot be combined. The first that applies is reported. */
  readonly conflicts?: readonly OptionConflict[];
  /** What each example command line does. */
  readonly examples: { readonly [line: string]: string };
}

/** A command with the modules that it needs to run, which `load` imports. */
export interface CommandSpec<T extends OptionTable> extends CommandHelp {
  readonly options: T;
  load(): Promise<Runner<T>>;
}

/** A command whose options are not known. */
export interface AnyCommand extends CommandHelp {
  load(): Promise<(context: Context, args: readonly string[], options: never) => Promise<number> | number>;
}

/**
 * Runs one command with its positional arguments and options, and returns the exit code. Throws `McpCodegenError` for
 * expected errors.
 */
export type Runner<T extends OptionTable> = (
  context: Context,
  args: readonly string[],
  options: OptionValues<T>,
) => Promise<number> | number;

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

/** Code, hidden files, and the files that configure or describe a project, or are its contract. */
const KEPT =
  /(?:^\..*|^mcp-codegen\.(?:config|lock|waivers)\..*|^(?:package(?:-lock)?|composer|deno|tsconfig[^/\\]*)\.json|^(?:readme|changelog)(?:\..*)?|\.(?:[cm]?[jt]sx?|php|py|vue|svelte|astro|ya?ml|toml|lock))$/i;

/** @throws McpCodegenError `USAGE` for a file that a report must not replace */
export function assertReplaceable(option: string, path: string): void {
  const name = basename(path);
  if (!KEPT.test(name)) return;
  throw usageError(
    `${option} cannot be ${JSON.stringify(name)}: a report never replaces code or a project's own files.`,
    `Name another file, such as ${option === "--out" ? "tools.html" : "drift.json"}.`,
  );
}

export function defineCommand<const T extends OptionTable>(spec: CommandSpec<T>): CommandSpec<T> {
  return spec;
}

/** Throws `USAGE` for options that cannot be combined. */
export function assertCompatible(
  { conflicts = [], options }: CommandHelp,
  values: { readonly [name: string]: unknown },
): void {
  const table = Object.entries<OptionSpec>({ ...GLOBAL_OPTIONS, ...options });
  const isGiven = (text: string): boolean => {
    const [flag = "", value] = text.split(" ");
    return table.some(([name, spec]) => {
      const at = allFlagsOf(name, spec).indexOf(flag);
      const optionValue = values[name];
      if (at < 0 || optionValue === undefined) return false;
      if (value !== undefined) return optionValue === value;
      return typeof optionValue !== "boolean" || optionValue === (at === 0 && spec.isNegative !== true);
    });
  };
  const describe = (text: string): string => {
    const entry = table.find(([name, spec]) => allFlagsOf(name, spec).includes(text));
    return entry === undefined ? text : printOption(...entry);
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

/** Returns the names that a command was given; undefined without any, which means all. */
export function orAll(names: readonly string[]): readonly string[] | undefined {
  return names.length > 0 ? names : undefined;
}

/** Returns the error for wrong input on the command line. */
export function usageError(message: string, hint?: string, cause?: unknown): McpCodegenError {
  return new McpCodegenError("USAGE", message, { hint, cause });
}
