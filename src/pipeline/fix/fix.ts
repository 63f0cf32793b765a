import { join, relative, resolve, sep } from "node:path";
import { groupBy, quoteFirst } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { byCodeUnit } from "../../core/json.js";
import { LOCKFILE_NAME } from "../../core/lockfile.js";
import { nameOfRename, type Rename, toolRenamesNamed } from "../../core/rename.js";
import { findWithin, readBounded } from "../../files/read-files.js";
import { writeAtomic } from "../../files/write-atomic.js";
import type { FileEdit } from "../../impact/renames/find-edits.js";
import type { Leftover } from "../../impact/renames/find-leftovers.js";
import { applyEdits } from "../../impact/renames/text-edits.js";
import { runGit } from "../../sources/git/git.js";
import { findChangesSince } from "../diff/diff.js";
import type { Project } from "../../project/project.js";
import { listRenames } from "./list-renames.js";
import { findOtherNames } from "./other-names.js";

interface FixedFile {
  /** Posix, relative to the configuration. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export interface FixReport {
  /** The git ref of the lock that the code was written for. */
  readonly against: string;
  /** The lock at that ref: `none` if it has no lock, `same` if the lock has not changed since. */
  readonly formerLock: "none" | "same" | "other";
  /** The renames that the edits apply. */
  readonly applied: readonly Rename[];
  /** Renames that are not applied: likely ones, and those that the server declares between tools with opposite effects. */
  readonly guessed: readonly Rename[];
  readonly files: readonly FixedFile[];
  /** The places that a person has to look at. */
  readonly left: readonly Leftover[];
  readonly wrote: boolean;
}

interface FixOptions {
  /** The TypeScript project of the user's code; undefined without one. */
  readonly tsconfig: string | undefined;
  /** Whether ts-morph is installed. */
  readonly hasCompiler: boolean;
  /** The git ref of the lock that the code was written for. */
  readonly against: string;
  /** Renames that a person names, as `nameOfRename` writes them. */
  readonly named: readonly string[];
  /** Asks a person about a guess; without it, no guess is applied. */
  readonly confirm?: ((rename: Rename) => Promise<boolean>) | undefined;
  readonly write: boolean;
  /** Also edit files with changes that are not committed. */
  readonly force: boolean;
}

/**
 * Edits the user's code for the renames between the lock at a git ref and the lock: those that the server declares, and those
 * that a person names or confirms. Other places that have the old names are listed.
 *
 * @throws McpCodegenError `USAGE` for a named rename that the locks do not show and for files with changes that are not
 *   committed, `REF_UNKNOWN`, `GIT_FAILED`, `LOCK_NOT_FOUND`
 */
export async function fix(project: Project, options: FixOptions): Promise<FixReport> {
  const { dir } = project;
  const { output } = project.paths;
  const { against, named, write } = options;
  const lock = (await project.lock()).lock();
  const { changes, revise } = await findChangesSince(project, lock, {
    against,
    renames: toolRenamesNamed(named),
    counterexamples: false,
  });
  const [before] = revise().map((revision) => revision.before);
  const none = { against, applied: [], guessed: [], files: [], left: [], wrote: false };
  if (before === undefined || Object.keys(before.servers).length === 0)
    return { ...none, formerLock: "none" };
  const locks = { before, after: lock };
  const { certain, guessed } = listRenames(changes, named, locks, against);
  if (changes.length === 0) return { ...none, formerLock: "same" };
  const paths = await listPaths(project);
  const { openUserCode } = options.hasCompiler ? await import("./user-code.js") : {};
  const code = (await openUserCode?.(project, locks, [...certain, ...guessed], { ...options, paths })) ?? [];
  const editsOf = (renames: readonly Rename[]): readonly FileEdit[] =>
    code.flatMap((rename) => rename.editsOf(renames));
  const isSkipped = output !== undefined && options.tsconfig === undefined;
  // A guess without a place to edit was applied before, or no code has the name.
  const isOpen = (rename: Rename): boolean => isSkipped || editsOf([rename]).length > 0;
  const done = guessed.filter((rename) => !isOpen(rename));
  const open = uniqueRenames(guessed.filter(isOpen));
  const confirmed = new Set<string>();
  for (const rename of open)
    if ((await options.confirm?.(rename)) === true) confirmed.add(nameOfRename(rename));
  const isApplied = (rename: Rename): boolean => confirmed.has(nameOfRename(rename));
  const applied = [...certain, ...guessed.filter(isApplied)];
  const { files, left } = await applyToFiles(dir, editsOf(applied));
  if (write && files.length > 0) {
    if (!options.force) await assertClean(dir, files);
    for (const file of files) await writeAtomic(join(dir, file.path), file.after);
  }
  // Errors can be explained only once renames are applied.
  if (applied.length > 0 || open.length === 0) {
    const renames = [...applied, ...done];
    const others = await findOtherNames(renames, {
      dir,
      paths,
      placed: code.flatMap((rename) => rename.renames),
      users: new Set(code.flatMap(({ users }) => users)),
      edited: new Map(files.map((file) => [file.path, file.after])),
    });
    left.push(...code.flatMap((rename) => rename.findLeft(renames)), ...others);
  }
  return {
    against,
    formerLock: "other",
    files,
    left: uniquePlaces(left),
    wrote: write && files.length > 0,
    applied: uniqueRenames(applied),
    guessed: open.filter((rename) => !isApplied(rename)),
  };
}

/** Arguments and results may have the same rename. */
function uniqueRenames(renames: readonly Rename[]): readonly Rename[] {
  return [...new Map(renames.map((rename) => [nameOfRename(rename), rename])).values()];
}

/** The first finding of each line, in order of files and lines. */
function uniquePlaces(left: readonly Leftover[]): readonly Leftover[] {
  const places = new Map<string, Leftover>();
  for (const place of left) {
    const key = JSON.stringify([place.file, place.line]);
    places.set(key, places.get(key) ?? place);
  }
  return [...places.values()].sort((a, b) => byCodeUnit(a.file, b.file) || a.line - b.line);
}

/** The files that git does not ignore, without generated ones and tool lists of servers: relative to the configuration, posix. */
async function listPaths({ config, dir, paths }: Project): Promise<readonly string[]> {
  const { output } = paths;
  const listed = await runGit(dir, [
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
    "--",
    ".",
  ]);
  const nameOf = (path: string): string => relative(dir, resolve(dir, path)).split(sep).join("/");
  const folder = output === undefined ? undefined : `${nameOf(output)}/`;
  const ours = new Set([
    LOCKFILE_NAME,
    ...Object.values(config.servers).flatMap(({ file }) => (file === undefined ? [] : [nameOf(file)])),
  ]);
  return (listed.ok ? listed.text.split("\0") : [])
    .filter((path) => path !== "" && !ours.has(path) && !/(?:^|\/)node_modules\//.test(path))
    .filter((path) => folder === undefined || !path.startsWith(folder));
}

/**
 * Returns the edited files, each by the path that its links lead to. A file outside the repository is left for
 * the user, since git could not undo its edit, and so is one with bytes that are not UTF-8.
 */
async function applyToFiles(
  dir: string,
  edits: readonly FileEdit[],
): Promise<{ readonly files: readonly FixedFile[]; readonly left: Leftover[] }> {
  const top = await runGit(dir, ["rev-parse", "--show-toplevel"]).catch(() => undefined);
  const root = top?.ok === true ? top.text.trim() : dir;
  const files = new Map<string, FixedFile>();
  const left: Leftover[] = [];
  for (const [file, ofFile] of [...groupBy(edits, ({ path }) => path)].sort(([a], [b]) => byCodeUnit(a, b))) {
    const bytes = await readBounded(join(dir, file));
    const before = bytes.toString("utf8");
    // The compiler does not count a byte order mark.
    const mark = before.startsWith("\uFEFF") ? 1 : 0;
    const edited = ofFile.map((edit) => ({ ...edit, start: edit.start + mark }));
    const path = await findWithin(root, dir, file);
    const isText = bytes.equals(Buffer.from(before));
    if (path !== undefined && isText) files.set(path, { path, before, after: applyEdits(before, edited) });
    else {
      const line = before.slice(0, Math.min(...ofFile.map(({ start }) => start))).split("\n").length;
      const why = isText
        ? "the file is outside the project, where a link may lead"
        : "the file is not in UTF-8";
      left.push({ file, line, message: `has a name that was renamed, and is not edited: ${why}` });
    }
  }
  return { files: [...files.values()], left };
}

async function assertClean(dir: string, files: readonly FixedFile[]): Promise<void> {
  const paths = files.map(({ path }) => path);
  const answer = await runGit(dir, ["status", "--porcelain", "-z", "--", ...paths]);
  const changed = answer.ok
    ? answer.text.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(3)]))
    : paths;
  if (changed.length === 0) return;
  const message = answer.ok
    ? `These files have changes that are not committed: ${quoteFirst(changed, 3)}.`
    : "The files are not in a git repository, so the edits could not be undone.";
  throw new McpCodegenError("USAGE", message, {
    hint: "Commit them first, or pass --force. If you commit the lock too, add --against HEAD~1.",
  });
}
