import { basename, join, resolve } from "node:path";
import { getServer } from "../../../config/config.js";
import { loadConfig, type LoadedConfig } from "../../../config/load-config.js";
import { McpCodegenError } from "../../../core/errors.js";
import { placesOf } from "../../../pipeline/places.js";
import { count } from "../../../report/layout.js";
import { linesOfError } from "../../../report/print-watch.js";
import { waitUnlessAborted } from "../../../runtime/client/caller.js";
import type { WatchMode } from "../../../sources/watch/server-watch.js";
import { WakeQueue, type ProjectWatch, watchProject } from "../../../sources/watch/watch-project.js";
import { watchFiles } from "../../../sources/watch/watch-files.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, isCi, printServerOutput } from "../../context.js";
import { loadProject, readAccess } from "../../load-project.js";
import { missingPackages } from "../../packages.js";
import { errorDocument } from "../../report-error.js";
import type { WATCH_FLAGS } from "./spec.js";
import { createQuestions, type Round, runRound, WatchLog } from "./watch-round.js";

/** Pulls, or with `--check` checks, after every change of a server, of PHP or of the configuration, until interrupted. */
export const runWatch: Runner<typeof WATCH_FLAGS> = async (context, servers, options) => {
  if (isCi(context.io.env) && options.check !== true) {
    throw usageError(
      "watch writes files, which it does not do when CI is set.",
      'Run "npx mcp-codegen check", or pass --check.',
    );
  }
  const interval = options.interval === undefined ? undefined : parseInterval(options.interval);
  const signal = context.io.signal ?? new AbortController().signal;
  const log = new WatchLog(context);
  const queue = new WakeQueue();
  let loaded: LoadedConfig | undefined = await loadProject(context);
  for (const name of servers) getServer(loaded.config.servers, name);
  // One watch for all configurations: while another was begun, a change would be missed.
  const endWatch = await watchFiles(
    configFiles(context, loaded).map((path) => ({ path, onChange: queue.reload.bind(queue) })),
    { onError: log.noteUnwatched.bind(log) },
  );
  try {
    const settings = { servers, checks: options.check === true, interval, signal, log, queue };
    while (loaded !== undefined) loaded = await watchUntilReload(context, loaded, settings);
    return 0;
  } finally {
    await endWatch();
  }
};

interface WatchSettings {
  readonly servers: readonly string[];
  readonly checks: boolean;
  readonly interval: number | undefined;
  readonly signal: AbortSignal;
  readonly log: WatchLog;
  readonly queue: WakeQueue;
}

/** Watches with one configuration. Returns the next one; undefined once the signal aborts. */
async function watchUntilReload(
  context: Context,
  loaded: LoadedConfig,
  { servers, checks, interval, signal, log, queue }: WatchSettings,
): Promise<LoadedConfig | undefined> {
  const all = servers.length > 0 ? servers : Object.keys(loaded.config.servers);
  const watch = await watchProject(loaded, queue, {
    servers: all,
    access: () => readAccess(context, loaded.dir),
    onFileError: log.noteUnwatched.bind(log),
    ...printServerOutput(context),
    interval,
  });
  try {
    const questions = createQuestions(context);
    const work = async (asked: readonly string[], isWhole: boolean): Promise<Round> => {
      const round = await runRound(context, loaded, { asked, isWhole, questions, checks });
      if (log.print(round.lines, ["", ...asked])) context.printDocumentLine(round.document);
      watch.resume(round.listed);
      return round;
    };
    const first = await work(all, servers.length === 0);
    if (first.lines.some(({ kind }) => kind === "event")) noteMissingPackages(loaded, log);
    await introduce(watch, log, signal);
    for (;;) {
      const wakes = await queue.next(signal);
      if (wakes === undefined) return undefined;
      const next = wakes.isConfigChanged ? await reloadConfig(context, loaded, servers, log) : undefined;
      if (next !== undefined) return next;
      // A wake may be about a server of an earlier configuration.
      const asked = wakes.servers.filter((name) => all.includes(name));
      if (asked.length > 0) await work(asked, false);
    }
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    await watch.close();
  }
}

function noteMissingPackages(loaded: LoadedConfig, log: WatchLog): void {
  const { output } = placesOf(loaded);
  const install = output === undefined ? undefined : missingPackages(output);
  if (install !== undefined) log.note(`Install the packages that the generated code imports: ${install}`);
}

async function introduce(watch: ProjectWatch, log: WatchLog, signal: AbortSignal): Promise<void> {
  const modes = [...(await waitUnlessAborted(watch.modes(), signal))].map(
    ([name, mode]) => `${name} (${describeMode(mode)})`,
  );
  const what = modes.length === 0 ? "the configuration" : modes.join(", ");
  log.note(`Watching ${what}. Press Ctrl+C to stop.`);
}

function describeMode(mode: WatchMode): string {
  switch (mode.by) {
    case "notifications":
      return mode.milliseconds === undefined
        ? "notifications"
        : `notifications, and ${describeInterval(mode.milliseconds)}`;
    case "polling":
      return describeInterval(mode.milliseconds);
    case "files":
      return "files";
    case "retries":
      return "not reached yet";
    default:
      return mode satisfies never;
  }
}

function describeInterval(milliseconds: number): string {
  return `every ${count(Math.round(milliseconds / 1_000), "second")}`;
}

function parseInterval(text: string): number {
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= 86_400) return seconds * 1_000;
  throw usageError(
    `--interval: ${JSON.stringify(text)} is not a number of seconds.`,
    "Pass a whole number from 1 to 86400.",
  );
}

/** Returns the files that a configuration is made of: itself, and those with its variables. They may be missing. */
function configFiles({ io, options }: Context, { dir, path }: LoadedConfig): readonly string[] {
  const { envFile } = options;
  const named = envFile === undefined ? [] : [resolve(io.cwd, envFile)];
  return [path, join(dir, ".env.local"), join(dir, ".env"), ...named];
}

/**
 * Loads the configuration again. If that fails, prints the error once and returns undefined: the old configuration stays in
 * force.
 *
 * @param servers the names that the new one must have
 */
async function reloadConfig(
  context: Context,
  { dir, path }: LoadedConfig,
  servers: readonly string[],
  log: WatchLog,
): Promise<LoadedConfig | undefined> {
  // No server has such a name.
  const name = basename(path);
  try {
    const next = await loadConfig({ cwd: dir, path, isReload: true });
    if (next === undefined) return undefined;
    for (const server of servers) getServer(next.config.servers, server);
    log.print([{ server: name, kind: "event", text: "loaded again" }], [name]);
    return next;
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
    if (log.print(linesOfError(name, error), [name])) context.printDocumentLine(errorDocument(error));
    return undefined;
  }
}
