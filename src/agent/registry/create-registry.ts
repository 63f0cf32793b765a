import {
  checkOptions,
  FLAG,
  FUNCTION,
  LIST,
  NUMBER,
  recordOf,
  TEXT,
  type OptionRules,
} from "../../core/check-options.js";
import { McpCodegenError } from "../../core/errors.js";
import type { Registry, RegistryOptions } from "./registry.js";
import { DEFAULT_ENVIRONMENT, definitionOf } from "./server-source.js";
import { ToolRegistry, unknownEnvironment, type Family } from "./tool-registry.js";

const OPTIONS: OptionRules<RegistryOptions> = {
  servers: LIST,
  static: LIST,
  ttl: NUMBER,
  environment: TEXT,
  admitUnlocked: FLAG,
  enabled: recordOf(FLAG, "an object of true and false by server"),
  categories: recordOf(TEXT, "an object of categories by pattern"),
  logger: FUNCTION,
  traceId: [TEXT, FUNCTION],
  onInput: FUNCTION,
  onWarning: FUNCTION,
  now: FUNCTION,
  record: TEXT,
  replay: TEXT,
  mode: ["once", "new", "all"],
};

/**
 * Creates a registry of servers and tools. Does not connect yet.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a malformed name of a server or tool, two servers with one name, an invalid
 * source, or a connection to a different environment than the registry's; `SERVER_UNKNOWN` for an environment that
 * no server has; `USAGE` for an unknown option.
 */
export function createRegistry(options: RegistryOptions = {}): Registry {
  checkOptions("createRegistry", options, OPTIONS);
  const names = (options.servers ?? []).map((source) => definitionOf(source).name);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) {
    throw new McpCodegenError("CONFIG_INVALID", `Two servers of the registry are called "${repeated}".`);
  }
  assertEnvironment(options);
  const family: Family = { options, statics: new Map(), members: new Map() };
  const registry = new ToolRegistry(family, options.environment);
  const elsewhere = names.find((name) => !registry.has(name));
  if (elsewhere !== undefined) {
    const here = options.environment ?? DEFAULT_ENVIRONMENT;
    const message = `The connection to "${elsewhere}" does not use environment "${here}" of the registry.`;
    throw new McpCodegenError("CONFIG_INVALID", message, {
      hint: "Connect with the same environment, or give the generated index instead.",
    });
  }
  for (const tool of options.static ?? []) registry.registerStaticTool(tool);
  return registry;
}

/** Rejects an environment that no server has. If no server has environments, any name is valid. */
function assertEnvironment({ servers = [], environment }: RegistryOptions): void {
  if (environment === undefined || environment === DEFAULT_ENVIRONMENT) return;
  const known = new Set(servers.flatMap((source) => Object.keys(definitionOf(source).environments ?? {})));
  if (known.size > 0 && !known.has(environment)) throw unknownEnvironment(environment, [...known]);
}
