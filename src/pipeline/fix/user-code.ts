import { join, posix, relative, resolve, sep } from "node:path";
import type { LoadedConfig } from "../../config/load-config.js";
import { getOwn } from "../../core/json.js";
import type { Lockfile } from "../../core/lockfile.js";
import type { Rename, TextEdit } from "../../core/rename.js";
import { typeOf } from "../../emit/name-tools.js";
import { findBounded } from "../../files/read-files.js";
import type { Leftover } from "../../impact/renames/find-leftovers.js";
import type { PlacedPropertyRename, PlacedToolRename } from "../../impact/renames/open-code.js";
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

/** The user's code, opened once to apply several sets of renames. */
export interface UserCode {
  /**
   * Edits the code. Without a TypeScript project, nothing is edited and any rename may concern the code.
   *
   * @param agentFiles the files of agents that are edited, relative to the configuration
   */
  readonly rename: (renames: readonly Rename[], agentFiles: Iterable<string>) => Promise<CodeEdits>;
}

/**
 * Opens the user's code as it was written for the lock before.
 *
 * @param against the git ref of the lock that the code was written for
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read
 */
export async function openUserCode(
  loaded: LoadedConfig,
  locks: Locks,
  { against, tsconfig, hasCompiler }: UserCodeOptions,
): Promise<UserCode> {
  const { output } = placesOf(loaded);
  const own = output === undefined || tsconfig === undefined ? undefined : { output, tsconfig };
  const opened = [
    own && (await openGenerated(loaded, locks, { ...own, against })),
    hasCompiler && loaded.config.scripts !== undefined ? await openSavedScripts(loaded, locks) : undefined,
  ].filter((one) => one !== undefined);
  return {
    rename: async (renames, agentFiles) => {
      const files = [...agentFiles];
      const all = await Promise.all(opened.map((one) => one.rename(renames, files)));
      return {
        edits: new Map(all.flatMap(({ edits }) => [...edits])),
        used: output !== undefined && own === undefined ? renames : all.flatMap(({ used }) => used),
        findLeft: async () => (await Promise.all(all.map(({ findLeft }) => findLeft()))).flat(),
      };
    },
  };
}

interface UserCodeOptions {
  readonly against: string;
  readonly tsconfig: string | undefined;
  /** Whether ts-morph is installed. */
  readonly hasCompiler: boolean;
}

async function openSavedScripts(loaded: LoadedConfig, locks: Locks): Promise<UserCode | undefined> {
  const { openScriptCode } = await import("../check/script-code.js");
  const code = await openScriptCode(loaded, locks.before);
  if (code === undefined) return undefined;
  const { project, output, before, generate } = code;
  const { openCodeToRename } = await import("../../impact/renames/rename-in-code.js");
  const opened = openCodeToRename({ dir: loaded.dir, output, tsconfig: project, before, sources: [] });
  const after = await generate(locks.after);
  return {
    rename: (renames) => {
      const { origins, ...placed } = placeRenames(renames, before.tools, after.tools);
      const { edits, used, findLeft } = opened.rename({ ...placed, after, agentFiles: new Set() });
      return Promise.resolve({
        edits: new Map([...edits].map(([path, found]) => [pathIn(loaded, path), found])),
        used: [...used].flatMap((each) => origins.get(each) ?? []),
        findLeft: () => Promise.resolve(findLeft(new Map())),
      });
    },
  };
}

function pathIn({ dir }: LoadedConfig, path: string): string {
  return relative(dir, path).split(sep).join("/");
}

async function openGenerated(
  loaded: LoadedConfig,
  locks: Locks,
  {
    against,
    output,
    tsconfig,
  }: { readonly against: string; readonly output: string; readonly tsconfig: string },
): Promise<UserCode> {
  const { openCodeToRename } = await import("../../impact/renames/rename-in-code.js");
  const before = await renderInMemory(locks.before, { loaded, output });
  const { sources, components } = await listSources(loaded, output);
  const place = { dir: loaded.dir, output, tsconfig: resolve(loaded.dir, tsconfig) };
  const opened = openCodeToRename({ ...place, before, sources });
  return {
    rename: async (renames, agentFiles) => {
      const renamed = { ...loaded, config: renamedConfig(loaded.config, renames) };
      const after = await renderInMemory(locks.after, { loaded: renamed, output });
      const { tools, properties, origins } = placeRenames(renames, before.tools, after.tools);
      const found = opened.rename({
        ...{ after, tools, properties },
        agentFiles: new Set([...agentFiles].map((path) => join(loaded.dir, path).split(sep).join("/"))),
      });
      const listed = findInComponents(loaded.dir, components, {
        ...{ output, tools, properties },
        users: opened.users,
      });
      return {
        edits: new Map([...found.edits].map(([path, edits]) => [pathIn(loaded, path), edits])),
        used: [...found.used, ...listed.used].flatMap((each) => origins.get(each) ?? []),
        findLeft: async () => [
          ...found.findLeft(await readFormer(loaded.dir, against, output)),
          ...listed.left,
        ],
      };
    },
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
    .map((path) => path.split(sep).join("/"));
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
    if (shown.ok) former.set(full.split(sep).join("/"), shown.text);
  }
  return former;
}

/** Renames with the modules that they are about. */
interface PlacedRenames {
  readonly tools: readonly PlacedToolRename[];
  readonly properties: readonly PlacedPropertyRename[];
  /** Where each of them comes from. */
  readonly origins: ReadonlyMap<PlacedToolRename | PlacedPropertyRename, Rename>;
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
  const origins = new Map<PlacedToolRename | PlacedPropertyRename, Rename>();
  const tools = renames.flatMap((rename): readonly PlacedToolRename[] => {
    if (rename.kind !== "tool") return [];
    const was = moduleOf(before, rename.server, rename.before);
    const is = moduleOf(after, rename.server, rename.after);
    if (was === undefined || is === undefined) return [];
    const found = { before: was, after: is, names: namesOf(was, is) };
    origins.set(found, rename);
    return [found];
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
    const now = is === undefined ? {} : { now: { tool: is, type: nameOf(is) } };
    const found = { kind: rename.kind, tool, type: nameOf(tool), change, ...now };
    origins.set(found, rename);
    return [found];
  });
  return { tools, properties, origins };
}

/** The exports of a tool's module, by their old names. */
function namesOf(before: ToolModule, after: ToolModule): ReadonlyMap<string, string> {
  const [was, is] = [before, after].map(({ wrapper }) => [
    wrapper,
    ...["Input", "Output"].map((side) => `${typeOf(wrapper)}${side}`),
  ]);
  return new Map((was ?? []).map((name, index) => [name, is?.[index] ?? name]));
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

interface Renames {
  /** The folder of the generated files. */
  readonly output: string;
  /** The user's files that use generated code, as absolute posix paths. */
  readonly users: ReadonlySet<string>;
  readonly tools: readonly PlacedToolRename[];
  readonly properties: readonly PlacedPropertyRename[];
}

interface Found {
  readonly left: readonly Leftover[];
  /** The renames of the names that were found. */
  readonly used: ReadonlySet<PlacedToolRename | PlacedPropertyRename>;
}

/**
 * Finds the old names in components of Vue, Svelte and Astro that import generated code, directly or through the user's
 * own modules. The compiler does not read such files, so nothing is edited there.
 */
function findInComponents(
  dir: string,
  components: readonly Component[],
  { output, users, tools, properties }: Renames,
): Found {
  const left: Leftover[] = [];
  const used = new Set<PlacedToolRename | PlacedPropertyRename>();
  const folder = output.split(sep).at(-1) ?? "";
  const ownPaths = [...users].map(withoutEnding);
  for (const { path, text } of components) {
    const file = relative(dir, path).split(sep).join("/");
    const imports = [...text.matchAll(/\bfrom\s*["']([^"'\n]+)["']/g)].flatMap(([, name = ""]) => name);
    const parts = new Set(imports.flatMap((name) => name.split("/")));
    const usesOwn = imports.some((name) => ownPaths.some((own) => leadsTo(name, path, own)));
    const isUser = ({ path: module }: ToolModule): boolean =>
      usesOwn || parts.has(folder) || parts.has(posix.dirname(module));
    const names = [
      ...tools
        .filter(({ before }) => isUser(before))
        .flatMap((rename) => [...rename.names].map(([from, to]) => ({ rename, from, to, find: findWord }))),
      ...properties.flatMap((rename) => {
        const { kind, tool, change } = rename;
        const { before: from, after: to } = change;
        if (typeof from !== "string" || typeof to !== "string" || !isUser(tool)) return [];
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
  if (name.startsWith(".")) return posix.join(posix.dirname(from.split(sep).join("/")), path) === own;
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
