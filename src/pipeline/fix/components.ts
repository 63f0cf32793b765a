import { posix, relative, sep } from "node:path";
import type { Leftover } from "../../impact/renames/find-leftovers.js";
import type { PlacedPropertyRename, PlacedToolRename } from "../../impact/renames/open-code.js";
import type { ToolModule } from "../../impact/tool-finder.js";

/** A file of a component, which has code within. */
export interface Component {
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
export function findInComponents(
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
