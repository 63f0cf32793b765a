import { basename, join, resolve } from "node:path";
import { getServer } from "../../../config/config.js";
import type { Change } from "../../../core/change.js";
import { findingId } from "../../../core/waivers.js";
import { McpCodegenError } from "../../../core/errors.js";
import { getOwn } from "../../../core/json.js";
import { printable } from "../../../core/printable.js";
import type { ServerSnapshot } from "../../../core/snapshot.js";
import { openProject, Project } from "../../../project/project.js";
import { pullDocument } from "../../../report/documents.js";
import type { Report } from "../../../report/render-report.js";
import { count, present } from "../../../report/layout.js";
import { linesOfCheck, linesOfError, linesOfPull, type WatchLine } from "../../../report/print-watch.js";
import { waitUnlessAborted } from "../../../runtime/client/caller.js";
import type { Listed, WatchMode } from "../../../sources/watch/server-watch.js";
import {
  type ProjectWatch,
  WakeQueue,
  watchFiles,
  watchProject,
} from "../../../sources/watch/watch-project.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, isCi } from "../../context.js";
import { loadProject, settingsOf } from "../../load-project.js";
import { missingPackages } from "../../packages.js";
import { errorDocument } from "../../report-error.js";
import { findUserCode } from "../../ways-out.js";
import { checkServers } from "../check/run.js";
import { offerCore } from "../offer-core.js";
import {
  createAccept,
  createConfirmPrelude,
  createConfirmRemoval,
  type PullAnswers,
  pullServers,
} from "./pull-servers.js";
import type { WATCH_FLAGS } from "./spec.js";

/** Pulls, or with `--check` checks, after every change of a server, of PHP or of the configuration, until interrupted. */
export const runWatch: Runner<typeof WATCH_FLAGS> = async (context, servers, options) => {
  if (isCi(context.io.env) && options.check !== true) {
    throw usageError(
      "watch writes files, which it does not do when CI is set.",
      'Run "npx mcp-codegen check", or pass --check.',
    );
  }
  const signal = context.io.signal ?? new AbortController().signal;
  const log = new WatchLog(context);
  const queue = new WakeQueue();
  let project: Project | undefined = await loadProject(context);
  for (const name of servers) getServer(project.config.servers, name);
  await offerCore(context, project, { names: servers, readsAll: false });
  // One watch for all configurations: while another was begun, a change would be missed.
  const configWatch = await watchFiles(
    configFiles(context, project).map((path) => ({ path, onChange: queue.reload.bind(queue) })),
    { onError: log.noteUnwatched.bind(log) },
  );
  try {
    const { check: checks = false, interval } = options;
    const settings = { servers, checks, interval: interval && interval * 1_000, signal, log, queue };
    while (project !== undefined) project = await watchUntilReload(context, project, settings);
    return 0;
  } finally {
    await configWatch.close();
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
  project: Project,
  { servers, checks, interval, signal, log, queue }: WatchSettings,
): Promise<Project | undefined> {
  const all = servers.length > 0 ? servers : Object.keys(project.config.servers);
  const watch = await watchProject(project, queue, {
    servers: all,
    access: () => project.access(),
    onFileError: log.noteUnwatched.bind(log),
    interval,
  });
  const readsPhp = all.some((name) => getServer(project.config.servers, name).php !== undefined);
  try {
    const questions = createQuestions(context);
    const work = async (wanted: readonly string[], isWhole: boolean): Promise<Round> => {
      // Files may have changed since the last round.
      const current = new Project(project, settingsOf(context));
      // The lock may be that of another branch: the code of a server that it lacks would be removed.
      const lock = checks ? undefined : await current.findLock().catch(() => undefined);
      const isLacking = (name: string): boolean => !checks && getOwn(lock?.servers ?? {}, name) === undefined;
      const asked = all.filter((name) => wanted.includes(name) || isLacking(name));
      const round = await runRound(context, current, { asked, isWhole, questions, checks });
      if (log.print(round.lines, ["", ...asked])) context.printDocumentLine(round.document());
      // The round may have written it.
      const written = readsPhp
        ? await new Project(project, settingsOf(context)).findLock().catch(() => undefined)
        : undefined;
      if (written !== undefined) watch.include(written);
      watch.resume(round.listed);
      return round;
    };
    const first = await work(all, servers.length === 0);
    if (first.lines.some(({ kind }) => kind === "event")) noteMissingPackages(project, log);
    await introduce(watch, log, signal);
    for (;;) {
      const wakes = await queue.next(signal);
      if (wakes === undefined) return undefined;
      const next = wakes.isConfigChanged ? await reloadConfig(context, project, servers, log) : undefined;
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

function noteMissingPackages({ paths: { output } }: Project, log: WatchLog): void {
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

const MODES = { notifications: "notifications", polling: "", files: "files", retries: "not reached yet" };

function describeMode(mode: WatchMode): string {
  const { milliseconds } = { milliseconds: undefined, ...mode };
  const often = milliseconds !== undefined && `every ${count(Math.round(milliseconds / 1_000), "second")}`;
  return present(MODES[mode.by], often).join(", and ");
}

/** Returns the files that a configuration is made of: itself, and those with its variables. They may be missing. */
function configFiles({ io, options }: Context, { dir, path }: Project): readonly string[] {
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
  { dir, path }: Project,
  servers: readonly string[],
  log: WatchLog,
): Promise<Project | undefined> {
  // No server has such a name.
  const name = basename(path);
  try {
    const next = await openProject({ cwd: dir, path, isReload: true }, settingsOf(context));
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

interface Round {
  readonly lines: readonly WatchLine[];
  readonly document: Report["document"];
  readonly listed: readonly Listed[];
}

interface RoundOptions {
  /** The servers to read. */
  readonly asked: readonly string[];
  /** Whether these are all servers of the configuration, so that others leave the lock. */
  readonly isWhole: boolean;
  readonly questions: PullAnswers;
  readonly checks: boolean;
}

/** Asks the user each question once, although each round finds the same finding again. */
function createQuestions(context: Context): PullAnswers {
  const accept = createAccept(context, { names: [], asks: context.isInteractive });
  const confirmRemoval = createConfirmRemoval(context, {});
  const confirmPrelude = createConfirmPrelude(context, {});
  const answered = new Set<string>();
  const isNew = (question: string): boolean => !answered.has(question) && answered.add(question).size > 0;
  return {
    accept: async (findings) => {
      const open = findings.filter((finding: Change) => isNew(findingId(finding)));
      return open.length === 0 ? [] : accept(open);
    },
    confirmRemoval: async (removed) =>
      isNew(JSON.stringify(removed.map(({ server }) => server))) && confirmRemoval(removed),
    confirmPrelude: async (request) => isNew(JSON.stringify(request)) && confirmPrelude(request),
  };
}

interface OfServer {
  readonly server?: string | undefined;
}

/** Pulls or checks once. An expected error is a line of the round. */
async function runRound(
  context: Context,
  project: Project,
  { asked, isWhole, questions, checks }: RoundOptions,
): Promise<Round> {
  const snapshots = new Map<string, ServerSnapshot>();
  const onSnapshot = (snapshot: ServerSnapshot): void => void snapshots.set(snapshot.server, snapshot);
  const isLive = (server: string): boolean => {
    const { url, command } = getOwn(project.config.servers, server) ?? {};
    return (url ?? command) !== undefined;
  };
  const retried = new Set(asked.filter(isLive));
  const listed = (failed: readonly OfServer[], changed: readonly OfServer[]): readonly Listed[] =>
    asked.map((server) => {
      const snapshot = snapshots.get(server);
      const isIn = (list: readonly OfServer[]): boolean => list.some((each) => each.server === server);
      const isListed = snapshot !== undefined || !isIn(failed);
      return { server, isListed, isChanged: isIn(changed), ...(snapshot && { snapshot }) };
    });
  const servers = isWhole ? [] : asked;
  try {
    if (checks) {
      const { report } = await checkServers(context, project, servers, {
        diagnosesAll: context.options.json === true,
        showsProgress: false,
        onSnapshot,
      });
      const { content, document } = report;
      return {
        lines: linesOfCheck(content, { retried }),
        document,
        listed: listed(content.unverified, content.changes),
      };
    }
    const { report, exitCode, command } = await pullServers(project, servers, {
      ...questions,
      onSnapshot,
      tsconfig: findUserCode(project),
    });
    const changed = report.servers.filter(({ status }) => status === "new" || status === "changed");
    return {
      lines: linesOfPull(report, { retried, accept: command }),
      document: () => pullDocument(report, { exitCode, accept: command }),
      listed: listed(report.unverified, changed),
    };
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
    const [server = ""] = asked.length === 1 ? asked : [];
    const failed = asked.map((each) => ({ server: each }));
    return {
      lines: linesOfError(server, error),
      document: () => errorDocument(error),
      listed: listed(failed, []),
    };
  }
}

/** Prints each line of `watch` once: events as they happen, findings and outages while they are new. */
class WatchLog {
  readonly #context: Context;
  /** The findings and outages that last, by server. */
  readonly #lasting = new Map<string, readonly WatchLine[]>();

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Prints the lines that are new since the last round. Returns whether there are any.
   *
   * @param asked the servers of the round, whose earlier findings and outages may be over; empty for those of all
   */
  print(lines: readonly WatchLine[], asked: readonly string[]): boolean {
    const fresh = lines.filter(({ kind, server, text }) => {
      const lasting = this.#lasting.get(server) ?? [];
      return kind === "event" || !lasting.some((line) => line.text === text);
    });
    const over = asked.flatMap((server) => this.#settle(server, lines));
    const printed = [...over, ...fresh];
    this.#context.print(printed.map((line) => this.#format(line)));
    return printed.length > 0;
  }

  /** Prints a line about the watch itself. */
  note(text: string): void {
    this.#context.print([this.#context.paint.dim(text)]);
  }

  /** Prints that changes of some files are not noticed. */
  noteUnwatched({ message }: Error): void {
    // No server has such a name.
    const server = "watched files";
    const text = `changes of some are not noticed: ${printable(message, 400)}`;
    this.print([{ server, kind: "finding", text }], [server]);
  }

  /** Replaces the lasting lines of a server. Returns the line that reports their end. */
  #settle(server: string, lines: readonly WatchLine[]): readonly WatchLine[] {
    const before = this.#lasting.get(server) ?? [];
    const ours = lines.filter((line) => line.server === server);
    const lasting = ours.filter(({ kind }) => kind !== "event");
    this.#lasting.set(server, lasting);
    if (before.length === 0 || lasting.length > 0) return [];
    const isOutage = before.some(({ kind }) => kind === "outage");
    // The line about the written files says the same.
    if (!isOutage && ours.length > 0) return [];
    return [{ server, kind: "event", text: isOutage ? "can be read again" : "no findings any more" }];
  }

  #format({ server, text, kind }: WatchLine): string {
    const { paint } = this.#context;
    const time = paint.dim(new Date().toTimeString().slice(0, 8));
    const shown = kind === "event" ? text : paint[kind === "outage" ? "yellow" : "red"](text);
    return `${time} ${server === "" ? "" : `${paint.bold(server)}: `}${shown}`;
  }
}
