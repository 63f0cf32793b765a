import type { FailOn, Policy, RuleClass } from "../contract/change.js";
import { getOwn } from "../contract/json.js";
import type { Config } from "./config.js";

/**
 * What makes a change of a server fail: what the command line gave, then `servers.<name>.check`, then `check`, then
 * every drift. Classes of rules are put together, a server's own first.
 */
export function policyOf(config: Config, server: string, given: { readonly failOn?: FailOn } = {}): Policy {
  const own = getOwn(config.servers, server)?.check;
  const common = config.check;
  return {
    failOn: given.failOn ?? own?.failOn ?? common?.failOn ?? "any",
    preset: own?.preset ?? common?.preset ?? "strict",
    rules: Object.fromEntries<RuleClass>([
      ...Object.entries(common?.rules ?? {}),
      ...Object.entries(own?.rules ?? {}),
    ]),
  };
}
