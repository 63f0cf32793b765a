import picocolors from "picocolors";
import type { Paint } from "../report/paint.js";
import type { Io, Output } from "./io.js";

/** Colours for a stream: `--no-color`, then NO_COLOR (no-color.org), then FORCE_COLOR, then whether it is a terminal. */
export function createPaint(
  stream: Output,
  io: Pick<Io, "env">,
  options: { readonly color?: boolean },
): Paint {
  return picocolors.createColors(hasColours(stream, io.env, options));
}

function hasColours(stream: Output, env: NodeJS.ProcessEnv, options: { readonly color?: boolean }): boolean {
  if (options.color === false || isSet(env["NO_COLOR"])) return false;
  const force = env["FORCE_COLOR"];
  if (force !== undefined) return force !== "0" && force !== "false";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
