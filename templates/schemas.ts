// The raw input schemas of one server's tools, apart from their modules, since only models need them. Each is a function,
// so that a bundler can drop unused ones; and a text, which compilers and engines read in a fraction of the time.
// @drop
import { __inputSchema__ } from "./__literals__.js";

// @each tools

export function __schema__(): unknown {
  return JSON.parse(__inputSchema__);
}
