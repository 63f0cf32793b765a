import { checkOptions, type OptionKind } from "../../core/check-options.js";
import { findOwn } from "../../core/json.js";
import { readPolicy } from "../../core/policy.js";
import type { ToolSource } from "../registry/registry.js";
import { type HiddenTools, introduceHidden } from "../adapters/system-prompt.js";
import { openView } from "../registry/tool-view.js";
import { assembleToolset, TOOLSET_OPTIONS } from "./assemble-toolset.js";
import { execute } from "./execute-tool.js";
import { context, introspect } from "./introspect-tools.js";
import type { MetaToolDefinition } from "./meta-tool.js";
import { describe, search } from "./search-tools.js";
import { createSession } from "./session.js";
import type { MetaNames } from "./toolset-error.js";
import type { FoundOptions, MetaOptions, ToolSession, Toolset } from "./toolset.js";

/** The five meta-tools, in the order in which they are listed. */
const META_TOOLS = { introspect, search, describe, execute, context } satisfies {
  [K in keyof MetaNames]: MetaToolDefinition;
};

/**
 * Creates what a model sees instead of all tools of a source: five meta-tools, or with `show: "found"` the tools of one
 * conversation, which are those that it has found. Servers are contacted when tools are first needed.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers would refuse; with `show: "found"` for a number that is not
 * an integer of at least 1, a `limit` above `maxActive`, or a malformed pattern; `USAGE` for an unknown option
 */
export function createToolset(source: ToolSource, options: FoundOptions): ToolSession;
export function createToolset(source: ToolSource, options?: MetaOptions): Toolset;
export function createToolset(source: ToolSource, options: FoundOptions | MetaOptions = {}): Toolset {
  if (isFound(options)) return createSession(source, options);
  checkOptions("createToolset", options, { ...TOOLSET_OPTIONS, show: SHOWN });
  const view = openView(source);
  const { prefix = "", policy: rules = view.policy ?? {} } = options;
  const policy = readPolicy("createToolset", rules);
  const names = Object.fromEntries(
    Object.entries(META_TOOLS).map(([kind, { name }]) => [kind, `${prefix}${name}`]),
  ) as Record<keyof MetaNames, string>;
  const introduce = (hidden: HiddenTools): string =>
    introduceHidden(hidden, [
      `You do not see them. Find them with ${names.search}, in plain words or by a category from the list below; read their arguments with ${names.describe}; call them with ${names.execute}, such as {"tool": "name", "args": {}}.`,
    ]);
  return assembleToolset(
    view,
    { ...options, policy },
    { definitions: Object.values(META_TOOLS), names, introduce },
    (other, changed) => createToolset(other, { ...options, policy: changed }),
  ).toolset;
}

/** With `"found"`, the options are those of a session and are checked there. The message names both values. */
const SHOWN: OptionKind = { is: (value) => value === "meta", words: 'one of "meta", "found"' };

/** Programs without types may pass anything. */
function isFound(options: FoundOptions | MetaOptions): options is FoundOptions {
  return findOwn(options, "show") === "found";
}
