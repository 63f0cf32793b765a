import type { Context } from "./context.js";
import type { CommandName, CommandOptions } from "./command-table.js";

/** Does one command's work, given its positional arguments and its options, and returns the exit code; foreseen errors are thrown as `McpCodegenError`. */
export type Runner<C extends CommandName> = (
  context: Context,
  args: readonly string[],
  options: CommandOptions<C>,
) => Promise<number>;
