import type { CompleteConfig } from "../config/config.js";
import type { FailOn } from "../core/change.js";
import type { KnownConsumer } from "../core/consumer.js";
import { usageError } from "./command-spec.js";
import type { Context } from "./context.js";

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
    const { readConsumers } = await import("../files/project-records.js");
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
