import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type AccessContext, openTarget } from "../../client/listing/list-server.js";
import type { Session } from "../../client/session.js";
import type { ServerConfig } from "../../config/config.js";
import type { LoadedConfig } from "../../config/load-config.js";
import { getOwn } from "../../core/json.js";
import type { Lockfile } from "../../core/lockfile.js";
import { includedLists } from "../../core/entries.js";
import type { AnnouncedList } from "../../core/snapshot.js";
import { findRoots } from "../php/plugin-files.js";
import { type Listed, ServerWatch, type WatchMode } from "./server-watch.js";

interface WatchProjectOptions {
  /** Names of configured servers. */
  readonly servers: readonly string[];
  /** Milliseconds between polls. Default: the time that a server states for its list, or thirty seconds. */
  readonly interval?: number | undefined;
  /** Called when some files cannot be watched. */
  readonly onFileError: (error: Error) => void;
  /** Returns the variables and logins; called for each session. */
  readonly access: () => Promise<AccessContext>;
}

/** Watches the servers of a configuration, and their files. */
export interface ProjectWatch {
  /** Watches the PHP files of the locked abilities as well: a plugin may load them from anywhere. */
  include(lock: Lockfile): void;
  /** Waits for the next change of these servers. */
  resume(listed: readonly Listed[]): void;
  /** Returns how each server is watched, once its session is open. */
  modes(): Promise<ReadonlyMap<string, WatchMode>>;
  /** Ends sessions, started processes, timers and the watch of files. */
  close(): Promise<void>;
}

/**
 * Starts to watch. Files are watched when this resolves, live servers from `resume` on.
 *
 * @param queue receives the wakes
 */
export async function watchProject(
  { config, dir }: LoadedConfig,
  queue: WakeQueue,
  { servers, interval, access, onFileError }: WatchProjectOptions,
): Promise<ProjectWatch> {
  const onError = queue.fail.bind(queue);
  const watched: WatchedPath[] = [];
  const live = new Map<string, ServerWatch>();
  const wakeOf = (name: string) => (): void => {
    queue.wake(name);
  };
  for (const name of servers) {
    const settings = config.servers[name] ?? {};
    const wake = wakeOf(name);
    const files = (await filesOf(settings, dir)).map((file) => resolve(dir, file));
    for (const path of [...files, ...scriptOf(settings, dir)]) watched.push({ path, onChange: wake });
    const isLive = settings.url !== undefined || settings.command !== undefined;
    if (!isLive && files.length > 0) continue;
    const open = async (signal: AbortSignal): Promise<Session> =>
      openTarget({ server: name, settings }, { ...(await access()), dir, signal });
    const isStarted = settings.command !== undefined;
    const lists = listsOf(settings);
    const watch = { isStarted, lists, wake, interval, onError, open: isLive ? open : undefined };
    live.set(name, new ServerWatch(watch));
  }
  const output = config.output === false ? undefined : resolve(dir, config.output);
  const files = await watchFiles(watched, { output, onError: onFileError });
  return {
    include: (lock) => {
      for (const server of servers) {
        if (config.servers[server]?.php === undefined) continue;
        const tools = Object.values(getOwn(lock.servers, server)?.tools ?? {});
        for (const file of new Set(tools.flatMap(({ ability }) => ability?.file ?? [])))
          files.add({ path: resolve(dir, file), onChange: wakeOf(server) });
      }
    },
    resume: (listed) => {
      for (const result of listed) live.get(result.server)?.resume(result);
    },
    modes: async () => {
      await Promise.all([...live.values()].map((each) => each.settled()));
      return new Map(servers.map((name) => [name, live.get(name)?.mode ?? { by: "files" }]));
    },
    close: async () => {
      await Promise.all([files.close(), ...Array.from(live.values(), (each) => each.close())]);
    },
  };
}

/** The lists of a server that are locked. Templates and skills are announced with the resources. */
function listsOf({ include }: ServerConfig): readonly AnnouncedList[] {
  const further = includedLists(include).map((list) => (list === "prompts" ? list : "resources"));
  return ["tools", ...new Set(further)];
}

async function filesOf({ file, php }: ServerConfig, dir: string): Promise<readonly string[]> {
  if (php === undefined) return file === undefined ? [] : [file];
  const { wordpress, bootstrap, theme } = php;
  const plugins =
    wordpress === undefined
      ? []
      : [join(wordpress, "wp-content", "plugins"), join(wordpress, "wp-content", "mu-plugins")];
  const roots = await findRoots(dir, php.paths ?? plugins);
  return [file, bootstrap, theme, ...roots].filter((path) => path !== undefined);
}

/** The script that a command runs, as in `node server.js`. Other files of a server are noticed by polling. */
function scriptOf({ command, args = [], cwd }: ServerConfig, dir: string): readonly string[] {
  if (command === undefined) return [];
  const scripts = [command, ...args].filter((word) => SCRIPT.test(word));
  return scripts.map((word) => resolve(dir, cwd ?? ".", word));
}

const SCRIPT = /\.(?:[cm]?[jt]sx?|py|rb|php)$/i;

interface Wakes {
  /** Names of servers, each once. */
  readonly servers: readonly string[];
  /** Whether the configuration, or a file with its variables, was written. */
  readonly isConfigChanged: boolean;
}

/** Milliseconds in which further wakes join the first: editors and package managers write files in several steps. */
const SETTLE = 100;

/** Collects wakes while a round runs, so that the next round handles all of them. */
export class WakeQueue {
  #servers = new Set<string>();
  #isConfigChanged = false;
  #failure: { readonly error: unknown } | undefined;
  #onWake: (() => void) | undefined;

  wake(server: string): void {
    this.#servers.add(server);
    this.#onWake?.();
  }

  reload(): void {
    this.#isConfigChanged = true;
    this.#onWake?.();
  }

  /** Makes `next` throw this error. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#onWake?.();
  }

  /** Waits for a wake and returns all since the last call; undefined once the signal aborts. */
  async next(signal: AbortSignal): Promise<Wakes | undefined> {
    if (!this.#isConfigChanged && this.#servers.size === 0 && this.#failure === undefined) {
      await untilAborted(signal, (resolve) => {
        this.#onWake = resolve;
        return () => {
          this.#onWake = undefined;
        };
      });
    }
    await untilAborted(signal, (resolve) => {
      const timer = setTimeout(resolve, SETTLE);
      return () => {
        clearTimeout(timer);
      };
    });
    if (signal.aborted) return undefined;
    if (this.#failure !== undefined) throw this.#failure.error;
    const wakes = { servers: [...this.#servers], isConfigChanged: this.#isConfigChanged };
    this.#servers = new Set();
    this.#isConfigChanged = false;
    return wakes;
  }
}

/** Resolves when `begin` does, or when the signal aborts; then calls the function that `begin` returned. */
async function untilAborted(signal: AbortSignal, begin: (resolve: () => void) => () => void): Promise<void> {
  if (signal.aborted) return;
  let release = (): void => undefined;
  let onAbort = (): void => undefined;
  await new Promise<void>((resolve) => {
    onAbort = resolve;
    signal.addEventListener("abort", onAbort);
    release = begin(resolve);
  });
  signal.removeEventListener("abort", onAbort);
  release();
}

/** A file, or a folder with all PHP below it, and its listener. */
interface WatchedPath {
  readonly path: string;
  readonly onChange: () => void;
}

/** Files of a watched folder that can change which abilities its PHP registers. */
const RELEVANT = /\.(?:php|inc|json)$/i;
const WRITTEN = /^mcp-codegen\.(?:lock|waivers)\.json$/;

interface WatchedFiles {
  /** Watches one more, unless it is watched. */
  readonly add: (watched: WatchedPath) => void;
  readonly close: () => Promise<void>;
}

/**
 * Watches files and folders, including those that do not exist yet. Resolves once every change is noticed.
 *
 * @param options.output the folder of generated files, which is not watched
 * @param options.onError called when some files cannot be watched, such as beyond the system's limit
 */
export async function watchFiles(
  first: readonly WatchedPath[],
  { output, onError }: { readonly output?: string | undefined; readonly onError: (error: Error) => void },
): Promise<WatchedFiles> {
  // Without paths, chokidar never becomes ready.
  if (first.length === 0) return { add: () => undefined, close: () => Promise.resolve() };
  const { watch } = await import("chokidar");
  const watched = [...first];
  const places = watched.map(({ path }) => path);
  const isIgnored = (path: string, isFile: boolean): boolean => {
    if (places.some((place) => isInside(place, path))) return false;
    if (!places.some((place) => isInside(path, place))) return true;
    if (output !== undefined && isInside(path, output)) return true;
    const name = basename(path);
    if (name === "node_modules" || name.startsWith(".")) return true;
    return isFile && (!RELEVANT.test(name) || WRITTEN.test(name));
  };
  // Folders are watched, since a file may be deleted and written again.
  const watcher = watch([...new Set(places.map((place) => dirname(place)))], {
    ignoreInitial: true,
    ignored: (path, stats) => isIgnored(resolve(path), stats?.isFile() === true),
  });
  watcher.on("all", (event, path) => {
    if (event === "addDir") return;
    for (const { path: place, onChange } of watched) if (isInside(resolve(path), place)) onChange();
  });
  watcher.on("error", (error) => {
    onError(error instanceof Error ? error : new Error(String(error)));
  });
  await new Promise<void>((done) => watcher.once("ready", done));
  return {
    add: (more) => {
      if (places.some((place) => isInside(more.path, place))) return;
      watched.push(more);
      places.push(more.path);
      watcher.add(dirname(more.path));
    },
    close: () => watcher.close(),
  };
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
