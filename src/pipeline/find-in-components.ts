import { posix, relative, sep } from "node:path";
import { findBounded } from "../files/read-bounded.js";
import type { Leftover } from "../impact/find-leftovers.js";
import type { PropertyRename, ToolRename } from "../impact/rename-request.js";
import type { ToolModule } from "../impact/tool-finder.js";

interface Renames {
  /** The folder of the generated files. */
  readonly output: string;
  readonly tools: readonly ToolRename[];
  readonly properties: readonly PropertyRename[];
}

/**
 * Returns the old names in components of Vue, Svelte and Astro that import generated code. The compiler does not read such
 * files, so nothing is edited there.
 *
 * @param paths absolute
 */
export async function findInComponents(
  dir: string,
  paths: readonly string[],
  { output, tools, properties }: Renames,
): Promise<readonly Leftover[]> {
  const left: Leftover[] = [];
  const folder = output.split(sep).at(-1) ?? "";
  for (const path of paths) {
    const text = new TextDecoder().decode(await findBounded(path));
    const file = relative(dir, path).split(sep).join("/");
    const imported = new Set(
      [...text.matchAll(/\bfrom\s*["']([^"'\n]+)["']/g)].flatMap(([, name = ""]) => name.split("/")),
    );
    const isUser = ({ path: module }: ToolModule): boolean =>
      imported.has(folder) || imported.has(posix.dirname(module));
    const names = [
      ...tools.flatMap(({ before, names: exports }) => (isUser(before) ? [...exports] : [])),
      ...properties.flatMap(({ kind, tool, change: { before, after } }) =>
        kind === "property" &&
        typeof before === "string" &&
        typeof after === "string" &&
        isUser(tool) &&
        findWord(text, tool.wrapper).length > 0
          ? [[before, after] as const]
          : [],
      ),
    ];
    for (const [from, to] of names)
      for (const line of from === to ? [] : findWord(text, from))
        left.push({
          file,
          line,
          message: `may use \`${from}\`, renamed to \`${to}\`, but fix does not edit files of this kind`,
        });
  }
  return left;
}

/** The lines that have a word. */
function findWord(text: string, word: string): readonly number[] {
  const lines = text.split("\n").map((line, index) => [line, index + 1] as const);
  return lines.filter(([line]) => line.split(/[^\w$-]+/).includes(word)).map(([, line]) => line);
}
