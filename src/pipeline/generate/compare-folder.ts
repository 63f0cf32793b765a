import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { CompleteConfig, ImportExtension } from "../../config/config.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { type GeneratedFile, parseHeader } from "../../core/generated-file.js";
import type { Lockfile } from "../../core/lockfile.js";
import { emitFiles } from "../../emit/emit.js";
import { EMIT_REVISION, type OutputOf, type PlannedFile } from "../../emit/plan-files.js";
import { chooseFormatter } from "../../emit/format-text.js";
import { nameServer } from "../../emit/name-tools.js";
import {
  findInTheWay,
  type FolderCache,
  type FoundFile,
  IN_THE_WAY,
  openFolderCache,
  readGeneratedFolder,
  UNFINISHED_MARKER,
} from "../../files/output-folder.js";
import { findCacheFolder } from "../../files/owners.js";
import {
  detectImportExtension,
  findPrettierConfig,
  findProjectFormat,
} from "../../files/project-settings.js";
import type { WriteFilesOptions } from "../../files/write-files.js";
import type { StaleFile } from "../../core/findings.js";
import type { FolderOptions } from "../options.js";
import type { GenerateReport } from "./generate-report.js";

/** The differences between the output folder and the files of the lock and the configuration. */
export interface FolderComparison {
  /** The rendered files that are missing or different. */
  readonly files: readonly GeneratedFile[];
  /** Paths that are up to date. */
  readonly current: readonly string[];
  readonly stale: readonly StaleFile[];
  /** Whether the last write of the folder was interrupted, or is still running. */
  readonly isCutOff: boolean;
  /** Generated files that were edited, including orphaned ones. */
  readonly edited: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** Facts about the lock if the cache has them: then it was not parsed. */
  readonly lock?: LockFacts | undefined;
}

/** The facts about a lock that `check` needs if its files are up to date. */
export interface LockFacts {
  readonly servers: readonly string[];
}

export function lockFactsOf({ servers }: Lockfile<unknown>): LockFacts {
  return { servers: Object.keys(servers) };
}

const NOTHING: FolderComparison = {
  files: [],
  current: [],
  stale: [],
  isCutOff: false,
  edited: [],
  diagnostics: [],
};

interface CompareOptions extends FolderOptions {
  /** Whether diagnostics of files that are up to date are reported again. */
  readonly diagnosesAll?: boolean | undefined;
  /** As in `planFiles`. */
  readonly outputOf?: OutputOf | undefined;
  /** Servers whose generated files stay unchanged; none by default. */
  readonly keeps?: readonly string[];
}

/** The settings that apply to an output folder. */
interface FolderSettings {
  readonly prettier: Awaited<ReturnType<typeof findPrettierConfig>>;
  readonly importExtension: ImportExtension;
}

async function readSettings(dir: string, config: CompleteConfig): Promise<FolderSettings> {
  const [prettier, importExtension] = await Promise.all([
    findPrettierConfig(dir),
    config.importExtension ?? detectImportExtension(dir),
  ]);
  return { prettier, importExtension };
}

/** Generated files by path. */
type GeneratedFiles = ReadonlyMap<string, FoundFile>;

interface LockSource {
  readonly lock: () => Lockfile;
  /** Identifies the lock. Without it, nothing is cached. */
  readonly digest?: () => string;
}

/**
 * Renders the files that are not up to date; nothing without an output folder. A file with the expected header counts
 * as up to date; with `full`, it is rendered and compared. The lock is parsed and verified unless the cache knows it.
 */
export async function compareFolder(
  source: LockSource,
  config: CompleteConfig,
  dir: string | undefined,
  options: CompareOptions,
): Promise<FolderComparison> {
  if (dir === undefined) return NOTHING;
  const { full = false, workers = 0, onRender, diagnosesAll, keeps = [] } = options;
  const settings = await readSettings(dir, config);
  const cache = openCache(source, config, dir, settings, options);
  const remembered = cache?.found;
  if (remembered !== undefined) return { ...NOTHING, ...remembered };
  const folder = await readGeneratedFolder(dir);
  const ours: GeneratedFiles = new Map(
    folder.filter(({ header }) => header !== undefined).map((file) => [file.path, file]),
  );
  const lock = source.lock();
  const isKept = keptIn(ours, keeps);
  const isFileCurrent = isCurrentIn(ours, config, full);
  const emission = await emitFiles(lock, config, {
    prettierConfig: settings.prettier.bytes,
    importExtension: settings.importExtension,
    outputOf: options.outputOf,
    format: async () =>
      chooseFormatter(join(dir, "index.ts"), await findProjectFormat(dir, settings.prettier)),
    isCurrent: (file) => isKept(file.path) || isFileCurrent(file),
    workers,
    diagnosesAll,
    onRender,
  });
  const files = emission.files.filter((file) => !hasCode(ours.get(file.path), file.text));
  const planned = new Set([
    ...emission.kept.filter((path) => !isKept(path)),
    ...emission.files.map(({ path }) => path),
    ...[...ours.keys()].filter(isKept),
  ]);
  const orphaned = [...ours.values()].filter(({ path }) => !planned.has(path));
  const edited = new Set([...ours.values()].filter(({ isEdited }) => isEdited).map(({ path }) => path));
  const blockerOf = findInTheWay(folder);
  const inTheWay = new Set(files.flatMap(({ path }) => blockerOf(path) ?? []));
  const lacking = files.filter(({ path }) => !edited.has(path) && blockerOf(path) === undefined);
  const differing = new Set(files.map(({ path }) => path));
  const describe = (path: string): StaleFile => {
    const header = ours.get(path)?.header;
    const state = header === undefined ? "missing" : "stale";
    return { path, state, reason: header?.isConflicted === true ? "It has merge markers." : undefined };
  };
  const compared: FolderComparison = {
    files,
    current: [...planned].filter((path) => !differing.has(path)),
    stale: [
      ...[...inTheWay].map((path): StaleFile => ({ path, state: "in-the-way", ...IN_THE_WAY })),
      ...lacking.map(({ path }) => describe(path)),
      ...orphaned.map(({ path }): StaleFile => ({ path, state: "orphaned" })),
    ],
    isCutOff: folder.some(({ path }) => path === UNFINISHED_MARKER),
    edited: [...edited],
    diagnostics: emission.diagnostics,
  };
  const isClean = files.length + compared.stale.length + edited.size === 0 && !compared.isCutOff;
  const { current, diagnostics } = compared;
  if (isClean) await cache?.store({ current, diagnostics, lock: lockFactsOf(lock) });
  return compared;
}

/** Returns whether a path is in the folder of one of these servers that has generated files. */
function keptIn(ours: GeneratedFiles, servers: readonly string[]): (path: string) => boolean {
  const folders = servers.map((server) => `${nameServer(server).folder}/`);
  const written = folders.filter((folder) => ours.has(`${folder}server.ts`));
  return (path) => written.some((folder) => path.startsWith(folder));
}

/** Returns the folder of the cache; undefined without one. */
export function cacheFolderOf({ cache }: FolderOptions, output: string): string | undefined {
  return cache && (cache.folder ?? findCacheFolder(output, "folders"));
}

interface RememberedFolder {
  readonly current: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly lock: LockFacts;
}

/** Opens the cache of a folder; undefined where something is compared that the cache does not cover. */
function openCache(
  { digest }: LockSource,
  config: CompleteConfig,
  dir: string,
  { prettier, importExtension }: FolderSettings,
  options: CompareOptions,
): FolderCache<RememberedFolder> | undefined {
  const { full = false, diagnosesAll = false, outputOf } = options;
  const folder = cacheFolderOf(options, dir);
  if (folder === undefined || digest === undefined || full || diagnosesAll) return undefined;
  if (outputOf !== undefined) return undefined;
  const version = [options.cache?.version, EMIT_REVISION];
  const key = [...version, digest(), config, prettier.bytes, importExtension];
  return openFolderCache<RememberedFolder>(folder, dir, JSON.stringify(key));
}

function isCurrentIn(
  ours: GeneratedFiles,
  config: CompleteConfig,
  full: boolean,
): (file: PlannedFile) => boolean {
  return ({ path, input, task }) => {
    const file = ours.get(path);
    if (!full && isFresh(file, input)) return true;
    // A server that was pulled with --server: only its module has the connection settings.
    const isUnconfigured = task.kind === "server" && !Object.hasOwn(config.servers, task.server);
    return isUnconfigured && file?.isEdited === false && file.header?.isConflicted !== true;
  };
}

/** Whether a file was made from these inputs. The formatter's style may have changed since. */
function isFresh(file: FoundFile | undefined, input: string): boolean {
  return file?.isEdited === false && file.header?.in === input;
}

/**
 * Whether a file has the same code as this text. Formatting does not count: another formatter or version may have
 * formatted the file.
 */
function hasCode(file: FoundFile | undefined, text: string): boolean {
  if (file === undefined) return false;
  const header = parseHeader(Buffer.from(text));
  if (header === undefined || !isFresh(file, header.in)) return false;
  return file.header?.out === header.out || file.header?.code === header.code;
}

/**
 * Writes the files that differ. Calls `beforeWriting` also where no file differs.
 *
 * @throws McpCodegenError `FILE_EDITED` for files that were edited by hand and kept, after the others are written
 */
export async function writeFolder(
  folder: FolderComparison,
  dir: string | undefined,
  { force, keepEdited, beforeWriting }: WriteFilesOptions,
): Promise<GenerateReport> {
  const { current: keep, diagnostics } = folder;
  const unchanged = keep.length;
  const isCurrent = folder.files.length === 0 && folder.stale.length === 0 && !folder.isCutOff;
  if (dir === undefined) await beforeWriting?.();
  if (dir === undefined || (isCurrent && beforeWriting === undefined))
    return { written: [], removed: [], unchanged, diagnostics };
  const { refuseEdited, writeFiles } = await import("../../files/write-files.js");
  const result = await writeFiles(dir, folder.files, { keep, force, keepEdited, beforeWriting });
  refuseEdited(result.edited, result);
  return { written: result.written, removed: result.removed, unchanged, diagnostics };
}
