/** A project that is opened once: its configuration, and what commands read beside it. */
import { join, resolve } from "node:path";
import type { AccessContext } from "../client/listing/list-server.js";
import { type LoadedConfig, loadConfig } from "../config/load-config.js";
import type { CompleteConfig, ImportExtension } from "../config/config.js";
import { once } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { findingOfUnmatched } from "../core/findings.js";
import { EMPTY_LOCK, LOCKFILE_NAME, type Lockfile } from "../core/lockfile.js";
import type { ProjectFormat } from "../core/generated-file.js";
import { OBSERVED_NAME } from "../core/observed.js";
import { type Waiver, WAIVERS_NAME, type WaiversFile } from "../core/waivers.js";
import type { OutputOf } from "../emit/plan-files.js";
import {
  assertLockfile,
  openLockfile,
  type OpenLockfile,
  readWaivers,
  type VerifiedLocks,
  writeLockfile,
  writeWaivers,
} from "../files/project-records.js";
import { type CacheFile, openCache } from "../files/cache.js";
import { findCacheFolder } from "../files/owners.js";
import {
  detectImportExtension,
  findPrettierConfig,
  findProjectFormat,
  type PrettierConfig,
} from "../files/project-settings.js";
import { findFiles, findFileText } from "../files/read-files.js";
import { sweepLeftovers } from "../files/write-atomic.js";
import { findOutputs } from "./find-outputs.js";

/** How a run works with a project. */
export interface RunSettings {
  /** Returns how the servers are reached, with the variables for a folder; called when one is. Default: without variables. */
  readonly access?: ((dir: string) => Promise<AccessContext>) | undefined;
  /** The current date, as `2026-12-31`; without it, waivers with an expiry date have no effect. */
  readonly today?: string | undefined;
  /** Remembers what was up to date, so that unchanged files are not read again; by default, every file is read. */
  readonly cache?: CacheOptions | undefined;
}

interface CacheOptions {
  /** The version of this program. Another version reads no cache. */
  readonly version: string;
  /** An absolute path; by default, a folder in the nearest `node_modules/.cache`. */
  readonly folder: string | undefined;
}

/** The settings that apply to an output folder. */
export interface OutputSettings {
  readonly prettier: PrettierConfig;
  readonly importExtension: ImportExtension;
}

/** A file that `scripts` of the configuration names, checked like a script before it runs. */
export interface SavedScript {
  /** Posix, relative to the configuration. */
  readonly path: string;
  readonly text: string;
}

interface SavedScripts {
  readonly scripts: readonly SavedScript[];
  /** Globs that match nothing, and are probably misspelt. */
  readonly unmatched: readonly Finding[];
}

/** A configuration with the files beside it. Each is read at its first use, once. */
export class Project implements LoadedConfig {
  readonly config: CompleteConfig;
  readonly dir: string;
  readonly path: string;
  /** The absolute paths of its files; no output folder with `output: false`. */
  readonly paths: {
    readonly lock: string;
    readonly waivers: string;
    readonly observed: string;
    readonly output: string | undefined;
  };
  readonly run: RunSettings;
  #lock: Promise<OpenLockfile | undefined> | undefined;
  #waivers: Promise<WaiversFile> | undefined;

  constructor({ config, dir, path }: LoadedConfig, run: RunSettings = {}) {
    this.config = config;
    this.dir = dir;
    this.path = path;
    this.paths = {
      lock: join(dir, LOCKFILE_NAME),
      waivers: join(dir, WAIVERS_NAME),
      observed: join(dir, OBSERVED_NAME),
      output: config.output === false ? undefined : resolve(dir, config.output),
    };
    this.run = run;
  }

  /** Returns how the servers are reached. Throws what reading variables throws. */
  readonly access: () => Promise<AccessContext> = once(
    async () => (await this.run.access?.(this.dir)) ?? { lookup: () => undefined },
  );

  /** Returns the text of the configuration without a byte order mark. Throws `FILE_FAILED`. */
  readonly text: () => Promise<string> = once(async () =>
    ((await findFileText(this.path)) ?? "").replace(/^\uFEFF/, ""),
  );

  /** Returns the lock, which is parsed on demand. Throws `FILE_FAILED`, and `LOCK_NOT_FOUND` without one. */
  async lock(): Promise<OpenLockfile> {
    return assertLockfile(await this.#openLock());
  }

  /** Returns the lock; undefined without one. Throws `FILE_FAILED` and the errors of `parseLockfile`. */
  async findLock(): Promise<Lockfile | undefined> {
    return (await this.#openLock())?.lock();
  }

  #openLock(): Promise<OpenLockfile | undefined> {
    this.#lock ??= openLockfile(this.paths.lock, this.#verifiedLocks());
    return this.#lock;
  }

  #verifiedLocks(): VerifiedLocks | undefined {
    const folder = this.cacheFolder(this.dir);
    if (folder === undefined) return undefined;
    const cacheOf = (digest: string): CacheFile<true> =>
      openCache(folder, { kind: "lock", name: this.paths.lock, key: [this.run.cache?.version, digest] });
    return {
      has: (digest) => cacheOf(digest).read() === true,
      add: (digest) => {
        cacheOf(digest).write(true);
      },
    };
  }

  /** Returns the lock; an empty one for a configuration without servers and without a lock. Throws as {@link lock}. */
  async lockOrEmpty(): Promise<Lockfile> {
    if (Object.keys(this.config.servers).length === 0) return (await this.findLock()) ?? EMPTY_LOCK;
    return (await this.lock()).lock();
  }

  /** Throws `FILE_FAILED`. */
  async writeLock(lock: Lockfile): Promise<void> {
    await writeLockfile(this.paths.lock, lock);
    this.#lock = undefined;
  }

  /** Returns the accepted findings; none without a file. Throws `WAIVERS_INVALID`, with the place, and `FILE_FAILED`. */
  async waivers(): Promise<readonly Waiver[]> {
    return (await this.#openWaivers()).waivers;
  }

  /** Writes waivers, and keeps the `$schema` of the file. Throws `FILE_FAILED`. */
  async writeWaivers(waivers: readonly Waiver[]): Promise<void> {
    const file = { ...(await this.#openWaivers()), waivers };
    await writeWaivers(this.paths.waivers, file);
    this.#waivers = Promise.resolve(file);
  }

  #openWaivers(): Promise<WaiversFile> {
    this.#waivers ??= readWaivers(this.paths.waivers);
    return this.#waivers;
  }

  /** Returns the output schemas of tools that declare none; throws as {@link findOutputs} does. */
  readonly outputs: () => Promise<OutputOf | undefined> = once(() => findOutputs(this));

  /** Returns the saved scripts. */
  readonly scripts: () => Promise<SavedScripts> = once(() => readScripts(this));

  /** Returns the settings of the output folder. */
  readonly settings: () => Promise<OutputSettings> = once(() => readSettings(this));

  /** Returns the formatter of generated code. Throws `CONFIG_INVALID` for a Prettier that belongs to another user. */
  readonly format: () => Promise<ProjectFormat> = once(async () =>
    findProjectFormat(this.output, (await this.settings()).prettier),
  );

  /** Returns the absolute path of the output folder. Throws `CONFIG_INVALID` if the configuration has `output: false`. */
  get output(): string {
    const { output } = this.paths;
    if (output !== undefined) return output;
    const message = "The configuration has output: false, which generates no code.";
    throw new McpCodegenError("CONFIG_INVALID", message, {
      hint: 'Set "output" to a folder, such as "generated".',
    });
  }

  /** Removes temporary files of killed runs. */
  async sweep(): Promise<void> {
    const { lock, waivers, observed, output } = this.paths;
    await sweepLeftovers([lock, waivers, observed], output);
  }

  /** Returns the cache of what is found in a folder; undefined without one. */
  cacheFolder(dir: string): string | undefined {
    const { cache } = this.run;
    return cache && (cache.folder ?? findCacheFolder(dir, "folders"));
  }
}

/**
 * Opens the project of the named configuration, or of the first one found in `cwd` and the folders above.
 *
 * @returns undefined when no file was named and none was found
 * @throws McpCodegenError as `loadConfig` does
 */
export async function openProject(
  place: Parameters<typeof loadConfig>[0],
  run: RunSettings = {},
): Promise<Project | undefined> {
  const loaded = await loadConfig(place);
  return loaded && new Project(loaded, run);
}

async function readScripts({ config: { scripts: globs = [] }, dir }: LoadedConfig): Promise<SavedScripts> {
  const lists = await Promise.all(globs.map((glob) => findFiles(dir, [glob])));
  const paths = [...new Set(lists.flat())].sort();
  const read = async (path: string): Promise<SavedScript> => ({
    path,
    text: (await findFileText(join(dir, path))) ?? "",
  });
  const unmatched = globs.filter((_, at) => lists[at]?.length === 0);
  return {
    scripts: await Promise.all(paths.map(read)),
    unmatched: unmatched.map((glob) => findingOfUnmatched("scripts", glob)),
  };
}

async function readSettings({ config, output }: Project): Promise<OutputSettings> {
  const [prettier, importExtension] = await Promise.all([
    findPrettierConfig(output),
    config.importExtension ?? detectImportExtension(output),
  ]);
  return { prettier, importExtension };
}
