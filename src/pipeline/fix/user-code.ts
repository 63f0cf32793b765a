import { join, posix, relative, resolve, sep } from "node:path";
import type { LoadedConfig } from "../../config/load-config.js";
import { getOwn } from "../../core/json.js";
import type { Lockfile } from "../../core/lockfile.js";
import type { Rename, TextEdit } from "../../core/rename.js";
import { typeOf } from "../../emit/name-tools.js";
import { findBounded } from "../../files/read-files.js";
import type { Leftover } from "../../impact/renames/find-leftovers.js";
import type { Generated } from "../../impact/open-project.js";
import type { CodeLocation, PlacedPropertyRename, PlacedToolRename } from "../../impact/renames/open-code.js";
import type { ToolModule } from "../../impact/tool-finder.js";
import { runGit } from "../../sources/git/git.js";
import { renderInMemory } from "../check/find-call-sites.js";
import { placesOf } from "../places.js";

/** The lock that the code was written for, and the lock now. */
export interface Locks {
  readonly before: Lockfile;
  readonly after: Lockfile;
}

/** Edits by path relative to the configuration, posix. */
export type EditsByPath = ReadonlyMap<string, readonly TextEdit[]>;

/** The edits of some renames in one kind of file. */
export interface RenameEdits {
  readonly edits: EditsByPath;
  /** Places that a person has to look at. */
  readonly left: readonly Leftover[];
  /** The renames of names that these files have. */
  readonly used: readonly Rename[];
}

interface CodeEdits {
  readonly edits: EditsByPath;
  readonly used: readonly Rename[];
  /** Compiles the edited code, and returns the places that a person has to look at. */
  readonly findLeft: () => Promise<readonly Leftover[]>;
}

/**
 * Edits the user's code, which was opened once. Without a TypeScript project, nothing is edited and any rename may concern
 * the code.
 *
 * @param agentFiles the files of agents that are edited, relative to the configuration
 */
type RenameCode = (renames: readonly Rename[], agentFiles: readonly string[]) => Promise<CodeEdits>;

/**
 * Opens the user's code as it was written for the lock before.
 *
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read
 */
export async function openUserCode(
  loaded: LoadedConfig,
  locks: Locks,
  { against, tsconfig, hasCompiler }: UserCodeOptions,
): Promise<RenameCode> {
  const { output } = placesOf(loaded);
  const isSkipped = output !== undefined && tsconfig === undefined;
  const sources = [
    output !== undefined && tsconfig !== undefined
      ? await findGenerated(loaded, locks, { against, output, tsconfig })
      : undefined,
    hasCompiler && loaded.config.scripts !== undefined ? await findSavedScripts(loaded, locks) : undefined,
  ].filter((one) => one !== undefined);
  const opened = await Promise.all(sources.map((source) => openSource(loaded.dir, source)));
  return async (renames, agentFiles) => {
    const all = await Promise.all(opened.map((rename) => rename(renames, agentFiles)));
    return {
      edits: new Map(all.flatMap(({ edits }) => [...edits])),
      used: isSkipped ? renames : all.flatMap(({ used }) => used),
      findLeft: async () => (await Promise.all(all.map(({ findLeft }) => findLeft()))).flat(),
    };
  };
}

interface UserCodeOptions {
  /** The git ref of the lock that the code was written for. */
  readonly against: string;
  readonly tsconfig: string | undefined;
  /** Whether ts-morph is installed. */
  readonly hasCompiler: boolean;
}

/** A project with code to rename. */
interface CodeSource extends Omit<CodeLocation, "dir"> {
  /** Returns the modules of the tools after the renames. */
  readonly generate: (renames: readonly Rename[]) => Promise<Generated>;
  /** Returns the code that changed since the lock before, as it was, by absolute posix path. */
  readonly readFormer: () => Promise<ReadonlyMap<string, string>>;
  readonly components: readonly Component[];
}

async function openSource(
  dir: string,
  { generate, readFormer, components, ...code }: CodeSource,
): Promise<RenameCode> {
  const { openCodeToRename } = await import("../../impact/renames/rename-in-code.js");
  const opened = openCodeToRename({ dir, ...code });
  return async (renames, agentFiles) => {
    const after = await generate(renames);
    const placed = placeRenames(renames, code.before.tools, after.tools);
    const own = new Set(agentFiles.map((path) => toPosix(join(dir, path))));
    const found = opened.rename({ ...placed, after, agentFiles: own });
    const { output } = code;
    const listed = findInComponents(dir, components, { ...placed, output, users: opened.users });
    return {
      edits: new Map([...found.edits].map(([path, edits]) => [toPosix(relative(dir, path)), edits])),
      used: [...found.used, ...listed.used],
      findLeft: async () => [...found.findLeft(await readFormer()), ...listed.left],
    };
  };
}

function toPosix(path: string): string {
  return path.split(sep).join("/");
}

async function findSavedScripts(loaded: LoadedConfig, locks: Locks): Promise<CodeSource | undefined> {
  const { openScriptCode } = await import("../check/script-code.js");
  const code = await openScriptCode(loaded, locks.before);
  if (code === undefined) return undefined;
  const { project, output, before, generate } = code;
  return {
    ...{ output, tsconfig: project, before, sources: [], components: [] },
    generate: () => generate(locks.after),
    readFormer: () => Promise.resolve(new Map()),
  };
}

async function findGenerated(
  loaded: LoadedConfig,
  locks: Locks,
  place: { readonly against: string; readonly output: string; readonly tsconfig: string },
): Promise<CodeSource> {
  const { dir } = loaded;
  const { against, output } = place;
  return {
    output,
    tsconfig: resolve(dir, place.tsconfig),
    before: await renderInMemory(locks.before, { loaded, output }),
    ...(await listSources(loaded, output)),
    generate: (renames) => {
      const renamed = { ...loaded, config: renamedConfig(loaded.config, renames) };
      return renderInMemory(locks.after, { loaded: renamed, output });
    },
    readFormer: () => readFormer(dir, against, output),
  };
}

/** The code that git does not ignore, without the configuration: files for the compiler, and components. */
async function listSources(
  { dir, path: config }: LoadedConfig,
  output: string,
): Promise<{ readonly sources: readonly string[]; readonly components: readonly Component[] }> {
  const listed = await runGit(dir, [
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
    "--",
    ".",
  ]);
  const paths = (listed.ok ? listed.text.split("\0") : [])
    .map((path) => join(dir, path))
    .filter((path) => !path.startsWith(`${output}${sep}`) && !path.includes(`${sep}node_modules${sep}`))
    .filter((path) => path !== config)
    .map(toPosix);
  return {
    sources: paths.filter((path) => /\.[cm]?[jt]sx?$/.test(path)),
    components: await Promise.all(
      paths
        .filter((path) => /\.(?:vue|svelte|astro)$/.test(path))
        .map(async (path) => ({ path, text: new TextDecoder().decode(await findBounded(path)) })),
    ),
  };
}

/** The code that changed since a git ref, as it was there, by absolute posix path. */
async function readFormer(dir: string, ref: string, output: string): Promise<ReadonlyMap<string, string>> {
  const listed = await runGit(dir, ["diff", "--name-only", "-z", "--relative", ref, "--", "."]);
  const paths = listed.ok ? listed.text.split("\0") : [];
  const former = new Map<string, string>();
  for (const path of paths) {
    const full = join(dir, path);
    if (!/\.[cm]?[jt]sx?$/.test(path) || full.startsWith(`${output}${sep}`)) continue;
    const shown = await runGit(dir, ["show", `${ref}:./${path}`]);
    if (shown.ok) former.set(toPosix(full), shown.text);
  }
  return former;
}

/** Renames with the modules that they are about. */
interface PlacedRenames {
  readonly tools: readonly PlacedToolRename[];
  readonly properties: readonly PlacedPropertyRename[];
}

/**
 * Finds the modules that renames are about; a rename of a tool that has no generated code is left out.
 *
 * @param before the tools that the code was written for
 * @param after the tools now
 */
export function placeRenames(
  renames: readonly Rename[],
  before: readonly ToolModule[],
  after: readonly ToolModule[],
): PlacedRenames {
  const moduleOf = (tools: readonly ToolModule[], server: string, tool: string): ToolModule | undefined =>
    tools.find((one) => one.server === server && one.tool === tool);
  const tools = renames.flatMap((rename): readonly PlacedToolRename[] => {
    if (rename.kind !== "tool") return [];
    const was = moduleOf(before, rename.server, rename.before);
    const is = moduleOf(after, rename.server, rename.after);
    if (was === undefined || is === undefined) return [];
    return [{ rename, before: was, after: is, names: namesOf(was, is) }];
  });
  // A change of a renamed tool has its new name.
  const oldNames = new Map(
    tools.map(({ before: was, after: is }) => [JSON.stringify([is.server, is.tool]), was]),
  );
  const properties = renames.flatMap((rename): readonly PlacedPropertyRename[] => {
    if (rename.kind === "tool") return [];
    const { server, change } = rename;
    const tool = oldNames.get(JSON.stringify([server, rename.tool])) ?? moduleOf(before, server, rename.tool);
    const side = change.rule.startsWith("input-") ? "Input" : "Output";
    const nameOf = ({ wrapper }: ToolModule): string => `${typeOf(wrapper)}${side}`;
    const is = moduleOf(after, server, rename.tool);
    if (tool === undefined) return [];
    return [{ rename, tool, type: nameOf(tool), now: is && { tool: is, type: nameOf(is) } }];
  });
  return { tools, properties };
}

/** The exports of a tool's module, by their old names. */
function namesOf(before: ToolModule, after: ToolModule): ReadonlyMap<string, string> {
  const [was, is] = [before.wrapper, after.wrapper];
  const types = ["Input", "Output"].map((side) => [`${typeOf(was)}${side}`, `${typeOf(is)}${side}`] as const);
  return new Map([[was, is], ...types]);
}

/** The configuration after the edits, from which the code after them is generated. */
function renamedConfig(config: LoadedConfig["config"], applied: readonly Rename[]): LoadedConfig["config"] {
  const servers = { ...config.servers };
  for (const { kind, server, before, after } of applied) {
    const settings = servers[server];
    const { rename = {} } = settings?.tools ?? {};
    const name = getOwn(rename, before);
    if (kind !== "tool" || settings === undefined || name === undefined) continue;
    const others = Object.entries(rename).filter(([tool]) => tool !== before);
    const renamed = Object.fromEntries([...others, [after, name]]);
    servers[server] = { ...settings, tools: { ...settings.tools, rename: renamed } };
  }
  return { ...config, servers };
}

/** A file of a component, which has code within. */
interface Component {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

interface RenamesInCode extends PlacedRenames {
  /** The folder of the generated files. */
  readonly output: string;
  /** The user's files that use generated code, as absolute posix paths. */
  readonly users: ReadonlySet<string>;
}

/**
 * Finds the old names in components of Vue, Svelte and Astro that import generated code, directly or through the user's
 * own modules. The compiler does not read such files, so nothing is edited there.
 */
function findInComponents(
  dir: string,
  components: readonly Component[],
  { output, users, tools, properties }: RenamesInCode,
): { readonly left: readonly Leftover[]; readonly used: ReadonlySet<Rename> } {
  const left: Leftover[] = [];
  const used = new Set<Rename>();
  const folder = output.split(sep).at(-1) ?? "";
  const ownPaths = [...users].map(withoutEnding);
  for (const { path, text } of components) {
    const file = toPosix(relative(dir, path));
    const imports = [...text.matchAll(/\bfrom\s*["']([^"'\n]+)["']/g)].flatMap(([, name = ""]) => name);
    const parts = new Set(imports.flatMap((name) => name.split("/")));
    const usesOwn = imports.some((name) => ownPaths.some((own) => leadsTo(name, path, own)));
    const isUser = ({ path: module }: ToolModule): boolean =>
      usesOwn || parts.has(folder) || parts.has(posix.dirname(module));
    const names = [
      ...tools
        .filter(({ before }) => isUser(before))
        .flatMap(({ rename, names: renamed }) =>
          [...renamed].map(([from, to]) => ({ rename, from, to, find: findWord })),
        ),
      ...properties.flatMap(({ rename, tool }) => {
        const { kind, before: from, after: to } = rename;
        if (!isUser(tool)) return [];
        if (!usesOwn && findWord(text, tool.wrapper).length === 0) return [];
        return [{ rename, from, to, find: kind === "value" ? findQuoted : findWord }];
      }),
    ];
    for (const { rename, from, to, find } of names)
      for (const line of from === to ? [] : find(text, from)) {
        used.add(rename);
        const message = `may use \`${from}\`, renamed to \`${to}\`, but fix does not edit files of this kind`;
        left.push({ file, line, message });
      }
  }
  return { left, used };
}

/** Whether an import in a file leads to a module of the user's own: by its path, or by its end behind an alias like `@/`. */
function leadsTo(name: string, from: string, own: string): boolean {
  const path = withoutEnding(name);
  if (name.startsWith(".")) return posix.join(posix.dirname(toPosix(from)), path) === own;
  const [, rest] = /^[@~#][^/]*(\/.+)$/.exec(path) ?? [];
  return rest !== undefined && own.endsWith(rest);
}

function withoutEnding(path: string): string {
  return path.replace(/(?:\/index)?\.[cm]?[jt]sx?$/, "");
}

/** The lines that have a text in quotes. */
function findQuoted(text: string, value: string): readonly number[] {
  const quoted = ['"', "'", "`"].map((quote) => `${quote}${value}${quote}`);
  return findLines(text, (line) => quoted.some((one) => line.includes(one)));
}

/** The lines that have a word. */
function findWord(text: string, word: string): readonly number[] {
  return findLines(text, (line) => line.split(/[^\w$-]+/).includes(word));
}

function findLines(text: string, has: (line: string) => boolean): readonly number[] {
  return text.split("\n").flatMap((line, index) => (has(line) ? [index + 1] : []));
}
