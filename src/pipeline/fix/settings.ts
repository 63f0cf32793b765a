import type { LoadedConfig } from "../../config/load-config.js";
import { countNames, findLostPatterns, findToolNames } from "../../config/match-tools.js";
import type { Rename } from "../../core/rename.js";
import { readBounded } from "../../files/read-bounded.js";
import type { Leftover } from "../../impact/renames/find-leftovers.js";
import { openConfigFile } from "../find-config-names.js";
import type { RenameEdits } from "./user-code.js";

/** Edits the names of renamed tools in the configuration, and lists those that it cannot edit. */
export async function renameInSettings(
  loaded: LoadedConfig,
  applied: readonly Rename[],
  hasCompiler: boolean,
): Promise<RenameEdits> {
  const { config, path } = loaded;
  const tools = applied.filter(({ kind }) => kind === "tool");
  const named = tools.flatMap((rename) =>
    findToolNames(config, rename).flatMap((name) => {
      const count = countNames(config, name);
      return count === 0 ? [] : [{ rename, name, count }];
    }),
  );
  const lost = tools.flatMap((rename) =>
    findLostPatterns(config, rename).map((pattern) => ({ rename, pattern })),
  );
  if (named.length + lost.length === 0) return { edits: new Map(), left: [], used: [] };
  const { path: file, find } = await openConfigFile(loaded);
  const text = (await readBounded(path)).toString("utf8");
  const names = named.map(({ name }) => name);
  const { edits, found } = hasCompiler
    ? (await import("../../impact/renames/rename-in-config.js")).renameInConfig(file, text, names)
    : { edits: [], found: [] };
  const left = named.flatMap(
    ({ rename: { server, before, after }, count, name }, index): readonly Leftover[] => {
      const message = `${name.path.slice(0, 2).join(".")} names \`${before}\`, renamed to \`${after}\` on server \`${server}\``;
      return (found[index] ?? 0) < count ? [{ file, line: find(name.before).line, message }] : [];
    },
  );
  const unmatched = lost.map(({ rename: { after }, pattern }): Leftover => {
    const message = `names \`${pattern}\`, which does not match the new name \`${after}\``;
    return { file, line: find(pattern).line, message };
  });
  return {
    edits: new Map(edits.length === 0 ? [] : [[file, edits]]),
    left: [...left, ...unmatched],
    used: [...named, ...lost].map(({ rename }) => rename),
  };
}
