import { join, relative, resolve, sep } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import type { Lockfile } from "../contract/lockfile.js";
import type { Rename } from "../contract/rename.js";
import type { TextEdit } from "../contract/text-edit.js";
import { findBounded } from "../files/read-bounded.js";
import type { Leftover } from "../impact/renames/find-leftovers.js";
import { runGit } from "../sources/git/git.js";
import { renderInMemory } from "./find-call-sites.js";
import { placeRenames } from "./place-renames.js";
import { placesOf } from "./places.js";
import { type Component, findInComponents } from "./find-in-components.js";
import { renamedConfig } from "./rename-in-settings.js";

/** The lock that the code was written for, and the lock now. */
export interface Locks {
  readonly before: Lockfile;
  readonly after: Lockfile;
}

/** The edits of some renames in one kind of file, by path relative to the configuration, posix. */
export interface RenameEdits {
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** What a person has to look at. */
  readonly left: readonly Leftover[];
  /** The renames of names that these files have. */
  readonly used: readonly Rename[];
}

/** The edits of code. */
export interface CodeEdits extends Omit<RenameEdits, "left"> {
  /** Compiles the edited code, and returns what a person has to look at. */
  readonly findLeft: () => Promise<readonly Leftover[]>;
}

/** The user's code, opened once to apply several sets of renames. */
export interface UserCode {
  /** Edits the code. Without a TypeScript project, nothing is edited and any rename may concern the code. */
  readonly rename: (renames: readonly Rename[]) => Promise<CodeEdits>;
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
  { against, tsconfig }: { readonly against: string; readonly tsconfig: string | undefined },
): Promise<UserCode> {
  const { output } = placesOf(loaded);
  if (output === undefined || tsconfig === undefined) {
    const findLeft = (): Promise<readonly Leftover[]> => Promise.resolve([]);
    return {
      rename: (renames) =>
        Promise.resolve({ edits: new Map(), used: output === undefined ? [] : renames, findLeft }),
    };
  }
  const { openCodeToRename } = await import("../impact/renames/rename-in-code.js");
  const before = await renderInMemory(locks.before, { loaded, output });
  const { sources, components } = await listSources(loaded, output);
  const place = { dir: loaded.dir, output, tsconfig: resolve(loaded.dir, tsconfig) };
  const opened = openCodeToRename({ ...place, before, sources });
  const pathOf = (path: string): string => relative(loaded.dir, path).split(sep).join("/");
  return {
    rename: async (renames) => {
      const renamed = { ...loaded, config: renamedConfig(loaded.config, renames) };
      const after = await renderInMemory(locks.after, { loaded: renamed, output });
      const { tools, properties, origins } = placeRenames(renames, before.tools, after.tools);
      const found = opened.rename({ after, tools, properties });
      const listed = findInComponents(loaded.dir, components, {
        ...{ output, tools, properties },
        users: opened.users,
      });
      return {
        edits: new Map([...found.edits].map(([path, edits]) => [pathOf(path), edits])),
        used: [...found.used, ...listed.used].flatMap((each) => origins.get(each) ?? []),
        findLeft: async () => [
          ...found.findLeft(await readFormer(loaded.dir, against, output)),
          ...listed.left,
        ],
      };
    },
  };
}

/** The code that git does not ignore, without the configuration: what the compiler reads, and files of components that have code within. */
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
