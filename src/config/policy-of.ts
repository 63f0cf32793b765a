import type { FailOn, Policy, RuleClass } from "../contract/change.js";
import { getOwn } from "../contract/json.js";
import type { Config } from "./config.js";

/**
 * Returns the check policy of a server: options of the command line, then `servers.<name>.check`, then `check`, then
 * the defaults. Classes of rules are merged; a server's own win.
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
