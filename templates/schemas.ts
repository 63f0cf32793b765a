// The raw input schemas of one server's tools: models need them, readers of a tool's module do not. A function each, so
// that a bundler drops those that are not used.
// @drop
import { __inputSchema__ } from "./__literals__.js";

// @each tools

export function __schema__(): unknown {
  return __inputSchema__;
}
