import { explainPluginFailure } from "./explain-plugin-failure.js";
import type { PhpAnswer, SiteFailure } from "./php-answer.js";
import type { PhpFailure } from "./php-reading.js";
import { filesOfPlugin, findPlugin, type MainFile, type NameOf } from "./plugin-files.js";
import type { RunCore } from "./run-core.js";

interface PluginRun {
  readonly answer: PhpAnswer;
  /** The plugins that did not fail. */
  readonly plugins: readonly MainFile[];
  readonly failures: readonly PhpFailure[];
}

/**
 * Runs the plugins, again without one that fails, until the others register their abilities.
 *
 * @throws McpCodegenError `PHP_FAILED` when the only plugin fails, or no plugin is the cause
 */
export async function runPlugins(all: readonly MainFile[], run: RunCore, nameOf: NameOf): Promise<PluginRun> {
  const names = new Set(all.map(({ file }) => nameOf(file)));
  const failures: PhpFailure[] = [];
  let plugins = all;
  for (;;) {
    const answer = await run({ plugins });
    const { failure } = answer;
    if (failure === undefined) return { answer, plugins, failures };
    const failedPlugin = findPlugin(nameOf(failure.file), plugins, nameOf);
    const causes = failedPlugin === undefined ? await findCauses(failure, plugins, run) : [failedPlugin];
    const error = await explainPluginFailure(failure, causes[0], nameOf);
    if (causes.length === 0 || all.length === 1 || failure.kind === "old-php") throw error;
    plugins = plugins.filter((plugin) => !causes.includes(plugin));
    if (plugins.length === 0) throw error;
    for (const { file } of causes) {
      const covers = filesOfPlugin(nameOf(file), names);
      failures.push({ covers, reason: error.message, hint: error.hint });
    }
  }
}

/**
 * Returns the plugins that fail in the same way alone. A process that was stopped names no place, and WordPress calls a callback
 * that does not exist.
 */
async function findCauses(
  { message }: SiteFailure,
  plugins: readonly MainFile[],
  run: RunCore,
): Promise<readonly MainFile[]> {
  const causes: MainFile[] = [];
  for (const plugin of plugins) {
    const { failure } = await run({ plugins: [plugin] });
    if (failure?.message === message) causes.push(plugin);
  }
  return causes;
}
