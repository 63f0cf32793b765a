import type { Context } from "./context.js";
import type { CommandName, CommandOptions } from "./options.js";

/** Does one command's work and returns the exit code; foreseen errors are thrown as `McpCodegenError`. */
export type Runner<C extends CommandName> = (
  context: Context,
  servers: readonly string[],
  options: CommandOptions<C>,
) => Promise<number>;
