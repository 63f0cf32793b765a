import { Buffer } from "node:buffer";
import { join, posix } from "node:path";
import { McpCodegenError } from "../../core/errors.js";
import { EMIT_REVISION, parseHeader } from "../../core/generated-file.js";
import type { Lockfile } from "../../core/lockfile.js";
import { emitFiles } from "../../emit/emit.js";
import type { OutputOf, PlannedFile } from "../../emit/plan-files.js";
import { loadFormat } from "../../emit/format-text.js";
import { nameServer } from "../../emit/name-tools.js";
import { openCache } from "../../files/cache.js";
import { findOtherLock } from "../../files/project-records.js";
import {
  findInTheWay,
  type FoundFile,
  IN_THE_WAY,
  readGeneratedFolder,
  UNFINISHED_MARKER,
} from "../../files/output-folder.js";
import { refuseEdited, writeFiles, type WriteFilesOptions } from "../../files/write-files.js";
import type { Project } from "../../project/project.js";
import type { StaleFile } from "../../core/findings.js";
import type { FolderOptions } from "../options.js";
import type { FolderComparison, JudgedComparison } from "./folder-comparison.js";
import type { GenerateReport } from "./generate-report.js";
import { type JudgedFolder, openRendered, rememberFolder } from "./folder-cache.js";

const NOTHING: FolderComparison = {
  files: [],
  current: [],
  stale: [],
  isCutOff: false,
  edited: [],
  judged: 0,
  diagnostics: [],
};

interface CompareOptions extends FolderOptions {
  /** Default: the lock of the project. A lock that is given is not remembered. */
  readonly lock?: Lockfile | undefined;
  /** Whether diagnostics of files that are up to date are reported again. */
  readonly diagnosesAll?: boolean | undefined;
  /** Whether files that were edited by hand need not be rendered: they are only reported. */
  readonly isOnlyJudged?: boolean | undefined;
  /** Whether tools that declare no output schema have none, although one was stated or learned. */
  readonly isUntyped?: boolean | undefined;
  /** Servers whose generated files stay unchanged; none by default. */
  readonly keeps?: readonly string[];
}

type GeneratedFiles = ReadonlyMap<string, FoundFile>;

/**
 * Renders the files that are not up to date; nothing without an output folder. The lock is parsed and verified unless the
 * cache knows it.
 */
export async function compareFolder(project: Project, options: CompareOptions): Promise<FolderComparison> {
  const { trusts = "headers", diagnosesAll = false, isUntyped = false, isOnlyJudged = false, lock } = options;
  const outputOf = isUntyped ? undefined : await project.outputs();
  if (project.paths.output === undefined) return NOTHING;
  const { config, output, run } = project;
  const { prettier, importExtension } = await project.settings();
  const source = lock === undefined ? await project.lock() : { lock: () => lock, digest: undefined };
  const isKnown = trusts === "headers" && !diagnosesAll && outputOf === undefined;
  const folder = isKnown && source.digest !== undefined ? project.cacheFolder(output) : undefined;
  const key = [run.cache?.version, EMIT_REVISION, source.digest?.(), config, prettier.bytes, importExtension];
  const cache =
    folder === undefined ? undefined : openCache<JudgedFolder>(folder, { kind: "folder", name: output, key });
  const compare = async (): Promise<JudgedComparison> =>
    compareFiles(project, source.lock(), outputOf, options);
  return rememberFolder(cache, output, compare, { isOnlyJudged });
}

async function compareFiles(
  project: Project,
  lock: Lockfile,
  outputOf: OutputOf | undefined,
  { trusts = "headers", onRender, diagnosesAll, keeps = [] }: CompareOptions,
): Promise<JudgedComparison> {
  const { config, output: dir } = project;
  const { prettier, importExtension } = await project.settings();
  const folder = await readGeneratedFolder(dir, trusts === "bytes");
  const ours: GeneratedFiles = new Map(
    folder.filter(({ header }) => header !== undefined).map((file) => [file.path, file]),
  );
  const rendered = trusts === "bytes" ? openRendered(project) : undefined;
  const isKept = keptIn(ours, keeps);
  const isCurrent = ({ path, input, task }: PlannedFile): boolean => {
    const file = ours.get(path);
    if (trusts !== "nothing" && isFresh(file, input) && rendered?.has(file, input) !== false) return true;
    // A server that was pulled with --server: only its module has the connection settings.
    const isUnconfigured = task.kind === "server" && !Object.hasOwn(config.servers, task.server);
    return isUnconfigured && file?.isEdited === false && file.header?.isConflicted !== true;
  };
  const emission = await emitFiles(lock, config, {
    prettierConfig: prettier.bytes,
    importExtension,
    outputOf,
    format: async () => loadFormat(join(dir, "index.ts"), await project.format()),
    isCurrent: (file) => isKept(file.path) || isCurrent(file),
    diagnosesAll,
    earlier: rendered?.diagnostics,
    onRender,
  });
  const files = emission.files.filter((file) => !hasCode(ours.get(file.path), file.text));
  const planned = new Set([
    ...emission.kept.filter((path) => !isKept(path)),
    ...emission.files.map(({ path }) => path),
    ...Array.from(ours.keys()).filter(isKept),
  ]);
  const orphaned = [...ours.values()].filter(({ path }) => !planned.has(path));
  const isReplacing = files.some(({ path }) => ours.has(path));
  if (orphaned.length > 0 || isReplacing) await refuseOfOther(project, lock, { orphaned, isReplacing });
  const edited = new Set([...ours.values()].filter(({ isEdited }) => isEdited).map(({ path }) => path));
  const blockerOf = findInTheWay(folder);
  const inTheWay = new Set(files.flatMap(({ path }) => blockerOf(path) ?? []));
  const lacking = files.filter(({ path }) => !edited.has(path) && blockerOf(path) === undefined);
  const differing = new Set(files.map(({ path }) => path));
  const isSame = ({ path }: { readonly path: string }): boolean => !differing.has(path);
  rendered?.write(ours, emission.files.filter(isSame), emission.byPath);
  const describe = (path: string): StaleFile => {
    const header = ours.get(path)?.header;
    const state = header === undefined ? "missing" : "stale";
    return { path, state, reason: header?.isConflicted === true ? "It has merge markers." : undefined };
  };
  const current = [...planned].filter((path) => !differing.has(path));
  const comparison: FolderComparison = {
    files,
    current,
    stale: [
      ...Array.from(inTheWay, (path): StaleFile => ({ path, state: "in-the-way", ...IN_THE_WAY })),
      ...lacking.map(({ path }) => describe(path)),
      ...orphaned.map(({ path }): StaleFile => ({ path, state: "orphaned" })),
    ],
    isCutOff: folder.some(({ path }) => path === UNFINISHED_MARKER),
    edited: [...edited],
    judged: planned.size + orphaned.length,
    diagnostics: emission.diagnostics,
    locked: Object.keys(lock.servers),
  };
  const inputs = current.flatMap((path) => {
    const header = ours.get(path)?.header;
    return header === undefined ? [] : [[path, header.in] as const];
  });
  return { comparison, inputs: Object.fromEntries(inputs) };
}

/**
 * Throws `CONFIG_INVALID` if files that would be removed are the code of another project, around the output folder, or
 * those that would be replaced there behind a link.
 */
async function refuseOfOther(
  { config, dir, output }: Project,
  lock: Lockfile,
  { orphaned, isReplacing }: { readonly orphaned: readonly FoundFile[]; readonly isReplacing: boolean },
): Promise<void> {
  const other = await findOtherLock(output, dir);
  const folders = new Set(orphaned.map(({ path }) => posix.dirname(path)));
  const server = other?.servers.find((name) =>
    Object.hasOwn(lock.servers, name) ? other.isLinked && isReplacing : folders.has(nameServer(name).folder),
  );
  if (other === undefined || server === undefined) return;
  const message = `The output folder "${String(config.output)}" has the code of server ${JSON.stringify(server)} of another project, whose lock is ${JSON.stringify(other.path)}.`;
  throw new McpCodegenError("CONFIG_INVALID", message, {
    hint: 'Set "output" to a folder of this project.',
  });
}

/** Returns whether a path is in the folder of one of these servers that has generated files. */
function keptIn(ours: GeneratedFiles, servers: readonly string[]): (path: string) => boolean {
  const folders = servers.map((server) => `${nameServer(server).folder}/`);
  const written = folders.filter((folder) => ours.has(`${folder}server.ts`));
  return (path) => written.some((folder) => path.startsWith(folder));
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
  const result = await writeFiles(dir, folder.files, { keep, force, keepEdited, beforeWriting });
  refuseEdited(result.edited, result);
  return { written: result.written, removed: result.removed, unchanged, diagnostics };
}
