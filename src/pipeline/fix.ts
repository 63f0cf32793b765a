import { join, relative, resolve, sep } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import { McpCodegenError } from "../contract/errors.js";
import type { Lockfile } from "../contract/lockfile.js";
import type { Rename } from "../contract/rename.js";
import { applyEdits, type TextEdit } from "../contract/text-edit.js";
import { typeOf } from "../emit/name-tools.js";
import { readBounded } from "../files/read-bounded.js";
import { readLockfile } from "../files/lockfile-on-disk.js";
import { writeAtomic } from "../files/write-atomic.js";
import type { Leftover } from "../impact/find-leftovers.js";
import type { PropertyRename, ToolRename } from "../impact/rename-in-code.js";
import type { ToolModule } from "../impact/tool-finder.js";
import { formOf } from "../mentions/agent-files.js";
import { renameMentions } from "../mentions/rename-names.js";
import { findMentions, tableOf } from "../mentions/resolve-names.js";
import { runGit } from "../sources/git/run-git.js";
import { renderInMemory } from "./find-call-sites.js";
import { findChangesSince } from "./diff.js";
import { addMentions, createLocator } from "./find-mentions.js";
import { placesOf } from "./places.js";
import { chooseRenames, type RenameChoice } from "./choose-renames.js";
import { readAgentFiles } from "./read-agent-files.js";
import { renamedConfig, renameInSettings } from "./rename-in-settings.js";

/** A file before and after the edits. */
export interface FixedFile {
  /** Posix, relative to the configuration. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export interface FixReport {
  /** The git ref of the lock that the code was written for. */
  readonly against: string;
  /** The renames that the edits apply. */
  readonly applied: readonly Rename[];
  /** Renames that are only likely. */
  readonly guessed: readonly Rename[];
  readonly files: readonly FixedFile[];
  /** What a person has to look at. */
  readonly left: readonly Leftover[];
  readonly wrote: boolean;
  /** Whether the configuration is among the files: then the code must be generated again. */
  readonly editsConfig: boolean;
}

export interface FixOptions extends RenameChoice {
  /** The git ref of the lock that the code was written for. */
  readonly against: string;
  /** The TypeScript project; undefined without one. */
  readonly tsconfig: string | undefined;
  /** Whether ts-morph is installed, which finds names in the configuration. */
  readonly hasCompiler: boolean;
  readonly write: boolean;
  /** Also edit files with changes that are not committed. */
  readonly force: boolean;
}

/**
 * Edits the user's code and the files that agents read for the renames between the lock at a git ref and the lock: those that
 * the server declares, and those that a person names or confirms.
 *
 * @throws McpCodegenError `USAGE` for a named rename that the locks do not allow and for files with changes that are not
 *   committed, `REF_UNKNOWN`, `GIT_FAILED`, `LOCK_NOT_FOUND`
 */
export async function fix(loaded: LoadedConfig, options: FixOptions): Promise<FixReport> {
  const { against, write } = options;
  const lock = await readLockfile(placesOf(loaded).lock);
  const { changes, revise } = await findChangesSince(loaded, lock, { against });
  const [before] = revise().map((revision) => revision.before);
  const { applied, guessed } = await chooseRenames(changes, options);
  const found = { against, applied, guessed, files: [], left: [], wrote: false, editsConfig: false };
  if (before === undefined || applied.length === 0) return found;
  const edits = new Map<string, readonly TextEdit[]>();
  const code = await renameCode(loaded, { before, after: lock }, applied, options.tsconfig);
  for (const [path, own] of code.edits) edits.set(relative(loaded.dir, path).split(sep).join("/"), own);
  const inCode = new Set(edits.keys());
  const forAgents = await renameInAgentFiles(loaded, before, applied);
  for (const [path, own] of forAgents.edits) if (!edits.has(path)) edits.set(path, own);
  const settings = await renameInSettings(loaded, applied, options.hasCompiler);
  for (const [path, own] of settings.edits) edits.set(path, own);
  const files: FixedFile[] = [];
  for (const [path, own] of [...edits].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const text = (await readBounded(join(loaded.dir, path))).toString("utf8");
    // The compiler does not count a byte order mark.
    const skipped = text.startsWith("\uFEFF") && inCode.has(path) ? 1 : 0;
    const after = text.slice(0, skipped) + applyEdits(text.slice(skipped), own);
    if (after !== text) files.push({ path, before: text, after });
  }
  if (write && files.length > 0) {
    if (!options.force) await assertClean(loaded.dir, files);
    for (const { path, after } of files) await writeAtomic(join(loaded.dir, path), after);
  }
  return {
    ...found,
    files,
    left: [...code.left, ...forAgents.left, ...settings.left],
    wrote: write && files.length > 0,
    editsConfig: files.some(({ path }) => settings.edits.has(path)),
  };
}

async function renameCode(
  loaded: LoadedConfig,
  locks: { readonly before: Lockfile; readonly after: Lockfile },
  applied: readonly Rename[],
  tsconfig: string | undefined,
): Promise<{ readonly edits: ReadonlyMap<string, readonly TextEdit[]>; readonly left: readonly Leftover[] }> {
  const { output } = placesOf(loaded);
  if (output === undefined || tsconfig === undefined) return { edits: new Map(), left: [] };
  const { renameInCode } = await import("../impact/rename-in-code.js");
  const renamed = { ...loaded, config: renamedConfig(loaded.config, applied) };
  const [before, after] = await Promise.all([
    renderInMemory(locks.before, { loaded, output }),
    renderInMemory(locks.after, { loaded: renamed, output }),
  ]);
  const moduleOf = (tools: readonly ToolModule[], server: string, tool: string): ToolModule | undefined =>
    tools.find((one) => one.server === server && one.tool === tool);
  const tools = applied.flatMap((rename): readonly ToolRename[] => {
    if (rename.kind !== "tool") return [];
    const was = moduleOf(before.tools, rename.server, rename.before);
    const is = moduleOf(after.tools, rename.server, rename.after);
    return was === undefined || is === undefined ? [] : [{ before: was, after: is, names: namesOf(was, is) }];
  });
  // A change of a renamed tool has its new name.
  const oldNames = new Map(
    tools.map(({ before: was, after: is }) => [JSON.stringify([is.server, is.tool]), was]),
  );
  const properties = applied.flatMap((rename): readonly PropertyRename[] => {
    if (rename.kind === "tool") return [];
    const { server } = rename;
    const tool =
      oldNames.get(JSON.stringify([server, rename.tool])) ?? moduleOf(before.tools, server, rename.tool);
    const side = rename.change.rule.startsWith("input-") ? "Input" : "Output";
    const nameOf = ({ wrapper }: ToolModule): string => `${typeOf(wrapper)}${side}`;
    const now = moduleOf(after.tools, server, rename.tool);
    if (tool === undefined) return [];
    return [
      {
        ...{ kind: rename.kind, tool, type: nameOf(tool), change: rename.change },
        ...(now !== undefined && { now: { tool: now, type: nameOf(now) } }),
      },
    ];
  });
  return renameInCode({
    dir: loaded.dir,
    output,
    tsconfig: resolve(loaded.dir, tsconfig),
    before,
    after,
    tools,
    properties,
  });
}

/** The exports of a tool's module, by their old names. */
function namesOf(before: ToolModule, after: ToolModule): ReadonlyMap<string, string> {
  const [was, is] = [before, after].map(({ wrapper }) => [
    wrapper,
    ...["Input", "Output"].map((side) => `${typeOf(wrapper)}${side}`),
  ]);
  return new Map((was ?? []).map((name, index) => [name, is?.[index] ?? name]));
}

/** Edits the names of tools in files that agents read, and lists those of properties, whose meaning is less certain. */
async function renameInAgentFiles(
  loaded: LoadedConfig,
  before: Lockfile,
  applied: readonly Rename[],
): Promise<{ readonly edits: ReadonlyMap<string, readonly TextEdit[]>; readonly left: readonly Leftover[] }> {
  const tools = applied.filter(({ kind }) => kind === "tool");
  const agentFiles = await readAgentFiles(loaded);
  const table = tableOf(before, agentFiles.aliases);
  const edits = new Map<string, readonly TextEdit[]>();
  const left: Leftover[] = [];
  for (const { path, text, isUtf8 } of tools.length === 0 ? [] : agentFiles.files) {
    const found = renameMentions(findMentions(text, formOf(path), table), tools);
    if (isUtf8 && found.edits.length > 0) edits.set(path, found.edits);
    const locate = createLocator(text);
    for (const mention of isUtf8 ? found.left : [...found.written, ...found.left]) {
      const why = isUtf8 ? "whose new name cannot be written here" : "and the file is not in UTF-8";
      left.push({
        file: path,
        line: locate(mention).line,
        message: `names \`${mention.text}\`, renamed, ${why}`,
      });
    }
  }
  const properties = applied.flatMap(({ kind, server, tool, change }) => {
    const old = tools.find((rename) => rename.server === server && rename.after === tool);
    return kind === "property" ? [{ ...change, tool: old?.before ?? tool }] : [];
  });
  for (const { callSites = [] } of addMentions(properties, before, agentFiles))
    for (const { file, line, says: message } of callSites) left.push({ file, line, message });
  return { edits, left };
}

async function assertClean(dir: string, files: readonly FixedFile[]): Promise<void> {
  const paths = files.map(({ path }) => path);
  const answer = await runGit(dir, ["status", "--porcelain", "-z", "--", ...paths]);
  const changed = answer.ok
    ? answer.text.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(3)]))
    : paths;
  if (changed.length === 0) return;
  const shown = changed.slice(0, 3).map((path) => JSON.stringify(path));
  const more = changed.length > shown.length ? ` and ${changed.length - shown.length} more` : "";
  throw new McpCodegenError(
    "USAGE",
    answer.ok
      ? `These files have changes that are not committed: ${shown.join(", ")}${more}.`
      : "The files are not in a git repository, so the edits could not be undone.",
    { hint: "Commit them first, or pass --force." },
  );
}
