import { formatKeyPath, type KeyPath } from "../contract/json-pointer.js";
import type { ConfigProblem } from "./config-problem.js";
import { STATIC_TOOLS, type Config } from "./config.js";

/**
 * Returns a problem for each unknown rule in `check.rules`. Loads the table of rules only if the configuration names
 * one.
 */
export async function findUnknownRules(config: Config): Promise<readonly ConfigProblem[]> {
  const named = [
    { path: ["check", "rules"], rules: config.check?.rules },
    ...Object.entries(config.servers).map(([name, server]) => ({
      path: ["servers", name, "check", "rules"],
      rules: server.check?.rules,
    })),
  ].flatMap(({ path, rules }) => Object.keys(rules ?? {}).map((rule) => ({ path, rule })));
  if (named.length === 0) return [];
  const [{ ALL_RULES }, { nearestName }] = await Promise.all([
    import("../drift/rules.js"),
    import("../vocabulary/edit-distance.js"),
  ]);
  return named.flatMap(({ path, rule }) => {
    if (ALL_RULES.has(rule)) return [];
    const nearest = nearestName(rule, [...ALL_RULES.keys()]);
    const suggestion =
      nearest === undefined ? '; "npx mcp-codegen rules" lists them' : `, did you mean "${nearest}"?`;
    return [{ path: [...path, rule], text: `${formatKeyPath(path)}: unknown rule "${rule}"${suggestion}` }];
  });
}

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
