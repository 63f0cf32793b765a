// The raw input schemas of one server's tools, apart from their modules, since only models need them. Each is a function,
// so that a bundler can drop unused ones.
// @drop
import { __inputSchema__ } from "./__literals__.js";

// @each tools

export function __schema__(): unknown {
  return __inputSchema__;
}
