/** Saved scripts as code that calls tools, in which `check` finds call sites and `fix` renames. */
import { sep } from "node:path";
import { groupBy } from "../../core/collections.js";
import { getOwn } from "../../core/json.js";
import type { Lockfile } from "../../core/lockfile.js";
import { type Generated, openScripts } from "../../impact/open-project.js";
import type { Project } from "../../project/project.js";
import { scriptGlobals, scriptModules } from "../../project/tools/check-scripts.js";

/**
 * Opens the scripts of a project as they were written for a lock; undefined without any. The modules of the tools are in the folder
 * `output`, which is never written: `before` are those of this lock, and `generate` returns those of another.
 */
export async function openScriptCode(project: Project, lock: Lockfile) {
  const { scripts } = await project.scripts();
  if (scripts.length === 0) return undefined;
  const dir = project.dir.split(sep).join("/");
  const output = `${dir}/.mcp-codegen-scripts`;
  const words = new Set(scripts.flatMap(({ text }) => text.match(/[\p{L}\p{N}_$]+/gu) ?? []));
  const generate = async (within: Lockfile): Promise<Generated> => {
    const modules = await scriptModules(words, project, within);
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
  const opened = openScripts(new Map(scripts.map(({ path, text }) => [`${dir}/${path}`, text])), [
    `${output}.d.ts`,
    scriptGlobals + globals.join(""),
  ]);
  return { project: opened, output, before, generate };
}
