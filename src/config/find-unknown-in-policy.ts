import { formatKeyPath, type KeyPath } from "../contract/key-path.js";
import type { ConfigProblem } from "./config-problem.js";
import type { Config } from "./config.js";

/** The key in `policy.writes` for tools without a server. */
export const STATIC_TOOLS = "static";

/**
 * Returns a problem for each unknown focus mode, role and server in `policy`. Loads the table of modes and roles only
 * if the configuration has a policy.
 */
export async function findUnknownInPolicy({ policy, servers }: Config): Promise<readonly ConfigProblem[]> {
  if (policy === undefined) return [];
  const { FOCUS_MODES, ROLES } = await import("../agent/policy/policy.js");
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
  path: KeyPath,
  name: string | undefined,
  known: readonly string[],
): readonly ConfigProblem[] {
  if (name === undefined || known.includes(name)) return [];
  const names = known.map((one) => JSON.stringify(one)).join(", ");
  const full = ["policy", ...path];
  const text = `${formatKeyPath(full)}: unknown ${what} ${JSON.stringify(name)}; known: ${names}`;
  return [{ path: full, text }];
}
