import { join } from "node:path";
import { AGENT_FILE_LIMIT } from "../../core/limits.js";
import type { Rename } from "../../core/rename.js";
import { findUpTo } from "../../files/read-files.js";
import type { PlacedRename } from "../../impact/renames/find-edits.js";
import type { Leftover } from "../../impact/renames/find-leftovers.js";

interface SearchedFiles {
  /** The configuration's folder. */
  readonly dir: string;
  /** Relative to it, posix, as are all paths here. */
  readonly paths: readonly string[];
  /** The files in which the compiler finds properties. */
  readonly users: ReadonlySet<string>;
  /** Texts after the edits. */
  readonly edited: ReadonlyMap<string, string>;
  /** The renames of names in generated code. */
  readonly placed: readonly PlacedRename[];
}

/** The most lines to list of one file for one name. */
const MOST_LINES = 20;

/** Returns the lines that have a name which the compiler does not edit: in texts, comments and files of other kinds. */
export async function findOtherNames(
  renames: readonly Rename[],
  { dir, paths, users, edited, placed }: SearchedFiles,
): Promise<readonly Leftover[]> {
  const searches = renames.map((rename) => createSearch(rename, renames, placed));
  const leftovers: Leftover[] = [];
  for (const file of searches.length === 0 ? [] : paths) {
    const text = edited.get(file) ?? (await readText(join(dir, file)));
    if (text === undefined) continue;
    const lines = text.split("\n");
    const isCode = /\.[cm]?[jt]sx?$/.test(file);
    for (const { rename, isFor, isIn } of searches) {
      const isCompiled = rename.kind === "property" && users.has(file);
      const at =
        isCompiled || !isFor(text)
          ? []
          : lines.flatMap((line, index) => (isIn(line, isCode) ? [index + 1] : []));
      const message = `names \`${rename.before}\`, renamed to \`${rename.after}\``;
      leftovers.push(...at.slice(0, MOST_LINES).map((line) => ({ file, line, message })));
    }
  }
  return leftovers;
}

function createSearch(rename: Rename, renames: readonly Rename[], placed: readonly PlacedRename[]) {
  const { kind, server, tool, before } = rename;
  const exports = placed.filter((place) => place.rename === rename).flatMap(({ names }) => [...names]);
  const moved = renames.filter(
    (candidate) => candidate.kind === "tool" && candidate.server === server && candidate.after === tool,
  );
  const tools = [tool, ...moved.map((candidate) => candidate.before)].map((name) => patternOf(server, name));
  const isNamed = (text: string): boolean => tools.some((pattern) => pattern.test(text));
  if (kind === "property") {
    const words = new Set(exports.flat());
    return {
      rename,
      // A file has the property only if it names the tool.
      isFor: (text: string): boolean =>
        text.includes(before) && (isNamed(text) || wordsIn(text).some((word) => words.has(word))),
      isIn: (line: string): boolean => wordsIn(line).includes(before),
    };
  }
  // A name of one word has other meanings, too.
  const words = new Set(
    exports.flatMap(([from, to]) => (from !== to && /.\p{Lu}/u.test(from) ? [from] : [])),
  );
  return {
    rename,
    isFor: () => true,
    isIn: (line: string, isCode: boolean): boolean =>
      isNamed(line) || (isCode ? line.split(/["'`]/) : wordsIn(line)).some((word) => words.has(word)),
  };
}

function wordsIn(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_$-]+/gu) ?? [];
}

/**
 * Matches a tool's name as hosts and registries spell it, such as `mcp__shop__get-order`. A name of one word has other
 * meanings, so it has to follow the server's name.
 */
function patternOf(server: string, tool: string): RegExp {
  const [owner = [], name = []] = [server, tool].map((text) => text.match(/[\p{L}\p{N}]+/gu) ?? []);
  const prefix = name.length > 1 || owner.length === 0 ? "" : `${owner.join("[-_./]")}(?:__?|[/.:])`;
  return new RegExp(`(?<![A-Za-z0-9])${prefix}${name.join("[-_./]")}(?![\\w-])`);
}

/** Undefined for a file that is missing, too large or binary. */
async function readText(path: string): Promise<string | undefined> {
  const bytes = await findUpTo(path, AGENT_FILE_LIMIT).catch(() => undefined);
  return bytes === undefined || bytes === "too large" || bytes.includes(0) ? undefined : String(bytes);
}
