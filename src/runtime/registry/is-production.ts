/** The names that people give to the environment in use. */
const PRODUCTION: ReadonlySet<string> = new Set(["production", "prod", "live"]);

/** Whether an environment is in use by others, so that what was not reviewed has no business there. */
export function isProduction(environment: string | undefined): boolean {
  return environment !== undefined && PRODUCTION.has(environment.toLowerCase());
}
