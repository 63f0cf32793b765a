// The raw input schemas of one server's tools, apart from their modules, since only models need them. As texts, which
// compilers and engines read in a fraction of the time.
// @drop
import { __inputSchema__ } from "./__literals__.js";

// @each tools

export const __tool__ = __inputSchema__;
