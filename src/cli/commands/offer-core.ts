import { type Config, hasEndpoint } from "../../config/config.js";
import { McpCodegenError } from "../../core/errors.js";
import { downloadCore } from "../../sources/php/download-core.js";
import { CORE_VERSION, coreFolder, findCore, NoCoreError } from "../../sources/php/find-core.js";
import { type Context, printOnStderr } from "../context.js";
import { confirm } from "../prompts.js";

interface CoreProject {
  readonly config: Config;
  readonly dir: string;
}

interface OfferCoreOptions {
  /** The servers of the command. Default: all */
  readonly names?: readonly string[] | undefined;
  /** Whether the command reads the PHP of servers with an endpoint or a saved list too. */
  readonly readsAll: boolean;
  /** For tests. */
  readonly base?: string | undefined;
}

/**
 * Offers to download WordPress if a command reads plugins and no WordPress is found to run them in. Does nothing without a
 * terminal. Says why a download failed; the command then reports what it cannot verify, and other problems of the PHP.
 */
export async function offerCore(
  context: Context,
  { config, dir }: CoreProject,
  { names = [], readsAll, base }: OfferCoreOptions,
): Promise<void> {
  if (!context.isInteractive) return;
  const { env, signal } = context.io;
  for (const [server, settings] of Object.entries(config.servers)) {
    const { php } = settings;
    if (php?.paths === undefined || (php.wordpress ?? php.command) !== undefined) continue;
    if (names.length > 0 && !names.includes(server)) continue;
    if (!readsAll && hasEndpoint(settings)) continue;
    const folder = coreFolder(env);
    const error: unknown = await findCore({ server, core: php.core, paths: php.paths, dir, env }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (folder === undefined || !(error instanceof NoCoreError)) continue;
    const question = `No WordPress was found for the PHP of "${server}". Download WordPress ${CORE_VERSION} (30 MB) from wordpress.org into ${JSON.stringify(folder)}?`;
    if (!(await confirm(context, question))) return;
    printOnStderr(context, [`Downloading WordPress ${CORE_VERSION}.`]);
    try {
      await downloadCore({ env, signal, base });
    } catch (cause) {
      // The command then says what is not verified.
      if (!(cause instanceof McpCodegenError)) throw cause;
      printOnStderr(context, [cause.message, ...(cause.hint === undefined ? [] : [cause.hint])]);
      return;
    }
  }
}
