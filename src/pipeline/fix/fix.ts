import { join } from "node:path";
import type { LoadedConfig } from "../../config/load-config.js";
import { quoteAll } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import type { LockedTool, Lockfile } from "../../core/lockfile.js";
import { byCodeUnit, getOwn } from "../../core/json.js";
import { applyEdits, nameOfRename, type Rename, type TextEdit, toolRenamesNamed } from "../../core/rename.js";
import { findWithin, readBounded } from "../../files/read-files.js";
import { readLockfile } from "../../files/lockfile-on-disk.js";
import { writeAtomic } from "../../files/write-atomic.js";
import type { Leftover } from "../../impact/renames/find-leftovers.js";
import { areOppositeTools } from "../../drift/renames/score-tools.js";
import { runGit } from "../../sources/git/git.js";
import { findChangesSince } from "../diff/diff.js";
import { guessRenames, listRenames, uniqueRenames } from "./list-renames.js";
import { placesOf } from "../places.js";
import { type EditsByPath, type Locks, openUserCode } from "./user-code.js";
import { renameInAgentFiles, renameInSettings } from "./other-files.js";

/** A file before and after the edits. */
interface FixedFile {
  /** Posix, relative to the configuration. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly isConfig: boolean;
}

export interface FixReport {
  /** The git ref of the lock that the code was written for. */
  readonly against: string;
  /** The lock at that ref: `none` if it has no lock, `same` if the lock has not changed since. */
  readonly formerLock: "none" | "same" | "other";
  /** The renames that the edits apply. */
  readonly applied: readonly Rename[];
  /**
   * Renames that are not applied: likely ones; without a confidence, possible ones, and those that the server declares between
   * tools with opposite effects.
   */
  readonly guessed: readonly Rename[];
  readonly files: readonly FixedFile[];
  /** Without any rename: the tools that the lock has no more, as `server/tool`. */
  readonly missing: readonly string[];
  /** The places that a person has to look at. */
  readonly left: readonly Leftover[];
  readonly wrote: boolean;
  /** Whether the configuration is among the files: then the code must be generated again. */
  readonly editsConfig: boolean;
}

interface FixOptions {
  /** The git ref of the lock that the code was written for. */
  readonly against: string;
  /** Renames that a person names, as `nameOfRename` writes them. */
  readonly named: readonly string[];
  /** Asks a person about a guess; without it, no guess is applied. */
  readonly confirm?: ((rename: Rename) => Promise<boolean>) | undefined;
  /** The TypeScript project; undefined without one. */
  readonly tsconfig: string | undefined;
  /** Whether ts-morph is installed. */
  readonly hasCompiler: boolean;
  readonly write: boolean;
  /** Also edit files with changes that are not committed. */
  readonly force: boolean;
}

/**
 * Edits the user's code, the files that agents read and the configuration for the renames between the lock at a git ref and
 * the lock: those that the server declares, and those that a person names or confirms.
 *
 * @throws McpCodegenError `USAGE` for a named rename that the locks do not show and for files with changes that are not
 *   committed, `REF_UNKNOWN`, `GIT_FAILED`, `LOCK_NOT_FOUND`
 */
export async function fix(loaded: LoadedConfig, options: FixOptions): Promise<FixReport> {
  const { against, write } = options;
  const lock = await readLockfile(placesOf(loaded).lock);
  const { changes, revise } = await findChangesSince(loaded, lock, {
    against,
    renames: toolRenamesNamed(options.named),
    counterexamples: false,
  });
  const [before] = revise().map((revision) => revision.before);
  const none = {
    ...{ against, applied: [], guessed: [], files: [], missing: [], left: [] },
    ...{ wrote: false, editsConfig: false },
  };
  if (before === undefined || Object.keys(before.servers).length === 0)
    return { ...none, formerLock: "none" };
  const listed = listRenames(changes, options.named, before);
  if (changes.length === 0) return { ...none, formerLock: "same" };
  const locks = { before, after: lock };
  const doubtful = listed.certain.filter((rename) => isDoubtful(rename, locks));
  const certain = listed.certain.filter((rename) => !doubtful.includes(rename));
  const likely = [...doubtful, ...listed.guessed];
  const guessed = [...likely, ...guessRenames(changes, [...certain, ...likely])];
  const planEdits = createPlanner(loaded, locks, options);
  const planned = await planEdits([...certain, ...guessed]);
  // A guess matters only if a file has the name.
  const used = guessed.filter((rename) => planned.used.has(rename));
  // Guesses that edit nothing in code that was searched were applied before: only places for a person are left. A tool that
  // the configuration or a file for agents names is open, since that name may be a permission.
  const isDone = planned.edits.size === 0 && options.tsconfig !== undefined;
  const done = isDone
    ? used.filter((rename) => rename.confidence !== undefined && !planned.permitted.has(rename))
    : [];
  const open = uniqueRenames(used.filter((rename) => !done.includes(rename)));
  const confirmed = new Set<string>();
  for (const rename of open)
    if ((await options.confirm?.(rename)) === true) confirmed.add(nameOfRename(rename));
  const chosen = guessed.filter((rename) => confirmed.has(nameOfRename(rename)));
  const applied = [
    ...certain,
    ...[...done, ...chosen].map((rename) => ({ ...rename, because: "confirmed" as const })),
  ];
  const isAll = guessed.length === done.length + chosen.length && guessed.length > 0;
  const plan = isAll ? planned : await planEdits(applied);
  const { files, outside } = await applyToFiles(loaded.dir, plan);
  if (write && files.length > 0) {
    if (!options.force) await assertClean(loaded.dir, files);
    for (const { path, after } of files) await writeAtomic(join(loaded.dir, path), after);
  }
  return {
    ...none,
    formerLock: "other",
    applied: uniqueRenames(applied),
    guessed: open.filter((rename) => !confirmed.has(nameOfRename(rename))),
    files,
    // Errors can be explained only once renames are applied.
    left: [...outside, ...(applied.length === 0 && open.length > 0 ? [] : await plan.findLeft())],
    missing: applied.length + guessed.length > 0 ? [] : findMissing(locks),
    wrote: write && files.length > 0,
    editsConfig: files.some(({ isConfig }) => isConfig),
  };
}

/** Whether a server declares a rename that may move a permission to a tool with the opposite effect. */
function isDoubtful({ kind, because, server, before, after }: Rename, locks: Locks): boolean {
  const was = findTool(locks.before, server, before)?.definition;
  const is = findTool(locks.after, server, after)?.definition;
  const isDeclared = kind === "tool" && because === "declared";
  return isDeclared && was !== undefined && is !== undefined && areOppositeTools(was, is);
}

function findTool({ servers }: Lockfile, server: string, tool: string): LockedTool | undefined {
  return getOwn(getOwn(servers, server)?.tools ?? {}, tool);
}

/** The tools of the former lock that are in no server any more. */
function findMissing({ before, after }: Locks): readonly string[] {
  return Object.entries(before.servers).flatMap(([server, { tools }]) =>
    Object.keys(tools)
      .filter((tool) => findTool(after, server, tool) === undefined)
      .map((tool) => `${server}/${tool}`),
  );
}

/**
 * Returns the edited files, each by the path that its links lead to. A file outside the repository is left for
 * the user, since git could not undo its edit.
 */
async function applyToFiles(
  dir: string,
  { edits: planned, settings }: Plan,
): Promise<{ readonly files: readonly FixedFile[]; readonly outside: readonly Leftover[] }> {
  const top = await runGit(dir, ["rev-parse", "--show-toplevel"]).catch(() => undefined);
  const root = top?.ok === true ? top.text.trim() : dir;
  const files = new Map<string, FixedFile>();
  const outside: Leftover[] = [];
  for (const [given, edits] of [...planned].sort(([a], [b]) => byCodeUnit(a, b))) {
    const text = (await readBounded(join(dir, given))).toString("utf8");
    const after = applyEdits(text, edits);
    if (after === text) continue;
    const path = await findWithin(root, dir, given);
    if (path !== undefined) files.set(path, { path, before: text, after, isConfig: settings.has(given) });
    else {
      const start = Math.min(...edits.map((edit) => edit.start));
      outside.push({ file: given, line: text.slice(0, start).split("\n").length, message: OUTSIDE });
    }
  }
  return { files: [...files.values()], outside };
}

const OUTSIDE =
  "has a name that was renamed, and is not edited: the file is outside the project, where a link may lead";

interface Plan {
  readonly edits: EditsByPath;
  readonly findLeft: () => Promise<readonly Leftover[]>;
  readonly used: ReadonlySet<Rename>;
  /** The renames of tools that the configuration or files for agents name, where a name may be a permission. */
  readonly permitted: ReadonlySet<Rename>;
  /** The edited files of the configuration. */
  readonly settings: ReadonlySet<string>;
}

/** Returns a function that plans the edits of some renames. The code is opened once. */
function createPlanner(
  loaded: LoadedConfig,
  locks: Locks,
  options: FixOptions,
): (renames: readonly Rename[]) => Promise<Plan> {
  let opened: ReturnType<typeof openUserCode> | undefined;
  return async (renames) => {
    opened ??= openUserCode(loaded, locks, options);
    const forAgents = await renameInAgentFiles(loaded, locks, renames);
    const code = await (await opened)(renames, [...forAgents.edits.keys()]);
    const settings = await renameInSettings(loaded, renames);
    return {
      edits: await mergeEdits(loaded.dir, code.edits, [forAgents.edits, settings.edits]),
      used: new Set([...code.used, ...forAgents.used, ...settings.used]),
      permitted: new Set([...forAgents.used, ...settings.used].filter(({ kind }) => kind === "tool")),
      settings: new Set(settings.edits.keys()),
      findLeft: async () => {
        const left = [...(await code.findLeft()), ...forAgents.left, ...settings.left];
        // A line may have a name twice, and two tools may have the same property.
        const unique = new Map(left.map((one) => [JSON.stringify(one), one])).values();
        return [...unique].sort((a, b) => byCodeUnit(a.file, b.file) || a.line - b.line);
      },
    };
  };
}

/** Joins edits by file. The compiler, whose edits are `code`, does not count a byte order mark. */
async function mergeEdits(
  dir: string,
  code: EditsByPath,
  others: readonly EditsByPath[],
): Promise<EditsByPath> {
  const merged = new Map<string, readonly TextEdit[]>();
  for (const [path, edits] of code) {
    const hasMark = (await readBounded(join(dir, path))).subarray(0, 3).toString("hex") === "efbbbf";
    merged.set(path, hasMark ? edits.map((edit) => ({ ...edit, start: edit.start + 1 })) : edits);
  }
  for (const [path, edits] of others.flatMap((each) => [...each])) {
    // Files of code may also be files of agents.
    const known = merged.get(path) ?? [];
    const isNew = ({ start }: TextEdit): boolean => !known.some((edit) => edit.start === start);
    merged.set(path, [...known, ...edits.filter(isNew)]);
  }
  return merged;
}

async function assertClean(dir: string, files: readonly FixedFile[]): Promise<void> {
  const paths = files.map(({ path }) => path);
  const answer = await runGit(dir, ["status", "--porcelain", "-z", "--", ...paths]);
  const changed = answer.ok
    ? answer.text.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(3)]))
    : paths;
  if (changed.length === 0) return;
  const shown = quoteAll(changed.slice(0, 3));
  const more = changed.length > 3 ? ` and ${changed.length - 3} more` : "";
  const message = answer.ok
    ? `These files have changes that are not committed: ${shown}${more}.`
    : "The files are not in a git repository, so the edits could not be undone.";
  throw new McpCodegenError("USAGE", message, { hint: "Commit them first, or pass --force." });
}
