// Every tool of one server.
import {
  connectTools,
  // @when hasChanges
  type RecordedCallsOf,
  // @when hasTools
  type ToolsOf,
} from "mcp-codegen/codegen";
import type { CallOptions, Connection } from "mcp-codegen/runtime";
// @each tools
import {
  __Input__,
  // @when Output
  __Output__,
  __tool__,
} from "./__file__.js";
// @when hasPrompts
import * as prompts from "./prompts.js";
// @when hasResources
import * as resources from "./resources.js";
import {
  server,
  // @when hasEnvironments
  type Environment,
} from "./server.js";

export {
  server,
  // @when hasEnvironments
  type Environment,
  // @each tools
  __Input__,
  // @each outputs
  __Output__,
  // @each tools
  __tool__,
};

// @when hasPrompts
export { prompts };
// @when hasResources
export { resources };

// Printed as a `Pick` from the type of each module, so that an editor finds a tool's documentation and definition there.
// @slot toolsType
export type Tools = ToolsOf<{ __tool__: typeof __tool__ }>;

/** The server's names of the tools that models are offered, by their names in code. */
// @slot toolNames
export interface ToolNames {
  __tool__: "name";
}

/** A call of a tool that is not read-only, as a tracker records it. */
// @slot changes
export type RecordedCalls = RecordedCallsOf<"site", Tools, { __tool__: "name" }>;

// @when hasVariants
/** The tools that each variant does not list, by their names in code; `default` is the server's own settings. */
// @slot notListed
export interface NotListed {
  default: never;
}

// With the variants, if the server has any.
// @drop
type __Options__ = CallOptions<Environment>;
// With the modules of prompts and resources, if the server has any.
// @drop
type __Connected__ = Tools & Connection<ToolNames> & { prompts: typeof prompts; resources: typeof resources };

/** Every tool of "__server__" on one connection, opened by the first call. */
export function __connect__(options?: __Options__): __Connected__ {
  return connectTools(
    server,
    {
      // @each tools
      __tool__,
    },
    options,
    // @when hasModules
    {
      // @when hasPrompts
      prompts,
      // @when hasResources
      resources,
    },
  );
}
