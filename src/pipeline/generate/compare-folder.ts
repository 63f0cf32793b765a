import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { CompleteConfig, ImportExtension } from "../../config/config.js";
import { type Change, keyOfTool, NAME_TAKEN } from "../../core/change.js";
import { groupBy } from "../../core/collections.js";
import { ENTRY_LIST_NAMES } from "../../core/entries.js";
import { McpCodegenError } from "../../core/errors.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { type GeneratedFile, parseHeader } from "../../core/generated-file.js";
import { outlineOf } from "../../core/lock-outline.js";
import type { Lockfile } from "../../core/lockfile.js";
import type { Waiver } from "../../core/findings.js";
import { isPoisonRule } from "../../drift/rules/named-rules.js";
import { emitFiles, type RenderedTool } from "../../emit/emit.js";
import {
  EMIT_REVISION,
  planFiles,
  type OutputOf,
  type PlanContext,
  type PlannedFile,
} from "../../emit/plan-files.js";
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
import type { FolderOptions, GenerateReport, StaleFile } from "../reports.js";

/** The differences between the output folder and the files of the lock and the configuration. */
export interface FolderComparison {
  /** The rendered files that are missing or different. */
  readonly files: readonly GeneratedFile[];
  /** The tools whose modules were rendered, whether they differed or not. */
  readonly renderedTools: readonly RenderedTool[];
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

/** The facts about a lock that `check` needs if its files are up to date and nothing was accepted. */
export interface LockFacts {
  readonly servers: readonly string[];
  /** Whether it has only tools with one definition each, and no instructions: no other text could mislead. */
  readonly hasOnlyTools: boolean;
}

export function lockFactsOf({ servers }: Lockfile<unknown>): LockFacts {
  return {
    servers: Object.keys(servers),
    hasOnlyTools: Object.values(servers).every(
      ({ identity, tools, ...lists }) =>
        identity.instructions === undefined &&
        ENTRY_LIST_NAMES.every((list) => lists[list] === undefined) &&
        Object.values(tools).every(({ repeated }) => repeated === undefined),
    ),
  };
}

const NOTHING: FolderComparison = {
  files: [],
  renderedTools: [],
  current: [],
  stale: [],
  isCutOff: false,
  edited: [],
  diagnostics: [],
};

interface CompareOptions extends FolderOptions {
  /** Whether diagnostics of files that are up to date are reported again. */
  readonly diagnosesAll?: boolean | undefined;
  /** Accepted findings of the lock; none by default. */
  readonly waivers?: readonly Waiver[];
  /** Findings of the lock that were not accepted: files of these tools count as stale in every later comparison. */
  readonly unaccepted?: readonly Change[] | undefined;
  /** As in `planFiles`. */
  readonly outputOf?: OutputOf | undefined;
  /** As in `emitFiles`. */
  readonly whileRendering?: ((tools: readonly RenderedTool[]) => Promise<void>) | undefined;
  /** The contents of the folder, if they have been read. */
  readonly opened?: OpenFolder | undefined;
  /** Servers whose generated files stay unchanged; none by default. */
  readonly keeps?: readonly string[];
}

/** An output folder with the settings that apply to it. */
interface OpenFolder {
  readonly prettier: Awaited<ReturnType<typeof findPrettierConfig>>;
  readonly importExtension: ImportExtension;
  /** Reads the files, once. */
  readonly read: () => Promise<FolderFiles>;
}

interface FolderFiles {
  readonly found: readonly FoundFile[];
  /** The generated files by path. */
  readonly ours: ReadonlyMap<string, FoundFile>;
}

export async function openFolder(dir: string, config: CompleteConfig): Promise<OpenFolder> {
  const [prettier, importExtension] = await Promise.all([
    findPrettierConfig(dir),
    config.importExtension ?? detectImportExtension(dir),
  ]);
  let files: Promise<FolderFiles> | undefined;
  const readFiles = async (): Promise<FolderFiles> => {
    const found = await readGeneratedFolder(dir);
    const generated = found.filter(({ header }) => header !== undefined);
    return { found, ours: new Map(generated.map((file) => [file.path, file])) };
  };
  return { prettier, importExtension, read: () => (files ??= readFiles()) };
}

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
  const { full = false, workers = 0, onRender, whileRendering, diagnosesAll, keeps = [] } = options;
  const opened = options.opened ?? (await openFolder(dir, config));
  const cache = openCache(source, config, dir, opened, options);
  const remembered = cache?.found;
  if (remembered !== undefined) return { ...NOTHING, ...remembered };
  const { found, ours } = await opened.read();
  const context = planContextOf(opened, options);
  const lock = source.lock();
  const isKept = keptIn(ours, keeps);
  const isFileCurrent = isCurrentIn(ours, config, full);
  const emission = await emitFiles(lock, config, {
    ...context,
    format: async () => chooseFormatter(join(dir, "index.ts"), await findProjectFormat(dir, opened.prettier)),
    isCurrent: (file) => isKept(file.path) || isFileCurrent(file),
    workers,
    diagnosesAll,
    onRender,
    whileRendering,
  });
  const files = emission.files.filter((file) => !hasCode(ours.get(file.path), file.text));
  const planned = new Set([
    ...emission.kept.filter((path) => !isKept(path)),
    ...emission.files.map(({ path }) => path),
    ...[...ours.keys()].filter(isKept),
  ]);
  const orphaned = [...ours.values()].filter(({ path }) => !planned.has(path));
  const edited = new Set([...ours.values()].filter(({ isEdited }) => isEdited).map(({ path }) => path));
  const blockerOf = findInTheWay(found);
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
    renderedTools: emission.tools,
    current: [...planned].filter((path) => !differing.has(path)),
    stale: [
      ...[...inTheWay].map((path): StaleFile => ({ path, state: "in-the-way", ...IN_THE_WAY })),
      ...lacking.map(({ path }) => describe(path)),
      ...orphaned.map(({ path }): StaleFile => ({ path, state: "orphaned" })),
    ],
    isCutOff: found.some(({ path }) => path === UNFINISHED_MARKER),
    edited: [...edited],
    diagnostics: emission.diagnostics,
  };
  const isClean = files.length + compared.stale.length + edited.size === 0 && !compared.isCutOff;
  const { current, diagnostics } = compared;
  if (isClean) await cache?.store({ current, diagnostics, lock: lockFactsOf(lock) });
  return compared;
}

/** Returns whether a path is in the folder of one of these servers that has generated files. */
function keptIn(ours: FolderFiles["ours"], servers: readonly string[]): (path: string) => boolean {
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
  { prettier, importExtension }: OpenFolder,
  options: CompareOptions,
): FolderCache<RememberedFolder> | undefined {
  const { full = false, diagnosesAll = false, unaccepted = [], waivers, outputOf } = options;
  const folder = cacheFolderOf(options, dir);
  if (folder === undefined || digest === undefined || full || diagnosesAll) return undefined;
  if (unaccepted.length > 0 || outputOf !== undefined) return undefined;
  const version = [options.cache?.version, EMIT_REVISION];
  const key = [...version, digest(), config, waivers, prettier.bytes, importExtension];
  return openFolderCache<RememberedFolder>(folder, dir, JSON.stringify(key));
}

function planContextOf(
  { prettier, importExtension }: OpenFolder,
  { waivers = [], unaccepted = [], outputOf }: CompareOptions,
): PlanContext {
  const acceptedOf = acceptancesOf(waivers, unaccepted);
  return { prettierConfig: prettier.bytes, importExtension, acceptedOf, outputOf };
}

function isCurrentIn(
  ours: FolderFiles["ours"],
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

/** Whether all files of a lock are up to date. */
export async function isUpToDate(
  lock: Lockfile,
  config: CompleteConfig,
  opened: OpenFolder,
  options: CompareOptions,
): Promise<boolean> {
  const { ours } = await opened.read();
  try {
    const { files } = planFiles(outlineOf(lock), config, planContextOf(opened, options));
    return files.every(isCurrentIn(ours, config, false));
  } catch (error) {
    if (error instanceof McpCodegenError) return false;
    throw error;
  }
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
 * Returns, per tool, a text that identifies its accepted findings; undefined without any. It is an input of the tool's
 * file, so the file becomes stale when an acceptance ends. Findings that were not accepted have a text of their own, so
 * that no file vouches for them.
 */
function acceptancesOf(
  waivers: readonly Waiver[],
  unaccepted: readonly Change[],
): (server: string, tool: string) => string | undefined {
  const accepted = groupBy(
    waivers.filter(({ rule }) => isPoisonRule(rule) || rule === NAME_TAKEN),
    keyOfTool,
  );
  const refused = new Set(unaccepted.map(keyOfTool));
  return (server, tool) => {
    const key = keyOfTool({ server, tool });
    if (refused.has(key)) return "unaccepted";
    const own = accepted.get(key)?.map(({ rule, path, digests }) => [rule, path, digests.after]);
    return own && JSON.stringify(own.sort());
  };
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
