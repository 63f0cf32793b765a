import type { McpCodegenError } from "../contract/errors.js";
import type { Paint } from "./paint.js";
import { printable } from "./printable.js";

/** The line that says what happened, and the one that says what mends it. */
export function printError(
  error: Pick<McpCodegenError, "message" | "hint">,
  paint: Paint,
): readonly string[] {
  return [
    `${paint.red("error:")} ${printable(error.message, 1_000)}`,
    ...(error.hint === undefined ? [] : [`${paint.cyan("hint:")} ${printable(error.hint, 1_000)}`]),
  ];
}
