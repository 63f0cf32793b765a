import type { Paint } from "./paint.js";
import { printable } from "../contract/printable.js";

/**
 * What happened, and what mends it. A message of several lines (one for each problem of a configuration) is indented
 * after the first, so that no text from a server can pass for a line of ours.
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

/** The last lines that a server wrote, each marked so that it cannot pass for one of ours. */
export function printStderr(lines: readonly string[], indent: string): readonly string[] {
  if (lines.length === 0) return [];
  return [`${indent}It wrote to stderr:`, ...lines.map((line) => `${indent}| ${printable(line, 1_000)}`)];
}
