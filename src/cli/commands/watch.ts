import { basename, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { loadConfig, type LoadedConfig } from "../../config/load-config.js";
import { getServer } from "../../config/config.js";
import { McpCodegenError } from "../../contract/errors.js";
import { printable } from "../../contract/printable.js";
import { placesOf } from "../../pipeline/places.js";
import { linesOfError } from "../../report/print-watch.js";
import { count } from "../../report/layout.js";
import type { WatchMode } from "../../watch/server-watch.js";
import { WakeQueue } from "../../watch/wake-queue.js";
import { watchProject, type ProjectWatch } from "../../watch/watch-project.js";
import type { CommandOptions } from "../command-table.js";
import { isCi, printServerOutput, type Context, type Runner } from "../context.js";
import { loadProject, readAccess } from "../load-project.js";
import { missingPackages } from "../missing-packages.js";
import { errorDocument } from "../report-error.js";
import { WatchLog } from "../watch/watch-log.js";
import { createQuestions, runRound } from "../watch/watch-round.js";

/** Pulls, or with `--check` checks, after every change of a server, of PHP or of the configuration, until interrupted. */
export const runWatch: Runner<"watch"> = async (context, servers, options) => {
  if (isCi(context.io.env) && options.checkOnly !== true) {
    throw new McpCodegenError("USAGE", "watch writes files, which it does not do when CI is set.", {
      hint: 'Run "npx mcp-codegen check", or pass --check.',
    });
  }
  const interval = options.interval === undefined ? undefined : parseInterval(options.interval);
  const signal = context.io.signal ?? new AbortController().signal;
  const log = new WatchLog(context);
  let loaded = await loadProject(context);
  for (;;) {
    const next = await watchUntilReload(context, loaded, { servers, options, interval, signal, log });
    if (next === undefined) return 0;
    loaded = next;
  }
};

interface WatchOptions {
  readonly servers: readonly string[];
  readonly options: CommandOptions<"watch">;
  readonly interval: number | undefined;
  readonly signal: AbortSignal;
  readonly log: WatchLog;
}

/** Watches with one configuration. Returns the next one; undefined once the signal aborts. */
async function watchUntilReload(
  context: Context,
  loaded: LoadedConfig,
  { servers: named, options, interval, signal, log }: WatchOptions,
): Promise<LoadedConfig | undefined> {
  const { io, options: given } = context;
  const { servers: configured } = loaded.config;
  for (const name of named) getServer(configured, name);
  const all = named.length > 0 ? named : Object.keys(configured);
  const queue = new WakeQueue();
  const watch = await watchProject(loaded, queue, {
    servers: all,
    envFiles: given.envFile === undefined ? [] : [resolve(io.cwd, given.envFile)],
    access: () => readAccess(context, loaded.dir),
    onFileError: ({ message }) => {
      const text = `some cannot be watched: ${printable(message, 400)}`;
      log.print([{ server: "watched files", kind: "finding", text }], []);
    },
    ...printServerOutput(context),
    ...(interval !== undefined && { interval }),
  });
  const onAbort = (): void => void watch.close();
  signal.addEventListener("abort", onAbort);
  try {
    const questions = createQuestions(context);
    const checks = options.checkOnly === true;
    let asked = all;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const isWhole = isFirst && named.length === 0;
      const round = await runRound(context, loaded, { asked, isWhole, questions, checks });
      if (log.print(round.lines, ["", ...asked])) context.printDocumentLine(round.document);
      watch.resume(round.listed);
      if (isFirst) {
        if (round.lines.some(({ kind }) => kind === "event")) noteMissingPackages(loaded, log);
        await introduce(watch, log, signal);
      }
      const wakes = await queue.next(signal);
      if (wakes === undefined) break;
      const next = wakes.isConfigChanged ? await reload(context, loaded, named, log) : undefined;
      if (next !== undefined) return next;
      asked = wakes.isConfigChanged ? all : wakes.servers;
    }
    return undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    await watch.close();
  }
}

/** Returns the configuration if it changed. One that cannot be loaded is reported, and the old one stays in force. */
async function reload(
  context: Context,
  { config, dir, path }: LoadedConfig,
  servers: readonly string[],
  log: WatchLog,
): Promise<LoadedConfig | undefined> {
  // No server has such a name.
  const name = basename(path);
  try {
    const next = await loadConfig({ cwd: dir, path, isReload: true });
    for (const server of servers) getServer(next?.config.servers ?? {}, server);
    const isChanged = next !== undefined && !isDeepStrictEqual(next.config, config);
    if (isChanged || log.isLasting(name))
      log.print([{ server: name, kind: "event", text: "loaded again" }], [name]);
    return isChanged ? next : undefined;
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
    if (log.print(linesOfError(name, error), [name])) context.printDocumentLine(errorDocument(error));
    return undefined;
  }
}

function noteMissingPackages(loaded: LoadedConfig, log: WatchLog): void {
  const { output } = placesOf(loaded);
  const install = output === undefined ? undefined : missingPackages(output);
  if (install !== undefined) log.note(`Install the packages that the generated code imports: ${install}`);
}

/** Prints how each server is watched. */
async function introduce(watch: ProjectWatch, log: WatchLog, signal: AbortSignal): Promise<void> {
  const modes = [...(await watch.modes())].map(([name, mode]) => `${name} (${describeMode(mode)})`);
  if (signal.aborted) return;
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
  throw new McpCodegenError("USAGE", `--interval: ${JSON.stringify(text)} is not a number of seconds.`, {
    hint: "Pass a whole number from 1 to 86400.",
  });
}
