import { CONTRACT_COMMANDS } from "./contract-commands.js";
import type { OptionName, OptionValues } from "./options.js";
import { TOOL_COMMANDS } from "./tool-commands.js";

export interface CommandSpec {
  readonly summary: string;
  /** Lines, joined by spaces when printed. */
  readonly description: readonly string[];
  /** Positional arguments in order, in the syntax of commander. */
  readonly arguments?: readonly { readonly name: string; readonly help: string }[];
  readonly options: readonly OptionName[];
  readonly examples: readonly { readonly line: string; readonly does: string }[];
}

/** Every command, in the order of `--help` and `docs/cli.md`. */
export const COMMANDS = { ...CONTRACT_COMMANDS, ...TOOL_COMMANDS } as const;

export type CommandName = keyof typeof COMMANDS;

/** Parsed options of one command, by their keys in `OPTIONS`. */
export type CommandOptions<C extends CommandName> = OptionValues<(typeof COMMANDS)[C]["options"][number]>;
