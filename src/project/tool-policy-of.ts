import type { Config } from "../config/config.js";
import { STATIC_TOOLS, type VariableLookup } from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";
import { getOwn } from "../contract/json.js";
import { createPolicy, type Policy, type PolicyOptions } from "../agent/policy/policy.js";

/** Switches writes on where the configuration leaves it open: `1`, or names of servers with commas between. */
export const WRITES_VARIABLE = "MCP_CODEGEN_ENABLE_WRITES";

/**
 * Which tools may be found and called, by the configuration and by `MCP_CODEGEN_ENABLE_WRITES`. Writes are off unless one
 * of the two switches them on; what one of them switches off, the other cannot switch on.
 *
 * @param options.mayNameOthers Whether the variable may name servers that this configuration does not have.
 * @throws McpCodegenError `CONFIG_INVALID` for a variable that names no server
 */
export function toolPolicyOf(
  config: Config,
  lookup: VariableLookup,
  { mayNameOthers = false }: { readonly mayNameOthers?: boolean } = {},
): Policy {
  return createPolicy({
    ...config.policy,
    writes: writesOf(config, lookup(WRITES_VARIABLE), mayNameOthers),
    annotations: assertedIn(config),
  });
}

/** The one setting that switches writes on for a server, of those that {@link toolPolicyOf} has read. */
export function explainWrites(config: Config, lookup: VariableLookup, server: string): string {
  return (
    explainForbiddenWrites(config, lookup, server) ??
    `Set ${WRITES_VARIABLE}=1, or ${WRITES_VARIABLE}=${server} for this server alone.`
  );
}

/** The setting that forbids writes to a server; undefined where they are only not enabled. */
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

/** Servers by name, or all alike. */
function writesOf(
  { servers, policy }: Config,
  said: string | undefined,
  mayNameOthers: boolean,
): NonNullable<PolicyOptions["writes"]> {
  const known = [...Object.keys(servers), STATIC_TOOLS];
  const asked = readVariable(said, known, mayNameOthers);
  const settings = policy?.writes;
  const entries = known.map((server): readonly [string, boolean] => {
    const set = typeof settings === "object" ? getOwn(settings, server) : settings;
    return [server, asked !== "none" && (set ?? asked.includes(server))];
  });
  const isAlike = entries.every(([, mayWrite]) => mayWrite === entries[0]?.[1]);
  return isAlike ? entries[0]?.[1] === true : Object.fromEntries(entries);
}

/** The servers that may be written to by the variable; `none` where it switches writes off. */
function readVariable(
  said: string | undefined,
  known: readonly string[],
  mayNameOthers: boolean,
): readonly string[] | "none" {
  const words = (said ?? "").split(",").map((word) => word.trim());
  const [word = ""] = words;
  if (words.length === 1) {
    if (word === "") return [];
    if (word === "1" || word === "true") return known;
    if (word === "0" || word === "false") return "none";
  }
  const unknown = words.find((server) => !known.includes(server));
  if (unknown === undefined || mayNameOthers) return words;
  const names = known.map((name) => JSON.stringify(name)).join(", ");
  throw new McpCodegenError(
    "CONFIG_INVALID",
    `${WRITES_VARIABLE} names no server: ${JSON.stringify(unknown)}.`,
    { hint: `Use 1 for all, 0 for none, or some of ${names}, with commas between.` },
  );
}

/** What the configuration says of tools, by patterns of names with their servers'. */
function assertedIn({ servers }: Config): NonNullable<PolicyOptions["annotations"]> {
  return Object.fromEntries(
    Object.entries(servers).flatMap(([server, { tools }]) =>
      Object.entries(tools?.annotations ?? {}).map(([pattern, hints]) => [`${server}__${pattern}`, hints]),
    ),
  );
}
