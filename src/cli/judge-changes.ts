import type { CompleteConfig, Config } from "../config/config.js";
import type { Change, FailOn, FailPolicy, RuleClass } from "../core/change.js";
import type { KnownConsumer } from "../core/consumer.js";
import { getOwn } from "../core/json.js";
import type { ReportedChange } from "../report/findings.js";
import { usageError } from "./command-spec.js";
import type { Context } from "./context.js";

/**
 * Returns the changes with the class of their server's policy and an explanation. Loads the rules only if there are
 * changes.
 */
export async function judgeChanges(
  changes: readonly Change[],
  config: Config | undefined,
  given: { readonly failOn?: FailOn | undefined },
): Promise<readonly ReportedChange[]> {
  if (changes.length === 0) return [];
  const [{ explain }, { applyPolicy }, { digestsOf }, { findingId }, { withCauses }] = await Promise.all([
    import("../drift/rules.js"),
    import("../drift/apply-policy.js"),
    import("../drift/apply-policy.js"),
    import("../core/change.js"),
    import("../report/fold-changes.js"),
  ]);
  const judged = applyPolicy(changes, (server) => policyOf(config ?? { servers: {} }, server, given));
  return withCauses(judged).map((change) => ({
    ...change,
    digests: digestsOf(change),
    ...(change.security && { finding: findingId(change) }),
    explanation: explain(change),
  }));
}

/**
 * Returns the check policy of a server: options of the command line, then `servers.<name>.check`, then `check`, then
 * the defaults. Classes of rules are merged; a server's own win.
 */
export function policyOf(
  config: Config,
  server: string,
  given: { readonly failOn?: FailOn | undefined } = {},
): FailPolicy {
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

/**
 * Returns the consumers that `--consumers` or the configuration names; none by default.
 *
 * @throws McpCodegenError `USAGE` for `--fail-on consumer` without consumers, and the errors of reading them
 */
export async function findConsumers(
  { io }: Context,
  project: { readonly dir: string; readonly config: CompleteConfig } | undefined,
  {
    consumers,
    failOn,
  }: { readonly consumers?: readonly string[] | undefined; readonly failOn?: FailOn | undefined },
): Promise<readonly KnownConsumer[]> {
  const configured = project?.config.check?.consumers ?? [];
  const [patterns, folder] =
    consumers === undefined ? [configured, project?.dir ?? io.cwd] : [consumers, io.cwd];
  if (patterns.length > 0) {
    const { readConsumers } = await import("../files/read-consumers.js");
    return readConsumers(patterns, { folder, cwd: io.cwd });
  }
  const settings = [project?.config, ...Object.values(project?.config.servers ?? {})];
  const isWanted = failOn === undefined && settings.some((one) => one?.check?.failOn === "consumer");
  if (failOn === "consumer" || isWanted)
    throw usageError(
      "No consumers are named, so no change could fail.",
      'Name their files: --consumers "consumers/*.json", or check.consumers in the configuration.',
    );
  return [];
}
