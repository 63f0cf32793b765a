import type { Config } from "../config/config.js";
import { omitUndefined } from "../core/collections.js";
import { STATIC_TOOLS, type VariableLookup } from "../core/connection.js";
import { findUnmatched } from "../core/decide.js";
import { McpCodegenError } from "../core/errors.js";
import { getOwn } from "../core/json.js";
import type { LockedServers } from "../core/lockfile.js";
import type { Policy } from "../core/policy.js";
import { joinToolName, toServerName } from "../core/tool-name.js";
import { deriveCategory } from "../core/words/derive-category.js";

/** Switches writes on where the configuration does not decide: `1`, or names of servers, separated by commas. */
export const WRITES_VARIABLE = "MCP_CODEGEN_ENABLE_WRITES";

/**
 * Returns which tools may be found and called, by the configuration and by `MCP_CODEGEN_ENABLE_WRITES`. Writes are off unless
 * one of the two switches them on, and neither can switch on what the other switches off.
 *
 * @param options.allowsWrites Whether writes are on unless one of the two switches them off.
 * @param options.mayNameOthers Whether the variable may name servers that this configuration does not have.
 * @throws McpCodegenError `CONFIG_INVALID` for a variable that names no server
 */
export function toolPolicyOf(
  config: Config,
  lookup: VariableLookup,
  options: { readonly mayNameOthers?: boolean; readonly allowsWrites?: boolean | undefined } = {},
): Policy {
  return {
    ...config.policy,
    writes: writesOf(config, lookup(WRITES_VARIABLE), options),
    annotations: assertedIn(config),
  };
}

/**
 * Returns the names and categories in the policy of a configuration that match no locked tool. A name that may be that of
 * the program's own tool is left out: only their modules have their names.
 */
export function findUnmatchedInPolicy(
  { policy = {}, serve }: Config,
  { servers }: LockedServers<unknown>,
): ReturnType<typeof findUnmatched> {
  const tools = Object.entries(servers).flatMap(([server, locked]) =>
    Object.entries(locked.tools).map(([name, { category = deriveCategory(name) }]) => {
      return omitUndefined({ name: joinToolName(server, name), server, category });
    }),
  );
  const { focusModes = {}, roles = {} } = policy;
  const policies = [
    ...Object.keys(focusModes).map((focusMode) => ({ focusModes, focusMode })),
    ...Object.keys(roles).map((role) => ({ roles, role })),
  ];
  const hasOwn = (serve?.tools ?? []).length > 0;
  return policies
    .flatMap((each) => findUnmatched(tools, each))
    .filter(
      ({ pattern }) => !hasOwn || Object.keys(servers).some((server) => pattern.startsWith(`${server}__`)),
    );
}

/** Names the setting that switches writes on for a server. */
export function explainWrites(
  config: Config,
  lookup: VariableLookup,
  server: string,
  how: "Set" | "Pass --yes, or set" = "Set",
): string {
  return (
    explainForbiddenWrites(config, lookup, server) ??
    `${how} ${WRITES_VARIABLE}=1, or ${WRITES_VARIABLE}=${server} for this server alone.`
  );
}

/** Names the setting that forbids writes to a server; undefined where they are only not enabled. */
export function explainForbiddenWrites(
  config: Config,
  lookup: VariableLookup,
  server: string,
): string | undefined {
  const { policy, servers } = config;
  const writes = policy?.writes;
  const set = typeof writes === "object" ? getOwn(writes, server) : writes;
  const key = typeof writes === "object" ? `policy.writes.${server}` : "policy.writes";
  const asked = readVariable(lookup(WRITES_VARIABLE), [...Object.keys(servers), STATIC_TOOLS], true);
  if (set === false) return `The configuration switches writes off: set ${key} to true, or remove it.`;
  return asked === "none"
    ? `${WRITES_VARIABLE} switches writes off: set it to 1, or to ${server} for this server alone.`
    : undefined;
}

function writesOf(
  { servers, policy }: Config,
  said: string | undefined,
  { mayNameOthers = false, allowsWrites = false }: Parameters<typeof toolPolicyOf>[2] = {},
): NonNullable<Policy["writes"]> {
  const names = [...Object.keys(servers), STATIC_TOOLS];
  const asked = readVariable(said, names, mayNameOthers);
  const settings = policy?.writes;
  const entries = names.map((server): readonly [string, boolean] => {
    const set = typeof settings === "object" ? getOwn(settings, server) : settings;
    return [server, asked !== "none" && (set ?? (allowsWrites || asked.includes(server)))];
  });
  const isAlike = entries.every(([, mayWrite]) => mayWrite === entries[0]?.[1]);
  return isAlike ? entries[0]?.[1] === true : Object.fromEntries(entries);
}

/** The servers that the variable enables writes for; `none` where it switches writes off. */
function readVariable(
  said: string | undefined,
  choices: readonly string[],
  mayNameOthers: boolean,
): readonly string[] | "none" {
  const words = (said ?? "").split(",").map((word) => toServerName(word.trim()));
  const [word = ""] = words;
  if (words.length === 1) {
    if (word === "") return [];
    if (word === "1" || word === "true") return choices;
    if (word === "0" || word === "false") return "none";
  }
  const unknown = words.find((server) => !choices.includes(server));
  if (unknown === undefined || mayNameOthers) return words;
  const names = choices.map((name) => JSON.stringify(name)).join(", ");
  const message = `${WRITES_VARIABLE} names no server: ${JSON.stringify(unknown)}.`;
  throw new McpCodegenError("CONFIG_INVALID", message, {
    hint: `Use 1 for all, 0 for none, or some of ${names}, with commas between.`,
  });
}

/** The annotations of the configuration, by patterns of names with their servers. */
function assertedIn({ servers }: Config): NonNullable<Policy["annotations"]> {
  return Object.fromEntries(
    Object.entries(servers).flatMap(([server, { tools }]) =>
      Object.entries(tools?.annotations ?? {}).map(([pattern, hints]) => [`${server}__${pattern}`, hints]),
    ),
  );
}
