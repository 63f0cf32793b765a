import type { ServerOutputListener } from "../contract/connection.js";
import { printable } from "../contract/printable.js";
import type { Context } from "./context.js";

/** With `--verbose`, a listener that prints what started servers write to stderr; otherwise nothing. */
export function printServerOutput({ io, options }: Pick<Context, "io" | "options">): {
  readonly onStderr?: ServerOutputListener;
} {
  if (options.verbose !== true) return {};
  return {
    onStderr: (server, line) => {
      io.stderr.write(`${server}: ${printable(line, 1_000)}\n`);
    },
  };
}
