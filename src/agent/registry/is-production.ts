import type { ConnectionSettings } from "../../contract/connection.js";
import { getOwn } from "../../contract/json.js";
import { DEFAULT_ENVIRONMENT } from "./server-source.js";

/** Words for environments that only developers work with. */
const DEVELOPMENT: ReadonlySet<string> = new Set([
  ...["local", "localhost", "dev", "develop", "development", "sandbox", "playground", "demo", "mock"],
  ...["test", "tests", "testing", "qa", "uat", "ci", "e2e", "integration"],
  ...["stage", "staging", "stg", "preview", "review", "nightly"],
]);
/** Words for the environment in use. They count more: `test-prod` is one. */
const PRODUCTION: ReadonlySet<string> = new Set(["production", "prod", "prd", "live"]);

/**
 * Whether others work with an environment, so that tools without a review are refused there: as the server marks it, and
 * otherwise by its name. A name without a known word may be anything, so it counts as production.
 */
export function isProduction(environment: string | undefined, server?: ConnectionSettings): boolean {
  if (environment === undefined) return false;
  const marked = getOwn(server?.environments ?? {}, environment)?.production;
  if (marked !== undefined) return marked;
  // The servers' own settings have no name that says anything.
  if (environment === DEFAULT_ENVIRONMENT) return false;
  const words = wordsOf(environment);
  return words.some((word) => PRODUCTION.has(word)) || !words.some((word) => DEVELOPMENT.has(word));
}

/** `shopStaging2` has the words `shop` and `staging`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .flatMap((word) => [word, word.replace(/\d+$/, "")]);
}
