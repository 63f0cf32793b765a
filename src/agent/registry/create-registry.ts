import {
  checkOptions,
  FLAG,
  FUNCTION,
  listOf,
  NUMBER,
  OBJECT,
  type OptionRules,
  recordOf,
  SETTLED,
  TEXT,
} from "../../core/check-options.js";
import { groupBy } from "../../core/collections.js";
import { assertNamePatterns } from "../../core/name-pattern.js";
import { nearestName } from "../../core/nearest-name.js";
import { type Policy, readPolicy } from "../../core/policy.js";
import { createWarner, warn } from "../../runtime/events.js";
import { isTool, RECORDER, TRUST } from "../../runtime/tool.js";
import { APPROVAL_OPTIONS } from "./approval.js";
import { offeredToModels } from "./registered-tool.js";
import type { Registry, RegistryOptions, ServerInput } from "./registry.js";
import { toServerName } from "../../core/tool-name.js";
import { viewUnder } from "./restrict-view.js";
import { type RegistryServer, serverOf } from "./server-source.js";
import { isServerEnabled } from "./server-tool-cache.js";
import { openRegistry } from "./tool-registry.js";

const OPTIONS: OptionRules<RegistryOptions> = {
  servers: listOf(SETTLED, "an array of servers"),
  static: listOf(SETTLED, "an array of tools"),
  ttl: NUMBER,
  environment: TEXT,
  admitUnlocked: FLAG,
  trust: OBJECT,
  enabled: recordOf(FLAG, "an object of true and false by server"),
  categories: recordOf(TEXT, "an object of categories by pattern"),
  logger: FUNCTION,
  traceId: [TEXT, FUNCTION],
  onInput: FUNCTION,
  policy: OBJECT,
  changes: RECORDER,
  ...APPROVAL_OPTIONS,
  onWarning: FUNCTION,
  now: FUNCTION,
  record: TEXT,
  replay: TEXT,
  mode: ["once", "new", "all"],
};

/**
 * Creates a registry of servers and tools. Does not connect yet.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a malformed name of a server or tool, a malformed pattern, two servers with
 * one name, an invalid source, or a connection to a different environment than the registry's; `SERVER_UNKNOWN` for an environment that
 * no server has, and for an unknown focus mode or role; `USAGE` for an unknown option, also of the policy.
 */
export function createRegistry(options: RegistryOptions = {}): Registry {
  checkOptions("createRegistry", options, OPTIONS);
  assertNamePatterns("createRegistry: categories", Object.keys(options.categories ?? {}));
  for (const [server, trust] of Object.entries(options.trust ?? {}))
    checkOptions(`createRegistry: trust.${server}`, trust, TRUST);
  const { servers = [], static: statics = [] } = options;
  const byServer = groupBy(servers.filter(isTool), ({ definition }) => definition.server?.name);
  // The form of a generated index: the server, and its tools under other names.
  const indexes = [...byServer.values()].flatMap((tools) => {
    const { server } = tools[0].definition;
    const named = tools.map((tool) => [`tool ${tool.definition.name}`, tool] as const);
    return server === undefined ? [] : [{ ...Object.fromEntries(named), server }];
  });
  const others = servers.filter((server): server is ServerInput => !isTool(server));
  const sources = [...others, ...indexes].map(serverOf);
  warnOfNames(options, sources);
  const settings = { ...options, static: [...statics, ...(byServer.get(undefined) ?? [])] };
  const registry = openRegistry(settings, sources, {
    isEnabled: (server) => isServerEnabled(server, options.enabled),
    offered: offeredToModels,
  });
  return options.policy === undefined
    ? registry
    : registryUnder(registry, readPolicy("createRegistry", options.policy), createWarner(options.onWarning));
}

/** Warns about servers in `trust` and `enabled` that are probably misspelt. Others may be registered later. */
function warnOfNames(
  { trust, enabled, onWarning }: RegistryOptions,
  servers: readonly RegistryServer[],
): void {
  const names = servers.map(({ definition }) => definition.name);
  for (const [option, settings = {}] of Object.entries({ trust, enabled }))
    for (const server of Object.keys(settings).filter((name) => !names.includes(toServerName(name)))) {
      const near = nearestName(server, names);
      if (near === undefined) continue;
      const message = `createRegistry: ${option} names ${JSON.stringify(server)}, but the registry has no such server. Did you mean ${JSON.stringify(near)}?`;
      warn(message, onWarning);
    }
}

/** Returns a registry whose tools are those that a policy shows. Its servers and lists stay those of the registry. */
function registryUnder(registry: Registry, policy: Policy, warner: (message: string) => void): Registry {
  return Object.assign(viewUnder(registry, policy, warner), {
    policy,
    for: (environment: string) => registryUnder(registry.for(environment), policy, warner),
    registerStaticTool: registry.registerStaticTool.bind(registry),
    registerServerTools: registry.registerServerTools.bind(registry),
    removeServerTools: registry.removeServerTools.bind(registry),
    isStale: registry.isStale.bind(registry),
    refresh: registry.refresh.bind(registry),
    invalidate: registry.invalidate.bind(registry),
    onChange: registry.onChange.bind(registry),
  });
}
