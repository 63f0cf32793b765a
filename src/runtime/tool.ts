import {
  checkArgument,
  checkOptions,
  FLAG,
  OBJECT,
  type OptionKind,
  type OptionRules,
  TEXT,
} from "../core/check-options.js";
import { findOwn } from "../core/json.js";
import { toServerName } from "../core/tool-name.js";
import type { AnyTool, ServerDefinition, ServerTrust } from "../core/tool.js";

/**
 * Whether a value is a tool, possibly from another copy of this package. Checks only its shape and calls nothing, so that any
 * export of a module can be tested.
 */
export function isTool(value: unknown): value is AnyTool {
  try {
    if (!isObject(value) || !("safe" in value) || !("definition" in value)) return false;
    const { safe, definition } = value;
    return (
      typeof safe === "function" &&
      isObject(definition) &&
      "name" in definition &&
      typeof definition.name === "string" &&
      "input" in definition &&
      isObject(definition.input) &&
      "~standard" in definition.input &&
      "inputSchema" in definition &&
      typeof definition.inputSchema === "function"
    );
  } catch {
    // A getter or a proxy that throws.
    return false;
  }
}

function isObject(value: unknown): value is object {
  return Object(value) === value;
}

/**
 * Returns the definition, with a name that names of tools can have: hyphens become underscores. Generated code calls this, so
 * that later versions can add to it.
 *
 * @throws McpCodegenError `USAGE` without a name, and for an unknown member of `trust`
 */
export function defineServer(server: ServerDefinition): ServerDefinition {
  checkArgument("defineServer", "server", server, DEFINITION);
  if (server.trust !== undefined) checkOptions("defineServer: trust", server.trust, TRUST);
  const name = toServerName(server.name);
  if (name === server.name) return server;
  // The same object each time, since connections are shared by it.
  const earlier = renamed.get(server) ?? { ...server, name };
  renamed.set(server, earlier);
  return earlier;
}

/** Generated code of a later version may have more members. */
const DEFINITION: OptionKind = {
  words: 'an object such as { name: "shop", url: "https://shop.example/mcp" }',
  is: (value) => OBJECT.is(value) && TEXT.is(findOwn(value, "name")),
};

export const TRUST: OptionRules<ServerTrust> = { newTools: FLAG, hints: FLAG };

const renamed = /* @__PURE__ */ new WeakMap<ServerDefinition, ServerDefinition>();

/** Returns the server for a tool that is not locked. */
export function withoutContract({ name, ...settings }: ServerDefinition): ServerDefinition {
  return { name, ...Object.fromEntries(Object.entries(settings).filter(([key]) => key !== "contract")) };
}
