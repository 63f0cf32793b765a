/** Saved scripts as code that calls tools, in which `check` finds call sites and `fix` renames. */
import { sep } from "node:path";
import type { LoadedConfig } from "../../config/load-config.js";
import { groupBy } from "../../core/collections.js";
import { getOwn } from "../../core/json.js";
import type { Lockfile } from "../../core/lockfile.js";
import { type Generated, type OpenProject, openScripts } from "../../impact/open-project.js";
import { readScripts } from "../../project/read-scripts.js";
import { scriptGlobals, scriptModules } from "../../project/tools/check-scripts.js";
import { findOutputs } from "../../project/find-outputs.js";

interface ScriptCode {
  readonly project: OpenProject;
  /** The folder of the modules of the tools, which are never written. */
  readonly output: string;
  /** The modules of the tools that the scripts were written for. */
  readonly before: Generated;
  /** Returns the modules of the tools of another lock. */
  readonly generate: (lock: Lockfile) => Promise<Generated>;
}

/** Opens the scripts of a project as they were written for a lock; undefined without any. */
export async function openScriptCode(loaded: LoadedConfig, lock: Lockfile): Promise<ScriptCode | undefined> {
  const { scripts } = await readScripts(loaded);
  if (scripts.length === 0) return undefined;
  const dir = loaded.dir.split(sep).join("/");
  const output = `${dir}/.mcp-codegen-scripts`;
  const words = new Set(scripts.flatMap(({ text }) => text.match(/[\p{L}\p{N}_$]+/gu) ?? []));
  const outputOf = await findOutputs(loaded);
  const generate = async (within: Lockfile): Promise<Generated> => {
    const modules = await scriptModules(words, loaded, within, outputOf);
    const indexes = [...groupBy(modules, ({ index }) => index)].map(([path, ofIndex]) => ({
      path,
      text: ofIndex.map(({ wrapper }) => `export * from "./${wrapper}";\n`).join(""),
    }));
    return {
      tree: { files: [...modules, ...indexes], removed: [] },
      tools: modules.flatMap((module) => {
        const locked = getOwn(getOwn(within.servers, module.server)?.tools ?? {}, module.tool);
        return locked === undefined ? [] : [{ ...module, definition: locked.definition }];
      }),
    };
  };
  const before = await generate(lock);
  const folders = new Set(before.tree.files.map(({ path }) => path.split("/")[0] ?? ""));
  const globals = [...folders].map(
    (name) => `declare const ${name}: typeof import("${output}/${name}/index");\n`,
  );
  const project = openScripts(new Map(scripts.map(({ path, text }) => [`${dir}/${path}`, text])), [
    `${output}.d.ts`,
    scriptGlobals + globals.join(""),
  ]);
  return { project, output, before, generate };
}
