import type { McpCodegenError } from "../core/errors.js";
import { printable } from "../core/printable.js";
import type { Paint } from "./layout.js";

export interface ErrorDetails {
  /** A code of `McpCodegenError`, or `INTERNAL` for a bug in mcp-codegen. */
  readonly code: string;
  readonly message: string;
  /** The command or key that fixes it. */
  readonly hint?: string | undefined;
  /** The last lines that the started server wrote to stderr. */
  readonly stderr?: readonly string[] | undefined;
}

/**
 * Prints what happened and how to fix it. Further lines of a message (one for each problem in a configuration) are
 * indented, so that text from a server cannot imitate a line of this program.
 */
export function printError(
  error: {
    readonly message: string;
    readonly hint?: string | undefined;
    readonly stderr?: readonly string[] | undefined;
  },
  paint: Paint,
): readonly string[] {
  const [first = "", ...rest] = error.message.split("\n").map((line) => printable(line, 1_000));
  return [
    `${paint.red("error:")} ${first}`,
    ...rest.map((line) => `       ${line}`),
    ...printStderr(error.stderr ?? [], "       "),
    ...(error.hint === undefined ? [] : [`${paint.cyan("hint:")} ${printable(error.hint, 1_000)}`]),
  ];
}

/** Prints the last stderr lines of a server, each marked so that it cannot imitate a line of this program. */
export function printStderr(lines: readonly string[], indent: string): readonly string[] {
  if (lines.length === 0) return [];
  return [`${indent}It wrote to stderr:`, ...lines.map((line) => `${indent}| ${printable(line, 1_000)}`)];
}

/** Returns an error as data, without causes and stack, since these may quote a server. */
export function errorDetails(error: McpCodegenError): ErrorDetails {
  return {
    code: error.code,
    message: error.message,
    hint: error.hint,
    stderr: error.stderr.length > 0 ? error.stderr : undefined,
  };
}
