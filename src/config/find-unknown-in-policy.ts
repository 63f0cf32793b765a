import { formatKeyPath } from "../contract/key-path.js";
import type { Config } from "./config.js";

/** What `policy.writes` calls the tools of no server. */
export const STATIC_TOOLS = "static";

/**
 * The focus mode, the role and the servers that `policy` names and that are not there, a line each. The table of modes
 * and roles is loaded only for a configuration that has a policy.
 */
export async function findUnknownInPolicy({ policy, servers }: Config): Promise<readonly string[]> {
  if (policy === undefined) return [];
  const { FOCUS_MODES, ROLES } = await import("../runtime/policy/policy.js");
  const { focusMode, role, focusModes = {}, roles = {}, writes } = policy;
  return [
    ...explainUnknown("focus mode", ["focusMode"], focusMode, [
      ...Object.keys(FOCUS_MODES),
      ...Object.keys(focusModes),
    ]),
    ...explainUnknown("role", ["role"], role, [...Object.keys(ROLES), ...Object.keys(roles)]),
    ...Object.keys(typeof writes === "object" ? writes : {}).flatMap((server) =>
      explainUnknown("server", ["writes", server], server, [...Object.keys(servers), STATIC_TOOLS]),
    ),
  ];
}

function explainUnknown(
  what: string,
  path: readonly string[],
  name: string | undefined,
  known: readonly string[],
): readonly string[] {
  if (name === undefined || known.includes(name)) return [];
  const names = known.map((one) => JSON.stringify(one)).join(", ");
  return [`${formatKeyPath(["policy", ...path])}: unknown ${what} ${JSON.stringify(name)}; known: ${names}`];
}
