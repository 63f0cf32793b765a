import { join, relative, resolve, sep } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import type { Lockfile } from "../contract/lockfile.js";
import type { Rename } from "../contract/rename.js";
import type { TextEdit } from "../contract/text-edit.js";
import { typeOf } from "../emit/name-tools.js";
import type { Leftover } from "../impact/find-leftovers.js";
import type { PropertyRename, ToolRename } from "../impact/rename-request.js";
import type { ToolModule } from "../impact/tool-finder.js";
import { runGit } from "../sources/git/run-git.js";
import { renderInMemory } from "./find-call-sites.js";
import { placesOf } from "./places.js";
import { findInComponents } from "./find-in-components.js";
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

/**
 * Edits the user's code for renames. Without a TypeScript project, nothing is edited and any rename may concern the code.
 *
 * @param against the git ref of the lock that the code was written for
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read
 */
export async function renameCode(
  loaded: LoadedConfig,
  locks: Locks,
  renames: readonly Rename[],
  { against, tsconfig }: { readonly against: string; readonly tsconfig: string | undefined },
): Promise<CodeEdits> {
  const { output } = placesOf(loaded);
  if (output === undefined || tsconfig === undefined)
    return {
      edits: new Map(),
      used: output === undefined ? [] : renames,
      findLeft: () => Promise.resolve([]),
    };
  const { renameInCode } = await import("../impact/rename-in-code.js");
  const renamed = { ...loaded, config: renamedConfig(loaded.config, renames) };
  const [before, after] = await Promise.all([
    renderInMemory(locks.before, { loaded, output }),
    renderInMemory(locks.after, { loaded: renamed, output }),
  ]);
  const moduleOf = (tools: readonly ToolModule[], server: string, tool: string): ToolModule | undefined =>
    tools.find((one) => one.server === server && one.tool === tool);
  const origins = new Map<ToolRename | PropertyRename, Rename>();
  const tools = renames.flatMap((rename): readonly ToolRename[] => {
    if (rename.kind !== "tool") return [];
    const was = moduleOf(before.tools, rename.server, rename.before);
    const is = moduleOf(after.tools, rename.server, rename.after);
    if (was === undefined || is === undefined) return [];
    const found = { before: was, after: is, names: namesOf(was, is) };
    origins.set(found, rename);
    return [found];
  });
  // A change of a renamed tool has its new name.
  const oldNames = new Map(
    tools.map(({ before: was, after: is }) => [JSON.stringify([is.server, is.tool]), was]),
  );
  const properties = renames.flatMap((rename): readonly PropertyRename[] => {
    if (rename.kind === "tool") return [];
    const { server, change } = rename;
    const tool =
      oldNames.get(JSON.stringify([server, rename.tool])) ?? moduleOf(before.tools, server, rename.tool);
    const side = change.rule.startsWith("input-") ? "Input" : "Output";
    const nameOf = ({ wrapper }: ToolModule): string => `${typeOf(wrapper)}${side}`;
    const is = moduleOf(after.tools, server, rename.tool);
    if (tool === undefined) return [];
    const now = is === undefined ? {} : { now: { tool: is, type: nameOf(is) } };
    const found = { kind: rename.kind, tool, type: nameOf(tool), change, ...now };
    origins.set(found, rename);
    return [found];
  });
  const { sources, components } = await listSources(loaded.dir, output);
  const found = renameInCode({
    dir: loaded.dir,
    output,
    tsconfig: resolve(loaded.dir, tsconfig),
    before,
    after,
    tools,
    properties,
    sources,
  });
  const pathOf = (path: string): string => relative(loaded.dir, path).split(sep).join("/");
  return {
    edits: new Map([...found.edits].map(([path, edits]) => [pathOf(path), edits])),
    used: [...found.used].flatMap((each) => origins.get(each) ?? []),
    findLeft: async () => [
      ...found.findLeft(await readFormer(loaded.dir, against, output)),
      ...(await findInComponents(loaded.dir, components, { output, tools, properties })),
    ],
  };
}

/** The code that git does not ignore: what the compiler reads, and files of components that have code within. */
async function listSources(
  dir: string,
  output: string,
): Promise<{ readonly sources: readonly string[]; readonly components: readonly string[] }> {
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
    .map((path) => path.split(sep).join("/"));
  return {
    sources: paths.filter((path) => /\.[cm]?[jt]sx?$/.test(path)),
    components: paths.filter((path) => /\.(?:vue|svelte|astro)$/.test(path)),
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

/** The exports of a tool's module, by their old names. */
function namesOf(before: ToolModule, after: ToolModule): ReadonlyMap<string, string> {
  const [was, is] = [before, after].map(({ wrapper }) => [
    wrapper,
    ...["Input", "Output"].map((side) => `${typeOf(wrapper)}${side}`),
  ]);
  return new Map((was ?? []).map((name, index) => [name, is?.[index] ?? name]));
}
