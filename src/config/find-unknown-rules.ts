import { formatKeyPath } from "../contract/key-path.js";
import type { ConfigProblem } from "./config-problem.js";
import type { Config } from "./config.js";

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
    const meant =
      nearest === undefined ? '; "npx mcp-codegen rules" lists them' : `, did you mean "${nearest}"?`;
    return [{ path: [...path, rule], text: `${formatKeyPath(path)}: unknown rule "${rule}"${meant}` }];
  });
}
