/** Saved scripts as code that calls tools, in which `check` finds call sites and `fix` renames. */
import { sep } from "node:path";
import { ownNameOf } from "../../agent/registry/tool-names.js";
import { declareModule, nameFunctions, SCRIPT_GLOBALS } from "../../code-mode/declare-tools.js";
import type { LoadedConfig } from "../../config/load-config.js";
import { groupBy } from "../../core/collections.js";
import { getOwn } from "../../core/json.js";
import type { Lockfile } from "../../core/lockfile.js";
import { typeOf } from "../../emit/name-tools.js";
import type { Generated } from "../../impact/find-impact.js";
import { type OpenProject, openScripts } from "../../impact/open-project.js";
import { readScripts, scriptTools } from "../../serve/project/check-scripts.js";
import { findOutputs } from "../../serve/project/find-outputs.js";

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
  const generate = async ({ servers, ...rest }: Lockfile): Promise<Generated> => {
    const tools = await scriptTools(loaded, { ...rest, servers }, outputOf);
    const modules = nameFunctions(tools)
      .filter(({ server }) => words.has(server))
      .map((one) => ({ ...one, file: `${one.server}/${one.name}.ts`, index: `${one.server}/index.ts` }));
    const indexes = [...groupBy(modules, ({ index }) => index)].map(([path, own]) => ({
      path,
      text: own.map(({ name }) => `export * from "./${name}";\n`).join(""),
    }));
    return {
      tree: {
        files: [
          ...modules.map((one) => ({ path: one.file, text: declareModule(one, typeOf(one.name)) })),
          ...indexes,
        ],
        removed: [],
      },
      tools: modules.flatMap(({ file, index, name, tool }) => {
        const [server = "", own] = [tool.server, ownNameOf(tool)];
        const locked = getOwn(getOwn(servers, server)?.tools ?? {}, own);
        const place = { server, tool: own, path: file, index, wrapper: name };
        return locked === undefined ? [] : [{ ...place, definition: locked.definition }];
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
    SCRIPT_GLOBALS + globals.join(""),
  ]);
  return { project, output, before, generate };
}
