import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { CompleteConfig } from "../../config/config.js";
import { NAME_TAKEN } from "../../core/change.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { type GeneratedFile, parseHeader } from "../../core/generated-file.js";
import type { LockOutline } from "../../core/lock-outline.js";
import type { Lockfile } from "../../core/lockfile.js";
import type { Waiver } from "../../core/findings.js";
import { isPoisonRule } from "../../drift/rules/named-rules.js";
import { emitFiles, type Emission, type RenderedTool } from "../../emit/emit.js";
import { planFiles, type OutputOf, type PlanContext, type PlannedFile } from "../../emit/plan-files.js";
import type { PlannedTask } from "../../emit/render-task.js";
import { chooseFormatter } from "../../emit/format-text.js";
import {
  detectImportExtension,
  findPrettierConfig,
  findProjectFormat,
} from "../../files/project-settings.js";
import {
  findInTheWay,
  type FoundFile,
  IN_THE_WAY,
  readGeneratedFolder,
  UNFINISHED_MARKER,
} from "../../files/output-folder.js";
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
  /** As in `planFiles`. */
  readonly outputOf?: OutputOf | undefined;
  /** As in `emitFiles`. */
  readonly whileRendering?: ((tools: readonly RenderedTool[]) => Promise<void>) | undefined;
}

/** A lock, with an outline that may be cheaper to read. */
interface LockSource {
  readonly outline?: () => LockOutline | undefined;
  readonly lock: () => Lockfile;
}

/**
 * Renders the files that are not up to date; nothing without an output folder. A file with the expected header counts
 * as up to date; with `full`, it is rendered and compared. The lock is parsed only if a file is not up to date.
 */
export async function compareFolder(
  source: LockSource,
  config: CompleteConfig,
  dir: string | undefined,
  {
    full = false,
    workers = 0,
    onRender,
    whileRendering,
    diagnosesAll = false,
    waivers = [],
    outputOf,
  }: CompareOptions,
): Promise<FolderComparison> {
  if (dir === undefined) return NOTHING;
  const [found, prettier, importExtension] = await Promise.all([
    readGeneratedFolder(dir),
    findPrettierConfig(dir),
    config.importExtension ?? detectImportExtension(dir),
  ]);
  const ours = new Map(found.filter((file) => file.header !== undefined).map((file) => [file.path, file]));
  const context: PlanContext = {
    prettierConfig: prettier.bytes,
    importExtension,
    acceptedOf: acceptedOf(waivers),
    outputOf,
  };
  const isCurrent = ({ path, input, task }: PlannedFile): boolean =>
    (!full && isFresh(ours.get(path), input)) ||
    (isOfNoConfiguration(task, config) && isWhole(ours.get(path)));
  // The outline is of use only if every file is up to date.
  const outline = full || diagnosesAll || ours.size === 0 ? undefined : source.outline?.();
  const emission =
    keepAll(outline, config, context, isCurrent) ??
    (await emitFiles(source.lock(), config, {
      ...context,
      format: async () => chooseFormatter(join(dir, "index.ts"), await findProjectFormat(dir, prettier)),
      isCurrent,
      workers,
      diagnosesAll,
      onRender,
      whileRendering,
    }));
  const files = emission.files.filter((file) => !hasCode(ours.get(file.path), file.text));
  const planned = new Set([...emission.kept, ...emission.files.map(({ path }) => path)]);
  const orphaned = [...ours.values()].filter(({ path }) => !planned.has(path));
  const edited = new Set([...ours.values()].filter(({ isEdited }) => isEdited).map(({ path }) => path));
  const blockerOf = findInTheWay(found);
  const inTheWay = new Set(files.flatMap(({ path }) => blockerOf(path) ?? []));
  const lacking = files.filter(({ path }) => !edited.has(path) && blockerOf(path) === undefined);
  const differing = new Set(files.map(({ path }) => path));
  return {
    files,
    renderedTools: emission.tools,
    current: [...planned].filter((path) => !differing.has(path)),
    stale: [
      ...[...inTheWay].map((path): StaleFile => ({ path, state: "in-the-way", ...IN_THE_WAY })),
      ...lacking.map(({ path }): StaleFile => {
        const header = ours.get(path)?.header;
        const state = header === undefined ? "missing" : "stale";
        return { path, state, reason: header?.isConflicted === true ? CONFLICTED : undefined };
      }),
      ...orphaned.map(({ path }): StaleFile => ({ path, state: "orphaned" })),
    ],
    isCutOff: found.some(({ path }) => path === UNFINISHED_MARKER),
    edited: [...edited],
    diagnostics: emission.diagnostics,
  };
}

/** An emission without rendered files; undefined unless every file is up to date. */
function keepAll(
  outline: LockOutline | undefined,
  config: CompleteConfig,
  context: PlanContext,
  isCurrent: (file: PlannedFile) => boolean,
): Emission | undefined {
  if (outline === undefined) return undefined;
  const { files, diagnostics } = planFiles(outline, config, context);
  return files.every(isCurrent)
    ? { files: [], tools: [], kept: files.map(({ path }) => path), diagnostics }
    : undefined;
}

/** A server that was pulled with `--server`: only its module has the connection settings. */
function isOfNoConfiguration(task: PlannedTask, config: CompleteConfig): boolean {
  return task.kind === "server" && !Object.hasOwn(config.servers, task.server);
}

const CONFLICTED = "It has merge markers.";

/** Whether a file was generated and not changed since. */
function isWhole(file: FoundFile | undefined): boolean {
  return file?.isEdited === false && file.header?.isConflicted !== true;
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
 * file, so the file becomes stale when an acceptance ends.
 */
function acceptedOf(waivers: readonly Waiver[]): (server: string, tool: string) => string | undefined {
  const accepted = waivers.filter(({ rule }) => isPoisonRule(rule) || rule === NAME_TAKEN);
  return (server, tool) => {
    const own = accepted.filter((waiver) => waiver.server === server && waiver.tool === tool);
    if (own.length === 0) return undefined;
    return JSON.stringify(own.map(({ rule, path, digests }) => [rule, path, digests.after]).sort());
  };
}

interface FolderWrite {
  readonly files: GenerateReport;
  /** Throws `FILE_EDITED` for files that were edited by hand and kept; undefined if there are no such files. */
  readonly refuse: (() => void) | undefined;
}

/** Writes the files that differ, and calls `beforeWriting` also if there are none. */
export async function writeFolder(
  folder: FolderComparison,
  dir: string | undefined,
  { force, keepEdited, beforeWriting }: WriteFilesOptions,
): Promise<FolderWrite> {
  const { current: keep, diagnostics } = folder;
  const unchanged = keep.length;
  const isCurrent = folder.files.length === 0 && folder.stale.length === 0 && !folder.isCutOff;
  if (dir === undefined) await beforeWriting?.();
  if (dir === undefined || (isCurrent && beforeWriting === undefined))
    return { files: { written: [], removed: [], unchanged, diagnostics }, refuse: undefined };
  const { refuseEdited, writeFiles } = await import("../../files/write-files.js");
  const result = await writeFiles(dir, folder.files, { keep, force, keepEdited, beforeWriting });
  const { written, removed, edited } = result;
  return {
    files: { written, removed, unchanged, diagnostics },
    refuse:
      edited.length === 0
        ? undefined
        : () => {
            refuseEdited(edited, result);
          },
  };
}
