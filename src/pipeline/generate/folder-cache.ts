/** The results of earlier runs for an output folder, so that a file that has not changed is neither judged nor rendered again. */
import type { Diagnostic } from "../../core/diagnostic.js";
import { EMIT_REVISION, type GeneratedFile } from "../../core/generated-file.js";
import { getOwn } from "../../core/json.js";
import type { DiagnosticsByPath } from "../../emit/emit.js";
import { type CacheFile, openCache } from "../../files/cache.js";
import {
  type FolderStats,
  type FoundFile,
  readGeneratedFile,
  statFolder,
} from "../../files/output-folder.js";
import type { Project } from "../../project/project.js";
import type { FolderComparison, JudgedComparison } from "./folder-comparison.js";

/** A folder in which every file was up to date. */
export interface JudgedFolder extends JudgedComparison {
  readonly entries: FolderStats["entries"];
}

/**
 * Returns a comparison that is known, or makes it. Of a folder that was up to date, only files that have changed since are
 * read.
 *
 * @param cache depends on the lock and all settings; without it, nothing is known
 */
export async function rememberFolder(
  cache: CacheFile<JudgedFolder> | undefined,
  output: string,
  compare: () => Promise<JudgedComparison>,
  { isOnlyJudged }: { readonly isOnlyJudged: boolean },
): Promise<FolderComparison> {
  // The entries are read before the files: a file that changes in between gets another entry.
  const stats = cache && statFolder(output);
  if (cache === undefined || stats === undefined) return (await compare()).comparison;
  const judgedFolder = cache.read();
  const changed = judgedFolder && changedSince(judgedFolder, stats, cache.writtenAt());
  const edited = judgedFolder && changed && findEdited(judgedFolder, output, changed);
  if (judgedFolder !== undefined && edited !== undefined) {
    const { comparison } = judgedFolder;
    if (edited.length === 0) {
      if (changed?.length !== 0) cache.write({ ...judgedFolder, entries: stats.entries });
      return comparison;
    }
    const current = comparison.current.filter((path) => !edited.includes(path));
    if (isOnlyJudged) return { ...comparison, current, edited };
  }
  const judged = await compare();
  if (isClean(judged.comparison)) cache.write({ ...judged, entries: stats.entries });
  return judged.comparison;
}

/** Only clean results are remembered; anything else is compared again. */
function isClean({ files, stale, edited, isCutOff }: FolderComparison): boolean {
  return files.length + stale.length + edited.length === 0 && !isCutOff;
}

/** The entries that may have changed; undefined if the folder has others than it had. */
function changedSince(
  { entries }: JudgedFolder,
  stats: FolderStats,
  writtenAt: bigint,
): readonly string[] | undefined {
  const paths = Object.keys(stats.entries);
  const isSame =
    paths.length === Object.keys(entries).length && paths.every((path) => Object.hasOwn(entries, path));
  if (!isSame) return undefined;
  const changed = paths.filter((path) => entries[path] !== stats.entries[path]);
  // A link may have taken the place of a file.
  if (changed.some((path) => modeOf(entries[path]) !== modeOf(stats.entries[path]))) return undefined;
  return [...new Set([...changed, ...stats.unsettled(writtenAt)])];
}

/** An entry begins with its type and rights. */
function modeOf(entry: string | undefined): string | undefined {
  return entry?.split(" ", 1)[0];
}

/** Returns which of the changed files were edited by hand; undefined if one has changed in another way. */
function findEdited(
  { inputs }: JudgedFolder,
  output: string,
  changed: readonly string[],
): readonly string[] | undefined {
  const edited: string[] = [];
  for (const path of changed) {
    const { header, isEdited } = readGeneratedFile(output, path);
    if (header === undefined || header.in !== getOwn(inputs, path)) return undefined;
    if (isEdited) edited.push(path);
  }
  return edited;
}

/** A file as it was rendered: the digest of its inputs, that of its bytes, and what rendering it diagnosed. */
type KeptFile = readonly [input: string, bytes: string, diagnostics?: readonly Diagnostic[]];

type RenderedByPath = Readonly<Record<string, KeptFile>>;

/**
 * Opens the record of the files that this version rendered into an output folder, with the digests of their bytes.
 * Without a cache, the record is empty.
 */
export function openRendered(project: Project) {
  const { output, run } = project;
  const folder = project.cacheFolder(output);
  const key = [run.cache?.version, EMIT_REVISION];
  const cache =
    folder === undefined
      ? undefined
      : openCache<RenderedByPath>(folder, { kind: "rendered", name: output, key });
  const files: RenderedByPath = cache?.read() ?? {};
  return {
    /** Whether a file has bytes that were found to be what these inputs give. */
    has: (file: FoundFile | undefined, input: string): boolean => {
      if (file?.bytes === undefined) return false;
      const [before, bytes] = getOwn(files, file.path) ?? [];
      return before === input && bytes === file.bytes;
    },
    diagnostics: new Map(Object.entries(files).map(([path, [, , diagnostics = []]]) => [path, diagnostics])),
    /** Adds files that were rendered now. */
    write: (
      ours: ReadonlyMap<string, FoundFile>,
      newFiles: readonly GeneratedFile[],
      diagnosed: DiagnosticsByPath,
    ): void => {
      if (cache === undefined || newFiles.length === 0) return;
      const added = newFiles.flatMap(({ path }): readonly (readonly [string, KeptFile])[] => {
        const { header, bytes } = ours.get(path) ?? {};
        const diagnostics = diagnosed.get(path) ?? [];
        if (header === undefined || bytes === undefined) return [];
        return [[path, diagnostics.length === 0 ? [header.in, bytes] : [header.in, bytes, diagnostics]]];
      });
      const left = Object.entries(files).filter(([path]) => ours.has(path));
      cache.write({ ...Object.fromEntries(left), ...Object.fromEntries(added) });
    },
  };
}
